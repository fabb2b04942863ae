// The learning curves of chosen runs: one quantity and one unit in a chart.

import { get, query } from "./api.js";
import { Chart, smoothed } from "./chart.js";
import { choice, el, field, setText } from "./dom.js";

/** The reach rates of that many of the largest tiles. */
const TILES = 5;

export class Curves {
  constructor() {
    const redraw = () => this.draw();
    this.of = choice([["score", "mean score"]], "score", { onchange: redraw });
    this.against = choice([["episodes", "games"], ["moves", "moves"], ["seconds", "seconds"]], "episodes", { onchange: redraw });
    this.smoothing = choice([["1", "none"], ["5", "5 points"], ["20", "20 points"], ["100", "100 points"]], "1", { onchange: redraw });
    this.log = el("input", { type: "checkbox", onchange: redraw });
    this.chart = new Chart("Learning curves");
    this.notes = el("p", { class: "soft small" });
    this.state = el("p", { class: "soft small", "aria-live": "polite" });
    this.node = el("div", { class: "card", id: "chart" },
      el("h2", {}, "Learning curves"),
      el("div", { class: "row end" },
        field("Of", this.of, { class: "field narrow" }), field("Against", this.against, { class: "field narrow" }),
        field("Smoothing", this.smoothing, { class: "field narrow" }),
        el("label", { class: "check" }, this.log, "Logarithmic")),
      this.chart.node, this.notes, this.state);
  }

  /** Shows runs; loads them again if they have grown. */
  async show(runs) {
    const stamp = JSON.stringify(runs.map((run) => [run.name, run.windows, run.state]));
    if (stamp === this.stamp || this.loading) return;
    if (!runs.length) {
      this.chart.node.hidden = true;
      setText(this.state, "Select a run to see its curve.");
      this.stamp = stamp;
      return;
    }
    this.loading = true;
    try {
      this.curves = await get(`curves?${query({ runs: runs.map((run) => run.name).join(",") })}`);
      this.offer();
      this.draw();
      setText(this.state, "");
    } catch (error) {
      setText(this.state, error.message);
    } finally {
      this.loading = false;
      this.stamp = stamp;
    }
  }

  /** Offers what these runs have: reach rates only of one run with tiles, metrics of the learner. */
  offer() {
    const last = (curve) => curve.windows.at(-1) ?? {};
    const extras = [...new Set(this.curves.flatMap((curve) => Object.keys(last(curve).extra ?? {})))];
    const tiles = this.curves.length === 1 && Object.keys(last(this.curves[0]).reach ?? {}).length;
    const options = [["score", "mean score"], ["max", "best score"], ["mean_moves", "mean length"],
      ...(tiles ? [["reach", "reach rates"]] : []), ...extras.map((name) => [`extra ${name}`, name])];
    if (JSON.stringify(options) === this.offered) return;
    this.offered = JSON.stringify(options);
    this.of.offer(options);
  }

  draw() {
    if (!this.curves?.length) return;
    const [of, against] = [this.of.value, this.against.value];
    const width = Number(this.smoothing.value);
    const line = (curve, name, value, more = {}) => ({
      name, points: smoothed(curve.windows.map((window) => [window[against], value(window)]).filter(([, y]) => y !== undefined), width),
      marks: phases(curve, against), ...more,
    });
    // The interval of a window is not that of a running mean.
    const band = (curve) => (of === "score" && width === 1
      ? { band: curve.windows.filter((window) => window.ci95).map((window) => [window[against], ...window.ci95]) } : {});
    const [first] = this.curves;
    const lines = of === "reach" ? reached(first).map((tile, at) => line(first, String(tile), (window) => 100 * share(window.reach, tile), { colour: (Math.log2(tile) + 6) % 7, ...(at && { marks: [] }) }))
      : this.curves.map((curve) => line(curve, curve.name, {
        score: (window) => window.mean, max: (window) => window.max, mean_moves: (window) => window.mean_moves,
      }[of] ?? ((window) => window.extra?.[of.slice(6)]), band(curve)));
    const unit = first.unit.split(",")[0];
    const y = { score: `mean score (${unit})`, max: `best score (${unit})`, mean_moves: "moves per game", reach: "% of games" }[of] ?? of.slice(6);
    this.chart.node.hidden = false;
    this.chart.draw({
      lines, y, x: this.against.selectedOptions[0].textContent, log: this.log.checked,
    });
    const notes = [
      lines.some((each) => each.band?.length) && "Bands are 95% intervals over the games of a window.",
      lines.some((each) => each.marks.length) && "Diamonds mark where a phase of the recipe begins.",
    ];
    setText(this.notes, notes.filter(Boolean).join(" "));
    this.node.dataset.windows = this.curves.reduce((sum, curve) => sum + curve.windows.length, 0);
  }
}

/** Where the phases of a training begin, but for the first. */
function phases({ windows }, against) {
  return windows.flatMap((window, at) => (at && window.phase !== windows[at - 1].phase
    ? [{ x: windows[at - 1][against], label: `phase ${window.phase + 1}` }] : []));
}

/** The largest tiles of a run. */
function reached({ windows }) {
  const largest = Math.max(...windows.flatMap(({ reach }) => Object.keys(reach ?? {}).map(Number)));
  return Array.from({ length: TILES }, (_, halved) => largest / 2 ** halved).filter((tile) => tile >= 2);
}

/** The share of games that reached a tile: a window lists the tiles at which games ended. */
function share(reach, tile) {
  const at = Object.keys(reach ?? {}).map(Number).sort((a, b) => a - b).find((each) => each >= tile);
  return at === undefined ? 0 : reach[at];
}
