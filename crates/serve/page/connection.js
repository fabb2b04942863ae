// The banner that is shown while the server is gone, and the check that finds it again.

import { el } from "./dom.js";

/** Seconds between two checks. */
const EVERY = 2;

const listeners = new Set();
let banner = null;
let timer = null;

/** Calls `listener` each time the server is back. */
export const onReturn = (listener) => listeners.add(listener);

/** Whether the server is gone. */
export const isGone = () => banner !== null;

/** The server did not respond: shows the banner and checks until it does. */
export function gone() {
  if (banner) return;
  banner = el("div", { class: "banner", role: "alert" },
    el("span", {}, "The server does not respond. Start afterstate serve again; the page goes on by itself."),
    el("button", { type: "button", class: "compact", onclick: () => check() }, "Retry now"));
  document.querySelector(".top").after(banner);
  // Boards make room for the banner.
  dispatchEvent(new Event("resize"));
  timer = setTimeout(check, EVERY * 1_000);
}

/** The server has responded. */
export function responded() {
  if (!banner) return;
  clearTimeout(timer);
  banner.remove();
  banner = null;
  dispatchEvent(new Event("resize"));
  for (const listener of listeners) listener();
}

async function check() {
  clearTimeout(timer);
  try {
    await fetch("/api/games", { cache: "no-store" });
    responded();
  } catch {
    timer = setTimeout(check, EVERY * 1_000);
  }
}
