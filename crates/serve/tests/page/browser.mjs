// A server in its own folder, and a browser that records errors and requests to other servers.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PROGRAM = process.env.AFTERSTATE_PROGRAM;
const BROWSER = process.env.AFTERSTATE_BROWSER ?? "/usr/bin/chromium";
const PICTURES = process.env.AFTERSTATE_SCREENSHOTS ?? "page-screenshots";
/** A folder of page files to use instead of those in the program. */
const FILES = process.env.AFTERSTATE_PAGE_FILES;

// A test that hangs fails.
setTimeout(() => {
  console.error("the tests of the page took more than five minutes");
  process.exit(1);
}, 300_000).unref();

/** Runs the program and returns its output. */
export function afterstate(folder, ...args) {
  const run = spawnSync(PROGRAM, args, { cwd: folder, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`${args.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

/** Starts a server in a new folder; `stop` interrupts it and returns its exit code. */
export async function serve(prepare = () => {}, port = 0) {
  const folder = mkdtempSync(join(tmpdir(), "afterstate-page-"));
  prepare(folder);
  const child = spawn(PROGRAM, ["serve", "--port", String(port), "--json"], { cwd: folder });
  const url = await new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (data) => {
      output += data;
      if (output.includes("\n")) resolve(JSON.parse(output.split("\n")[0]).url);
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const end = (signal) => () => { child.kill(signal); return ended; };
  return { url, folder, stop: end("SIGINT"), kill: end("SIGKILL") };
}

/** Polls until a condition holds, for at most 30 seconds. */
export async function until(page, what, check) {
  const deadline = Date.now() + 30_000;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`not within 30 s: ${what}`);
    await page.waitForTimeout(20);
  }
}

export async function open() {
  return chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** A page that records its faults: errors, warnings and requests to other servers. */
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
  // Requests to the API without a response yet.
  const pending = new Set();
  page.on("request", (request) => { if (request.url().startsWith(`${server.url}api/`)) pending.add(request); });
  for (const event of ["requestfinished", "requestfailed"]) page.on(event, (request) => pending.delete(request));
  page.idle = () => until(page, "no pending requests", () => pending.size === 0);
  page.openTab = async (name) => {
    await page.goto(`${server.url}#${name}`);
    await page.waitForFunction((tab) => document.body.dataset.ready === tab, name);
  };
  page.picture = async (name) => {
    mkdirSync(PICTURES, { recursive: true });
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  };
  return page;
}
