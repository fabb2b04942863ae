// The tab Play: by hand, with hints, or by an agent; replays.

import { attempt, get, note, post } from "./api.js";
import { Board, heatOfHints } from "./board.js";
import { count, el, field, number, setText, store, stored, typing } from "./dom.js";
import { inputFor } from "./input.js";
import { Player, Rules, seedField } from "./rules.js";

/** The positions of the speed slider in moves per second; the last one is unlimited. */
export const PACES = [1, 2, 4, 8, 15, 30, 60, 125, 250, 500, 1_000, 4_000, Infinity];
export const paceText = (pace) => (pace === Infinity ? "as fast as possible" : `${count(pace)} ${pace === 1 ? "move" : "moves"} per second`);

/** Longer games have no replay. */
const MAX_RECORDED = 2 ** 20;

/** A random seed of at most six digits. */
const randomSeed = () => Math.floor(Math.random() * 1e6);

export class Play {
  title = "Play";

  constructor() {
    this.board = new Board();
    this.board.node.tabIndex = 0;
    this.board.node.setAttribute("role", "application");
    this.board.node.setAttribute("aria-label", "Board. The line below lists the keys.");
    this.build();
  }

  build() {
    const button = (text, act, attributes = {}) =>
      el("button", { type: "button", onclick: act, ...attributes }, text);
    // Rules.
    this.rules = new Rules("play", () => this.newGame());
    this.seed = seedField({ onchange: () => this.newGame() });
    // Score and status.
    this.figures = {};
    const figureOf = (name) => {
      this.figures[name] = el("dd", {}, "–");
      return el("div", {}, el("dt", {}, name), this.figures[name]);
    };
    this.help = el("p", { class: "soft small" });
    this.live = el("p", { class: "unseen", "aria-live": "polite" });
    this.gameOver = el("div", { class: "game-over", hidden: true });
    this.below = el("div");
    // Hints.
    this.hintButton = button("Hints", () => this.toggleHints(), { "aria-pressed": "false", title: "H" });
    this.hintList = el("div", { class: "hints" });
    this.undoButton = button("Undo", () => this.go(-1), { title: "U" });
    this.redoButton = button("Redo", () => this.go(1), { title: "R" });
    // Agents.
    this.player = new Player("play", () => this.changed());
    this.pace = el("input", {
      type: "range", min: 0, max: PACES.length - 1, step: 1, value: stored("pace", "3"),
      oninput: () => this.paced(),
    });
    this.paceLabel = el("span", { class: "soft small" });
    this.running = button("▶ Let it play", () => this.toggleAgent(), { class: "main", "aria-pressed": "false", title: "Space" });
    // Replays.
    this.download = el("a", { class: "button compact", download: true, href: "#" }, "Download the replay");
    const upload = el("input", { type: "file", accept: ".json,application/json", onchange: (event) => this.load(event) });
    this.steps = el("input", { type: "range", min: 0, step: 1, oninput: () => this.goTo(Number(this.steps.value)) });
    this.stepLabel = el("span", { class: "soft small" });

    this.node = el("section", { class: "split", "aria-label": "Play" },
      el("div", {},
        el("div", { class: "row" }, this.rules.choices),
        el("div", { class: "row end" }, this.rules.field, field("Seed", this.seed, { class: "field seed" }),
          button("New game", () => this.newGame(true), { class: "main", title: "N" })),
        el("div", { class: "card board-card" },
          el("div", { class: "board-box" }, this.board.node, this.gameOver), this.below),
        this.help, this.live),
      el("div", {},
        el("div", { class: "card" },
          el("dl", { class: "figures" }, ["Score", "Moves", "Best"].map(figureOf)),
          el("div", { class: "row gap" }, this.undoButton, this.redoButton, this.hintButton,
            button("?", () => this.keys.showModal(), { class: "quiet square", "aria-label": "Keyboard shortcuts" }))),
        el("div", { class: "card" },
          el("h2", {}, "Agent"),
          el("div", { class: "stack" },
            this.player.fields,
            field("Speed", this.pace, {}, this.paceLabel),
            this.running)),
        el("div", { class: "card", hidden: true, id: "hints" }, el("h2", {}, "Value of every move"), this.hintList),
        el("div", { class: "card" },
          el("h2", {}, "Replay"),
          field("Move", this.steps, {}, this.stepLabel),
          el("div", { class: "row gap" }, this.download,
            el("label", { class: "button compact file" }, "Load a replay", upload)))));
    this.hintCard = this.node.querySelector("#hints");
    this.keys = el("dialog", { "aria-label": "Keyboard shortcuts" },
      el("h2", {}, "Keyboard shortcuts"),
      el("table", {}, el("tbody", {}, [
        ["Arrows, W A S D", "slide, move, rotate and drop"], ["Enter", "drop or place"], ["1 2 3", "select a piece of the hand"],
        ["U or Backspace", "undo"], ["R", "redo"], ["H", "show or hide hints"], ["Space", "start or pause the agent"],
        ["+ and −", "faster and slower"], ["N", "new game"], ["?", "this list"],
      ].map(([key, what]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, what))))),
      el("form", { method: "dialog" }, el("button", { class: "main" }, "Close")));
    this.node.append(this.keys);
    this.paced();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  async enter(path) {
    this.here = true;
    const [wanted] = path;
    if (wanted && wanted !== this.view?.id) {
      // The game of a reloaded page, or of a link.
      const view = await attempt(() => get(`games/${encodeURIComponent(wanted)}`).catch((error) => {
        if (error.status !== 404) throw error;
      }));
      if (view) await this.open(view);
    }
    if (!this.view) await this.newGame();
    else this.updateUrl();
  }

