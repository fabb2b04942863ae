// The room to look inside an agent: what a value is made of, tuples on the board, the truth where known.

import { post, trying } from "./api.js";
import { Board, heatOfHints } from "./board.js";
import { count, el, field, number } from "./dom.js";
import { hintTable } from "./play.js";
import { Player, Rules } from "./rules.js";

/** Parts that are listed one by one. */
const LISTED = 24;

export class Inside {
  title = "Look inside";

  constructor(play) {
    this.play = play;
    const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
    this.board = new Board({ above: 0 });
    this.rules = new Rules("inside", () => this.fresh());
    this.state = el("textarea", { rows: 3, spellcheck: "false", onchange: () => this.fresh(this.state.value) });
    this.player = new Player("inside", () => this.look());
    this.heatOn = el("input", { type: "checkbox", checked: true, onchange: () => this.paint() });
    this.moves = el("div");
    this.parts = el("div");
    this.node = el("section", { class: "split", "aria-label": "Look inside" },
      el("div", {},
        el("div", { class: "row" }, this.rules.choices),
        el("div", { class: "row end" }, this.rules.field,
          button("From the game in Play", () => this.fromPlay()),
          button("A few moves on", () => this.onward(5)),
          button("Many", () => this.onward(100), { "aria-label": "Many moves on" })),
        el("div", { class: "card stage" }, this.board.node),
        field("The position, on one line or drawn", this.state),
        el("p", { class: "soft small" }, "Change the text to look at any position.")),
      el("div", {},
        el("div", { class: "card stack" }, this.player.fields,
          el("label", { class: "check" }, this.heatOn, "Heat map on the board")),
        el("div", { class: "card" }, el("h2", {}, "What every move is worth"), this.moves),
        el("div", { class: "card" }, this.parts)));
  }

  async enter() {
    if (!this.view) {
      if (this.play.view) await this.fromPlay();
      else { await this.fresh(); await this.onward(5); }
    }
  }

  leave() {}

  async fromPlay() {
    const { view } = this.play;
    if (!view) return;
    this.rules.value = view.game;
    await this.fresh(view.state);
  }

  /** A position of its own, which nobody else plays. */
  async fresh(board = null) {
    const game = this.rules.value;
    const asked = { game, seed: 1, ...(board ? { board } : {}) };
    const view = await trying(() => post("games", asked));
    if (view) await this.take(view);
  }

  async take(view) {
    const other = this.view?.game !== view.game;
    this.view = view;
    this.rules.value = view.game;
    this.state.value = view.state;
    this.board.show(view);
    if (other) await this.player.offer(view.game);
    await this.look();
  }

  /** Lets the agent play on, to a position that is worth a look. */
  async onward(moves) {
    if (!this.view) return;
    const view = await trying(() => post(`games/${this.view.id}/agent`, {
      revision: this.view.revision, agent: this.player.agent, search: "greedy", moves, ms: 1_000,
    }));
    if (view) await this.take(view);
  }

  async look(chosen = null) {
    const { view } = this;
    if (!view) return;
    const seen = await trying(() => post(`games/${view.id}/inside`, {
      agent: this.player.agent, search: this.player.search, ...(chosen === null ? {} : { number: chosen }),
    }));
    if (!seen || this.view !== view) return;
    this.seen = seen;
    this.paint();
    const option = view.options[seen.number];
    if (!option) {
      this.moves.replaceChildren(el("p", { class: "soft" }, "No move is left here."));
      this.parts.replaceChildren();
      return;
    }
    this.moves.replaceChildren(hintTable(view, seen.hints, {
      hover: (hovered) => this.board.ghost(hovered), leave: () => this.board.ghost(option, "best"),
      play: (picked) => this.look(view.options.indexOf(picked)), exact: seen.exact, chosen: seen.number, who: this.player.agent,
    }), seen.exact ? el("p", { class: "soft small" }, "Exact: the value that the solved game has, by its own reward.") : "");
    this.explain(seen, option);
  }

  paint() {
    if (!this.seen || !this.view) return;
    const { view, seen } = this;
    this.board.ghost(view.options[seen.number], "best");
    const tuples = seen.inside?.parts.filter((part) => part.kind === "tuple") ?? [];
    const shares = tuples.length && view.kind === "tiles" ? cellShares(view, tuples) : heatOfHints(view, seen.hints.moves);
    this.board.heat(this.heatOn.checked ? shares : null);
  }

  /** What the value of a move is made of. */
  explain(seen, option) {
    const head = el("h2", {}, `What ${option.move} is made of`);
    if (!seen.inside) {
      this.parts.replaceChildren(head, el("p", { class: "soft" }, "This agent has no values to look into."));
      return;
    }
    const { parts, value } = seen.inside;
    const groups = grouped(parts);
    const most = Math.max(...groups.map((group) => Math.abs(group.share)), 1e-9);
    const rows = groups.slice(0, LISTED).map((group) => {
      const bar = el("span", { class: group.share < 0 ? "bar minus" : "bar" });
      bar.style.width = `${(100 * Math.abs(group.share)) / most}%`;
      const draw = () => group.cells && this.board.outline(group.cells);
      const clear = () => this.board.outline(null);
      const name = group.cells
        ? el("button", { type: "button", class: "compact quiet left", onfocus: draw, onblur: clear, onclick: draw }, group.name)
        : group.name;
      return el("tr", { onpointerenter: draw, onpointerleave: clear },
        el("td", {}, name, group.detail ? el("div", { class: "soft small" }, group.detail) : null),
        el("td", { class: "number" }, number(group.share)),
        el("td", { class: "wide" }, el("span", { class: "track" }, group.share < 0 ? [bar, el("span")] : [el("span"), bar])));
    });
    const rest = groups.length - rows.length;
    this.parts.replaceChildren(head,
      el("p", {}, "At first sight: ", el("strong", {}, number(value)),
        el("span", { class: "soft" }, `, the sum of ${count(parts.length)} ${parts.length === 1 ? "part" : "parts"}`)),
      el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Parts of the value" },
        el("table", {},
          el("thead", {}, el("tr", {}, el("th", {}, "Part"), el("th", { class: "number" }, "Adds"), el("th", {}, el("span", { class: "unseen" }, "compared")))),
          el("tbody", {}, rows))),
      rest > 0 ? el("p", { class: "soft small" }, `and ${count(rest)} smaller ones`) : "");
  }
}

/** Parts with names, the largest first; the reward stays on top. */
function grouped(parts) {
  const named = parts.map((part) => {
    if (part.kind === "reward") return { name: "Reward at once", share: part.share, first: true };
    if (part.kind === "solved") return { name: "Exact value of what it leaves", share: part.share };
    if (part.kind === "feature") {
      return { name: part.name, share: part.share, detail: `${number(part.count)} × weight ${number(part.weight)}` };
    }
    return { name: `Tuple ${part.tuple + 1}: ${part.cells.join(" ")}`, share: part.share, cells: part.cells };
  });
  return named.sort((a, b) => Number(b.first ?? 0) - Number(a.first ?? 0) || Math.abs(b.share) - Math.abs(a.share));
}

/** What each cell has part in: the shares of the tuples that look at it, from -1 to 1. */
function cellShares(view, tuples) {
  const shares = new Array(view.cells.length).fill(0);
  for (const { cells, share } of tuples) for (const cell of cells) shares[cell] += share / cells.length;
  const most = Math.max(...shares.map(Math.abs), 1e-9);
  return shares.map((share) => share / most);
}
