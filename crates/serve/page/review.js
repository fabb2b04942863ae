// The review of a game: the expected final score at every position, and the mistakes.

import { attempt, post } from "./api.js";
import { Chart } from "./chart.js";
import { count, el, number, setText } from "./dom.js";

/** A move that loses this share of the value of the position is a mistake. */
const MISTAKE = 0.02;
/** The longest list of mistakes. */
const WORST = 8;

export class Review {
  /** `go(moves)` shows a position. */
  constructor({ go }) {
    this.go = go;
    this.button = el("button", { type: "button", class: "compact", onclick: () => this.run() }, "Find mistakes");
    this.chart = new Chart("Expected final score");
    this.about = el("p", { class: "soft small" });
    this.worst = el("ol", { class: "worst small" });
    this.result = el("div", { hidden: true }, this.chart.node, this.about, this.worst);
    this.node = el("div", { class: "above review" }, this.button, this.result);
  }

  /** The game has changed: an old review is hidden when it is another game. */
  follow(view, player) {
    this.player = player;
    this.button.disabled = view.known === 0;
    if (this.view?.id !== view.id || view.known < this.reviewed) {
      this.result.hidden = true;
      this.reviewed = 0;
    }
    this.view = view;
  }

  async run() {
    const { id, moves } = this.view;
    const { agent, search } = this.player;
    const positions = [];
    this.button.disabled = true;
    while (positions.length < moves) {
      const more = await attempt(() => post(`games/${id}/review`, { agent, search, from: positions.length }));
      if (!more?.length || this.view.id !== id) break;
      positions.push(...more);
      setText(this.button, `Reviewing: ${count(positions.length)} of ${count(moves)}`);
    }
    this.button.disabled = false;
    setText(this.button, "Find mistakes");
    if (this.view.id === id && positions.length) this.show(positions, agent);
  }

  show(positions, agent) {
    this.reviewed = positions.length;
    this.result.hidden = false;
    const valued = positions.map((position, at) => ({ ...position, at })).filter(({ value, best_value: best }) => value !== null && best !== null);
    if (!valued.length) {
      setText(this.about, `${agent} has no values: choose another agent.`);
      this.chart.node.hidden = true;
      this.worst.replaceChildren();
      return;
    }
    this.chart.node.hidden = false;
    const lost = valued.map((position) => ({ ...position, loss: position.best_value - position.value }));
    const scale = lost.reduce((sum, { best_value: best }) => sum + Math.abs(best), 0) / lost.length;
    const mistakes = lost.filter(({ loss }) => loss > MISTAKE * scale).sort((a, b) => b.loss - a.loss);
    this.chart.draw({
      x: "moves", y: "score so far + value",
      lines: [
        { name: "expected by the agent", points: lost.map(({ at, score, best_value: best }) => [at, score + best]) },
        { name: "mistakes", kind: "points", points: mistakes.map(({ at, score, best_value: best }) => [at, score + best]) },
      ],
      pick: (at) => this.go(at),
    });
    setText(this.about, `${count(mistakes.length)} ${mistakes.length === 1 ? "move" : "moves"} of ${count(lost.length)} lost more than ${100 * MISTAKE}% of the value by ${agent}. Click the chart to see a position.`);
    this.worst.replaceChildren(...mistakes.slice(0, WORST).map(({ at, move, best, loss }) => el("li", {},
      el("button", { type: "button", class: "compact quiet left", onclick: () => this.go(at) }, `Move ${count(at + 1)}: ${move}, better ${best} (−${number(loss)})`))));
  }
}
