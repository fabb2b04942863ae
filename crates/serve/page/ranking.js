// The ranking of watched agents over the games that all have finished, with paired significance.

import { count, el, meanText, pText } from "./dom.js";

/** Differences with a smaller p-value are significant. */
const LEVEL = 0.05;

export class Ranking {
  constructor() {
    this.rows = el("tbody");
    this.games = el("p", { class: "soft small above" });
    this.node = el("div", { class: "card above", hidden: true },
      el("h2", {}, "Ranking"),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Ranking" },
        el("table", {}, el("thead", {}, el("tr", {}, ["Rank", "Agent", "Mean score", "Ahead of the next by"].map((head) => el("th", {}, head)))), this.rows)),
      this.games);
  }

  begin(names) {
    this.names = names;
    this.node.hidden = true;
  }

  show(ranked) {
    if (!ranked) return;
    this.node.hidden = false;
    this.rows.replaceChildren(...ranked.map(({ board, score, over_next: over }, at) => el("tr", {},
      el("td", {}, String(at + 1)), el("td", {}, this.names[board]), el("td", {}, meanText(score)),
      el("td", {}, over ? [meanText({ mean: over.difference, ci95: over.ci95 }), el("br"), significance(over)] : "–"))));
    const { count: games } = ranked[0].score;
    this.games.textContent = `Over the first ${count(games)} game${games === 1 ? "" : "s"}, which all have finished, with 95% intervals. `
      + "p is of a paired t-test of the same games, as in afterstate compare.";
  }
}

/** Whether a paired difference is significant. */
export function significance({ difference, p }) {
  if (p === null) return difference ? "too few games" : "equal";
  return `${pText(p)}${p < LEVEL ? "" : ", not significant"}`;
}
