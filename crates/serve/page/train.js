// The room to train in: recipes, runs wherever they were started, and their curves in one chart.

import { get, note, picture, post, query, trying } from "./api.js";
import { choice, count, el, field, lasting, number, say, set, speed } from "./dom.js";
import { inline } from "./markdown.js";

const MOST_COMPARED = 7;

export class Train {
  title = "Train";

  constructor() {
    this.recipe = choice([], null, { onchange: () => this.describe() });
    this.about = el("p", { class: "soft small" });
    this.text = el("pre", {}, el("code"));
    this.seconds = el("input", { type: "number", min: 1, step: 1, value: "60" });
    this.threads = el("input", { type: "number", min: 1, step: 1, placeholder: "one a core" });
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
        el("h2", {}, "A new training"),
        field("Recipe", this.recipe), this.about,
        el("details", {}, el("summary", {}, "The recipe itself"), this.text),
        el("div", { class: "row end" }, field("Seconds", this.seconds, { class: "field grow" }), field("Threads", this.threads, { class: "field grow" })),
        el("div", { class: "row end" }, field("Seed", this.seed, { class: "field grow" }), field("Games to measure it", this.games, { class: "field grow" })),
        field("Settings to change, one a line", this.settings),
        el("button", { class: "main", type: "submit" }, "Start the training")),
      el("div", {},
        el("div", { class: "card" },
          el("div", { class: "row end" }, el("h2", { class: "grow" }, "Curves"),
            field("Of", this.of, { class: "field narrow" }), field("Against", this.against, { class: "field narrow" })),
          this.chart, this.state),
        el("div", { class: "card" }, el("h2", {}, "Runs"),
          el("p", { class: "soft small" }, "Everything in the runs folder, wherever it was started. Tick runs to compare their curves."),
          el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs" },
            el("table", {}, el("thead", {}, el("tr", {},
              ["", "Run", "State", "Games", "Moves", "Moves/s", "Left", "Mean", ""].map((head, at) =>
                el("th", { class: at > 2 && at < 8 ? "number" : null }, head || el("span", { class: "unseen" }, at ? "actions" : "compare"))))),
              this.rows)))));
  }

  async enter() {
    this.here = true;
    if (!this.recipes) {
      this.recipes = await trying(() => get("recipes"));
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
    say(this.text.firstChild, recipe.text.trim());
  }

  async start() {
    const value = (input) => (input.value === "" ? null : Number(input.value));
    const asked = {
      recipe: this.recipe.value, seconds: value(this.seconds), threads: value(this.threads), seed: value(this.seed),
      games: value(this.games), settings: this.settings.value.split("\n").map((line) => line.trim()).filter(Boolean),
    };
    const started = await trying(() => post("runs", asked));
    if (!started) return;
    note(`${started.name} has started.`);
    this.chosen = new Set([started.name]);
    await this.follow();
  }

  /** Looks at all runs, again and again while the room is open. */
  async follow() {
    clearTimeout(this.timer);
    const runs = await get("runs").catch((error) => { say(this.state, error.message); return null; });
    if (!this.here) return;
    if (runs) this.show(runs);
    const lively = runs?.some((run) => going(run));
    this.timer = setTimeout(() => this.follow(), lively ? 250 : 2_000);
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
    if (!runs.length) this.rows.replaceChildren(el("tr", {}, el("td", { colspan: 9, class: "empty" }, "No runs yet: start one.")));
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
    if (yes && this.chosen.size >= MOST_COMPARED) note(`At most ${MOST_COMPARED} runs fit into a chart.`, true);
    else if (yes) this.chosen.add(name);
    else this.chosen.delete(name);
    this.show(this.runs);
  }

  /** Draws the chart anew where anything in it has changed. */
  async draw() {
    const runs = this.picked();
    const drawn = JSON.stringify([runs.map((run) => [run.name, run.windows, run.stage]), this.against.value, this.of.value]);
    if (drawn === this.drawn || this.drawing) return;
    if (!runs.length) {
      this.chart.replaceChildren(el("p", { class: "empty" }, "Tick a run to see its curve."));
      this.drawn = drawn;
      return;
    }
    this.drawing = true;
    try {
      const names = runs.map((run) => run.name).join(",");
      const shown = await picture(`chart?${query({ runs: names, against: this.against.value, of: this.of.value })}`);
      this.chart.replaceChildren(shown);
      this.chart.dataset.windows = runs.reduce((sum, run) => sum + (run.windows ?? 0), 0);
      this.drawn = drawn;
      say(this.state, "");
    } catch (error) {
      say(this.state, error.message);
      this.drawn = drawn;
    } finally {
      this.drawing = false;
    }
  }
}

/** Whether a run goes on right now. */
function going(run) {
  return run.stage === "running" || ["running", "measuring"].includes(run.now?.stage);
}

/** One run in the table. */
class Row {
  constructor(name, room) {
    Object.assign(this, { name, room });
    const act = (what) => async () => {
      await trying(() => post(`runs/${encodeURIComponent(name)}/${what}`));
      await room.follow();
    };
    this.check = el("input", { type: "checkbox", "aria-label": `Compare ${name}`, onchange: () => room.pick(name, this.check.checked) });
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
    set(this.node, "class", chosen ? "chosen" : "");
    const { now } = run;
    const own = now && ["running", "measuring"].includes(now.stage);
    const stage = now?.stage === "failed" ? "failed" : run.error ? "failed" : own ? now.stage : run.stage;
    say(this.chip, stage);
    set(this.chip, "class", `chip ${stage}`);
    const said = run.error ?? (now?.stage === "failed" ? now.note : null);
    say(this.about, said ?? `${run.game}, seed ${run.seed}`);
    const here = own && now.moves > 0 ? now : run;
    this.progress.value = here.fraction ?? 0;
    const left = own && now.fraction > 0 ? (now.seconds * (1 - now.fraction)) / now.fraction : run.seconds_left;
    const texts = [
      count(here.episodes ?? 0), count(here.moves ?? 0),
      speed((own && now.moves_per_second) || run.moves_per_second, ""),
      going(run) && stage !== "measuring" ? lasting(left) : "–", number(run.mean ?? null),
    ];
    texts.forEach((text, at) => say(this.cells[at], text));
    this.stop.hidden = run.stage !== "running" || stage === "measuring";
    this.resume.hidden = run.stage !== "stopped" || own;
    this.watch.hidden = run.stage === "running" || !run.game;
    set(this.watch, "href", `#watch/${encodeURIComponent(run.game ?? "")}/${encodeURIComponent(`runs/${this.name}`)}`);
  }
}
