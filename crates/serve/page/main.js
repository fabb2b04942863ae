// Opens the rooms of the page by the address (#play, #watch/...), and keeps light and dark.

import { el, remember, remembered, say } from "./dom.js";
import { Inside } from "./inside.js";
import { Play } from "./play.js";
import { Results } from "./results.js";
import { Train } from "./train.js";
import { Watch } from "./watch.js";

const play = new Play();
const rooms = { play, watch: new Watch(), train: new Train(), inside: new Inside(play), results: new Results() };
const main = document.getElementById("room");
let open = null;

/** Goes to the room that the address names. */
async function go() {
  const [name, ...path] = location.hash.slice(1).split("/");
  const room = rooms[name] ?? rooms.play;
  if (open !== room) {
    open?.leave();
    open = room;
    main.replaceChildren(el("h1", { class: "unseen" }, room.title), room.node);
    document.title = `${room.title} · afterstate`;
    for (const link of document.querySelectorAll(".rooms a")) {
      if (rooms[link.hash.slice(1).split("/")[0]] === room) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
  await room.enter(path.filter(Boolean));
  document.body.dataset.ready = name || "play";
}

// Light, dark, or as the system has it.
const button = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const THEMES = { system: ["◐", "as the system has them"], light: ["☀", "light"], dark: ["☾", "dark"] };

function paint() {
  const chosen = remembered("theme", "system");
  const theme = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
  document.documentElement.dataset.theme = theme;
  const [sign, words] = THEMES[chosen] ?? THEMES.system;
  say(button, sign);
  button.setAttribute("aria-label", `Colours: ${words}. Change them`);
  button.title = `Colours: ${words}`;
}

button.addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(remembered("theme", "system")) + 1) % names.length];
  remember("theme", next);
  paint();
});
// The address is for rooms: the link to the content moves the focus only.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
dark.addEventListener("change", paint);
paint();
addEventListener("hashchange", go);
go();
