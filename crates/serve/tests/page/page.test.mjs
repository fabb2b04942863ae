// The page in a browser: every tab by keyboard and mouse, on a phone, in light and dark.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { lowContrast, overflow, unnamedControls } from "./accessibility.mjs";
import { afterstate, open, serve, until as poll, visit } from "./browser.mjs";
import "./headers.mjs";
import "./play.mjs";
import "./tabs.mjs";

let browser;
let server;
let page;

before(async () => {
  server = await serve((folder) => afterstate(folder, "solve", "2048:2x2"));
  browser = await open();
  page = await visit(browser, server);
});

after(async () => {
  assert.deepEqual(page?.faults, [], "no errors, and no requests to other servers");
  await browser?.close();
  assert.equal(await server?.stop(), 0, "an interrupted server exits with 0");
});

const figure = (name) => page.locator(".figures div", { hasText: name }).first().locator("dd");
const numberOf = async (locator) => Number((await locator.textContent()).replace(/[^\d.]/g, ""));
const moves = () => numberOf(figure("Moves"));
const until = (what, check) => poll(page, what, check);

/** Runs an action that opens a game in the tab Play, and waits until it is shown. */
async function opensGame(act) {
  const isOpened = (response) => response.url() === `${server.url}api/games` && response.request().method() === "POST";
  const [response] = await Promise.all([page.waitForResponse(isOpened), act()]);
  const { id } = await response.json();
  await page.waitForFunction((hash) => location.hash === hash, `#play/${id}`);
}

async function newGame(game, seed = 1) {
  const tab = page.locator("section[aria-label=Play]");
  if (await tab.getByLabel("Rules").isHidden()) await tab.getByRole("button", { name: "Options" }).click();
  const fill = async (label, text) => {
    const input = tab.getByLabel(label);
    if ((await input.inputValue()) === text) return;
    await opensGame(async () => { await input.fill(text); await input.press("Enter"); });
  };
  await fill("Rules", game);
  await opensGame(() => page.getByRole("button", { name: "New game" }).click());
  await fill("Seed", String(seed));
  assert.equal(await moves(), 0);
  await page.locator(".board").focus();
}

/** Presses a key, and waits until its move is played or refused. */
async function pressMove(key) {
  const status = page.locator("section[aria-label=Play] .brief");
  await status.evaluate((node) => { node.textContent = ""; });
  await page.keyboard.press(key);
  await until(`the move of ${key}`, async () => (await status.textContent()) !== "");
}