  /** Writes the game's id into the URL, so that a reload shows it again. */
  updateUrl() {
    if (this.here) history.replaceState(null, "", `#play/${this.view.id}`);
  }

  leave() {
    this.here = false;
    this.pause();
  }

  /** Starts a new game with the seed of its field, or with another one. */
  async newGame(another = false) {
    this.pause();
    const game = this.rules.value;
    const seed = another && this.view && String(this.view.seed) === this.seed.value
      ? randomSeed() : Number(this.seed.value || randomSeed());
    const view = await attempt(() => post("games", { game, seed }));
    if (view) await this.open(view);
  }

  /** Shows another game. */
  async open(view) {
    this.rules.value = view.game;
    this.seed.value = view.seed;
    const kind = `${view.kind}`;
    if (this.kind !== kind) {
      this.kind = kind;
      this.input = null;
    }
    this.view = view;
    this.updateUrl();
    // No hints before the agents for these rules are known.
    this.switching = true;
    this.show(view, false);
    await this.player.offer(view.game);
    this.switching = false;
    this.changed();
  }

  show(view, animate = true) {
    const before = this.view;
    this.view = view;
    this.board.show(view, animate);
    if (!this.input) {
      this.input = inputFor(view.kind, this.board, {
        play: (move) => this.play(move),
        refuse: (text) => { setText(this.live, text); setText(this.help, text); },
      });
      this.below.replaceChildren(this.input.extra);
    }
    this.board.ghost(null);
    this.board.heat(null);
    this.input.update(view);
    setText(this.help, this.input.help);
    setText(this.figures.Score, number(view.score));
    setText(this.figures.Moves, count(view.moves));
    const best = view.reached === null ? `${view.cells.filter(Boolean).length} cells` : count(view.reached);
    setText(this.figures.Best, best);
    setText(this.figures.Best.previousSibling, view.reached === null ? "Filled" : "Best tile");
    this.undoButton.disabled = !view.can_undo;
    this.redoButton.disabled = !view.can_redo;
    this.steps.max = view.known;
    this.steps.value = view.moves;
    setText(this.stepLabel, `${count(view.moves)} of ${count(view.known)}`);
    this.download.href = `/api/games/${view.id}/replay`;
    this.download.hidden = view.known > MAX_RECORDED;
    this.gameOver.hidden = !view.finished;
    if (view.finished) {
      this.gameOver.replaceChildren(
        el("strong", {}, view.truncated ? "Move limit reached" : "Game over"),
        el("span", {}, `${number(view.score)} ${view.unit} in ${count(view.moves)} moves`),
        el("button", { type: "button", class: "main", onclick: () => this.newGame(true) }, "Play again"));
      this.pause();
    }
    if (before && view.last && view.moves === before.moves + 1 && !this.playing) {
      const reward = view.last.reward ? `, reward ${number(view.last.reward)}` : "";
      setText(this.live, `${view.last.move}${reward}. Score ${number(view.score)}.${view.finished ? " The game is over." : ""}`);
    }
    if (this.hintsOn && !this.playing && !this.switching) this.hints();
  }

