// Talks to the server: JSON there and back, and what goes wrong as a note that people can read.

import { el } from "./dom.js";

/** An answer that is none. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
  } catch {
    throw new Refused("The server does not answer: is afterstate serve still running?", 0);
  }
  const kind = response.headers.get("content-type") ?? "";
  const answer = kind.includes("json") ? await response.json() : await response.text();
  if (!response.ok) throw new Refused(answer.error ?? `${response.status}`, response.status);
  return answer;
}

export const get = (path) => ask("GET", path);
export const post = (path, body = {}) => ask("POST", path, body);
export const remove = (path) => ask("DELETE", path);

/** A list of words as a query. */
export const query = (words) => new URLSearchParams(words).toString();

/** Says something for a while; what went wrong stays longer. */
export function note(text, bad = false) {
  const notes = document.getElementById("notes");
  if ([...notes.children].some((old) => old.textContent === text)) return;
  const shown = el("div", { class: bad ? "note bad" : "note" }, text);
  notes.append(shown);
  while (notes.children.length > 3) notes.firstChild.remove();
  setTimeout(() => shown.remove(), bad ? 7_000 : 3_000);
}

/** Does something, and says what went wrong. */
export async function trying(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refused)) console.error(error);
    note(error.message, true);
    return undefined;
  }
}

/** An SVG picture of the server as part of the page, so that it takes the page's colours. */
export async function picture(path) {
  const text = await get(path);
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.tagName !== "svg") throw new Refused("The picture cannot be read.", 0);
  parsed.querySelectorAll("script, foreignObject").forEach((node) => node.remove());
  return document.importNode(parsed, true);
}

let games;
/** The games that there are, with examples of their rules. */
export const rules = () => (games ??= get("games"));

/** Who can play by some rules. */
export const agents = (game) => get(`agents?${query({ game })}`);
