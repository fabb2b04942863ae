// Hints: the value of every move, on the board and in a table, with a legend.

import { attempt, post } from "./api.js";
import { heatOfHints } from "./board.js";
import { count, el, number } from "./dom.js";

/** The hints of the tab Play: their button, their table and their marks on the board. */
export class HintPanel {
  /** `view()` is the position, `play(move)` plays a move, `redraw()` draws the board without hints. */
  constructor(board, player, { view, play, redraw }) {
    Object.assign(this, { board, player, view, play, redraw, on: false });
    this.button = el("button", { type: "button", "aria-pressed": "false", title: "H", onclick: () => this.toggle() }, "Hints");
    this.list = el("div", { class: "hints" });
    this.node = el("div", { class: "card", hidden: true, id: "hints" }, el("h2", {}, "Value of every move"), this.list);
  }

  toggle(on = !this.on) {
    this.on = on;
    this.button.setAttribute("aria-pressed", String(on));
    this.node.hidden = !on;
    if (on) {
      this.refresh();
      return;
    }
    this.board.heat(null);
    this.list.replaceChildren();
    this.redraw();
  }

  async refresh() {
    const view = this.view();
    if (!this.on || !view) return;
    if (view.finished) {
      this.list.replaceChildren(el("p", { class: "soft" }, "No legal move."));
      return;
    }
    const { agent, search } = this.player;
    const hints = await attempt(() => post(`games/${view.id}/hints`, { agent, search }));
    if (!hints || this.view() !== view || !this.on || hints.revision !== view.revision) return;
    this.board.heat(heatOfHints(view, hints.moves));
    const best = view.options[hints.moves[0]?.number];
    const showBest = () => this.board.ghost(best, "best");
    showBest();
    this.list.replaceChildren(hintTable(view, hints, {
      hover: (option, isBest) => this.board.ghost(option, isBest ? "best" : ""), leave: showBest,
      play: (option) => this.play(option.move), agent,
    }));
  }
}

/** What the marks on the board mean. */
export function legend(kind, tuples = false) {
  const item = (mark, text) => el("span", { class: "legend-item" }, el("span", { class: `swatch ${mark}`, "aria-hidden": "true" }), text);
  const items = kind === "tiles"
    ? [item("arrow-mark", "best slide"), ...(tuples ? [item("heat-mark", "share of the cell in the value"), item("minus-mark", "lowers it")] : [])]
    : [item("best-mark", "best place"), item("heat-mark", "good places: larger and darker is better")];
  const names = {
    tiles: "",
    well: "A move is a column and an orientation: c2 is the second orientation with its left edge in column c.",
    blocks: "A move is a piece and the cell of its top left corner: b3 is column b, row 3.",
  }[kind];
  return el("div", { class: "legend small soft" }, items, names ? el("p", {}, names) : null);
}

/** A table of moves and their values, the best first; hovering shows a move, clicking plays it. */
export function hintTable(view, hints, { hover, leave, play, agent, exact = null, chosen = null, tuples = false }) {
  const values = hints.moves.map((hint) => hint.value).filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // As many decimals as tell the moves apart.
  const decimals = high > low ? Math.max(0, Math.min(5, 2 - Math.floor(Math.log10(high - low)))) : null;
  const shown = (value) => (decimals === null || value === null ? number(value) : number(value, decimals));
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
      el("td", {}, button), el("td", { class: "number" }, shown(hint.value)),
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
    legend(view.kind, tuples),
    el("p", { class: "soft small" }, more > 0 ? `and ${more} more; ` : "",
      hints.plies ? `${agent}, ${hints.plies} ${hints.plies === 1 ? "ply" : "plies"}, ${count(hints.nodes)} ${hints.nodes === 1 ? "state" : "states"}` : `${agent} has no values`));
}