  async play(move) {
    if (this.busy || this.playing) return;
    await this.change((view) => post(`games/${view.id}/move`, { revision: view.revision, move }));
  }

  /** Changes the game. If it was changed elsewhere, shows its current state. */
  async change(act, animate = true) {
    this.busy = true;
    try {
      this.show(await act(this.view), animate);
      return true;
    } catch (error) {
      this.pause();
      if (error.status === 409 || error.status === 400) {
        const view = await get(`games/${this.view.id}`).catch(() => null);
        if (view) this.show(view, false);
      } else if (error.status === 404) {
        note("This game no longer exists: a new one was started.");
        this.view = null;
        await this.newGame();
        return false;
      }
      note(error.message, true);
      return false;
    } finally {
      this.busy = false;
    }
  }

  go(by) {
    return this.goTo(this.view.moves + by);
  }

  async goTo(to) {
    this.pause();
    if (this.busy || to < 0 || to > this.view.known) {
      this.wanted = to;
      return;
    }
    this.wanted = null;
    await this.change((view) => post(`games/${view.id}/go`, { revision: view.revision, to }), false);
    if (this.wanted !== null && this.wanted !== undefined && this.wanted !== this.view.moves) await this.goTo(this.wanted);
  }

  async load(event) {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    this.pause();
    const text = await file.text();
    const view = await attempt(() => post("replays", text));
    if (view) {
      await this.open(view);
      note(`Replay loaded: ${count(view.known)} moves, all verified.`);
    }
  }

  // Hints.

  toggleHints() {
    this.hintsOn = !this.hintsOn;
    this.hintButton.setAttribute("aria-pressed", String(this.hintsOn));
    this.hintCard.hidden = !this.hintsOn;
    if (this.hintsOn) this.hints();
    else this.clearHints();
  }

  clearHints() {
    this.board.heat(null);
    this.hintList.replaceChildren();
    this.input?.update(this.view);
  }

  async hints() {
    const view = this.view;
    if (view.finished) {
      this.hintList.replaceChildren(el("p", { class: "soft" }, "No legal move."));
      return;
    }
    const hints = await attempt(() => post(`games/${view.id}/hints`, { agent: this.player.agent, search: this.player.search }));
    if (!hints || this.view !== view || !this.hintsOn || hints.revision !== view.revision) return;
    this.board.heat(heatOfHints(view, hints.moves));
    const best = hints.moves[0];
    if (best) this.board.ghost(view.options[best.number], "best");
    this.hintList.replaceChildren(hintTable(view, hints, {
      hover: (option, isBest) => this.board.ghost(option, isBest ? "best" : ""),
      leave: () => this.board.ghost(view.options[best.number], "best"),
      play: (option) => this.play(option.move), agent: this.player.agent,
    }));
  }

  // The agent.

  changed() {
    if (this.hintsOn && this.view && !this.playing && !this.switching) this.hints();
  }

  paced() {
    const pace = PACES[Number(this.pace.value)];
    store("pace", this.pace.value);
    setText(this.paceLabel, paceText(pace));
    this.pace.setAttribute("aria-valuetext", paceText(pace));
  }

