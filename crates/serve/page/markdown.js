// The subset of Markdown in results and recipes, as elements.

import { note } from "./api.js";
import { el } from "./dom.js";
import { figure } from "./figure.js";

/** Parses headings, tables, figures, quotes, lists and commands. */
export function markdown(text) {
  const nodes = [];
  const blocks = text.split(/\n\s*\n/);
  for (const block of blocks) {
    const lines = block.split("\n").filter((line) => line.trim());
    if (!lines.length) continue;
    const heading = /^(#{1,3}) (.*)$/.exec(lines[0]);
    const image = /^!\[(.*)\]\(([\w.-]+\.svg)\)$/.exec(lines[0]);
    if (heading) {
      nodes.push(el(`h${heading[1].length}`, {}, inline(heading[2])));
      if (lines.length > 1) nodes.push(...markdown(lines.slice(1).join("\n")));
    } else if (image) {
      nodes.push(figure(image[2], image[1]));
    } else if (lines[0].startsWith("|")) {
      nodes.push(table(lines));
    } else if (lines[0].startsWith(">")) {
      const quote = lines.map((line) => line.replace(/^>\s?/, "")).join(" ").trim();
      if (quote) nodes.push(el("blockquote", {}, el("p", {}, inline(quote))));
    } else if (lines[0].startsWith("- ")) {
      const items = lines.join("\n").split(/^- /m).filter((item) => item.trim());
      nodes.push(el("ul", {}, items.map((item) => el("li", {}, inline(item.replaceAll("\n", " "))))));
    } else if (/^`afterstate [^`]*`$/.test(lines.join(" "))) {
      nodes.push(command(lines.join(" ").slice(1, -1)));
    } else {
      nodes.push(el("p", {}, inline(lines.join(" "))));
    }
  }
  return nodes;
}

/** A command with a button that copies it. */
function command(text) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      note("Copied.");
    } catch {
      note("The browser does not allow copying.", true);
    }
  };
  return el("div", { class: "command" }, el("code", {}, text), el("button", { type: "button", class: "compact", onclick: copy }, "Copy"));
}

function table(lines) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const [head, rule, ...rows] = lines.map(cells);
  const right = (rule ?? []).map((mark) => mark.endsWith(":"));
  const row = (tag) => (texts) => el("tr", {}, texts.map((text, at) => el(tag, { class: right[at] ? "number" : isNumber(text) ? "whole" : null }, inline(text))));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" },
    el("table", {}, el("thead", {}, row("th")(head)), el("tbody", {}, rows.map(row("td")))));
}

/** Whether a cell is a number or a short interval, which must not break across lines. */
const isNumber = (text) => text.length < 24 && /^[\d\s.,±%()+×–−-]+(to|of)?[\d\s.,±%()+×–−-]*$/.test(text);

/** Parses code, strong text and links. */
export function inline(text) {
  return text.split(/(`[^`]*`|\*\*[^*]+\*\*|\[[^\]]*\]\([^)]*\))/).map((part) => {
    if (/^`[^`]*`$/.test(part)) return el("code", {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return el("strong", {}, part.slice(2, -2));
    const link = /^\[([^\]]*)\]\(([^)]*)\)$/.exec(part);
    if (!link) return part;
    const page = /^([\w-]+)\.md$/.exec(link[2]);
    if (page) return el("a", { href: `#results/${page[1]}` }, link[1]);
    return /^https:/.test(link[2]) ? el("a", { href: link[2], rel: "noreferrer" }, link[1]) : link[1];
  });
}
