// Fields that several rooms share: which rules, which seed, who plays and how far they look ahead.

import { agents, rules, trying } from "./api.js";
import { choice, count, el, field, remember, remembered } from "./dom.js";

/** Common rules for each game, and what it is called. */
const GAMES = [["2048", "2048:4x4"], ["Tetris", "tetris:10x20"], ["1010!", "1010:10x10,pieces=19,hand=3"]];

/** Ways to look ahead that are offered; any other may be written. */
const SEARCHES = [
  ["greedy", "greedy (1 ply)"], ["expectimax:2", "expectimax, 2 plies"], ["expectimax:3", "expectimax, 3 plies"],
  ["expectimax:100ms", "expectimax, 100 ms a move"], ["expectimax:hand", "expectimax, the hand"],
  ["minimax:2", "minimax, 2 plies"], ["other", "other …"],
];

let number = 0;

/** Rules: three games to choose from, and a field for every option; `change` is told of new ones. */
export class Rules {
  constructor(key, change) {
    this.key = key;
    const list = `rules-${(number += 1)}`;
    this.games = GAMES.map(([label, game]) =>
      el("button", { type: "button", "data-game": game.split(":")[0], onclick: () => { this.value = game; change(); } }, label));
    this.input = el("input", { type: "text", list, spellcheck: "false", autocomplete: "off", onchange: () => { this.mark(); change(); } });
    this.examples = el("datalist", { id: list });
    this.choices = el("div", { class: "choices", role: "group", "aria-label": "Game" }, this.games);
    this.field = field("Rules", [this.input, this.examples], { class: "field grow rules" });
    this.value = remembered(`${key}.game`, "2048:4x4");
    trying(rules).then((all) => {
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
    this.mark();
  }

  mark() {
    remember(`${this.key}.game`, this.value);
    const name = this.value.split(":")[0];
    for (const button of this.games) button.setAttribute("aria-pressed", String(button.dataset.game === name));
  }
}

/** A seed. */
export const seedField = (attributes = {}) => el("input", { type: "number", min: 0, step: 1, inputmode: "numeric", ...attributes });

/** Who plays and how far they look ahead; `change` is told of another choice. */
export class Player {
  constructor(key, change = () => {}) {
    this.key = key;
    this.who = choice([], null, { onchange: () => { remember(`${key}.agent`, this.who.value); change(); } });
    this.ahead = choice(SEARCHES, "greedy", {
      onchange: () => {
        this.other.hidden = this.ahead.value !== "other";
        if (this.other.hidden) change();
        else this.other.querySelector("input").focus();
      },
    });
    this.text = el("input", { type: "text", spellcheck: "false", value: "expectimax:2,odds=0.001", onchange: change });
    this.other = field("Search, such as minimax:3 or expectimax:50ms", this.text, { hidden: true });
    this.fields = [field("Agent", this.who), field("Looks ahead", this.ahead), this.other];
  }

  get agent() {
    return this.who.value;
  }

  get search() {
    return this.ahead.value === "other" ? this.text.value.trim() : this.ahead.value;
  }

  /** Offers everybody who can play by some rules. */
  async offer(game, wanted = null) {
    const all = await trying(() => agents(game));
    if (all) this.show(all, wanted);
    return all;
  }

  show(all, wanted = null) {
    const label = ({ id, mean }) => (mean === null ? id : `${id} (mean ${count(mean)})`);
    this.who.offer(all.map((agent) => [agent.id, label(agent)]), wanted ?? remembered(`${this.key}.agent`, all[0]?.id));
    const about = new Map(all.map(({ id, about: text }) => [id, text]));
    for (const option of this.who.options) option.title = about.get(option.value) ?? "";
  }
}
