// Boards as SVG: tiles, wells and blocks, with ghosts, heat maps and outlines.

import { el, reducedMotion, setAttribute, svg } from "./dom.js";

/** Size of a cell and of the gap around it, in units of the viewBox. */
const SIZE = { tiles: 100, well: 30, blocks: 40 };
const GAP = { tiles: 12, well: 2, blocks: 3 };
const UNKNOWN = 255;
/** Rows above a well for the current piece. */
const ABOVE = 4;
/** Room for coordinates, in units of the viewBox. */
const LABELS = 18;
/** The least height of a board in pixels: on smaller screens the page scrolls. */
const LEAST = 180;

/** The CSS class of a filled cell. */
export function colour(value) {
  return value === UNKNOWN ? "c0" : `c${((value - 1) % 9) + 1}`;
}

/** A piece as an SVG. */
export function figure(piece, turn = 0, size = 20) {
  const shape = piece.turns[turn];
  const cells = shape.cells.map(([row, column]) =>
    svg("rect", {
      x: column * size + 1, y: row * size + 1, width: size - 2, height: size - 2, rx: size / 6,
      class: `cell filled ${colour(piece.number + 1)}`,
    }));
  const [width, height] = [shape.width * size, shape.height * size];
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, cells);
}

/** The pieces of a hand and the next one, with their names. */
export function handOf(view) {
  const shown = (piece, label) => el("figure", {}, figure(piece, 0, 14), el("figcaption", { class: "soft small" }, label));
  const hand = view.hand.map((piece) => shown(piece, piece.name));
  if (view.next) hand.push(shown(view.next, `next: ${view.next.name}`));
  return hand;
}

/** A small board with some cells marked, such as those of a tuple. */
export function miniature(view, cells) {
  const marked = new Set(cells);
  const side = 8;
  const squares = view.cells.map((_, cell) => svg("rect", {
    x: (cell % view.width) * side, y: Math.floor(cell / view.width) * side, width: side - 1, height: side - 1, rx: 1,
    class: marked.has(cell) ? "mini on" : "mini",
  }));
  const [width, height] = [view.width * side, view.height * side];
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width: width, height: height, class: "miniature", "aria-hidden": "true" }, squares);
}

/** A board that shows views. */
export class Board {
  constructor({ small = false, above = small ? 0 : ABOVE } = {}) {
    this.node = el("div", { class: `board${small ? " small" : ""}` });
    this.headroom = above;
    this.labelled = !small;
    this.shape = "";
  }

  /** The row and column at a point of the screen, as fractions; also outside the board. */
  cellAt(x, y) {
    const box = this.svg.getBoundingClientRect();
    const [, , width, height] = this.svg.getAttribute("viewBox").split(" ").map(Number);
    const across = ((x - box.left) / box.width) * width - this.pad - this.left;
    const down = ((y - box.top) / box.height) * height - this.pad - this.above * this.size;
    return { row: down / this.size, column: across / this.size };
  }

  /** Limits the height of the board in pixels. */
  fit(height) {
    const [, , across, down] = this.svg.getAttribute("viewBox").split(" ").map(Number);
    this.node.style.setProperty("--fit", `${Math.floor((Math.max(LEAST, height) * across) / down)}px`);
  }

  /** The size of a cell in screen pixels. */
  get scale() {
    const [, , width] = this.svg.getAttribute("viewBox").split(" ").map(Number);
    return (this.svg.getBoundingClientRect().width / width) * this.size;
  }

  /** Shows a view; `animate` at a pace that shows single moves. */
  show(view, animate = false) {
    const shape = `${view.kind} ${view.width} ${view.height}`;
    if (shape !== this.shape) this.layOut(view, shape);
    this.view = view;
    if (view.kind === "tiles") this.showTiles(view, animate && !reducedMotion());
    else this.showCells(view, animate && !reducedMotion());
    setAttribute(this.svg, "aria-label", describe(view));
  }

  /** Lays out an empty board. */
  layOut(view, shape) {
    this.shape = shape;
    this.kind = view.kind;
    this.size = SIZE[view.kind];
    this.gap = GAP[view.kind];
    this.pad = 6;
    this.above = view.kind === "well" ? this.headroom : 0;
    const coordinates = this.labelled && view.kind !== "tiles";
    this.left = coordinates && view.kind === "blocks" ? LABELS : 0;
    const bed = { width: view.width * this.size + 2 * this.pad, height: view.height * this.size + 2 * this.pad };
    const top = this.above * this.size;
    const width = bed.width + this.left;
    const height = top + bed.height + (coordinates ? LABELS : 0);
    this.node.classList.remove("tiles", "well", "blocks");
    this.node.classList.add(view.kind);
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    this.svg.append(svg("rect", { class: "bed", x: this.left, y: top, ...bed, rx: view.kind === "tiles" ? 14 : 8 }));
    if (coordinates) this.svg.append(...this.coordinates(view, top + bed.height));
    this.cells = [];
    for (let cell = 0; cell < view.width * view.height; cell++) {
      const rect = this.rect(Math.floor(cell / view.width), cell % view.width, {
        class: view.kind === "tiles" ? "hole" : "cell",
      });
      this.cells.push(rect);
      this.svg.append(rect);
    }
    this.values = new Array(this.cells.length).fill(0);
    this.layers = {};
    for (const name of ["tiles", "heat", "marks", "piece", "top"]) {
      this.layers[name] = svg("g");
      this.svg.append(this.layers[name]);
    }
    this.node.replaceChildren(this.svg);
  }

