// Opens the tab that the URL names (#play, #watch/...), and stores the colour theme.

import { onReturn } from "./connection.js";
import { el, setText, store, stored } from "./dom.js";
import { Explain } from "./explain.js";
import { Play } from "./play.js";
import { Results } from "./results.js";
import { Train } from "./train.js";
import { Watch } from "./watch.js";

const play = new Play();
const tabs = { play, watch: new Watch(), train: new Train(), explain: new Explain(play), results: new Results() };
const main = document.getElementById("tab");
let open = null;
let visits = 0;

/** Opens the tab that the URL names. */
async function go() {
  const visit = ++visits;
  const hash = location.hash.slice(1);
  const [name, ...path] = hash.split("/");
  const tab = tabs[name] ?? tabs.play;
  if (open !== tab) {
    open?.leave();
    open = tab;
    main.replaceChildren(el("h1", { class: "unseen" }, tab.title), tab.node);
    document.title = `${tab.title} · afterstate`;
    for (const link of document.querySelectorAll(".tabs a")) {
      if (tabs[link.hash.slice(1).split("/")[0]] === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
  await tab.enter(path.filter(Boolean));
  // A tab that was left while it opened is no longer the one that is shown.
  if (visit === visits) document.body.dataset.ready = hash || "play";
}

// A tab that could not load while the server was gone loads now.
onReturn(() => go());

// The colour theme: light, dark or that of the system.
const button = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const THEMES = { system: ["◐", "system"], light: ["☀", "light"], dark: ["☾", "dark"] };

function paint() {
  const chosen = stored("theme", "system");
  const theme = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
  document.documentElement.dataset.theme = theme;
  const [sign, label] = THEMES[chosen] ?? THEMES.system;
  setText(button, sign);
  button.setAttribute("aria-label", `Colours: ${label}. Change`);
  button.title = `Colours: ${label}`;
}

button.addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(stored("theme", "system")) + 1) % names.length];
  store("theme", next);
  paint();
});
// The hash names tabs, so the skip link moves the focus by script.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
dark.addEventListener("change", paint);
paint();
addEventListener("hashchange", go);
go();