test("2048 is played by keys, and a move is undone and redone", async () => {
  await page.openTab("play");
  await newGame("2048:4x4", 3);
  for (const key of ["ArrowLeft", "ArrowDown", "ArrowLeft", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowLeft"]) {
    await pressMove(key);
  }
  const played = await moves();
  assert.ok(played >= 5, `${played} moves`);
  assert.ok((await numberOf(figure("Score"))) > 0);
  assert.ok((await page.locator(".tile").count()) >= 3);
  await page.keyboard.press("u");
  await until("the move is undone", async () => (await moves()) === played - 1);
  await page.keyboard.press("r");
  await until("the move is redone", async () => (await moves()) === played);
  await page.picture("play-2048");
});

test("pieces of 1010! are dragged onto the board, and placed by keys", async () => {
  await newGame("1010:10x10,pieces=19,hand=3", 5);
  const pieces = page.locator(".hand button");
  assert.equal(await pieces.count(), 3);
  const from = await pieces.first().boundingBox();
  const board = await page.locator(".board svg").first().boundingBox();
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(board.x + board.width / 2, board.y + board.height / 2, { steps: 8 });
  assert.ok((await page.locator(".ghost").count()) > 0, "a ghost of the placement");
  await page.picture("play-1010-dragging");
  await page.mouse.up();
  await until("the piece is placed", async () => (await moves()) === 1);
  assert.ok((await page.locator(".board .cell.filled").count()) > 0);
  await page.locator(".board").focus();
  await page.keyboard.press("1");
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowUp");
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await until("the second piece is placed by keys", async () => (await moves()) === 2);
});

test("a piece of Tetris is moved, rotated and dropped, with a ghost", async () => {
  await newGame("tetris:10x20", 2);
  const ghost = () => page.locator(".ghost").first().getAttribute("x");
  const before = await ghost();
  await page.keyboard.press("ArrowLeft");
  assert.notEqual(await ghost(), before);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  await until("the piece is dropped", async () => (await moves()) === 1);
  assert.equal(await page.locator(".board .cell.filled").count(), 4 + 4, "one piece in the well, one above it");
});

test("hints show the value of every move and mark the best; the agent plays and pauses", async () => {
  await newGame("tetris:10x20", 2);
  await page.locator("section[aria-label=Play]").getByLabel("Agent", { exact: true }).selectOption("dt-20");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Hints" }).click();
  await until("hints", async () => (await page.locator("#hints tbody tr").count()) > 5);
  assert.equal(await page.locator("#hints tr.best").count(), 1);
  assert.ok((await page.locator(".heat").count()) > 0, "a heat map");
  await page.picture("play-hints");
  await page.locator("#hints tr.best button").click();
  await until("the best move is played", async () => (await moves()) === 1);
  await page.getByLabel("Speed").fill("12");
  await page.getByRole("button", { name: "Let it play" }).click();
  await until("many moves", async () => (await moves()) > 200);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.idle();
  const id = await page.evaluate(() => location.hash.split("/")[1]);
  const played = async () => (await (await fetch(`${server.url}api/games/${id}`)).json()).moves;
  const paused = await played();
  await until("the page shows the last move", async () => (await moves()) === paused);
  await page.waitForTimeout(200);
  assert.equal(await played(), paused, "no moves while paused");
  await page.getByRole("button", { name: "Hints" }).click();
  await page.picture("play-tetris");
});

test("a replay is downloaded, loaded and stepped through", async () => {
  const [played, score] = [await moves(), await figure("Score").textContent()];
  const waiting = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download the replay" }).click();
  const file = await (await waiting).path();
  assert.match(readFileSync(file, "utf8"), /"format":"afterstate replay 1"/);
  await newGame("2048:4x4", 1);
  await page.getByLabel("Load a replay").setInputFiles({ name: "game.json", mimeType: "application/json", buffer: readFileSync(file) });
  await until("the start of the replay", async () => (await page.locator(".board.well").count()) === 1 && (await moves()) === 0);
  await page.getByLabel("Move", { exact: true }).fill(String(played));
  await until("its end", async () => (await moves()) === played);
  assert.equal(await figure("Score").textContent(), score);
  await page.getByLabel("Load a replay").setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await page.locator(".note.bad").waitFor();
  page.faults = page.faults.filter((fault) => !fault.includes("400"));
});

test("of two tabs that play the same game the second is told", async () => {
  await newGame("2048:4x4", 9);
  const id = await page.evaluate(() => location.hash.split("/")[1]);
  const other = await visit(browser, server, {}, ["409"]);
  await other.openTab(`play/${id}`);
  await pressMove("ArrowLeft");
  await pressMove("ArrowDown");
  await other.locator(".board").focus();
  await other.keyboard.press("ArrowDown");
  await other.keyboard.press("ArrowRight");
  await other.locator(".note.bad", { hasText: "played elsewhere" }).waitFor();
  assert.deepEqual(other.faults, []);
  await other.context().close();
  // A reload shows the same game; the other tab may have played a move since.
  const played = await moves();
  assert.ok(played > 0);
  await page.reload();
  await until("the same game", async () => (await moves()) >= played);
});

test("two agents are compared on the same seed", async () => {
  await page.openTab("watch");
  const tab = page.locator("section[aria-label=Watch]");
  await tab.getByText("Options").click();
  await tab.getByLabel("Rules").fill("2048:3x3");
  await tab.getByLabel("Rules").press("Tab");
  await until("agents", async () => (await tab.getByLabel("Agent", { exact: true }).count()) === 2);
  await tab.getByLabel("Agent", { exact: true }).nth(0).selectOption("greedy");
  await tab.getByLabel("Agent", { exact: true }).nth(1).selectOption("random");
  await tab.getByLabel("Speed").fill("12");
  await tab.getByRole("button", { name: "Start" }).click();
  const mean = (board) => page.locator(".panel").nth(board).locator(".figures div", { hasText: "Mean" }).locator("dd");
  await until("both boards have means with intervals", async () =>
    (await page.locator(".panel").count()) === 2 && /to/.test(await mean(0).textContent()) && /to/.test(await mean(1).textContent()));
  assert.ok((await page.locator(".meter").count()) >= 4, "reach rates");
  await page.picture("watch");
  await tab.getByRole("button", { name: "Stop" }).click();
});

test("a training of one second is started, and its curve grows", async () => {
  await page.openTab("train");
  await page.getByLabel("Recipe").first().selectOption("2048-3x3");
  await page.getByLabel("Seconds", { exact: true }).fill("1");
  await page.getByLabel("Games to measure the agent").fill("20");
  await page.getByLabel("Settings to change").fill("log.window=200\nnetwork.tuples=['0134', '0125']");
  await page.getByRole("button", { name: "Start the training" }).click();
  const row = page.locator("[data-run='2048-3x3-1']");
  await row.waitFor();
  const lengths = new Set();
  await until("a curve that grows", async () => {
    lengths.add(Number(await page.locator("#chart").getAttribute("data-windows")));
    return lengths.size > 1 && Math.max(...lengths) > 1;
  });
  await until("the end", async () => (await row.locator(".chip").textContent()) === "finished");
  assert.equal(await page.locator("#chart svg .curve").count(), 1);
  assert.equal(await page.locator("#chart svg .phase").count(), 1, "the second phase of the recipe");
  assert.equal(await page.locator("#chart svg .band").count(), 1, "the 95% interval");
  await page.picture("train");
  // A long training is stopped and resumed.
  await page.getByLabel("Seconds", { exact: true }).fill("600");
  await page.getByRole("button", { name: "Start the training" }).click();
  const second = page.locator("[data-run='2048-3x3-2']");
  await second.getByRole("button", { name: "Stop" }).click();
  await until("it is stopped", async () => (await second.locator(".chip").textContent()) === "stopped");
  await second.getByRole("button", { name: "Resume" }).click();
  await until("it is resumed", async () => (await second.locator(".chip").textContent()) === "running");
  await row.getByRole("checkbox").check();
  await second.getByRole("checkbox").check();
  await second.getByRole("button", { name: "Stop" }).click();
  await until("it is stopped again", async () => (await second.locator(".chip").textContent()) === "stopped");
  await page.picture("train-compared");
});

test("a value is explained, beside the exact one", async () => {
  await page.openTab("explain");
  const tab = page.locator("section[aria-label=Explain]");
  await tab.getByText("Options").click();
  await tab.getByLabel("Rules").fill("tetris:10x20");
  await tab.getByLabel("Rules").press("Tab");
  await until("a well", async () => (await tab.locator(".board.well").count()) === 1);
  await tab.getByLabel("Agent", { exact: true }).selectOption("dt-20");
  await until("features", async () => /weight/.test(await tab.textContent()));
  await tab.getByRole("button", { name: "5 moves" }).click();
  await until("a heat map", async () => (await tab.locator(".heat").count()) > 0);
  await page.picture("explain-features");
  await tab.getByLabel("Rules").fill("2048:3x3");
  await tab.getByLabel("Rules").press("Tab");
  await until("tiles", async () => (await tab.locator(".board.tiles").count()) === 1);
  await tab.getByLabel("Agent", { exact: true }).selectOption("runs/2048-3x3-1");
  await until("tuples", async () => (await tab.getByRole("button", { name: "Tuple" }).count()) > 0);
  await tab.getByRole("button", { name: "Tuple" }).first().focus();
  assert.equal(await tab.locator(".outline").count(), 1, "an outline of the tuple");
  await page.picture("explain-tuples");
  await tab.getByLabel("Rules").fill("2048:2x2");
  await tab.getByLabel("Rules").press("Tab");
  await until("exact values", async () => (await tab.getByText("Exact", { exact: true }).count()) === 1);
});

test("results show published values and commands", async () => {
  await page.openTab("results");
  await page.getByRole("navigation", { name: "All results" }).getByRole("link", { name: "Learning rate 0.1 against 0.025" }).click();
  await page.getByRole("heading", { name: "Learning rate 0.1 against 0.025" }).waitFor();
  await page.getByRole("cell", { name: "published" }).first().or(page.getByText("published").first()).waitFor();
  await page.locator(".prose svg").first().waitFor();
  assert.match(await page.locator(".command code").first().textContent(), /^afterstate reproduce chen-table1/);
  await page.picture("results");
});

test("a page of another origin can neither read from nor write to the server", async () => {
  const elsewhere = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>elsewhere</title>");
  }).listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  const runs = async () => (await (await fetch(`${server.url}api/runs`)).json()).length;
  const before = await runs();
  const foreign = await visit(browser, server, {}, [""]);
  try {
    await foreign.goto(`http://127.0.0.1:${elsewhere.address().port}/`);
    const statuses = await foreign.evaluate(async (url) => {
      const body = JSON.stringify({ recipe: "2048-3x3" });
      const tries = [
        fetch(`${url}api/runs`), fetch(`${url}api/runs`, { mode: "no-cors" }), fetch(`${url}api/runs`, { method: "POST", mode: "no-cors", body }),
        fetch(`${url}api/runs`, { method: "POST", headers: { "content-type": "application/json" }, body }),
      ];
      return (await Promise.allSettled(tries)).map((tried) => tried.status);
    }, server.url);
    assert.deepEqual(statuses, ["rejected", "rejected", "rejected", "rejected"]);
    assert.equal(await runs(), before, "no training was started");
  } finally {
    await foreign.context().close();
    elsewhere.close();
    elsewhere.closeAllConnections();
  }
});

