// The tab Train: recipes, runs of all processes, and a chart of their learning curves.

import { attempt, get, note, post } from "./api.js";
import { Curves } from "./curves.js";
import { choice, count, duration, el, field, meanText, number, setAttribute, setText, speed } from "./dom.js";
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
    this.rows = el("table", {}, el("thead", {}, el("tr", {}, ["", "Run", "State", "Games", "Moves", "Moves/s", "Left", "Mean"].map((head, at) =>
      el("th", { class: at > 2 ? "number" : null }, head || el("span", { class: "unseen" }, "compare"))))));
    this.none = el("tbody", {}, el("tr", {}, el("td", { colspan: 8, class: "empty" }, "No runs yet: start a training.")));
    this.chosen = new Set();
    this.shown = new Map();
    this.curves = new Curves();
    this.error = el("p", { class: "error", role: "alert" });
    this.node = el("section", { class: "split wide-right", "aria-label": "Train" },
      el("form", { class: "card stack", onsubmit: (event) => { event.preventDefault(); this.start(); } },
        el("h2", {}, "New training"),
        field("Recipe", this.recipe), this.about,
        el("details", {}, el("summary", {}, "Recipe file"), this.text),
        el("div", { class: "row end" }, field("Seconds", this.seconds, { class: "field grow" }), field("Threads", this.threads, { class: "field grow" })),
        el("div", { class: "row end" }, field("Seed", this.seed, { class: "field grow" }), field("Games to measure the agent", this.games, { class: "field grow" })),
        field("Settings to change, one per line", this.settings), this.error,
        el("button", { class: "main", type: "submit" }, "Start the training")),
      el("div", {},
        this.curves.node,
        el("div", { class: "card" }, el("h2", {}, "Runs"),
          el("p", { class: "soft small" }, "All runs in the runs folder. Select runs to compare their curves."),
          el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs" },
            this.rows))));
  }

  async enter() {
    this.here = true;
    if (!this.recipes) {
      this.recipes = await attempt(() => get("recipes"));
      this.recipe.offer((this.recipes ?? []).map(({ name }) => [name, name]), "2048");
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
    let started;
    try {
      started = await post("runs", request);
      setText(this.error, "");
    } catch (error) {
      if (error.status) setText(this.error, error.message);
      return;
    }
    note(`${started.name} has started.`);
    this.chosen = new Set([started.name]);
    await this.follow();
  }

  /** Polls all runs while the tab is open. */
  async follow() {
    clearTimeout(this.timer);
    const runs = await get("runs").catch(() => null);
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
      if (this.rows.tBodies[at] !== row.node) this.rows.insertBefore(row.node, this.rows.tBodies[at] ?? null);
    });
    if (runs.length) this.none.remove();
    else this.rows.append(this.none);
    this.curves.show(this.picked());
  }

  picked() {
    return (this.runs ?? []).filter((run) => this.chosen.has(run.name));
  }

  pick(name, yes) {
    const unit = (run) => `${run?.unit} of ${run?.game?.split(":")[0]}`;
    const own = unit(this.runs.find((run) => run.name === name));
    const others = this.picked().filter((run) => unit(run) !== own);
    if (yes && this.chosen.size >= MAX_CHART_RUNS) note(`At most ${MAX_CHART_RUNS} runs fit into a chart.`, true);
    else if (yes) {
      // A chart has one unit: lines of Tetris and points of 2048 do not compare.
      for (const run of others) this.chosen.delete(run.name);
      if (others.length) note(`Only runs of the same game are compared: ${others.length} of another game ${others.length === 1 ? "is" : "are"} no longer selected.`);
      this.chosen.add(name);
    }
    else this.chosen.delete(name);
    this.show(this.runs);
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
    const act = (what, body = () => ({})) => async () => {
      await attempt(() => post(`runs/${encodeURIComponent(name)}/${what}`, body()));
      await tab.follow();
    };
    const games = () => ({ games: Number(tab.games.value) });
    this.check = el("input", { type: "checkbox", "aria-label": `Compare ${name}`, onchange: () => tab.pick(name, this.check.checked) });
    this.chip = el("span", { class: "chip" });
    this.progress = el("progress", { max: 1, "aria-label": `Progress of ${name}` });
    this.about = el("span", { class: "soft small" });
    this.cells = [0, 1, 2, 3, 4].map(() => el("td", { class: "number" }));
    this.stop = el("button", { type: "button", class: "compact", onclick: act("stop") }, "Stop");
    this.resume = el("button", { type: "button", class: "compact", onclick: act("resume", games) }, "Resume");
    this.measure = el("button", { type: "button", class: "compact", onclick: act("resume", () => ({ games: Math.max(1, games().games) })) }, "Measure");
    this.strength = el("p", { class: "small strength", hidden: true });
    this.workers = el("span");
    this.dashboard = el("a", { target: "_blank", rel: "noopener noreferrer", hidden: true }, "Ray's dashboard");
    this.cluster = el("p", { class: "small cluster", hidden: true }, this.workers, this.dashboard);
    this.watch = el("a", { class: "button compact" }, "Watch");
    // The second row has the width of the screen, also where the table is wider.
    this.node = el("tbody", { "data-run": name },
      el("tr", {}, el("td", {}, this.check), el("td", {}, el("span", { class: "run-name" }, name), el("br"), this.about),
        el("td", {}, this.chip, this.progress), this.cells),
      el("tr", { class: "second" }, el("td", { colspan: 8 }, el("div", { class: "row between" }, this.strength, this.cluster,
        el("span", { class: "row tight" }, this.stop, this.resume, this.measure, this.watch)))));
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
    this.measure.hidden = run.state !== "finished" || own || Boolean(run.strength);
    this.showStrength(run.strength);
    this.showCluster(run);
    this.watch.hidden = run.state === "running" || !run.game;
    setAttribute(this.watch, "href", `#watch/${encodeURIComponent(run.game ?? "")}/${encodeURIComponent(`runs/${this.name}`)}`);
  }

  /** The cluster that plays the games, while it does. */
  showCluster({ state, extra = {}, dashboard }) {
    const workers = extra.workers;
    this.cluster.hidden = state !== "running" || (workers === undefined && !dashboard);
    const parts = workers === undefined ? [] : [
      `${count(workers)} ${workers === 1 ? "worker" : "workers"}`, `${number(extra["games/s"] ?? null)} games/s`,
      `${count(extra["lost tasks"] ?? 0)} lost ${extra["lost tasks"] === 1 ? "task" : "tasks"}`];
    setText(this.workers, parts.length ? `Cluster: ${parts.join(", ")}${dashboard ? "; " : ""}` : "Cluster: ");
    this.dashboard.hidden = !dashboard;
    if (dashboard) setAttribute(this.dashboard, "href", dashboard);
  }

  /** The evaluation of the trained agent, where its training was started. */
  showStrength(strength) {
    this.strength.hidden = !strength;
    const text = strength && `${strength.mean} ${strength.games}`;
    if (!strength || text === this.measured) return;
    this.measured = text;
    this.strength.replaceChildren("Evaluation: mean ", el("strong", {}, meanText({ ...strength, min: strength.mean >= 0 ? 0 : null })), ` of ${count(strength.games)} games, best ${number(strength.max)}`);
  }
}
