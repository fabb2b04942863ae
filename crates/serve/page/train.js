// The tab Train: recipes, runs of all processes, and a chart of their learning curves.

import { attempt, fetchSvg, get, note, post, query } from "./api.js";
import { choice, count, duration, el, field, number, setAttribute, setText, speed } from "./dom.js";
import { inline } from "./markdown.js";

const MAX_CHART_RUNS = 7;

export class Train {
  title = "Train";

  constructor() {
    this.recipe = choice([], null, { onchange: () => this.describe() });
    this.about = el("p", { class: "soft small" });
    this.text = el("pre", {}, el("code"));
    this.seconds = el("input", { type: "number", min: 1, step: 1, value: "60" });
    this.threads = el("input", { type: "number", min: 1, step: 1, placeholder: "one per core" });
    this.seed = el("input", { type: "number", min: 0, step: 1, value: "1" });
    this.games = el("input", { type: "number", min: 0, max: 10_000, step: 1, value: "200" });
    this.settings = el("textarea", { rows: 2, spellcheck: "false", placeholder: "phase.0.rate=0.05" });
    this.rows = el("tbody");
    this.chosen = new Set();
    this.shown = new Map();
    this.against = choice([["games", "games"], ["moves", "moves"], ["seconds", "seconds"]], "games", { onchange: () => this.draw() });
    this.of = choice([["score", "mean score"], ["reach", "reach rates"]], "score", { onchange: () => this.draw() });
    this.chart = el("div", { class: "chart", id: "chart" });
    this.state = el("p", { class: "soft small", "aria-live": "polite" });
    this.node = el("section", { class: "split wide-right", "aria-label": "Train" },
      el("form", { class: "card stack", onsubmit: (event) => { event.preventDefault(); this.start(); } },
        el("h2", {}, "New training"),
        field("Recipe", this.recipe), this.about,
        el("details", {}, el("summary", {}, "Recipe file"), this.text),
        el("div", { class: "row end" }, field("Seconds", this.seconds, { class: "field grow" }), field("Threads", this.threads, { class: "field grow" })),
        el("div", { class: "row end" }, field("Seed", this.seed, { class: "field grow" }), field("Games to measure the agent", this.games, { class: "field grow" })),
        field("Settings to change, one per line", this.settings),
        el("button", { class: "main", type: "submit" }, "Start the training")),
      el("div", {},
        el("div", { class: "card" },
          el("div", { class: "row end" }, el("h2", { class: "grow" }, "Learning curves"),
            field("Of", this.of, { class: "field narrow" }), field("Against", this.against, { class: "field narrow" })),
          this.chart, this.state),
        el("div", { class: "card" }, el("h2", {}, "Runs"),
          el("p", { class: "soft small" }, "All runs in the runs folder. Select runs to compare their curves."),
          el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs" },
            el("table", {}, el("thead", {}, el("tr", {},
              ["", "Run", "State", "Games", "Moves", "Moves/s", "Left", "Mean", ""].map((head, at) =>
                el("th", { class: at > 2 && at < 8 ? "number" : null }, head || el("span", { class: "unseen" }, at ? "actions" : "compare"))))),
              this.rows)))));
  }

  async enter() {
    this.here = true;
    if (!this.recipes) {
      this.recipes = await attempt(() => get("recipes"));
      this.recipe.offer((this.recipes ?? []).map(({ name }) => [name, name]), "2048-3x3");
      this.describe();
    }
    await this.follow();
  }

  leave() {
    this.here = false;
    clearTimeout(this.timer);
  }

  describe() {
    const recipe = this.recipes?.find(({ name }) => name === this.recipe.value);
    if (!recipe) return;
    this.about.replaceChildren(...inline(recipe.about));
    setText(this.text.firstChild, recipe.text.trim());
  }

  async start() {
    const value = (input) => (input.value === "" ? null : Number(input.value));
    const request = {
      recipe: this.recipe.value, seconds: value(this.seconds), threads: value(this.threads), seed: value(this.seed),
      games: value(this.games), settings: this.settings.value.split("\n").map((line) => line.trim()).filter(Boolean),
    };
    const started = await attempt(() => post("runs", request));
    if (!started) return;
    note(`${started.name} has started.`);
    this.chosen = new Set([started.name]);
    await this.follow();
  }

  /** Polls all runs while the tab is open. */
  async follow() {
    clearTimeout(this.timer);
    const runs = await get("runs").catch((error) => { setText(this.state, error.message); return null; });
    if (!this.here) return;
    if (runs) this.show(runs);
    const active = runs?.some((run) => isActive(run));
    this.timer = setTimeout(() => this.follow(), active ? 250 : 2_000);
  }

  show(runs) {
    this.runs = runs;
    if (!this.chosen.size && runs.length) this.chosen.add(runs[0].name);
    for (const name of this.chosen) if (!runs.some((run) => run.name === name)) this.chosen.delete(name);
    for (const [name, row] of this.shown) {
      if (!runs.some((run) => run.name === name)) { row.node.remove(); this.shown.delete(name); }
    }
    runs.forEach((run, at) => {
      if (!this.shown.has(run.name)) this.shown.set(run.name, new Row(run.name, this));
      const row = this.shown.get(run.name);
      row.show(run, this.chosen.has(run.name));
      if (this.rows.children[at] !== row.node) this.rows.insertBefore(row.node, this.rows.children[at] ?? null);
    });
    if (!runs.length) this.rows.replaceChildren(el("tr", {}, el("td", { colspan: 9, class: "empty" }, "No runs yet: start a training.")));
    else this.rows.querySelector(".empty")?.parentNode.remove();
    const extras = [...new Set(this.picked().flatMap((run) => Object.keys(run.extra ?? {})))];
    const reach = this.picked().some((run) => Object.keys(run.reach ?? {}).length);
    const offered = [["score", "mean score"], ...(reach ? [["reach", "reach rates"]] : []), ...extras.map((name) => [name, name])];
    if (JSON.stringify(offered) !== this.offered) {
      this.offered = JSON.stringify(offered);
      this.of.offer(offered);
    }
    this.draw();
  }

  picked() {
    return (this.runs ?? []).filter((run) => this.chosen.has(run.name));
  }

  pick(name, yes) {
    if (yes && this.chosen.size >= MAX_CHART_RUNS) note(`At most ${MAX_CHART_RUNS} runs fit into a chart.`, true);
    else if (yes) this.chosen.add(name);
    else this.chosen.delete(name);
    this.show(this.runs);
  }

  /** Draws the chart again if its data have changed. */
  async draw() {
    const runs = this.picked();
    const drawn = JSON.stringify([runs.map((run) => [run.name, run.windows, run.state]), this.against.value, this.of.value]);
    if (drawn === this.drawn || this.drawing) return;
    if (!runs.length) {
      this.chart.replaceChildren(el("p", { class: "empty" }, "Select a run to see its curve."));
      this.drawn = drawn;
      return;
    }
    this.drawing = true;
    try {
      const names = runs.map((run) => run.name).join(",");
      const shown = await fetchSvg(`chart?${query({ runs: names, against: this.against.value, of: this.of.value })}`);
      this.chart.replaceChildren(shown);
      this.chart.dataset.windows = runs.reduce((sum, run) => sum + (run.windows ?? 0), 0);
      this.drawn = drawn;
      setText(this.state, "");
    } catch (error) {
      setText(this.state, error.message);
      this.drawn = drawn;
    } finally {
      this.drawing = false;
    }
  }
}

