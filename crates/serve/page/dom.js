// Small words for building the page: elements, numbers, fields that remember themselves.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (`on...` are listeners, `class` and so on as they are) and children. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
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

/** Sets an attribute only where it changes: the browser has nothing to do otherwise. */
export function set(node, name, value) {
  const text = String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/** Sets text only where it changes. */
export function say(node, text) {
  if (node.textContent !== String(text)) node.textContent = text;
}

/** A whole number with its thousands apart. */
export const count = (value) => Math.round(value).toLocaleString("en-US");

/** A number for a table: decimals only where they say something. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  const decimals = size >= 10_000 ? 0 : size >= 100 ? 1 : 3;
  return value.toLocaleString("en-US", { maximumFractionDigits: decimals }).replace("-", "−");
}

/** A speed: 1.23M moves/s. */
export function speed(value, unit = " moves/s") {
  if (!value) return "–";
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)}M${unit}`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(0)}k${unit}`;
  return `${number(Math.round(value))}${unit}`;
}

/** A time as people say it. */
export function lasting(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} days`;
}

let fields = 0;

/** A control under its name; what stands beside the name is told, too. */
export function field(name, control, attributes = {}, beside = null) {
  const [main] = [control].flat();
  main.id ||= `field-${(fields += 1)}`;
  const label = el("label", { for: main.id }, name);
  return el("div", { class: "field", ...attributes }, beside ? el("div", { class: "between" }, label, beside) : label, control);
}

/** What a field held when the page was last open. */
export function remembered(key, otherwise) {
  try {
    return localStorage.getItem(`afterstate.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Keeps what a field holds for the next time. */
export function remember(key, value) {
  try {
    localStorage.setItem(`afterstate.${key}`, value);
  } catch {
    // A browser that keeps nothing is asked again next time.
  }
}

/** A select whose options can be set again without losing the choice: pairs of value and label. */
export function choice(options, chosen, attributes = {}) {
  const select = el("select", attributes);
  select.offer = (offered, wanted = select.value) => {
    select.replaceChildren(...offered.map(([value, label]) => el("option", { value }, label)));
    select.value = offered.some(([value]) => value === wanted) ? wanted : offered[0]?.[0] ?? "";
  };
  select.offer(options, chosen);
  return select;
}

/** Whether nothing should move by itself. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether a key belongs to the control that has the focus. */
export function typing(event) {
  const at = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (at.closest?.("input, select, textarea, dialog, summary")) return true;
  return ["Enter", " "].includes(event.key) && at.closest?.("button, a");
}