  toggleAgent() {
    if (this.playing) this.pause();
    else if (!this.view.finished) this.run();
  }

  pause() {
    this.playing = false;
    setText(this.running, "▶ Let it play");
    this.running.setAttribute("aria-pressed", "false");
  }

  async run() {
    this.playing = true;
    setText(this.running, "❚❚ Pause");
    this.running.setAttribute("aria-pressed", "true");
    const frame = 1_000 / 30;
    while (this.playing && this.here && !this.view.finished) {
      const began = performance.now();
      const pace = PACES[Number(this.pace.value)];
      const every = Math.max(frame, 1_000 / pace);
      const moves = pace === Infinity ? 1_000_000 : Math.max(1, Math.round((pace * every) / 1_000));
      const done = await this.change((view) => post(`games/${view.id}/agent`, {
        revision: view.revision, agent: this.player.agent, search: this.player.search,
        moves, ms: pace === Infinity ? 30 : 250,
      }), pace <= 8);
      if (!done) break;
      const wait = pace === Infinity ? 0 : every - (performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
    }
    this.pause();
    if (this.hintsOn) this.hints();
  }

  key(event) {
    if (!this.here || !this.view || typing(event) || this.keys.open) return;
    const act = {
      u: () => this.go(-1), U: () => this.go(-1), Backspace: () => this.go(-1), r: () => this.go(1), R: () => this.go(1),
      n: () => this.newGame(true), N: () => this.newGame(true), "?": () => this.keys.showModal(), " ": () => this.toggleAgent(),
      "+": () => { this.pace.stepUp(); this.paced(); }, "-": () => { this.pace.stepDown(); this.paced(); },
    }[event.key];
    const hint = event.key === "H" || event.key === "h";
    if (act) act();
    else if (hint) this.toggleHints();
    else if (!this.input.key(event)) return;
    event.preventDefault();
  }
}

/** A table of moves and their values, the best first; hovering shows a move, clicking plays it. */
export function hintTable(view, hints, { hover, leave, play, agent, exact = null, chosen = null }) {
  const values = hints.moves.map((hint) => hint.value).filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const exactValues = exact && new Map(exact.moves.map((hint) => [hint.number, hint]));
  const rows = hints.moves.slice(0, 40).map((hint) => {
    const option = view.options[hint.number];
    const fraction = high > low && hint.value !== null ? (hint.value - low) / (high - low) : 1;
    const bar = el("span", { class: "bar" });
    bar.style.width = `${Math.max(2, fraction * 100)}%`;
    const button = el("button", {
      type: "button", class: "compact quiet", onclick: () => play(option), "aria-current": chosen === hint.number ? "true" : null,
      onfocus: () => hover(option, hint.best), onblur: leave,
    }, hint.move, hint.best ? " ★" : "", hint.best ? el("span", { class: "unseen" }, " best") : null);
    return el("tr", { class: hint.best ? "best" : null, onpointerenter: () => hover(option, hint.best), onpointerleave: leave },
      el("td", {}, button), el("td", { class: "number" }, number(hint.value)),
      exactValues ? el("td", { class: "number" }, number(exactValues.get(hint.number)?.value), exactValues.get(hint.number)?.best ? " ★" : "") : null,
      el("td", { class: "wide" }, bar));
  });
  const more = hints.moves.length - rows.length;
  return el("div", {},
    el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Moves and their values" },
      el("table", {},
        el("thead", {}, el("tr", {}, el("th", {}, "Move"), el("th", { class: "number" }, "Value"),
          exactValues ? el("th", { class: "number" }, "Exact") : null, el("th", {}, el("span", { class: "unseen" }, "relative value")))),
        el("tbody", {}, rows))),
    el("p", { class: "soft small" }, more > 0 ? `and ${more} more; ` : "",
      hints.plies ? `${agent}, ${hints.plies} ${hints.plies === 1 ? "ply" : "plies"}, ${count(hints.nodes)} ${hints.nodes === 1 ? "state" : "states"}` : `${agent} has no values`));
}
