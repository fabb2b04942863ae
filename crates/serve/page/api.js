// Requests to the server, and notes about errors.

import { gone, responded } from "./connection.js";
import { el } from "./dom.js";

/** A request that failed; status 0 if there was no response. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function request(method, path, body) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
  } catch {
    gone();
    throw new RequestError("The server does not respond: is afterstate serve still running?", 0);
  }
  responded();
  const kind = response.headers.get("content-type") ?? "";
  const result = kind.includes("json") ? await response.json() : await response.text();
  if (!response.ok) throw new RequestError(result.error ?? `${response.status}`, response.status);
  return result;
}

export const get = (path) => request("GET", path);
export const post = (path, body = {}) => request("POST", path, body);
export const remove = (path) => request("DELETE", path);

/** Parameters as a query string. */
export const query = (parameters) => new URLSearchParams(parameters).toString();

/** Shows a note for a few seconds, longer if it is an error. */
export function note(text, bad = false) {
  const notes = document.getElementById("notes");
  if ([...notes.children].some((old) => old.textContent === text)) return;
  const shown = el("div", { class: bad ? "note bad" : "note" }, text);
  notes.append(shown);
  while (notes.children.length > 3) notes.firstChild.remove();
  setTimeout(() => shown.remove(), bad ? 7_000 : 3_000);
}

/** Runs an action; an error becomes a note and the result undefined. */
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RequestError)) console.error(error);
    // The banner tells of a server that is gone.
    if (error.status !== 0) note(error.message, true);
    return undefined;
  }
}

/** An SVG of the server as an element, so that the page's style applies to it. */
export async function fetchSvg(path) {
  const text = await get(path);
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.tagName !== "svg") throw new RequestError("The server sent an invalid SVG.", 0);
  parsed.querySelectorAll("script, foreignObject").forEach((node) => node.remove());
  return document.importNode(parsed, true);
}

let games;
/** The games with examples of their rules. */
export const rules = () => (games ??= get("games").catch((error) => { games = null; throw error; }));

/** The agents that can play by some rules. */
export const agents = (game) => get(`agents?${query({ game })}`);
