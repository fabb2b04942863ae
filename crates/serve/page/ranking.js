// The ranking of watched agents by their mean scores, with the significance of each difference.

import { count, el, meanText } from "./dom.js";

/** Differences with a smaller p-value are significant. */
const LEVEL = 0.05;
/** Below this number of games the normal approximation is too rough. */
const MIN_GAMES = 10;

export class Ranking {
  constructor() {
    this.rows = el("tbody");
    this.node = el("div", { class: "card above", hidden: true },
      el("h2", {}, "Ranking"),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Ranking" },
        el("table", {}, el("thead", {}, el("tr", {}, ["Rank", "Agent", "Games", "Mean score", "Against the next"].map((head) => el("th", {}, head)))), this.rows)),
      el("p", { class: "soft small" }, `Two-sided p-values of the difference of means (Welch, normal approximation), from ${MIN_GAMES} games on.`));
  }

  begin(names) {
    this.agents = names.map((name) => ({ name, score: null }));
    this.node.hidden = true;
  }

  show(updates) {
    for (const { board, summary } of updates) this.agents[board].score = summary.score;
    const ranked = this.agents.filter(({ score }) => score).sort((a, b) => b.score.mean - a.score.mean);
    this.node.hidden = ranked.length < 2;
    if (this.node.hidden) return;
    this.rows.replaceChildren(...ranked.map(({ name, score }, at) => el("tr", {},
      el("td", {}, String(at + 1)), el("td", {}, name), el("td", {}, count(score.count)), el("td", {}, meanText(score)),
      el("td", {}, at + 1 < ranked.length ? significance(score, ranked[at + 1].score) : "–"))));
  }
}

/** Whether a mean is significantly larger than another one. */
export function significance(one, other) {
  if (Math.min(one.count, other.count) < MIN_GAMES) return "too few games";
  const error = Math.hypot(one.standard_error ?? 0, other.standard_error ?? 0);
  if (!error) return one.mean === other.mean ? "equal" : "better";
  const p = 2 * (1 - normal(Math.abs(one.mean - other.mean) / error));
  return `${p < LEVEL ? "better" : "not significant"}, p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}`;
}

/** The normal distribution function for z >= 0 (Abramowitz and Stegun 26.2.17). */
function normal(z) {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
