// The tab Watch: agents side by side on the same seed, live, with statistics of their games.

import { agents, attempt, get, note, post, remove } from "./api.js";
import { Board } from "./board.js";
import { onReturn } from "./connection.js";
import { count, el, field, meanText, number, setText, speed, store, stored } from "./dom.js";
import { PACES, paceText } from "./autoplay.js";
import { Ranking } from "./ranking.js";
import { Player, playerText, Rules, seedField } from "./rules.js";

const MAX_BOARDS = 6;
/** Streams that end without an update are started again that often. */
const MAX_FAILURES = 3;

export class Watch {
  title = "Watch";

  constructor() {
    const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
    this.rules = new Rules("watch", () => this.offer());
    this.seed = seedField({ value: "1" });
    this.pace = el("input", {
      type: "range", min: 0, max: PACES.length - 1, step: 1, value: stored("watch.pace", "4"), oninput: () => this.paced(),
    });
    this.paceLabel = el("span", { class: "soft small" });
    this.players = el("div", { class: "players" });
    this.add = button("Add an agent", () => this.addPlayer());
    this.start = button("▶ Start", () => this.toggle(), { class: "main" });
    this.pauseButton = button("Pause", () => this.pause(), { disabled: true, "aria-pressed": "false" });
    this.panels = el("div", { class: "panels" });
    this.ranking = new Ranking();
    this.node = el("section", { "aria-label": "Watch" },
      el("div", { class: "card" },
        el("div", { class: "row end" }, this.rules.choices, field("Speed", this.pace, { class: "field grow" }, this.paceLabel)),
        el("details", { class: "options" }, el("summary", {}, "Options"),
          el("div", { class: "row end" }, this.rules.field, field("Seed", this.seed, { class: "field seed" }))),
        el("div", { class: "stack gap above" }, this.players,
          el("div", { class: "row" }, this.start, this.pauseButton, this.add))),
      this.panels, this.ranking.node,
      el("p", { class: "soft small" }, "All boards use the same seeds: in Tetris and 1010! all agents get the same pieces."));
    this.paced();
    onReturn(() => this.restart());
  }

  async enter(path) {
    this.here = true;
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
    this.here = false;
    this.stop();
  }

  empty() {
    this.panels.replaceChildren(el("p", { class: "card empty" }, "Choose agents, then press Start."));
  }

  /** Offers the agents that can play by these rules. */
  async offer() {
    let all;
    try {
      all = await agents(this.rules.value);
      this.rules.refuse(null);
    } catch (error) {
      if (error.status) this.rules.refuse(error.message);
      return;
    }
    this.all = all;
    for (const { player } of this.players.children) {
      player.show(all, this.rules.value, all.some(({ id }) => id === player.agent) ? player.agent : all[0]?.id);
    }
  }

  addPlayer(agent) {
    if (this.players.children.length >= MAX_BOARDS) return;
    const player = new Player("watch");
    const row = el("div", { class: "player" }, player.fields,
      el("button", { type: "button", class: "quiet", "aria-label": "Remove this agent", onclick: () => { row.remove(); this.updateAdd(); } }, "✕"));
    row.player = player;
    player.show(this.all, this.rules.value, agent ?? this.all[this.players.children.length % this.all.length]?.id);
    this.players.append(row);
    this.updateAdd();
  }

  updateAdd() {
    this.add.disabled = this.players.children.length >= MAX_BOARDS;
  }

  get rate() {
    const pace = PACES[Number(this.pace.value)];
    return pace === Infinity ? null : pace;
  }

  async paced() {
    store("watch.pace", this.pace.value);
    const text = paceText(PACES[Number(this.pace.value)]);
    setText(this.paceLabel, text);
    this.pace.setAttribute("aria-valuetext", text);
    if (this.id && !this.paused) await attempt(() => post(`streams/${this.id}`, { pace: this.rate }));
  }

