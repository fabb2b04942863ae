// The tab Explain: the parts of a value, tuples on the board, and exact values if the game is solved.

import { attempt, post } from "./api.js";
import { Board, handOf, heatOfHints, miniature } from "./board.js";
import { onReturn } from "./connection.js";
import { count, el, field, number, setText } from "./dom.js";
import { Editor } from "./editor.js";
import { hintTable } from "./hints.js";
import { Player, Rules } from "./rules.js";

/** The largest number of parts in the table. */
const MAX_PARTS = 24;

export class Explain {
  title = "Explain";

  constructor(play) {
    this.play = play;
    const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
    this.board = new Board();
    this.hand = el("div", { class: "shown-hand" });
    this.editor = new Editor((request) => this.openPosition(request));
    this.rules = new Rules("explain", () => this.newGame());
    this.stateError = el("span", { class: "error", role: "alert" });
    this.state = el("textarea", { rows: 3, spellcheck: "false", onchange: () => this.newGame(this.state.value) });
    this.player = new Player("explain", () => this.explain());
    this.heatOn = el("input", { type: "checkbox", checked: true, onchange: () => this.paint() });
    this.moves = el("div");
    this.parts = el("div");
    this.node = el("section", { class: "split", "aria-label": "Explain" },
      el("div", {},
        el("div", { class: "row" }, this.rules.choices),
        el("details", { class: "options", ontoggle: () => this.fit() }, el("summary", {}, "Options"),
          this.rules.field, field("State as text, on one line or drawn", [this.state, this.stateError])),
        el("div", { class: "card board-card" }, this.board.node,
          this.under = el("div", {}, this.hand,
            el("div", { class: "row tools" },
              button("Edit", () => this.editor.show(this.view, this.view?.hand.length)),
              button("Game in Play", () => this.fromPlay()),
              button("5 moves", () => this.playOn(5)),
              button("100 moves", () => this.playOn(100)))))),
      el("div", {},
        el("div", { class: "card stack" }, this.player.fields,
          el("label", { class: "check" }, this.heatOn, "Heat map on the board")),
        el("div", { class: "card" }, el("h2", {}, "Value of every move"), this.moves),
        el("div", { class: "card" }, this.parts)), this.editor.node);
    addEventListener("resize", () => this.fit());
    // A server that was restarted has no games: the position is opened again.
    onReturn(() => { if (this.view) this.newGame(this.view.state); });
  }

  /** Follows the game in Play: after every move there, its position is explained here. */
  async enter() {
    this.here = true;
    const { view } = this.play;
    const moved = view && (this.followed?.id !== view.id || this.followed.revision !== view.revision);
    if (moved && (view.moves > 0 || !this.view)) await this.fromPlay();
    else if (!this.view) { await this.newGame(); await this.playOn(5); }
    this.fit();
  }

  leave() {
    this.here = false;
  }

  fit() {
    if (!this.here || !this.board.svg) return;
    const top = this.board.node.getBoundingClientRect().top + scrollY;
    this.board.fit(innerHeight - top - this.under.offsetHeight - 24);
  }

  async fromPlay() {
    const { view } = this.play;
    if (!view) return;
    this.followed = view;
    this.rules.value = view.game;
    await this.newGame(view.state);
  }

  /** Opens a game for this tab, from a position or from the start; an error is shown at its field. */
  async newGame(board = null) {
    try {
      await this.openPosition({ game: this.rules.value, seed: 1, ...(board ? { board } : {}) });
    } catch (error) {
      if (!error.status) return;
      if (board) setText(this.stateError, error.message);
      else this.rules.refuse(error.message);
    }
  }

  async openPosition(request) {
    const view = await post("games", request);
    setText(this.stateError, "");
    this.rules.refuse(null);
    await this.open(view);
  }

  async open(view) {
    const other = this.view?.game !== view.game;
    this.view = view;
    this.rules.value = view.game;
    this.state.value = view.state;
    this.board.show(view);
    this.hand.replaceChildren(...handOf(view));
    this.fit();
    if (other) await this.player.offer(view.game);
    await this.explain();
  }

  /** Lets the agent play some moves. */
  async playOn(moves) {
    if (!this.view) return;
    const view = await attempt(() => post(`games/${this.view.id}/agent`, {
      revision: this.view.revision, agent: this.player.agent, search: "greedy", moves, ms: 1_000,
    }));
    if (view) await this.open(view);
  }