/** Whether this process trains or measures a run. */
const isOwn = ({ training }) => ["running", "measuring"].includes(training?.state);

/** Whether any process trains or measures a run. */
const isActive = (run) => run.state === "running" || isOwn(run);

/** One run in the table. */
class Row {
  constructor(name, tab) {
    Object.assign(this, { name, tab });
    const act = (what) => async () => {
      await attempt(() => post(`runs/${encodeURIComponent(name)}/${what}`));
      await tab.follow();
    };
    this.check = el("input", { type: "checkbox", "aria-label": `Compare ${name}`, onchange: () => tab.pick(name, this.check.checked) });
    this.chip = el("span", { class: "chip" });
    this.progress = el("progress", { max: 1, "aria-label": `Progress of ${name}` });
    this.about = el("span", { class: "soft small" });
    this.cells = [0, 1, 2, 3, 4].map(() => el("td", { class: "number" }));
    this.stop = el("button", { type: "button", class: "compact", onclick: act("stop") }, "Stop");
    this.resume = el("button", { type: "button", class: "compact", onclick: act("resume") }, "Resume");
    this.watch = el("a", { class: "button compact" }, "Watch");
    this.node = el("tr", { "data-run": name },
      el("td", {}, this.check), el("td", {}, el("span", { class: "run-name" }, name), el("br"), this.about),
      el("td", {}, this.chip, this.progress), this.cells,
      el("td", {}, el("span", { class: "row tight" }, this.stop, this.resume, this.watch)));
  }

  show(run, chosen) {
    this.check.checked = chosen;
    setAttribute(this.node, "class", chosen ? "chosen" : "");
    const { training } = run;
    const own = isOwn(run);
    const failed = training?.state === "failed";
    const state = failed || run.error ? "failed" : own ? training.state : run.state;
    setText(this.chip, state);
    setAttribute(this.chip, "class", `chip ${state}`);
    const error = run.error ?? (failed ? training.note : null);
    setText(this.about, error ?? `${run.game}, seed ${run.seed}`);
    const progress = own && training.moves > 0 ? training : run;
    this.progress.value = progress.fraction ?? 0;
    const left = own && training.fraction > 0 ? (training.seconds * (1 - training.fraction)) / training.fraction : run.seconds_left;
    const texts = [
      count(progress.episodes ?? 0), count(progress.moves ?? 0),
      speed((own && training.moves_per_second) || run.moves_per_second, ""),
      isActive(run) && state !== "measuring" ? duration(left) : "–", number(run.mean ?? null),
    ];
    texts.forEach((text, at) => setText(this.cells[at], text));
    this.stop.hidden = run.state !== "running" || state === "measuring";
    this.resume.hidden = run.state !== "stopped" || own;
    this.watch.hidden = run.state === "running" || !run.game;
    setAttribute(this.watch, "href", `#watch/${encodeURIComponent(run.game ?? "")}/${encodeURIComponent(`runs/${this.name}`)}`);
  }
}
