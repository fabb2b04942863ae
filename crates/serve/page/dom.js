// Helpers for building the page: elements, formatted numbers, stored fields.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (`on...` are listeners, `class` and so on as they are) and children. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element with attributes and children. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Sets an attribute if it differs, so that the browser does no work otherwise. */
export function setAttribute(node, name, value) {
  const text = String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/** Sets the text if it differs. */
export function setText(node, text) {
  if (node.textContent !== String(text)) node.textContent = text;
}

/** A rounded number with thousands separators. */
export const count = (value) => Math.round(value).toLocaleString("en-US");

/** A number for a table: fewer decimals for larger numbers, or exactly as many as asked for. */
export function number(value, exactly = null) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  const decimals = exactly ?? (size >= 10_000 ? 0 : size >= 100 ? 1 : 3);
  return value.toLocaleString("en-US", { maximumFractionDigits: decimals, minimumFractionDigits: exactly ?? 0 }).replace("-", "−");
}

/** A mean with its interval; a line may break between numbers, never within one. */
export function meanText({ mean, ci95, min = null }) {
  const whole = (text) => el("span", { class: "whole" }, text);
  if (!ci95) return whole(number(mean));
  // The interval of what is never negative does not reach below zero.
  const low = min !== null && min >= 0 ? Math.max(0, ci95[0]) : ci95[0];
  return el("span", {}, whole(number(mean)), " ", whole(`(${number(low)}`), " ", whole(`to ${number(ci95[1])})`));
}

/** A p-value, as `afterstate compare` writes it. */
export function pText(p) {
  return p < 0.0001 ? "p < 0.0001" : `p = ${p.toFixed(4)}`;
}

/** A speed: 1.23M moves/s. */
export function speed(value, unit = " moves/s") {
  if (!value) return "–";
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)}M${unit}`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)}k${unit}`;
  return `${number(Math.round(value))}${unit}`;
}

/** A duration in seconds, minutes, hours or days. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} days`;
}

let fields = 0;

/** A control below its label; `beside` is shown next to the label. */
export function field(name, control, attributes = {}, beside = null) {
  const [main] = [control].flat();
  main.id ||= `field-${(fields += 1)}`;
  const label = el("label", { for: main.id }, name);
  return el("div", { class: "field", ...attributes }, beside ? el("div", { class: "between" }, label, beside) : label, control);
}

/** A stored setting, or a default. */
export function stored(key, otherwise) {
  try {
    return localStorage.getItem(`afterstate.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Stores a setting for the next visit. */
export function store(key, value) {
  try {
    localStorage.setItem(`afterstate.${key}`, value);
  } catch {
    // Storage is disabled: the default applies at the next visit.
  }
}

/** A select of pairs (value, label); `offer` replaces the options and keeps the choice if possible. */
export function choice(options, chosen, attributes = {}) {
  const select = el("select", attributes);
  select.offer = (offered, wanted = select.value) => {
    select.replaceChildren(...offered.map(([value, label]) => el("option", { value }, label)));
    select.value = offered.some(([value]) => value === wanted) ? wanted : offered[0]?.[0] ?? "";
  };
  select.offer(options, chosen);
  return select;
}

/** Whether the visitor prefers no animations. */
export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether the focused control handles a key itself. */
export function typing(event) {
  const at = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (at.closest?.("input, select, textarea, dialog, summary")) return true;
  return ["Enter", " "].includes(event.key) && at.closest?.("button, a");
}
