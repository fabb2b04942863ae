// Charts of curves as SVG, drawn at the width that the page has: readable on a phone, with values
// under the pointer, zoom by dragging, 95% bands, and diamonds where a phase begins.

import { el, number, setText, svg } from "./dom.js";

const HEIGHT = 280;
const EDGE = { left: 58, right: 14, top: 12, bottom: 40 };
/** Colours of curves, distinguishable for the colour-blind (Okabe and Ito), in both themes. */
const COLOURS = 10;

export class Chart {
  constructor(label) {
    this.node = el("div", { class: "plot", tabindex: 0, role: "group", "aria-label": `${label}. Arrow keys read the values.` });
    this.legend = el("div", { class: "plot-legend small" });
    this.readout = el("p", { class: "small soft readout", "aria-live": "polite" });
    this.reset = el("button", { type: "button", class: "compact", hidden: true, onclick: () => this.zoom(null) }, "Show all");
    this.canvas = el("div");
    this.node.append(this.canvas, this.legend, el("div", { class: "row" }, this.readout, this.reset));
    this.node.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => { if (this.data && this.canvas.clientWidth !== this.width) this.paint(); }).observe(this.canvas);
  }

  /** Draws `{ lines: [{ name, points: [[x, y]], band: [[x, low, high]], marks: [{ x, label }], colour }], x, y, log, pick }`. */
  draw(data) {
    if (data.x !== this.data?.x) this.range = null;
    this.data = data;
    this.paint();
  }

  zoom(range) {
    this.range = range;
    this.reset.hidden = !range;
    this.paint();
  }

  paint() {
    const { lines, log, x: xName, y: yName } = this.data;
    this.width = this.canvas.clientWidth || 320;
    const inside = ([x, y]) => Number.isFinite(y) && (!log || y > 0) && (!this.range || (x >= this.range[0] && x <= this.range[1]));
    const shown = lines.map((line, at) => ({
      ...line, at: (line.colour ?? at) % COLOURS, points: line.points.filter(inside), band: (line.band ?? []).filter(inside), marks: line.marks ?? [],
    })).filter((line) => line.points.length);
    if (!shown.length) {
      this.canvas.replaceChildren(el("p", { class: "empty" }, "No values yet."));
      this.legend.replaceChildren();
      this.xs = [];
      return;
    }
    const all = shown.flatMap((line) => line.points);
    const [x0, x1] = this.range ?? span(all.map(([x]) => x));
    let [y0, y1] = span([...all, ...shown.flatMap((line) => line.band)].flatMap(([, ...ys]) => ys));
    if (!log && y0 > 0 && y0 < y1 / 2) y0 = 0;
    const scaled = log ? Math.log10 : (value) => value;
    const [low, high] = [scaled(y0), scaled(y1)];
    const inner = { width: this.width - EDGE.left - EDGE.right, height: HEIGHT - EDGE.top - EDGE.bottom };
    this.toX = (x) => EDGE.left + (x1 > x0 ? (x - x0) / (x1 - x0) : 0.5) * inner.width;
    this.fromX = (pixel) => x0 + ((pixel - EDGE.left) / inner.width) * (x1 - x0);
    this.toY = (y) => EDGE.top + (1 - (high > low ? (scaled(y) - low) / (high - low) : 0.5)) * inner.height;
    const picture = svg("svg", { viewBox: `0 0 ${this.width} ${HEIGHT}`, width: this.width, height: HEIGHT, role: "img", "aria-label": `${yName} against ${xName}` });
    for (const y of log ? decades(y0, y1) : ticks(y0, y1, 6)) {
      picture.append(svg("line", { class: "grid", x1: EDGE.left, x2: this.width - EDGE.right, y1: this.toY(y), y2: this.toY(y) }),
        svg("text", { class: "tick", x: EDGE.left - 6, y: this.toY(y) + 4, "text-anchor": "end" }, short(y)));
    }
    for (const x of ticks(x0, x1, Math.max(3, Math.floor(inner.width / 75)))) {
      picture.append(svg("text", { class: "tick", x: this.toX(x), y: HEIGHT - EDGE.bottom + 16, "text-anchor": "middle" }, short(x)));
    }
    picture.append(
      svg("text", { class: "tick axis", x: EDGE.left + inner.width / 2, y: HEIGHT - 6, "text-anchor": "middle" }, xName),
      svg("text", { class: "tick axis", "text-anchor": "middle", transform: `translate(11 ${EDGE.top + inner.height / 2}) rotate(-90)` }, log ? `${yName} (log)` : yName));
    for (const { band, at } of shown.filter((line) => line.band.length > 1)) {
      const side = (end) => band.map((point) => `${this.toX(point[0]).toFixed(1)} ${this.toY(point[end]).toFixed(1)}`);
      picture.append(svg("path", { class: `band k${at}`, d: `M${[...side(2), ...side(1).reverse()].join("L")}Z` }));
    }
    for (const { points, at, kind } of shown) {
      if (kind === "points" || points.length === 1) {
        picture.append(...points.map(([x, y]) => svg("circle", { class: `curve k${at} mark`, cx: this.toX(x), cy: this.toY(y), r: 4 })));
        continue;
      }
      const path = points.map(([x, y], i) => `${i ? "L" : "M"}${this.toX(x).toFixed(1)} ${this.toY(y).toFixed(1)}`).join("");
      picture.append(svg("path", { class: `curve k${at}`, d: path }));
    }
    shown.forEach(({ points, marks, at }, row) => {
      for (const { x, label } of marks.filter((mark) => mark.x > x0 && mark.x < x1)) {
        const [, y] = points.reduce((best, point) => (Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best), points[0]);
        const place = [this.toX(x), this.toY(y)];
        picture.append(svg("path", { class: `phase mark k${at}`, d: `M${place[0] - 5} ${place[1]}l5 -5 5 5 -5 5Z` }),
          svg("text", { class: "tick", x: place[0], y: Math.max(EDGE.top + 10, place[1] - 10 - 14 * (row % 4)), "text-anchor": "middle" }, label));
      }
    });
    this.cursor = svg("line", { class: "cursor", y1: EDGE.top, y2: EDGE.top + inner.height, visibility: "hidden" });
    this.band = svg("rect", { class: "select", y: EDGE.top, height: inner.height, visibility: "hidden" });
    picture.append(this.cursor, this.band);
    this.shown = shown;
    this.xs = [...new Set(all.map(([x]) => x))].sort((a, b) => a - b);
    this.pointer(picture);
    this.canvas.replaceChildren(picture);
    this.legend.replaceChildren(...(lines.length > 1 ? shown.map(({ name, at }) =>
      el("span", { class: "legend-item" }, el("span", { class: `swatch k${at}` }), name)) : []));
    if (!this.readout.textContent) setText(this.readout, "Point at the chart for values; drag to zoom.");
  }

  pointer(picture) {
    let from = null;
    const at = (event) => Math.max(EDGE.left, Math.min(this.width - EDGE.right, event.clientX - picture.getBoundingClientRect().left));
    picture.onpointerdown = (event) => { from = at(event); picture.setPointerCapture(event.pointerId); };
    picture.onpointermove = (event) => {
      const here = at(event);
      this.read(this.nearest(this.fromX(here)));
      if (from === null || Math.abs(here - from) < 6) return;
      this.band.setAttribute("visibility", "visible");
      this.band.setAttribute("x", Math.min(from, here));
      this.band.setAttribute("width", Math.abs(here - from));
    };
    picture.onpointerup = (event) => {
      const here = at(event);
      const [start, dragged] = [from, from !== null && Math.abs(here - from) >= 12];
      from = null;
      if (dragged) this.zoom([this.fromX(Math.min(start, here)), this.fromX(Math.max(start, here))]);
      else this.data.pick?.(this.nearest(this.fromX(here)));
    };
    picture.ondblclick = () => this.zoom(null);
  }

  nearest(x) {
    return this.xs.reduce((best, each) => (Math.abs(each - x) < Math.abs(best - x) ? each : best), this.xs[0]);
  }

  /** Shows the values at x. */
  read(x) {
    if (x === undefined) return;
    this.at = x;
    this.cursor.setAttribute("visibility", "visible");
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.toX(x));
    const values = this.shown.filter(({ kind }) => kind !== "points").map(({ name, points }) => {
      const [, y] = points.reduce((best, point) => (Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best), points[0]);
      return this.data.lines.length > 1 ? `${name}: ${number(y)}` : number(y);
    });
    setText(this.readout, `${number(x)} ${this.data.x}: ${values.join(", ")}${this.data.about ? ` ${this.data.about(x)}` : ""}`);
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!this.xs?.length || event.target !== this.node) return;
    if (event.key === "Enter" && this.at !== undefined) this.data.pick?.(this.at);
    else if (!step) return;
    else {
      const at = this.xs.indexOf(this.nearest(this.at ?? this.xs[0]));
      this.read(this.xs[Math.max(0, Math.min(this.xs.length - 1, at + step))]);
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The running mean over `width` points. */
export function smoothed(points, width) {
  if (width < 2) return points;
  let sum = 0;
  return points.map(([x, y], at) => {
    sum += y - (at >= width ? points[at - width][1] : 0);
    return [x, sum / Math.min(at + 1, width)];
  });
}

const span = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];

/** About `wanted` round values from low to high. */
function ticks(low, high, wanted) {
  if (!(high > low)) return [low];
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= raw) * power;
  const all = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at++) all.push(at * step);
  return all;
}

function decades(low, high) {
  const all = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const digit of high / low < 50 ? [1, 2, 5] : [1]) all.push(digit * 10 ** power);
  }
  return all.filter((value) => value >= low && value <= high);
}

/** A short number for an axis: 1.2M. */
function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(4)));
}
