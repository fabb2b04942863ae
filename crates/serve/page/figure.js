// Figures of results: SVG files as they are, or laid out anew where the screen is too narrow for
// their letters.

import { fetchSvg } from "./api.js";
import { el, svg } from "./dom.js";

const NARROW = matchMedia("(max-width: 40rem)");
/** Labels of the horizontal axis that fit on a phone. */
const MAX_LABELS = 5;
/** The width of a character of a tick label, in pixels. */
const CHARACTER = 7;

export function figure(name, title) {
  const box = el("figure", { class: "chart", "aria-label": title, tabindex: 0 });
  const show = async () => {
    try {
      const picture = await fetchSvg(`results/${encodeURIComponent(name)}`);
      box.replaceChildren(...((NARROW.matches && narrow(picture)) || [picture]));
    } catch {
      box.replaceChildren(el("p", { class: "soft" }, title));
    }
  };
  const resized = () => (box.isConnected ? show() : NARROW.removeEventListener("change", resized));
  NARROW.addEventListener("change", resized);
  show();
  return box;
}

/** A chart as HTML around its curves, which are stretched to the width; null if it is no chart. */
function narrow(picture) {
  const texts = [...picture.querySelectorAll("text")].map((node) => ({
    node, text: node.textContent, size: node.getAttribute("font-size"), anchor: node.getAttribute("text-anchor"),
    x: Number(node.getAttribute("x")), y: Number(node.getAttribute("y")),
  }));
  const ends = (path) => path.getAttribute("d").match(/[\d.]+/g).map(Number);
  const axis = picture.querySelector('path[stroke="#5b6472"]');
  const grid = [...picture.querySelectorAll('path[stroke="#e3e6ea"]')].map(ends).find(([x1, , x2]) => x1 === x2);
  if (!axis || !grid) return null;
  const [left, bottom, right] = ends(axis);
  const top = grid[1];
  const part = (at, from, to) => `${(100 * (at - from)) / (to - from)}%`;
  const small = texts.filter(({ size }) => size === "12");
  const across = small.filter(({ anchor, y }) => anchor === "middle" && y > bottom && y < bottom + 30);
  const upwards = small.filter(({ anchor }) => anchor === "end");
  const named = small.filter((text) => !across.includes(text) && !upwards.includes(text));
  const marks = named.filter(({ y }) => y > top && y < bottom);
  const label = (node, style) => Object.assign(node.style, style) && node;
  const tick = (text, style) => label(el("span", { class: "tick" }, text), style);
  const every = Math.ceil(across.length / MAX_LABELS);
  const margin = CHARACTER * Math.max(0, ...upwards.map(({ text }) => text.length)) + 6;
  const samples = [...picture.querySelectorAll('path[stroke-width="3"]')];
  const names = texts.filter(({ size, y }) => size === "13" && y < top);
  const sample = (path) => svg("svg", { class: "sample", viewBox: "0 0 22 6" },
    svg("path", { d: "M0 3H22", "stroke-width": 3, stroke: path.getAttribute("stroke"), "stroke-dasharray": path.getAttribute("stroke-dasharray") }));
  const legend = names.map(({ text }, at) => el("span", { class: "legend-item" }, samples[at] && sample(samples[at]), text));
  for (const { node } of texts) node.remove();
  for (const path of samples) path.remove();
  picture.querySelector('path[fill="#ffffff"]')?.remove();
  picture.removeAttribute("width");
  picture.removeAttribute("height");
  picture.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top + 1}`);
  picture.setAttribute("preserveAspectRatio", "none");
  const of = (wanted) => texts.filter(({ size }) => size === wanted).map(({ text }) => text).join(" ");
  const plot = label(el("div", { class: "stretched" }, picture,
    upwards.map(({ text, y }) => tick(text, { top: part(y - 4.2, top, bottom), right: "100%", transform: "translate(-6px, -50%)" })),
    across.filter((_, at) => at % every === 0).map(({ text, x }) => tick(text, { left: part(x, left, right), top: "calc(100% + 4px)", transform: "translateX(-50%)" })),
    marks.map(({ text, x, y }) => tick(text, { left: part(x, left, right), top: part(y, top, bottom), transform: "translate(-50%, -100%)" }))),
  { marginLeft: `${margin}px` });
  const title = (test) => named.filter(test).map(({ text }) => text).join(" ");
  return [
    el("figcaption", {}, of("18")), el("div", { class: "plot-legend small" }, legend),
    el("p", { class: "soft small" }, title(({ y }) => y <= top)), plot,
    el("p", { class: "soft small middle" }, title(({ y }) => y >= bottom)), el("p", { class: "soft small" }, of("11")),
  ];
}
