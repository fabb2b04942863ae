// The tab Explain: the parts of a value, tuples on the board, and exact values if the game is solved.

import { attempt, post } from "./api.js";
import { Board, heatOfHints } from "./board.js";
import { count, el, field, number } from "./dom.js";
import { hintTable } from "./play.js";
import { Player, Rules } from "./rules.js";

/** The largest number of parts in the table. */
const MAX_PARTS = 24;

export class Explain {
  title = "Explain";

  constructor(play) {
    this.play = play;
    const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
    this.board = new Board({ above: 0 });
    this.rules = new Rules("explain", () => this.newGame());
    this.state = el("textarea", { rows: 3, spellcheck: "false", onchange: () => this.newGame(this.state.value) });
    this.player = new Player("explain", () => this.explain());
    this.heatOn = el("input", { type: "checkbox", checked: true, onchange: () => this.paint() });
    this.moves = el("div");
    this.parts = el("div");
    this.node = el("section", { class: "split", "aria-label": "Explain" },
      el("div", {},
        el("div", { class: "row" }, this.rules.choices),
        el("div", { class: "row end" }, this.rules.field,
          button("Use the game in Play", () => this.fromPlay()),
          button("Play 5 moves", () => this.playOn(5)),
          button("Play 100 moves", () => this.playOn(100))),
        el("div", { class: "card board-card" }, this.board.node),
        field("State as text, on one line or drawn", this.state),
        el("p", { class: "soft small" }, "Edit the text to explain any position.")),
      el("div", {},
        el("div", { class: "card stack" }, this.player.fields,
          el("label", { class: "check" }, this.heatOn, "Heat map on the board")),
        el("div", { class: "card" }, el("h2", {}, "Value of every move"), this.moves),
        el("div", { class: "card" }, this.parts)));
  }

  async enter() {
    if (!this.view) {
      if (this.play.view) await this.fromPlay();
      else { await this.newGame(); await this.playOn(5); }
    }
  }

  leave() {}

  async fromPlay() {
    const { view } = this.play;
    if (!view) return;
    this.rules.value = view.game;
    await this.newGame(view.state);
  }

  /** Opens a game for this tab, from a position or from the start. */
  async newGame(board = null) {
    const game = this.rules.value;
    const request = { game, seed: 1, ...(board ? { board } : {}) };
    const view = await attempt(() => post("games", request));
    if (view) await this.open(view);
  }

  async open(view) {
    const other = this.view?.game !== view.game;
    this.view = view;
    this.rules.value = view.game;
    this.state.value = view.state;
    this.board.show(view);
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
    }), explained.exact ? el("p", { class: "soft small" }, "Exact: the value in the solved game, for the reward by which it was solved.") : "");
    this.showParts(explained, option);
  }

  paint() {
    if (!this.explained || !this.view) return;
    const { view, explained } = this;
    this.board.ghost(view.options[explained.number], "best");
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
        ? el("button", { type: "button", class: "compact quiet left", onfocus: draw, onblur: clear, onclick: draw }, part.name)
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
    if (part.kind === "solved") return { name: "Exact value of the afterstate", share: part.share };
    if (part.kind === "feature") {
      return { name: part.name, share: part.share, detail: `${number(part.count)} × weight ${number(part.weight)}` };
    }
    return { name: `Tuple ${part.tuple + 1}: ${part.cells.join(" ")}`, share: part.share, cells: part.cells };
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
