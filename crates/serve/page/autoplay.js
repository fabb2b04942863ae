// The agent that plays in the tab Play: its choice, its speed, and its moves until it is paused.

import { post } from "./api.js";
import { count, el, field, setText, store, stored } from "./dom.js";
import { Player } from "./rules.js";

/** The positions of the speed slider in moves per second; the last one is unlimited. */
export const PACES = [1, 2, 4, 8, 15, 30, 60, 125, 250, 500, 1_000, 4_000, Infinity];
export const paceText = (pace) => (pace === Infinity ? "as fast as possible" : `${count(pace)} ${pace === 1 ? "move" : "moves"} per second`);

export class Autoplay {
  /** `change(act, animate)` changes the game; `ended` is called when the agent pauses. */
  constructor({ change, ended, chosen, mayPlay }) {
    Object.assign(this, { change, ended, mayPlay });
    this.player = new Player("play", chosen);
    this.pace = el("input", {
      type: "range", min: 0, max: PACES.length - 1, step: 1, value: stored("pace", "3"), oninput: () => this.paced(),
    });
    this.paceLabel = el("span", { class: "soft small" });
    this.button = el("button", { type: "button", class: "main", "aria-pressed": "false", title: "A", onclick: () => this.toggle() }, "▶ Let it play");
    this.step = el("button", { type: "button", title: "N", onclick: () => this.one() }, "One move");
    this.node = el("div", { class: "card" },
      el("h2", {}, "Agent"),
      el("div", { class: "stack" }, this.player.fields, field("Speed", this.pace, {}, this.paceLabel),
        el("div", { class: "row" }, this.button, this.step)));
    this.paced();
  }

  paced() {
    const text = paceText(PACES[Number(this.pace.value)]);
    store("pace", this.pace.value);
    setText(this.paceLabel, text);
    this.pace.setAttribute("aria-valuetext", text);
  }

  faster(by) {
    if (by > 0) this.pace.stepUp();
    else this.pace.stepDown();
    this.paced();
  }

  toggle() {
    if (this.playing) this.pause();
    else if (this.mayPlay()) this.run();
  }

  get playing() {
    return Boolean(this.turn);
  }

  pause() {
    this.turn = null;
    setText(this.button, "▶ Let it play");
    this.button.setAttribute("aria-pressed", "false");
  }

  request(view, moves, ms) {
    const { agent, search } = this.player;
    return post(`games/${view.id}/agent`, { revision: view.revision, agent, search, moves, ms });
  }

  /** Plays one move, after those that were asked for before. */
  one() {
    this.pause();
    const before = this.pending;
    this.pending = this.ready(before).then(() => this.mayPlay() && this.change((view) => this.request(view, 1, 250)));
    return this.pending;
  }

  /** Waits until the move under way is shown and the agents for the rules of a new game are known. */
  async ready(move) {
    await move;
    await this.player.offered;
  }

  async run() {
    // Each start has its own turn, and waits for the move that was asked for before a pause.
    const turn = (this.turn = {});
    setText(this.button, "❚❚ Pause");
    this.button.setAttribute("aria-pressed", "true");
    const frame = 1_000 / 30;
    await this.ready(this.pending);
    while (this.turn === turn && this.mayPlay()) {
      const began = performance.now();
      const pace = PACES[Number(this.pace.value)];
      const every = Math.max(frame, 1_000 / pace);
      const moves = pace === Infinity ? 1_000_000 : Math.max(1, Math.round((pace * every) / 1_000));
      this.pending = this.change((view) => this.request(view, moves, pace === Infinity ? 30 : 250), pace <= 8);
      if (!(await this.pending)) break;
      const wait = pace === Infinity ? 0 : every - (performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
    }
    if (this.turn && this.turn !== turn) return;
    this.pause();
    this.ended();
  }
}