  /** The letters of the columns, and the numbers of the rows of blocks: moves are named by them. */
  coordinates(view, below) {
    const label = (x, y, text) => svg("text", { class: "coordinate", x, y, "aria-hidden": "true" }, text);
    const middle = (at) => this.pad + (at + 0.5) * this.size;
    const columns = Array.from({ length: view.width }, (_, at) =>
      label(this.left + middle(at), below + LABELS / 2, String.fromCharCode(97 + (at % 26))));
    const rows = this.left ? Array.from({ length: view.height }, (_, at) => label(LABELS / 2, middle(at), String(at + 1))) : [];
    return [...columns, ...rows];
  }

  /** A cell's square. */
  rect(row, column, attributes = {}) {
    const [x, y] = this.corner(row, column);
    const side = this.size - this.gap;
    return svg("rect", { x, y, width: side, height: side, rx: this.kind === "tiles" ? 10 : 4, ...attributes });
  }

  corner(row, column) {
    return [
      this.left + this.pad + column * this.size + this.gap / 2,
      this.pad + (row + this.above) * this.size + this.gap / 2,
    ];
  }

  place(cell) {
    return this.corner(Math.floor(cell / this.view.width), cell % this.view.width);
  }

  showTiles(view, animate) {
    const layer = this.layers.tiles;
    const tile = (cell, power, extra = "") => {
      const [x, y] = this.place(cell);
      const label = String(2 ** power);
      const side = this.size - this.gap;
      const group = svg("g", { class: `tile t${Math.min(power, 18)} ${extra}` },
        svg("rect", { width: side, height: side, rx: 10 }),
        svg("text", { x: side / 2, y: side / 2 + 2, class: `d${label.length}` }, label));
      group.style.transform = `translate(${x}px, ${y}px)`;
      return group;
    };
    const last = view.last;
    const before = this.before;
    this.before = { moves: view.moves, cells: view.cells };
    const follows = animate && last && before && before.moves + 1 === view.moves;
    if (!follows) {
      const tiles = view.cells.map((power, cell) => (power ? tile(cell, power) : null));
      layer.replaceChildren(...tiles.filter(Boolean));
      return;
    }
    // Slide the old tiles, then draw the new board.
    const arrivals = new Map();
    for (const { to } of last.motion) arrivals.set(to, (arrivals.get(to) ?? 0) + 1);
    const sliding = last.motion.map(({ from, to }) => [tile(from, before.cells[from]), to]);
    layer.replaceChildren(...sliding.map(([node]) => node));
    layer.getBoundingClientRect();
    for (const [node, to] of sliding) {
      const [x, y] = this.place(to);
      node.style.transform = `translate(${x}px, ${y}px)`;
    }
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      if (this.view !== view) return;
      const tiles = view.cells.map((power, cell) => {
        if (!power) return null;
        const extra = last.spawned.includes(cell) ? "new" : (arrivals.get(cell) ?? 0) > 1 ? "merged" : "";
        return tile(cell, power, extra);
      });
      layer.replaceChildren(...tiles.filter(Boolean));
    }, 95);
  }

  showCells(view, animate) {
    view.cells.forEach((value, cell) => {
      if (this.values[cell] === value) return;
      this.values[cell] = value;
      setAttribute(this.cells[cell], "class", value ? `cell filled ${colour(value)}` : "cell");
    });
    this.layers.top.replaceChildren();
    const clears = view.last?.clears ?? [];
    if (animate && clears.length && this.cleared !== view.moves) {
      this.cleared = view.moves;
      for (const cell of clears) {
        const [x, y] = this.place(cell);
        const side = this.size - this.gap;
        this.layers.top.append(svg("rect", { x, y, width: side, height: side, rx: 4, class: "flash" }));
      }
    }
  }

  /** Draws the current piece above a well, in an orientation and over a column. */
  showPiece(piece, turn, column = null) {
    const layer = this.layers.piece;
    layer.replaceChildren();
    if (!piece || this.above === 0 || this.kind !== "well") return;
    const shape = piece.turns[turn];
    const left = column ?? Math.floor((this.view.width - shape.width) / 2);
    for (const [row, across] of shape.cells) {
      layer.append(this.rect(row - shape.height - 0.25, left + across, {
        class: `cell filled ${colour(piece.number + 1)}`,
      }));
    }
  }

  /** Draws the cells that a move would fill, and those that it would clear. */
  ghost(option, kind = "") {
    const layer = this.layers.marks;
    layer.replaceChildren();
    if (!option) return;
    if (option.slide) {
      layer.append(this.arrow(option.slide));
      return;
    }
    for (const cell of option.clears ?? []) {
      const [x, y] = this.place(cell);
      const side = this.size - this.gap;
      layer.append(svg("rect", { x, y, width: side, height: side, rx: 4, class: "clearing" }));
    }
    const piece = this.view.hand[option.piece];
    const paint = piece && !kind ? colour(piece.number + 1) : "";
    for (const cell of option.covers) {
      const [x, y] = this.place(cell);
      const side = this.size - this.gap;
      layer.append(svg("rect", { x, y, width: side, height: side, rx: 4, class: `ghost ${kind} ${paint}` }));
    }
  }

  /** An arrow at the edge towards which tiles slide. */
  arrow(slide) {
    const [width, height] = [this.view.width * this.size, this.view.height * this.size];
    const [across, down, turn] = { up: [0.5, 0, -90], right: [1, 0.5, 0], down: [0.5, 1, 90], left: [0, 0.5, 180] }[slide];
    const inward = 26;
    const x = this.pad + across * width + (across === 1 ? -inward : across === 0 ? inward : 0);
    const y = this.pad + down * height + (down === 1 ? -inward : down === 0 ? inward : 0);
    return svg("path", {
      class: "arrow", d: "M-24 -9 H-4 V-24 L22 0 L-4 24 V9 H-24 Z", transform: `translate(${x} ${y}) rotate(${turn})`,
    });
  }

  /** Shades cells by shares from -1 to 1. */
  heat(shares) {
    const layer = this.layers.heat;
    layer.replaceChildren();
    if (!shares) return;
    shares.forEach((share, cell) => {
      if (!share) return;
      const [x, y] = this.place(cell);
      const side = this.size - this.gap;
      const kind = share < 0 ? "heat minus" : "heat";
      // On tiles a bar below the number keeps it readable.
      const drawn = this.kind === "tiles"
        ? { x: x + 8, y: y + side - 17, width: Math.max(2, (side - 16) * Math.abs(share)), height: 9, rx: 4 }
        : dot(x + side / 2, y + side / 2, side * (0.18 + 0.5 * Math.abs(share)), Math.abs(share));
      layer.append(svg("rect", { class: kind, ...drawn }));
    });
  }

  /** Outlines a set of cells. */
  outline(cells, stroke = "#e3a008") {
    const layer = this.layers.top;
    layer.replaceChildren();
    if (!cells) return;
    const inside = new Set(cells);
    const { width } = this.view;
    const path = [];
    for (const cell of cells) {
      const [row, column] = [Math.floor(cell / width), cell % width];
      const [x, y] = [this.left + this.pad + column * this.size, this.pad + (row + this.above) * this.size];
      const s = this.size;
      if (!inside.has(cell - width)) path.push(`M${x} ${y}h${s}`);
      if (!inside.has(cell + width)) path.push(`M${x} ${y + s}h${s}`);
      if (column === 0 || !inside.has(cell - 1)) path.push(`M${x} ${y}v${s}`);
      if (column === width - 1 || !inside.has(cell + 1)) path.push(`M${x + s} ${y}v${s}`);
    }
    layer.append(svg("path", { class: "outline", d: path.join(""), stroke }));
  }
}

