// The tab Results: the pages of results/ with their tables, figures and commands.

import { attempt, get } from "./api.js";
import { el } from "./dom.js";
import { markdown } from "./markdown.js";

/** The sources in display order, by the prefix of their pages' names. */
const SOURCES = [
  ["README", "Overview"], ["speed", "Overview"], ["random-play", "Overview"], ["search", "Overview"], ["solved", "Overview"], ["chen", "2048: Chen 2022"], ["szubert", "2048: Szubert & Jaśkowski 2014"],
  ["tetris", "Tetris controllers"], ["marchal", "Tetris: Marchal et al."], ["szita", "Tetris: Szita & Lőrincz 2006"],
  ["carr", "Tetris: Carr 2005"], ["tang", "1010!: Tang 2019"],
];

export class Results {
  title = "Results";

  constructor() {
    this.contents = el("nav", { class: "card contents", "aria-label": "All results" });
    this.page = el("article", { class: "card prose", "aria-live": "off" });
    this.node = el("section", { class: "split wide-right", "aria-label": "Results" }, this.contents, this.page);
  }

  async enter(path) {
    if (!this.all) {
      this.all = await attempt(() => get("results"));
      if (!this.all) return;
      this.list();
    }
    await this.open(decodeURIComponent(path[0] ?? "README"));
  }

  leave() {}

  list() {
    const groups = new Map(SOURCES.map(([, title]) => [title, []]));
    for (const page of this.all) {
      const source = SOURCES.find(([start]) => page.name.startsWith(start))?.[1] ?? "Others";
      if (!groups.has(source)) groups.set(source, []);
      groups.get(source).push(page);
    }
    const link = (page) => el("li", {}, el("a", { href: `#results/${page.name}`, "data-page": page.name },
      page.name === "README" ? "All results" : page.title));
    this.contents.replaceChildren(...[...groups].filter(([, pages]) => pages.length).flatMap(([title, pages]) => [
      el("h2", {}, title), el("ul", {}, pages.map(link)),
    ]));
  }

  async open(name) {
    const text = await attempt(() => get(`results/${encodeURIComponent(name)}`));
    if (text === undefined) return;
    for (const link of this.contents.querySelectorAll("a")) {
      if (link.dataset.page === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.page.replaceChildren(...markdown(text));
    scrollTo({ top: 0 });
  }
}
