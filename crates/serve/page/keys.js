// Keyboard shortcuts: the same keys as in the terminal, and the list of them.

import { el } from "./dom.js";

/** The keys of each kind of board. */
const OWN = {
  tiles: [["← ↑ → ↓", "slide the tiles"]],
  well: [["← →", "move the piece"], ["↑", "rotate it"], ["Space ↓ Enter", "drop it"]],
  blocks: [["← ↑ → ↓", "move the piece"], ["1 2 3", "select a piece of the hand"], ["Space Enter", "place it"]],
};

/** The keys of all games. */
const COMMON = [
  ["H", "hints: the value of every move"], ["A", "let the agent play, or play by hand"], ["Space P", "pause the agent, or go on"],
  ["N .", "one move of the agent"], ["+ −", "change the speed of the agent"], ["[ ]", "change the search depth"],
  ["U Backspace", "undo; at the start, back to the last game"], ["R", "redo"], ["Shift N", "new game"], ["E", "edit the board"], ["?", "this list"],
];

/** The dialog that lists the keys. */
export class Keys {
  constructor() {
    this.rows = el("tbody");
    this.node = el("dialog", { "aria-label": "Keyboard shortcuts" },
      el("h2", {}, "Keyboard shortcuts"),
      el("p", { class: "soft small" }, "The keys of the terminal (afterstate play); E is for the page only."),
      el("table", {}, this.rows),
      el("form", { method: "dialog", class: "row gap" }, el("button", { class: "main" }, "Close")));
  }

  get open() {
    return this.node.open;
  }

  show(kind) {
    const all = [...(OWN[kind] ?? []), ...COMMON];
    const row = ([keys, what]) => el("tr", {},
      el("td", {}, el("span", { class: "row tight" }, keys.split(" ").map((key) => el("kbd", {}, key)))), el("td", {}, what));
    this.rows.replaceChildren(...all.map(row));
    this.node.showModal();
  }
}