/** A dot that grows and darkens with its share; unlike pieces, it is round. */
function dot(x, y, size, share) {
  return { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: size / 2, "fill-opacity": (0.3 + 0.6 * share).toFixed(3) };
}

/** A board as text, for screen readers. */
export function describe(view) {
  const filled = view.cells.filter(Boolean).length;
  const size = `${view.width} by ${view.height}`;
  const hand = view.hand.map((piece) => piece.name).join(", ");
  if (view.kind === "tiles") {
    const rows = [];
    for (let row = 0; row < view.height; row++) {
      const cells = view.cells.slice(row * view.width, (row + 1) * view.width);
      rows.push(cells.map((power) => (power ? 2 ** power : "empty")).join(" "));
    }
    return `2048 board, ${size}: ${rows.join("; ")}`;
  }
  const name = view.kind === "well" ? "Tetris well" : "1010 board";
  return `${name}, ${size}, ${filled} cells filled, to place: ${hand || "nothing"}`;
}

/** For every cell, the rank (0 to 1) of the best placement that covers it. */
export function heatOfHints(view, hints) {
  const valued = hints.filter((hint) => hint.value !== null && view.options[hint.number]?.covers.length);
  if (valued.length < 2) return null;
  const ranks = [...valued].sort((a, b) => a.value - b.value);
  const shares = new Array(view.cells.length).fill(0);
  ranks.forEach((hint, rank) => {
    // Only the better half is shown, with emphasis on the best.
    const share = Math.max(0, (rank / (ranks.length - 1)) * 2 - 1) ** 2;
    for (const cell of view.options[hint.number].covers) {
      shares[cell] = Math.max(shares[cell], share);
    }
  });
  return shares;
}
