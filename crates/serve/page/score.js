// The score above a board: what the last move added, the best score so far, and the winning tile.

import { count, el, number, setText, store, stored } from "./dom.js";

/** The tile that wins on the usual board. */
const WIN = 2048;

export class Score {
  constructor() {
    this.figures = {};
    const figure = (name, beside = null) => {
      this.figures[name] = el("dd", {}, "–");
      return el("div", {}, el("dt", {}, name, beside), this.figures[name]);
    };
    this.gain = el("span", { class: "gain", "aria-hidden": "true" });
    this.node = el("dl", { class: "figures strip" },
      figure("Score", this.gain), figure("Your best"), figure("Moves"), figure("Tile"));
    this.moment = el("p", { class: "moment", hidden: true, role: "status" });
  }

  /** A new game: `own` if its score counts as one by hand. */
  begin(view, own) {
    store("own", own ? gameKey(view) : "");
    this.own = own;
    this.moment.hidden = true;
  }

  /** A game that was open before counts only if it was one by hand. */
  resume(view) {
    this.own = stored("own", "") === gameKey(view);
    this.moment.hidden = true;
  }

  /** The agent has played: the score is not one by hand. */
  assisted() {
    if (!this.own) return;
    this.own = false;
    store("own", "");
  }

  show(view, before) {
    const { figures } = this;
    setText(figures.Score, number(view.score));
    setText(figures.Moves, count(view.moves));
    const tiles = view.reached !== null;
    setText(figures.Tile.previousSibling, tiles ? "Largest tile" : "Filled");
    setText(figures.Tile, tiles ? count(view.reached) : `${view.cells.filter(Boolean).length}`);
    const played = before && before.id === view.id && view.moves === before.moves + 1;
    const gained = played ? view.score - before.score : 0;
    this.gain.replaceChildren(gained ? el("span", {}, ` ${gained > 0 ? "+" : ""}${number(gained)}`) : "");
    const key = `best.${view.game}`;
    let best = Number(stored(key, "NaN"));
    const beaten = this.own && view.moves > 0 && !(view.score <= best);
    const first = Number.isNaN(best);
    if (beaten) {
      best = view.score;
      store(key, String(best));
    }
    setText(figures["Your best"], Number.isNaN(best) ? "–" : number(best));
    const usual = view.width * view.height === 16;
    if (tiles && usual && played && view.reached >= WIN && before.reached < WIN) this.celebrate(`You have made ${count(WIN)}! Play on for more.`);
    else if (beaten && view.finished && !first) this.celebrate(`A new best score: ${number(best)}.`);
  }

  celebrate(text) {
    setText(this.moment, `★ ${text}`);
    this.moment.hidden = false;
  }
}

const gameKey = (view) => `${view.id} ${view.game} ${view.seed}`;
