// The room to watch in: agents side by side on the same seed, live, with what their games came to.

import { agents, note, post, remove, trying } from "./api.js";
import { Board } from "./board.js";
import { count, el, field, number, remember, remembered, say, speed } from "./dom.js";
import { PACES, paceText } from "./play.js";
import { Player, Rules, seedField } from "./rules.js";

const MOST = 6;

export class Watch {
  title = "Watch";

  constructor() {
    const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
    this.rules = new Rules("watch", () => this.offer());
    this.seed = seedField({ value: "1" });
    this.pace = el("input", {
      type: "range", min: 0, max: PACES.length - 1, step: 1, value: remembered("watch.pace", "4"), oninput: () => this.paced(),
    });
    this.paceLabel = el("span", { class: "soft small" });
    this.players = el("div", { class: "players" });
    this.add = button("Add an agent", () => this.addPlayer());
    this.start = button("▶ Start", () => this.toggle(), { class: "main" });
    this.pauseButton = button("Pause", () => this.pause(), { disabled: true, "aria-pressed": "false" });
    this.lanes = el("div", { class: "lanes" });
    this.node = el("section", { "aria-label": "Watch" },
      el("div", { class: "card" },
        el("div", { class: "row" }, this.rules.choices),
        el("div", { class: "row end gap" }, this.rules.field, field("Seed", this.seed, { class: "field seed" }),
          field("Speed", this.pace, { class: "field grow" }, this.paceLabel)),
        el("div", { class: "stack gap above" }, this.players,
          el("div", { class: "row" }, this.start, this.pauseButton, this.add))),
      this.lanes,
      el("p", { class: "soft small" }, "Every board gets the same seed, game after game: in Tetris and 1010! all agents meet the same pieces."));
    this.paced();
  }

  async enter(path) {
    if (path[0]) this.rules.value = decodeURIComponent(path[0]);
    const wanted = path[1] ? decodeURIComponent(path[1]) : null;
    if (wanted) this.players.replaceChildren();
    await this.offer();
    if (!this.players.children.length) {
      this.addPlayer(wanted ?? this.all[0]?.id);
      if (!wanted) this.addPlayer("greedy");
    }
    if (!this.id) this.empty();
  }

  leave() {
    this.stop();
  }

  empty() {
    this.lanes.replaceChildren(el("p", { class: "card empty" }, "Choose who plays, then press Start."));
  }

  /** Offers the agents that can play by the rules. */
  async offer() {
    const all = await trying(() => agents(this.rules.value));
    if (!all) return;
    this.all = all;
    for (const { player } of this.players.children) {
      player.show(all, all.some(({ id }) => id === player.agent) ? player.agent : all[0]?.id);
    }
  }

  addPlayer(agent) {
    if (this.players.children.length >= MOST) return;
    const player = new Player("watch");
    const row = el("div", { class: "player" }, player.fields,
      el("button", { type: "button", class: "quiet", "aria-label": "Remove this agent", onclick: () => { row.remove(); this.more(); } }, "✕"));
    row.player = player;
    player.show(this.all, agent ?? this.all[this.players.children.length % this.all.length]?.id);
    this.players.append(row);
    this.more();
  }

  more() {
    this.add.disabled = this.players.children.length >= MOST;
  }

  get rate() {
    const pace = PACES[Number(this.pace.value)];
    return pace === Infinity ? null : pace;
  }

  async paced() {
    remember("watch.pace", this.pace.value);
    const text = paceText(PACES[Number(this.pace.value)]);
    say(this.paceLabel, text);
    this.pace.setAttribute("aria-valuetext", text);
    if (this.id && !this.paused) await trying(() => post(`shows/${this.id}`, { pace: this.rate }));
  }

  async toggle() {
    if (this.id) {
      this.stop();
      return;
    }
    const players = [...this.players.children].map(({ player }) => ({ agent: player.agent, search: player.search }));
    const asked = { game: this.rules.value, seed: Number(this.seed.value || 1), players, pace: this.rate };
    const opened = await trying(() => post("shows", asked));
    if (!opened) return;
    this.id = opened.id;
    this.paused = false;
    this.boards = players.map(({ agent, search }) => new Lane(agent, search));
    this.lanes.replaceChildren(...this.boards.map((lane) => lane.node));
    say(this.start, "■ Stop");
    this.pauseButton.disabled = false;
    this.source = new EventSource(`/api/shows/${this.id}/stream`);
    this.source.onmessage = (event) => {
      for (const news of JSON.parse(event.data)) this.boards[news.lane].show(news);
    };
    this.source.onerror = () => {
      if (!this.source) return;
      this.stop();
      note("The show has ended: the server closed it.", true);
    };
  }

  async pause() {
    if (!this.id) return;
    this.paused = !this.paused;
    this.pauseButton.setAttribute("aria-pressed", String(this.paused));
    await trying(() => post(`shows/${this.id}`, { pace: this.paused ? 0 : this.rate }));
  }

  stop() {
    this.source?.close();
    this.source = null;
    if (this.id) remove(`shows/${this.id}`).catch(() => {});
    this.id = null;
    say(this.start, "▶ Start");
    this.pauseButton.disabled = true;
    this.pauseButton.setAttribute("aria-pressed", "false");
  }
}

/** One board with its figures. */
class Lane {
  constructor(agent, search) {
    this.board = new Board({ small: true });
    this.figures = {};
    const figure = (name) => {
      this.figures[name] = el("dd", {}, "–");
      return el("div", {}, el("dt", {}, name), this.figures[name]);
    };
    this.meters = el("div", { class: "meters" });
    this.node = el("article", { class: "card lane", "aria-label": `${agent}, ${search}` },
      el("h2", {}, agent, el("span", { class: "soft small" }, `  ${search}`)),
      this.board.node,
      el("dl", { class: "figures modest four" }, ["Score", "Moves", "Game", "Best game"].map(figure)),
      el("dl", { class: "figures modest two" }, ["Mean of games", "Speed"].map(figure)),
      this.meters);
    this.rates = new Map();
  }

  show({ view, standing, number: game, moves_per_second: rate }) {
    this.board.show(view, false);
    const { figures } = this;
    say(figures.Score, number(view.score));
    say(figures.Moves, count(view.moves));
    say(figures.Game, count(game));
    if (rate) say(figures.Speed, speed(rate, "/s"));
    const { score } = standing;
    if (!score) return;
    const interval = score.ci95 ? ` (${number(score.ci95[0])} to ${number(score.ci95[1])})` : "";
    say(figures["Mean of games"], `${number(score.mean)}${interval}`);
    say(figures["Best game"], number(score.max));
    // The tiles that tell agents apart: the largest that were reached.
    const reached = Object.entries(standing.reach).slice(-5);
    if (this.tiles !== reached.map(([tile]) => tile).join()) {
      this.tiles = reached.map(([tile]) => tile).join();
      this.rates = new Map(reached.map(([tile]) => [tile, { bar: el("span", { class: "bar" }), text: el("span") }]));
      this.meters.replaceChildren(...reached.map(([tile]) => {
        const { bar, text } = this.rates.get(tile);
        return el("div", { class: "meter" }, el("span", {}, count(Number(tile))), el("span", { class: "rail" }, bar), text);
      }));
    }
    for (const [tile, { rate: part }] of reached) {
      const { bar, text } = this.rates.get(tile);
      bar.style.width = `${100 * part}%`;
      say(text, `${(100 * part).toFixed(0)}%`);
    }
  }
}
