// The tab Play: by hand, with hints, or by an agent; replays.

import { attempt, get, note, post } from "./api.js";
import { Autoplay } from "./autoplay.js";
import { Board } from "./board.js";
import { onReturn } from "./connection.js";
import { count, el, field, number, setText, typing } from "./dom.js";
import { Editor } from "./editor.js";
import { HintPanel } from "./hints.js";
import { inputFor } from "./input.js";
import { Keys } from "./keys.js";
import { Review } from "./review.js";
import { Rules, seedField } from "./rules.js";
import { Score } from "./score.js";

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
    this.board.node.setAttribute("aria-label", "Board. Press ? for the keys.");
    this.score = new Score();
    this.keys = new Keys();
    this.editor = new Editor((request) => this.openPosition(request));
    this.review = new Review({ go: (to) => this.goTo(to) });
    this.autoplay = new Autoplay({
      change: (act, animate) => { this.score.assisted(); return this.change(act, animate); },
      ended: () => this.changed(),
      chosen: () => this.changed(),
      mayPlay: () => this.here && this.view && !this.view.finished,
    });
    this.player = this.autoplay.player;
    this.hints = new HintPanel(this.board, this.player, {
      view: () => this.view, play: (move) => this.play(move), redraw: () => this.input?.update(this.view),
    });
    this.build();
    this.editor.node.addEventListener("close", () => this.focus());
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.fit());
    new ResizeObserver(() => this.fit()).observe(this.above);
    new ResizeObserver(() => this.fit()).observe(this.under);
    onReturn(() => { if (this.here && this.view) this.recover(); });
  }

  build() {
    const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
    this.rules = new Rules("play", (chosen) => this.newGame({ seed: chosen ? randomSeed() : null }));
    this.seed = seedField({ onchange: () => this.newGame() });
    this.options = el("div", { class: "row end options", id: "options", hidden: true }, this.rules.field, field("Seed", this.seed, { class: "field seed" }));
    this.optionsButton = button("Options", () => this.showOptions(this.options.hidden), { class: "compact", "aria-expanded": "false", "aria-controls": "options" });
    this.help = el("p", { class: "soft small" });
    this.status = el("p", { class: "brief soft small", "aria-live": "polite" });
    this.gameOver = el("div", { class: "game-over", hidden: true });
    this.below = el("div");
    this.undoButton = button("Undo", () => this.undo(), { title: "U" });
    this.redoButton = button("Redo", () => this.go(1), { title: "R" });
    this.download = el("a", { class: "button compact", download: true, href: "#" }, "Download the replay");
    const upload = el("input", { type: "file", accept: ".json,application/json", onchange: (event) => this.load(event) });
    this.steps = el("input", { type: "range", min: 0, step: 1, oninput: () => this.goTo(Number(this.steps.value)) });
    this.stepLabel = el("span", { class: "soft small" });
    this.above = el("div", {},
      el("div", { class: "row choose" }, this.rules.choices,
        el("div", { class: "row tight" }, this.optionsButton, button("New game", () => this.newGame({ seed: randomSeed() }), { class: "main compact", title: "Shift N" }))),
      this.options);
    this.under = el("div", {}, this.gameOver, this.below,
      el("div", { class: "row tools" }, this.undoButton, this.redoButton, this.hints.button,
        button("Edit", () => this.edit(), { title: "E: enter the position of another game" }),
        button("?", () => this.keys.show(this.kind), { class: "quiet square", "aria-label": "Keyboard shortcuts" })));
    this.node = el("section", { class: "split", "aria-label": "Play" },
      el("div", {}, this.above,
        el("div", { class: "card board-card" },
          this.score.node, this.score.moment, this.status, this.board.node, this.under),
        this.help),
      el("div", {}, this.hints.node, this.autoplay.node,
        el("div", { class: "card" },
          el("h2", {}, "Replay"),
          field("Move", this.steps, {}, this.stepLabel),
          el("div", { class: "row gap" }, this.download,
            el("label", { class: "button compact file" }, "Load a replay", upload),
            button("Copy a link to this position", () => this.copyLink(), { class: "compact" })),
          this.review.node)),
      this.keys.node, this.editor.node);
  }

  async enter(path) {
    this.here = true;
    const [wanted, ...position] = path;
    if (wanted === "at" && position.length === 2) {
      const [game, board] = position.map(decodeURIComponent);
      await attempt(() => this.openPosition({ game, board, seed: randomSeed() }));
    } else if (wanted && wanted !== this.view?.id) {
      // The game of a reloaded page, or of a link.
      const view = await attempt(() => get(`games/${encodeURIComponent(wanted)}`).catch((error) => {
        if (error.status !== 404) throw error;
      }));
      if (view) {
        this.score.resume(view);
        await this.open(view);
      }
    }
    if (!this.view) await this.newGame();
    else this.updateUrl();
    this.fit();
    this.focus();
  }

  /** Writes the game's id into the URL, so that a reload shows it again. */
  updateUrl() {
    if (this.here) history.replaceState(null, "", `#play/${this.view.id}`);
  }

  leave() {
    this.here = false;
    this.autoplay.pause();
  }

  /** The board takes the keys, so that none of them presses a button. */
  focus() {
    this.board.node.focus({ preventScroll: true });
  }

  /** Fits the board between what is above and below it, so that nothing is below the fold. */
  fit() {
    if (!this.here || !this.board.svg) return;
    const top = this.board.node.getBoundingClientRect().top + scrollY;
    const after = this.under.offsetHeight + 14;
    this.board.fit(innerHeight - top - after);
  }

  /** Starts a new game with a seed, or with that of its field. The last game can be brought back. */
  async newGame({ seed = null } = {}) {
    this.autoplay.pause();
    const request = { game: this.rules.value, seed: seed ?? Number(this.seed.value || randomSeed()) };
    try {
      const view = await post("games", request);
      this.rules.refuse(null);
      this.score.begin(view, true);
      await this.replaceBy(view);
    } catch (error) {
      if (error.status) this.rules.refuse(error.message);
    }
    if (this.rules.refused) this.showOptions(true);
  }

  showOptions(yes) {
    this.options.hidden = !yes;
    this.optionsButton.setAttribute("aria-expanded", String(yes));
  }

  /** Opens a position. A bad one is thrown as an error. */
  async openPosition(request) {
    const view = await post("games", request);
    this.score.begin(view, false);
    await this.replaceBy(view);
    this.hints.toggle(true);
  }

  /** Shows another game; the one before can be brought back, if it was begun. */
  replaceBy(view) {
    if (this.view?.moves && !this.view.finished) this.last = this.view;
    return this.open(view);
  }

  /** Undoes a move; at the start of a game, its beginning. */
  async undo() {
    if (this.view.moves > 0 || !this.last) {
      await this.go(-1);
      return;
    }
    const view = await attempt(() => get(`games/${this.last.id}`));
    this.last = null;
    if (!view) return;
    this.score.resume(view);
    await this.open(view);
  }

  /** Shows another game. */
  async open(view) {
    this.rules.value = view.game;
    this.seed.value = view.seed;
    if (this.kind !== view.kind) {
      this.kind = view.kind;
      this.input = null;
    }
    const held = this.node.contains(document.activeElement) || document.activeElement === document.body;
    this.view = null;
    // No hints before the agents for these rules are known.
    this.switching = true;
    this.show(view, false);
    this.updateUrl();
    this.fit();
    if (held && this.here && !this.editor.open) this.focus();
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
        refuse: (text) => setText(this.status, text),
      });
      this.below.replaceChildren(this.input.extra);
      setText(this.help, this.input.help);
    }
    this.board.ghost(null);
    this.board.heat(null);
    this.input.update(view);
    this.score.show(view, before);
    this.undoButton.disabled = !view.can_undo && !(view.moves === 0 && this.last);
    this.redoButton.disabled = !view.can_redo;
    this.steps.max = view.known;
    this.steps.value = view.moves;
    setText(this.stepLabel, `${count(view.moves)} of ${count(view.known)}`);
    this.download.href = `/api/games/${view.id}/replay`;
    this.download.hidden = view.known > MAX_RECORDED;
    this.review.follow(view, this.player);
    this.showEnd(view);
    const played = before && view.last && view.moves === before.moves + 1 && !this.autoplay.playing;
    const reward = view.last?.reward ? `, ${view.last.reward > 0 ? "+" : ""}${number(view.last.reward)}` : "";
    const brief = view.moves === 0 && this.last ? "A new game. Undo (U) brings back the last one." : view.finished ? "" : this.input.brief;
    setText(this.status, played ? `${view.last.move}${reward}. Score ${number(view.score)}.${view.finished ? " The game is over." : ""}` : brief);
    this.changed();
  }

  /** The end of the game is told below the board, which stays visible. */
  showEnd(view) {
    this.gameOver.hidden = !view.finished;
    this.below.hidden = view.finished;
    if (!view.finished) return;
    this.gameOver.replaceChildren(
      el("strong", {}, view.truncated ? "Move limit reached" : "Game over"),
      el("span", {}, `${number(view.score)} ${view.unit} in ${count(view.moves)} moves`),
      el("button", { type: "button", class: "main", onclick: () => this.newGame({ seed: randomSeed() }) }, "Play again"));
    this.autoplay.pause();
  }

  async play(move) {
    if (this.busy || this.autoplay.playing) return;
    this.paused = false;
    await this.change((view) => post(`games/${view.id}/move`, { revision: view.revision, move }));
  }

  /** Changes the game. If it was changed elsewhere, shows its current state. */
  async change(act, animate = true) {
    this.busy = true;
    try {
      this.show(await act(this.view), animate);
      return true;
    } catch (error) {
      this.autoplay.pause();
      if (error.status === 409 || error.status === 400) {
        const view = await get(`games/${this.view.id}`).catch(() => null);
        if (view) this.show(view, false);
      } else if (error.status === 404 && error.message.startsWith("unknown game")) {
        await this.recover();
        return false;
      }
      if (error.status) note(error.message, true);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** The server may have lost the game, as it does when it is restarted: goes on from its position. */
  async recover() {
    const { view } = this;
    const kept = await attempt(() => get(`games/${view.id}`).catch((error) => { if (error.status !== 404) throw error; return null; }));
    if (kept === undefined) return;
    if (kept) {
      this.show(kept, false);
      return;
    }
    const again = await attempt(() => post("games", { game: view.game, seed: view.seed, ...(view.moves ? { board: view.state } : {}) }));
    if (!again) return;
    this.last = null;
    this.score.begin(again, view.moves === 0);
    await this.open(again);
    if (view.moves) note("The server no longer has this game: it goes on from this position, with a score from 0.");
  }

  go(by) {
    return this.goTo((view) => view.moves + by);
  }

  /** Shows the position after some moves, or after as many as a function of the view tells. */
  async goTo(where) {
    this.autoplay.pause();
    await this.autoplay.pending;
    const to = typeof where === "function" ? where(this.view) : where;
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
    this.autoplay.pause();
    const text = await file.text();
    const view = await attempt(() => post("replays", text));
    if (!view) return;
    this.score.begin(view, false);
    await this.replaceBy(view);
    note(`Replay loaded: ${count(view.known)} moves, all verified.`);
  }

  /** Copies a link that opens this position, also on another server. */
  async copyLink() {
    const { game, state } = this.view;
    const link = `${location.origin}/#play/at/${encodeURIComponent(game)}/${encodeURIComponent(state)}`;
    try {
      await navigator.clipboard.writeText(link);
      note("Link copied.");
    } catch {
      history.replaceState(null, "", link);
      note("The address of this page is now the link: copy it.");
    }
  }

  edit() {
    this.autoplay.pause();
    this.editor.show(this.view, this.input.slots?.length);
  }

  /** The agent, its search or the position has changed. */
  changed() {
    if (this.view && !this.autoplay.playing && !this.switching) this.hints.refresh();
  }

  /** Space pauses the agent or resumes it; by hand it drops or places a piece. */
  pauseOrResume() {
    if (this.autoplay.playing) this.paused = true;
    else if (!this.paused) return false;
    this.autoplay.toggle();
    return true;
  }

  key(event) {
    if (!this.here || !this.view || typing(event) || this.keys.open || this.editor.open) return;
    const act = {
      u: () => this.undo(), U: () => this.undo(), Backspace: () => this.undo(), r: () => this.go(1), R: () => this.go(1),
      N: () => this.newGame({ seed: randomSeed() }), n: () => this.autoplay.one(), ".": () => this.autoplay.one(),
      a: () => { this.paused = false; this.autoplay.toggle(); }, p: () => this.pauseOrResume(), h: () => this.hints.toggle(), H: () => this.hints.toggle(),
      e: () => this.edit(), "?": () => this.keys.show(this.kind), "+": () => this.autoplay.faster(1), "=": () => this.autoplay.faster(1),
      "-": () => this.autoplay.faster(-1), "_": () => this.autoplay.faster(-1), "]": () => this.player.deepen(1), "[": () => this.player.deepen(-1),
    }[event.key];
    if (act) act();
    else if (event.key === " " && this.pauseOrResume()) { /* The agent took the key. */ }
    else if (this.input.key(event)) this.paused = false;
    else return;
    event.preventDefault();
  }
}
