// The editor of positions: tiles, cells and pieces are tapped in, for hints in a game played elsewhere.

import { get, note } from "./api.js";
import { colour, figure } from "./board.js";
import { el, setText } from "./dom.js";

const MAX_POWER = 17;

export class Editor {
  /** `open(request)` opens the position, and throws why it cannot. */
  constructor(open) {
    this.openPosition = open;
    const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
    this.about = el("p", { class: "soft small" });
    this.grid = el("div", { class: "edit-grid", role: "group", "aria-label": "Cells", onkeydown: (event) => this.key(event) });
    this.hand = el("div", { class: "edit-hand", role: "group", "aria-label": "Pieces in hand" });
    this.palette = el("div", { class: "edit-palette", role: "group" });
    this.error = el("p", { class: "error", role: "alert" });
    this.node = el("dialog", { class: "editor", "aria-label": "Edit the board" },
      el("h2", {}, "Edit the board"), this.about, this.hand, this.palette, this.grid, this.error,
      el("div", { class: "row gap" },
        button("Show hints", () => this.use(), { class: "main" }),
        button("Clear", () => this.clear()),
        button("Cancel", () => this.node.close())));
    // A finger or a pressed mouse paints over several cells.
    this.grid.addEventListener("pointermove", (event) => {
      if (!event.buttons || this.painting === undefined) return;
      const at = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-cell]");
      if (at && this.grid.contains(at)) this.put(Number(at.dataset.cell), this.painting);
    });
  }

  get open() {
    return this.node.open;
  }

  async show(view, size = 1) {
    let pieces = [];
    if (view.kind !== "tiles") {
      try {
        pieces = await get(`games/${view.id}/pieces`);
      } catch (error) {
        if (error.status) note(error.message, true);
        return;
      }
    }
    Object.assign(this, { view, pieces, value: view.kind === "tiles" ? 1 : 255, slot: 0, at: 0 });
    this.cells = [...view.cells];
    const hand = view.kind === "well" ? [...view.hand, ...(view.next ? [view.next] : [])] : view.hand;
    this.slots = view.kind === "tiles" ? []
      : Array.from({ length: view.kind === "well" ? hand.length : Math.max(size, hand.length) }, (_, at) => hand[at] ?? null);
    setText(this.about, view.kind === "tiles"
      ? "Choose a tile, then tap the cells that have it."
      : view.kind === "well" ? "Tap cells to fill or empty them, and the piece to drop."
        : "Tap cells to fill or empty them. Choose a place in the hand, then its piece.");
    setText(this.error, "");
    this.node.dataset.kind = view.kind;
    this.grid.style.setProperty("--columns", view.width);
    this.grid.style.setProperty("--rows", view.height);
    this.grid.replaceChildren(...this.cells.map((_, cell) => this.cell(cell)));
    this.drawPalette();
    this.drawHand();
    this.node.showModal();
    this.grid.querySelector("[tabindex='0']").focus();
  }

  cell(cell) {
    const button = el("button", {
      type: "button", "data-cell": cell, tabindex: cell === this.at ? 0 : -1,
      onclick: (event) => { if (event.detail === 0) this.tap(cell); },
      onpointerdown: (event) => { event.target.releasePointerCapture?.(event.pointerId); this.tap(cell); },
      onfocus: () => this.visit(cell),
    });
    this.paint(button, cell);
    return button;
  }

  /** Applies the chosen value to a cell, or empties it if it has that value. */
  tap(cell) {
    this.painting = this.view.kind === "tiles" ? this.value : this.cells[cell] ? 0 : 255;
    if (this.view.kind === "tiles" && this.cells[cell] === this.value) this.painting = 0;
    this.put(cell, this.painting);
  }

  put(cell, value) {
    this.cells[cell] = value;
    this.paint(this.grid.children[cell], cell);
  }

  paint(button, cell) {
    const value = this.cells[cell];
    const { width } = this.view;
    const at = `row ${Math.floor(cell / width) + 1}, column ${(cell % width) + 1}`;
    const tiles = this.view.kind === "tiles";
    const text = tiles ? (value ? String(2 ** value) : "") : "";
    button.className = tiles ? (value ? `tile-button t${Math.min(value, 18)}` : "") : value ? `full ${colour(value)}` : "";
    setText(button, text);
    button.setAttribute("aria-label", `${at}: ${tiles ? text || "empty" : value ? "filled" : "empty"}`);
  }

  /** Only one cell is reached by Tab; the arrow keys go on from it. */
  visit(cell) {
    this.grid.children[this.at].tabIndex = -1;
    this.at = cell;
    this.grid.children[cell].tabIndex = 0;
  }

  key(event) {
    const { width } = this.view;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width }[event.key];
    const next = this.at + (step ?? 0);
    if (step && next >= 0 && next < this.cells.length) this.grid.children[next].focus();
    else if (["+", "-"].includes(event.key) && this.view.kind === "tiles") {
      this.put(this.at, Math.max(0, Math.min(MAX_POWER, this.cells[this.at] + (event.key === "+" ? 1 : -1))));
    } else if (event.key === "Delete" || event.key === "Backspace") this.put(this.at, 0);
    else if (!step) return;
    event.preventDefault();
  }

  drawPalette() {
    const pressed = (is) => ({ "aria-pressed": String(is) });
    if (this.view.kind === "tiles") {
      const tile = (power) => el("button", {
        type: "button", class: `tile-button t${Math.min(power, 18)}`, ...pressed(power === this.value),
        onclick: () => { this.value = power; this.drawPalette(); },
      }, String(2 ** power));
      this.palette.setAttribute("aria-label", "Tiles");
      this.palette.replaceChildren(...Array.from({ length: MAX_POWER }, (_, at) => tile(at + 1)));
      return;
    }
    const piece = (each) => el("button", {
      type: "button", "aria-label": `Piece ${each.name}`, title: each.name, ...pressed(this.slots[this.slot]?.name === each.name),
      onclick: () => this.pick(each),
    }, figure(each, 0, 9));
    this.palette.setAttribute("aria-label", "All pieces");
    const none = this.view.kind === "blocks" ? [el("button", { type: "button", "aria-label": "No piece", ...pressed(!this.slots[this.slot]), onclick: () => this.pick(null) }, "–")] : [];
    this.palette.replaceChildren(...this.pieces.map(piece), ...none);
  }

  /** Puts a piece into the chosen slot and goes on to the next one. */
  pick(piece) {
    this.slots[this.slot] = piece;
    this.slot = (this.slot + 1) % this.slots.length;
    this.drawHand();
    this.drawPalette();
  }

  drawHand() {
    this.hand.hidden = !this.slots.length;
    const names = this.view.kind === "well" ? ["piece", "next piece"] : null;
    this.hand.replaceChildren(...this.slots.map((piece, at) => el("button", {
      type: "button", class: "slot", "aria-pressed": String(at === this.slot),
      "aria-label": `${names ? names[at] : `piece ${at + 1} in hand`}: ${piece?.name ?? "none"}`,
      onclick: () => { this.slot = at; this.drawHand(); this.drawPalette(); },
    }, piece ? figure(piece, 0, 12) : "–")));
  }

  clear() {
    this.cells.fill(0);
    this.cells.forEach((_, cell) => this.paint(this.grid.children[cell], cell));
  }

  /** The position as text, as the rules read it. */
  get text() {
    const { width, height, kind } = this.view;
    const rows = Array.from({ length: height }, (_, row) => this.cells.slice(row * width, (row + 1) * width));
    if (kind === "tiles") return rows.map((row) => row.map((power) => (power ? 2 ** power : ".")).join(" ")).join("|");
    const hand = this.slots.filter(Boolean).map(({ name }) => name).join(" ");
    return [hand || "-", ...rows.map((row) => row.map((value) => (value ? "#" : ".")).join(""))].join("|");
  }

  async use() {
    try {
      await this.openPosition({ game: this.view.game, board: this.text, seed: this.view.seed });
      this.node.close();
    } catch (error) {
      setText(this.error, error.message);
    }
  }
}
