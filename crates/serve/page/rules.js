// Fields that several tabs share: rules, seed, agent and search.

import { agents, attempt, rules } from "./api.js";
import { choice, count, el, field, setText, store, stored } from "./dom.js";

/** The games with their usual rules. */
const GAMES = [["2048", "2048:4x4"], ["Tetris", "tetris:10x20"], ["1010!", "1010:10x10,pieces=19,hand=3"]];

/** The searches to choose from; any other can be typed. The search greedy is none beyond one ply. */
const SEARCHES = [
  ["greedy", "none (1 ply)"], ["expectimax:2", "expectimax, 2 plies"], ["expectimax:3", "expectimax, 3 plies"],
  ["expectimax:100ms", "expectimax, 100 ms per move"], ["expectimax:hand", "expectimax, known pieces"],
  ["minimax:2", "minimax, 2 plies"], ["other", "other …"],
];

/** The searches by depth, for the keys [ and ]. */
const DEPTHS = ["greedy", "expectimax:2", "expectimax:3"];

/** An agent with its search, as a title: the search greedy adds nothing to it. */
export const playerText = (agent, search) => (search === "greedy" ? agent : `${agent}, ${search}`);

let lists = 0;

/** Rules: a choice of games, and a text field for all options. Calls `change` with every new value. */
export class Rules {
  constructor(key, change) {
    this.key = key;
    const list = `rules-${(lists += 1)}`;
    this.games = GAMES.map(([label, game]) =>
      el("button", { type: "button", "data-game": game.split(":")[0], onclick: () => { this.value = game; change(true); } }, label));
    this.input = el("input", { type: "text", list, spellcheck: "false", autocomplete: "off", onchange: () => { this.update(); change(); } });
    this.examples = el("datalist", { id: list });
    this.choices = el("div", { class: "choices", role: "group", "aria-label": "Game" }, this.games);
    this.error = el("span", { class: "error", role: "alert", id: `${list}-error` });
    this.input.setAttribute("aria-describedby", this.error.id);
    this.field = field("Rules", [this.input, this.examples, this.error], { class: "field grow rules" });
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

  /** Shows why the rules are refused, beside them; null if they are not. */
  refuse(text) {
    this.refused = Boolean(text);
    setText(this.error, text ?? "");
    this.input.setAttribute("aria-invalid", String(this.refused));
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
    this.change = change;
    this.agents = choice([], null, { onchange: () => { store(`${key}.agent`, this.agents.value); this.offerSearches(); change(); } });
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

  /** Changes the depth of the search by one ply. */
  deepen(by) {
    const at = DEPTHS.indexOf(this.searches.value);
    const next = DEPTHS[Math.max(0, Math.min(DEPTHS.length - 1, at + by))];
    if (at < 0 || next === this.searches.value || ![...this.searches.options].some(({ value }) => value === next)) return;
    this.searches.value = next;
    this.change();
  }

  /** Offers the agents that can play by some rules; `offered` settles when they are known. */
  offer(game, wanted = null) {
    this.offered = attempt(() => agents(game)).then((all) => {
      if (all) this.show(all, game, wanted);
      return all;
    });
    return this.offered;
  }

  /** Offers the searches that make sense for the agent and the game. */
  offerSearches() {
    const { searchable } = this.all?.find(({ id }) => id === this.agents.value) ?? {};
    const sensible = SEARCHES.filter(([value]) =>
      value === "greedy" || (searchable !== false && (value !== "expectimax:hand" || this.knownPieces)));
    this.searches.offer(sensible);
    this.other.hidden = this.searches.value !== "other";
  }

  show(all, game, wanted = null) {
    this.all = all;
    this.knownPieces = /^1010|preview/.test(game);
    const label = ({ id, mean }) => (mean === null ? id : `${id} (mean ${count(mean)})`);
    this.agents.offer(all.map((agent) => [agent.id, label(agent)]), wanted ?? stored(`${this.key}.agent`, all[0]?.id));
    const about = new Map(all.map(({ id, about: text }) => [id, text]));
    for (const option of this.agents.options) option.title = about.get(option.value) ?? "";
    this.offerSearches();
  }
}
