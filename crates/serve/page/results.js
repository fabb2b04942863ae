// The tab Results: the pages of results/ with their tables, figures and commands.

import { attempt, get } from "./api.js";
import { el, field, setText } from "./dom.js";
import { markdown } from "./markdown.js";

/** The sources in display order, by the prefix of their pages' names. */
const SOURCES = [
  ["README", "Overview"], ["speed", "Overview"], ["random-play", "Overview"], ["search", "Overview"], ["solved", "Overview"], ["tetris-record", "Strongest results"], ["1010-record", "Strongest results"], ["2048-", "Strongest results"], ["chen", "2048: Chen 2022"], ["szubert", "2048: Szubert & Jaśkowski 2014"],
  ["tetris", "Tetris controllers"], ["marchal", "Tetris: Marchal et al."], ["szita", "Tetris: Szita & Lőrincz 2006"],
  ["carr", "Tetris: Carr 2005"], ["tang", "1010!: Tang 2019"],
];

export class Results {
  title = "Results";

  constructor() {
    this.list = el("div");
    this.found = el("p", { class: "soft small", role: "status" });
    this.search = el("input", { type: "text", spellcheck: "false", placeholder: "tetris, learning rate …", oninput: () => this.filter() });
    this.contents = el("nav", { class: "card contents", "aria-label": "All results" }, field("Search", this.search), this.found, this.list);
    this.page = el("article", { class: "card prose", "aria-live": "off" });
    this.node = el("section", { class: "split wide-right", "aria-label": "Results" }, this.contents, this.page);
  }

  async enter(path) {
    if (!this.all) {
      this.all = await attempt(() => get("results"));
      if (!this.all) return;
      this.fill();
    }
    await this.open(decodeURIComponent(path[0] ?? "README"));
  }

  leave() {}

  /** Hides the pages and groups that do not match every word of the search. */
  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const group of this.list.children) {
      const title = group.querySelector("h2").textContent;
      const items = [...group.querySelectorAll("li")];
      for (const item of items) {
        const text = `${title} ${item.textContent} ${item.firstChild.dataset.page}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
        shown += item.hidden ? 0 : 1;
      }
      group.hidden = items.every((item) => item.hidden);
    }
    setText(this.found, words.length ? `${shown} of ${this.all.length} pages` : "");
  }

  fill() {
    const groups = new Map(SOURCES.map(([, title]) => [title, []]));
    for (const page of this.all) {
      const source = SOURCES.find(([start]) => page.name.startsWith(start))?.[1] ?? "Others";
      if (!groups.has(source)) groups.set(source, []);
      groups.get(source).push(page);
    }
    const link = (page) => el("li", {}, el("a", { href: `#results/${page.name}`, "data-page": page.name },
      page.name === "README" ? "All results" : page.title));
    this.list.replaceChildren(...[...groups].filter(([, pages]) => pages.length).map(([title, pages]) =>
      el("div", {}, el("h2", {}, title), el("ul", {}, pages.map(link)))));
  }

  async open(name) {
    const text = await attempt(() => get(`results/${encodeURIComponent(name)}`));
    if (text === undefined) return;
    for (const link of this.contents.querySelectorAll("a")) {
      if (link.dataset.page === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const figures = [...text.matchAll(/!\[[^\]]*\]\(([\w.-]+\.svg)\)/g)].map(([, file]) => file);
    const download = (file, href) => el("a", { class: "button compact", download: file, href }, `Download ${file}`);
    this.page.replaceChildren(...markdown(text), el("div", { class: "row gap downloads" },
      download(`${name}.md`, `/api/results/${encodeURIComponent(name)}`), figures.map((file) => download(file, `/api/results/${encodeURIComponent(file)}`))));
    scrollTo({ top: 0 });
  }
}
