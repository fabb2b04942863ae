// Input by keyboard, mouse and touch for each kind of board, with a ghost of the move.

import { figure } from "./board.js";
import { el } from "./dom.js";

const ARROWS = { ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left" };

/** The direction of a key. */
const direction = (event) => ARROWS[event.key];

/** The keys that drop or place a piece. */
const isPlace = (event) => event.key === "Enter" || event.key === " ";

/** The input for a kind of board. `play(move)` plays a move; `refuse(text)` reports an illegal one. */
export function inputFor(kind, board, { play, refuse }) {
  return new { tiles: SlideInput, well: DropInput, blocks: PlaceInput }[kind](board, play, refuse);
}

/** Slides tiles by arrow keys or swipes. */
class SlideInput {
  brief = "Slide with the arrow keys or by swiping.";
  help = "Equal tiles merge when they meet. After every slide chance adds a 2 or a 4. The goal is the tile 2048.";

  constructor(board, play, refuse) {
    Object.assign(this, { board, play, refuse });
    this.extra = el("div");
    let from = null;
    board.node.onpointermove = board.node.onpointerleave = board.node.onwheel = board.node.oncontextmenu = null;
    board.node.onpointerdown = (event) => { from = [event.clientX, event.clientY]; };
    board.node.onpointerup = (event) => {
      if (!from) return;
      const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
      from = null;
      if (Math.max(Math.abs(x), Math.abs(y)) < 24) return;
      this.slide(Math.abs(x) > Math.abs(y) ? (x > 0 ? "right" : "left") : y > 0 ? "down" : "up");
    };
  }

  update(view) {
    this.view = view;
  }

  slide(where) {
    const option = this.view.options.find((option) => option.slide === where);
    if (option) this.play(option.move);
    else this.refuse(`No tile can slide ${where}.`);
  }

  key(event) {
    const where = direction(event);
    if (where) this.slide(where);
    // Space would scroll the page.
    return Boolean(where) || event.key === " ";
  }
}

/** Moves, rotates and drops the piece over a well. */
class DropInput {
  brief = "Pieces do not fall: choose a place, then drop.";
  help = "Move with ← and →, rotate with ↑, drop with Space, ↓ or Enter. With a mouse: point, rotate with the wheel, click to drop. The dashed outline (the ghost) shows where the piece will rest, and light rows will clear.";

  constructor(board, play, refuse) {
    Object.assign(this, { board, play, refuse });
    this.turn = 0;
    this.column = null;
    const button = (label, text, act) =>
      el("button", { type: "button", "aria-label": label, onclick: act }, text);
    this.next = el("div", { class: "next soft small", hidden: true });
    this.extra = el("div", {}, this.next,
      el("div", { class: "pad" },
        button("Move left", "←", () => this.shift(-1)),
        button("Rotate", "↻", () => this.rotate()),
        button("Move right", "→", () => this.shift(1)),
        button("Drop", "⤓", () => this.drop())));
    board.node.onpointerleave = null;
    board.node.onpointermove = (event) => {
      if (event.pointerType === "touch" && !event.buttons) return;
      this.point(event);
    };
    board.node.onpointerdown = null;
    board.node.onpointerup = (event) => {
      this.point(event);
      if (event.pointerType === "mouse" && event.button === 0) this.drop();
    };
    board.node.onwheel = (event) => {
      event.preventDefault();
      this.rotate(event.deltaY > 0 ? 1 : -1);
    };
    board.node.oncontextmenu = (event) => {
      event.preventDefault();
      this.rotate();
    };
  }

  get shape() {
    return this.view?.hand[0]?.turns[this.turn];
  }

  update(view) {
    const same = this.view && this.view.moves === view.moves && this.view.state === view.state;
    this.view = view;
    if (!same) {
      this.turn = 0;
      const width = this.shape?.width ?? 1;
      this.column = Math.floor((view.width - width) / 2);
    }
    this.next.hidden = !view.next;
    if (view.next) this.next.replaceChildren(`Next: ${view.next.name}`, figure(view.next, 0, 12));
    this.draw();
  }

  point(event) {
    if (!this.shape) return;
    const { column } = this.board.cellAt(event.clientX, event.clientY);
    this.column = Math.round(column - this.shape.width / 2);
    this.draw();
  }

  shift(by) {
    this.column += by;
    this.draw();
  }

  rotate(by = 1) {
    if (!this.shape) return;
    const middle = this.column + this.shape.width / 2;
    const turns = this.view.hand[0].turns.length;
    this.turn = (this.turn + by + turns) % turns;
    this.column = Math.round(middle - this.shape.width / 2);
    this.draw();
  }

  option() {
    return this.view.options.find((option) => option.turn === this.turn && option.column === this.column);
  }

  draw() {
    if (!this.shape || this.view.finished) {
      this.board.showPiece(null);
      this.board.ghost(null);
      return;
    }
    this.column = Math.max(0, Math.min(this.view.width - this.shape.width, this.column));
    this.board.showPiece(this.view.hand[0], this.turn, this.column);
    this.board.ghost(this.option());
  }

  drop() {
    const option = this.option();
    if (option) this.play(option.move);
    else if (!this.view.finished) this.refuse("Illegal move: the piece would stand above the top of the well.");
  }

  key(event) {
    if (isPlace(event)) this.drop();
    else {
      const where = direction(event);
      if (where === "left") this.shift(-1);
      else if (where === "right") this.shift(1);
      else if (where === "up") this.rotate();
      else if (where === "down") this.drop();
      else return false;
    }
    return true;
  }
}

/** Places the pieces of a hand by dragging, clicking or keys. */
class PlaceInput {
  brief = "Drag a piece onto the board.";
  help = "Drag a piece onto the board, or select one with 1, 2, 3, move it with the arrow keys and place it with Space or Enter. The dashed outline (the ghost) shows where it will stand: red if it does not fit. Full rows and columns clear.";

  constructor(board, play, refuse) {
    Object.assign(this, { board, play, refuse });
    this.piece = 0;
    this.row = 0;
    this.column = 0;
    this.shown = false;
    this.hand = el("div", { class: "hand", role: "group", "aria-label": "Pieces in hand" });
    this.extra = this.hand;
    board.node.onpointermove = (event) => {
      if (event.pointerType !== "touch") this.point(event);
    };
    board.node.onpointerleave = () => {
      this.shown = false;
      this.draw();
    };
    board.node.onpointerdown = null;
    board.node.onpointerup = (event) => {
      this.point(event);
      this.place();
    };
    board.node.onwheel = null;
    board.node.oncontextmenu = null;
  }

  get shape() {
    return this.held?.turns[0];
  }

  update(view) {
    const held = view.id + JSON.stringify(view.hand.map((piece) => piece.name));
    const fresh = held !== this.handText;
    this.view = view;
    this.handText = held;
    if (!fresh) {
      this.draw();
      return;
    }
    this.assign(view);
    if (this.slots[this.piece] === null) this.piece = Math.max(0, this.slots.findIndex((held) => held !== null));
    this.hand.replaceChildren(...this.slots.map((held, number) => {
      if (held === null) return el("span", { class: "slot", "aria-hidden": "true" });
      const piece = view.hand[held];
      const button = el("button", {
        type: "button", class: "slot",
        "aria-label": `Piece ${number + 1}: ${piece.name}`,
        onclick: () => this.pick(number),
        onpointerdown: (event) => this.drag(event, number, button),
      }, sized(figure(piece)));
      return button;
    }));
    this.draw();
  }

  /** Keeps every piece in its slot until the next hand; a slot is a position in the hand or null. */
  assign(view) {
    const size = Math.max(view.hand.length, this.id === view.id ? this.slots.length : 0);
    const names = this.id === view.id ? this.names : [];
    this.id = view.id;
    const left = new Set(view.hand.keys());
    const take = (fits) => {
      const found = [...left].find(fits);
      left.delete(found);
      return found ?? null;
    };
    const full = view.hand.length === size;
    this.slots = new Array(size).fill(null);
    // Of equal pieces the one that was placed is gone: its slot is asked last.
    const order = [...this.slots.keys()].sort((a, b) => Number(!full && a === this.used) - Number(!full && b === this.used));
    for (const slot of order) this.slots[slot] = take((held) => full || view.hand[held].name === names[slot]);
    this.used = null;
    // Pieces that no slot remembers, as after an undo, take free slots.
    for (const held of left) this.slots[this.slots.indexOf(null)] = held;
    this.names = this.slots.map((held, slot) => (held === null ? names[slot] : view.hand[held].name));
  }

  /** The selected piece. */
  get held() {
    return this.view?.hand[this.slots?.[this.piece] ?? -1];
  }

  pick(number) {
    if (this.slots[number] === undefined || this.slots[number] === null) return;
    this.piece = number;
    this.shown = true;
    this.draw();
  }

  /** Centres the piece on the pointer. */
  point(event, above = 0) {
    if (!this.shape) return;
    const { row, column } = this.board.cellAt(event.clientX, event.clientY - above);
    this.row = Math.round(row - this.shape.height / 2);
    this.column = Math.round(column - this.shape.width / 2);
    this.shown = true;
    this.draw();
  }

  option() {
    return this.view.options.find((option) =>
      option.piece !== null && option.row === this.row && option.column === this.column
      && this.view.hand[option.piece].name === this.held?.name);
  }

  draw() {
    this.hand.childNodes.forEach((button, number) => {
      if (button.tagName === "BUTTON") button.setAttribute("aria-pressed", String(number === this.piece && !this.view.finished));
    });
    if (!this.shape || !this.shown || this.view.finished) {
      this.board.ghost(null);
      return;
    }
    const { height, width } = this.view;
    this.row = Math.max(0, Math.min(height - this.shape.height, this.row));
    this.column = Math.max(0, Math.min(width - this.shape.width, this.column));
    const option = this.option();
    const covers = this.shape.cells.map(([r, c]) => (this.row + r) * width + this.column + c);
    this.board.ghost(option ?? { covers, clears: [] }, option ? "" : "bad");
  }

  place() {
    const option = this.option();
    this.used = this.piece;
    if (option) this.play(option.move);
    else if (!this.view.finished) this.refuse("The piece does not fit there.");
  }

  /** Drags a piece; a press without movement selects it. */
  drag(event, number, button) {
    if (event.button !== 0) return;
    this.pick(number);
    const start = [event.clientX, event.clientY];
    // A finger hides the piece under it, so the piece floats above.
    const above = event.pointerType === "touch" ? 70 : 0;
    let floating = null;
    button.setPointerCapture(event.pointerId);
    button.onpointermove = (moved) => {
      const moving = Math.hypot(moved.clientX - start[0], moved.clientY - start[1]) > 6;
      if (!floating && !moving) return;
      if (!floating) {
        floating = el("div", { class: "dragged" }, figure(this.held, 0, this.board.scale));
        document.body.append(floating);
        button.style.opacity = 0.35;
      }
      const box = floating.getBoundingClientRect();
      floating.style.left = `${moved.clientX - box.width / 2}px`;
      floating.style.top = `${moved.clientY - above - box.height / 2}px`;
      this.point(moved, above);
      const board = this.board.svg.getBoundingClientRect();
      this.shown = moved.clientX > board.left - 40 && moved.clientX < board.right + 40
        && moved.clientY - above > board.top - 40 && moved.clientY - above < board.bottom + 40;
      this.draw();
    };
    const end = (ended) => {
      button.onpointermove = button.onpointerup = button.onpointercancel = null;
      button.style.opacity = "";
      if (!floating) return;
      floating.remove();
      if (ended.type === "pointerup" && this.shown) this.place();
      this.shown = false;
      this.draw();
    };
    button.onpointerup = end;
    button.onpointercancel = end;
  }

  key(event) {
    if (/^[1-9]$/.test(event.key)) {
      this.pick(Number(event.key) - 1);
      return true;
    }
    if (isPlace(event)) {
      if (this.shown) this.place();
      else this.pick(this.piece);
      return true;
    }
    const where = direction(event);
    if (!where) return false;
    if (this.shown) {
      this.row += where === "down" ? 1 : where === "up" ? -1 : 0;
      this.column += where === "right" ? 1 : where === "left" ? -1 : 0;
    }
    this.shown = true;
    this.draw();
    return true;
  }
}

/** Scales a figure so that five cells fill its box. */
function sized(picture) {
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  picture.setAttribute("viewBox", `${(width - 100) / 2} ${(height - 100) / 2} 100 100`);
  picture.removeAttribute("width");
  picture.removeAttribute("height");
  return picture;
}
