// A server in a folder of its own and a browser before it, with everything that must never happen watched.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PROGRAM = process.env.AFTERSTATE_PROGRAM;
const BROWSER = process.env.AFTERSTATE_BROWSER ?? "/usr/bin/chromium";
const PICTURES = process.env.AFTERSTATE_SCREENSHOTS ?? "page-screenshots";
/** A folder of page files to use instead of those in the program, while they are being written. */
const FILES = process.env.AFTERSTATE_PAGE_FILES;

// Whatever hangs, somebody is told.
setTimeout(() => {
  console.error("the page took more than five minutes");
  process.exit(1);
}, 300_000).unref();

/** Runs the program to its end. */
export function afterstate(folder, ...words) {
  const run = spawnSync(PROGRAM, words, { cwd: folder, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`${words.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

/** Starts a server in a new folder; `stop` ends it as Ctrl-C does. */
export async function serve(prepare = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), "afterstate-page-"));
  prepare(folder);
  const child = spawn(PROGRAM, ["serve", "--port", "0", "--json"], { cwd: folder });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (data) => {
      said += data;
      if (said.includes("\n")) resolve(JSON.parse(said.split("\n")[0]).url);
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return { url, folder, stop: () => { child.kill("SIGINT"); return ended; } };
}

export async function open() {
  return chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** A page that remembers what must never happen: errors, and requests to anybody else. */
export async function visit(browser, server, options = {}, expected = []) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "no-preference", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.faults = [];
  const fault = (text) => { if (!expected.some((fine) => text.includes(fine))) page.faults.push(text); };
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) fault(message.text()); });
  page.on("pageerror", (error) => fault(String(error)));
  page.on("request", (request) => {
    const other = !request.url().startsWith(server.url) && !/^(blob|data):/.test(request.url());
    if (other) fault(`a request to ${request.url()}`);
  });
  if (FILES) {
    const types = { js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
    await page.route("**/page/*", (route) => {
      const name = new URL(route.request().url()).pathname.split("/").pop();
      const path = join(FILES, name);
      if (!existsSync(path)) return route.continue();
      return route.fulfill({ body: readFileSync(path), contentType: types[name.split(".").pop()] });
    });
  }
  page.room = async (name) => {
    await page.goto(`${server.url}#${name}`);
    await page.waitForFunction((room) => document.body.dataset.ready === room, name.split("/")[0]);
  };
  page.picture = async (name) => {
    mkdirSync(PICTURES, { recursive: true });
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  };
  return page;
}
