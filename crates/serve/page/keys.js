// Keyboard shortcuts: the same keys as in the terminal, and the list of them.

import { el } from "./dom.js";

/** The keys of each kind of board; a test of the terminal compares them with its own. */
const OWN = {
  tiles: [["← ↑ → ↓", "slide the tiles"]],
  well: [["← →", "move the piece"], ["↑", "rotate it"], ["space enter ↓", "drop it"]],
  blocks: [["← ↑ → ↓", "move the piece"], ["1 2 3", "select a piece of the hand"], ["space enter", "place it"]],
};

/** The keys of all games. */
const COMMON = [
  ["h", "hints: the value of every move"], ["a", "play by agent or by hand"], ["space p", "pause the agent"],
  ["n .", "play one move of the agent"], ["+ -", "change the speed of the agent"], ["[ ]", "change the search depth"],
  ["u r", "undo, redo"], ["N", "start a new game"], ["e", "edit the board"], ["?", "show the keys"],
];

/** A key as it is written on a keyboard. */
const written = (key) => (key === "N" ? "Shift N" : key[0].toUpperCase() + key.slice(1));

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
      el("td", {}, el("span", { class: "row tight" }, keys.split(" ").map((key) => el("kbd", {}, written(key))))), el("td", {}, what));
    this.rows.replaceChildren(...all.map(row));
    this.node.showModal();
  }
}
