// Fields that several tabs share: rules, seed, agent and search.

import { agents, attempt, rules } from "./api.js";
import { choice, count, el, field, store, stored } from "./dom.js";

/** The games with their usual rules. */
const GAMES = [["2048", "2048:4x4"], ["Tetris", "tetris:10x20"], ["1010!", "1010:10x10,pieces=19,hand=3"]];

/** The searches to choose from; any other can be typed. */
const SEARCHES = [
  ["greedy", "greedy (1 ply)"], ["expectimax:2", "expectimax, 2 plies"], ["expectimax:3", "expectimax, 3 plies"],
  ["expectimax:100ms", "expectimax, 100 ms per move"], ["expectimax:hand", "expectimax, known pieces"],
  ["minimax:2", "minimax, 2 plies"], ["other", "other …"],
];

let lists = 0;

/** Rules: a choice of games, and a text field for all options. Calls `change` with every new value. */
export class Rules {
  constructor(key, change) {
    this.key = key;
    const list = `rules-${(lists += 1)}`;
    this.games = GAMES.map(([label, game]) =>
      el("button", { type: "button", "data-game": game.split(":")[0], onclick: () => { this.value = game; change(); } }, label));
    this.input = el("input", { type: "text", list, spellcheck: "false", autocomplete: "off", onchange: () => { this.update(); change(); } });
    this.examples = el("datalist", { id: list });
    this.choices = el("div", { class: "choices", role: "group", "aria-label": "Game" }, this.games);
    this.field = field("Rules", [this.input, this.examples], { class: "field grow rules" });
    this.value = stored(`${key}.game`, "2048:4x4");
    attempt(rules).then((all) => {
      for (const { examples } of all ?? []) {
        for (const example of examples) this.examples.append(el("option", { value: example.game }, example.about));
      }
    });
  }

  get value() {
    return this.input.value.trim();
  }

  set value(game) {
    this.input.value = game;
    this.update();
  }

  update() {
    store(`${this.key}.game`, this.value);
    const name = this.value.split(":")[0];
    for (const button of this.games) button.setAttribute("aria-pressed", String(button.dataset.game === name));
  }
}

/** A field for a seed. */
export const seedField = (attributes = {}) => el("input", { type: "number", min: 0, step: 1, inputmode: "numeric", ...attributes });

/** An agent and its search. Calls `change` after every choice. */
export class Player {
  constructor(key, change = () => {}) {
    this.key = key;
    this.agents = choice([], null, { onchange: () => { store(`${key}.agent`, this.agents.value); change(); } });
    this.searches = choice(SEARCHES, "greedy", {
      onchange: () => {
        this.other.hidden = this.searches.value !== "other";
        if (this.other.hidden) change();
        else this.other.querySelector("input").focus();
      },
    });
    this.text = el("input", { type: "text", spellcheck: "false", value: "expectimax:2,beam=8", onchange: change });
    this.other = field("Search as text, such as minimax:3 or expectimax:50ms", this.text, { hidden: true });
    this.fields = [field("Agent", this.agents), field("Search", this.searches), this.other];
  }

  get agent() {
    return this.agents.value;
  }

  get search() {
    return this.searches.value === "other" ? this.text.value.trim() : this.searches.value;
  }

  /** Offers the agents that can play by some rules. */
  async offer(game, wanted = null) {
    const all = await attempt(() => agents(game));
    if (all) this.show(all, wanted);
    return all;
  }

  show(all, wanted = null) {
    const label = ({ id, mean }) => (mean === null ? id : `${id} (mean ${count(mean)})`);
    this.agents.offer(all.map((agent) => [agent.id, label(agent)]), wanted ?? stored(`${this.key}.agent`, all[0]?.id));
    const about = new Map(all.map(({ id, about: text }) => [id, text]));
    for (const option of this.agents.options) option.title = about.get(option.value) ?? "";
  }
}