for (const [name, options] of [
  ["desktop-light", { colorScheme: "light" }],
  ["desktop-dark", { colorScheme: "dark" }],
  ["phone-light", { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ["phone-dark", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`every tab is readable and usable: ${name}`, async () => {
    const shown = await visit(browser, server, { ...options, reducedMotion: "reduce" });
    for (const tab of ["play", "watch", "train", "explain", "results/chen-table1"]) {
      await shown.openTab(tab);
      await shown.idle();
      const at = `${name} ${tab}`;
      assert.deepEqual(await shown.evaluate(lowContrast), [], `contrast, ${at}`);
      assert.deepEqual(await shown.evaluate(unnamedControls), [], `names of controls, ${at}`);
      assert.ok((await shown.evaluate(overflow)) <= 1, `width, ${at}`);
      await shown.picture(`${name}-${tab.split("/")[0]}`);
    }
    assert.deepEqual(shown.faults, []);
    await shown.context().close();
  });
}

test("the colours can be chosen, and every control is reached by the keyboard", async () => {
  await page.openTab("play");
  await page.locator("#theme").click();
  await page.locator("#theme").click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.locator("#theme").click();
  await page.evaluate(() => document.activeElement.blur());
  const focused = new Set();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    focused.add(await page.evaluate(() => {
      const at = document.activeElement;
      return at.textContent.trim().slice(0, 30) || at.getAttribute("aria-label") || at.labels?.[0]?.textContent.trim().slice(0, 30) || at.className;
    }));
  }
  for (const control of ["Play", "Results", "New game", "Undo", "Hints", "Download the replay"]) {
    assert.ok([...focused].some((name) => name.includes(control)), `${control} among ${[...focused].join(", ")}`);
  }
});