  async toggle() {
    if (this.id) {
      this.stop();
      return;
    }
    const players = [...this.players.children].map(({ player }) => ({ agent: player.agent, search: player.search }));
    const request = { game: this.rules.value, seed: Number(this.seed.value || 1), players, pace: this.rate };
    const opened = await attempt(() => post("streams", request));
    if (!opened) return;
    this.id = opened.id;
    this.paused = false;
    this.boards = players.map(({ agent, search }) => new BoardPanel(playerText(agent, search)));
    this.ranking.begin(players.map(({ agent, search }) => playerText(agent, search)));
    this.panels.replaceChildren(...this.boards.map((board) => board.node));
    setText(this.start, "■ Stop");
    this.pauseButton.disabled = false;
    this.source = new EventSource(`/api/streams/${this.id}/events`);
    this.source.onmessage = (event) => {
      this.failures = 0;
      const { boards, ranking } = JSON.parse(event.data);
      for (const update of boards) this.boards[update.board].show(update);
      this.ranking.show(ranking);
    };
    this.source.onerror = async () => {
      if (!this.source) return;
      this.stop();
      this.wanted = true;
      // A server that does not respond gets its banner, and the stream starts again when it is back.
      if (await get("games").catch(() => null)) this.restart();
    };
  }

  /** Starts a stream again that has ended, unless it ends again and again. */
  restart() {
    if (!this.here || !this.wanted) return;
    this.wanted = false;
    this.failures = (this.failures ?? 0) + 1;
    if (this.failures > MAX_FAILURES) note("The stream has ended: the server closed it.", true);
    else this.toggle();
  }

  async pause() {
    if (!this.id) return;
    this.paused = !this.paused;
    this.pauseButton.setAttribute("aria-pressed", String(this.paused));
    await attempt(() => post(`streams/${this.id}`, { pace: this.paused ? 0 : this.rate }));
  }

  stop() {
    this.wanted = false;
    this.source?.close();
    this.source = null;
    if (this.id) remove(`streams/${this.id}`).catch(() => {});
    this.id = null;
    setText(this.start, "▶ Start");
    this.pauseButton.disabled = true;
    this.pauseButton.setAttribute("aria-pressed", "false");
  }
}

/** One board with its statistics. */
class BoardPanel {
  constructor(name) {
    this.board = new Board({ small: true });
    this.figures = {};
    const figure = (name) => {
      this.figures[name] = el("dd", {}, "–");
      return el("div", {}, el("dt", {}, name), this.figures[name]);
    };
    this.meters = el("div", { class: "meters" });
    this.node = el("article", { class: "card panel", "aria-label": name },
      el("h2", {}, name),
      this.board.node,
      el("dl", { class: "figures modest four" }, ["Score", "Moves", "Game", "Best game"].map(figure)),
      el("dl", { class: "figures modest two" }, ["Mean of games", "Speed"].map(figure)),
      this.meters);
    this.rates = new Map();
  }

  show({ view, summary, number: game, moves_per_second: rate }) {
    this.board.show(view, false);
    const { figures } = this;
    setText(figures.Score, number(view.score));
    setText(figures.Moves, count(view.moves));
    setText(figures.Game, count(game));
    if (rate) setText(figures.Speed, speed(rate, "/s"));
    const { score } = summary;
    if (!score) return;
    const mean = meanText(score);
    if (figures["Mean of games"].textContent !== mean.textContent) figures["Mean of games"].replaceChildren(mean);
    setText(figures["Best game"], number(score.max));
    // The largest tiles distinguish agents best.
    const reached = Object.entries(summary.reach).slice(-5);
    if (this.tiles !== reached.map(([tile]) => tile).join()) {
      this.tiles = reached.map(([tile]) => tile).join();
      this.rates = new Map(reached.map(([tile]) => [tile, { bar: el("span", { class: "bar" }), text: el("span") }]));
      this.meters.replaceChildren(...reached.map(([tile]) => {
        const { bar, text } = this.rates.get(tile);
        return el("div", { class: "meter" }, el("span", {}, count(Number(tile))), el("span", { class: "rail" }, bar), text);
      }));
    }
    for (const [tile, { rate: reachRate }] of reached) {
      const { bar, text } = this.rates.get(tile);
      bar.style.width = `${100 * reachRate}%`;
      setText(text, `${(100 * reachRate).toFixed(0)}%`);
    }
  }
}