  /** Explains a move, by default the best one. */
  async explain(chosen = null) {
    const { view } = this;
    if (!view) return;
    const explained = await attempt(() => post(`games/${view.id}/explain`, {
      agent: this.player.agent, search: this.player.search, ...(chosen === null ? {} : { number: chosen }),
    }));
    if (!explained || this.view !== view) return;
    this.explained = explained;
    this.paint();
    const option = view.options[explained.number];
    if (!option) {
      this.moves.replaceChildren(el("p", { class: "soft" }, "No legal move."));
      this.parts.replaceChildren();
      return;
    }
    this.moves.replaceChildren(hintTable(view, explained.hints, {
      hover: (hovered) => this.board.ghost(hovered), leave: () => this.board.ghost(option, "best"),
      play: (picked) => this.explain(view.options.indexOf(picked)), exact: explained.exact, chosen: explained.number, agent: this.player.agent,
      tuples: explained.explanation?.parts.some(({ kind }) => kind === "tuple"),
    }), explained.exact ? el("p", { class: "soft small" }, "Exact: the value in the solved game, for the reward by which it was solved.") : "");
    this.showParts(explained, option);
  }

  paint() {
    if (!this.explained || !this.view) return;
    const { view, explained } = this;
    const option = view.options[explained.number];
    this.board.ghost(option, "best");
    this.board.showPiece(option && view.hand[0], option?.turn ?? 0, option?.column ?? null);
    const tuples = explained.explanation?.parts.filter((part) => part.kind === "tuple") ?? [];
    const shares = tuples.length && view.kind === "tiles" ? cellShares(view, tuples) : heatOfHints(view, explained.hints.moves);
    this.board.heat(this.heatOn.checked ? shares : null);
  }

  /** Shows the parts of the value of a move. */
  showParts({ explanation }, option) {
    const head = el("h2", {}, `Parts of the value of ${option.move}`);
    if (!explanation) {
      this.parts.replaceChildren(head, el("p", { class: "soft" }, "This agent has no values to explain."));
      return;
    }
    const { parts, value } = explanation;
    const named = namedParts(parts);
    const max = Math.max(...named.map((part) => Math.abs(part.share)), 1e-9);
    const rows = named.slice(0, MAX_PARTS).map((part) => {
      const bar = el("span", { class: part.share < 0 ? "bar minus" : "bar" });
      bar.style.width = `${(100 * Math.abs(part.share)) / max}%`;
      const draw = () => part.cells && this.board.outline(part.cells);
      const clear = () => this.board.outline(null);
      const name = part.cells
        ? el("button", { type: "button", class: "compact quiet left", onfocus: draw, onblur: clear, onclick: draw }, miniature(this.view, part.cells), part.name)
        : part.name;
      return el("tr", { onpointerenter: draw, onpointerleave: clear },
        el("td", {}, name, part.detail ? el("div", { class: "soft small" }, part.detail) : null),
        el("td", { class: "number" }, number(part.share)),
        el("td", { class: "wide" }, el("span", { class: "track" }, part.share < 0 ? [bar, el("span")] : [el("span"), bar])));
    });
    const rest = named.length - rows.length;
    this.parts.replaceChildren(head,
      el("p", {}, "Value without search: ", el("strong", {}, number(value)),
        el("span", { class: "soft" }, `, the sum of ${count(parts.length)} ${parts.length === 1 ? "part" : "parts"}`)),
      el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Parts of the value" },
        el("table", {},
          el("thead", {}, el("tr", {}, el("th", {}, "Part"), el("th", { class: "number" }, "Share"), el("th", {}, el("span", { class: "unseen" }, "relative share")))),
          el("tbody", {}, rows))),
      rest > 0 ? el("p", { class: "soft small" }, `and ${count(rest)} smaller ones`) : "");
  }
}

/** Named parts, the largest first, after the reward. */
function namedParts(parts) {
  const named = parts.map((part) => {
    if (part.kind === "reward") return { name: "Immediate reward", share: part.share, first: true };
    if (part.kind === "network") return { name: "Value by the network", share: part.share };
    if (part.kind === "solved") return { name: "Exact value of the afterstate", share: part.share };
    if (part.kind === "feature") {
      return { name: part.name, share: part.share, detail: `${number(part.count)} × weight ${number(part.weight)}` };
    }
    return { name: `Tuple ${part.tuple + 1}`, share: part.share, cells: part.cells };
  });
  return named.sort((a, b) => Number(b.first ?? 0) - Number(a.first ?? 0) || Math.abs(b.share) - Math.abs(a.share));
}

/** The share of each cell, from -1 to 1: every tuple's share is split among its cells. */
function cellShares(view, tuples) {
  const shares = new Array(view.cells.length).fill(0);
  for (const { cells, share } of tuples) for (const cell of cells) shares[cell] += share / cells.length;
  const max = Math.max(...shares.map(Math.abs), 1e-9);
  return shares.map((share) => share / max);
}
