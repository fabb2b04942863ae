// The page as a person uses it: every room by keyboard and mouse, on a phone, in light and dark.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { afterstate, open, serve, visit } from "./browser.mjs";
import { faint, nameless, tooWide } from "./sight.mjs";

let browser;
let server;
let page;

before(async () => {
  server = await serve((folder) => afterstate(folder, "solve", "2048:2x2"));
  browser = await open();
  page = await visit(browser, server);
});

after(async () => {
  assert.deepEqual(page?.faults, [], "the console stays empty, and nobody else is asked");
  await browser?.close();
  assert.equal(await server?.stop(), 0, "Ctrl-C ends the server with success");
});

const figure = (name) => page.locator(".figures div", { hasText: name }).first().locator("dd");
const numberOf = async (locator) => Number((await locator.textContent()).replace(/[^\d.]/g, ""));
const moves = () => numberOf(figure("Moves"));
/** Waits until something about the page is true, and says what it was at the end. */
async function until(what, check) {
  for (let tries = 0; tries < 200; tries++) {
    if (await check()) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`waited for ${what}`);
}

async function newGame(game, seed = 1) {
  const room = page.locator("section[aria-label=Play]");
  await room.getByLabel("Rules").fill(game);
  await room.getByLabel("Rules").press("Enter");
  await page.getByRole("button", { name: "New game" }).click();
  await until("a new game", async () => (await moves()) === 0);
  await room.getByLabel("Seed").fill(String(seed));
  await room.getByLabel("Seed").press("Enter");
  await page.waitForTimeout(300);
  await page.locator(".board").focus();
}

test("2048 is played by keys, and a move is taken back", async () => {
  await page.room("play");
  await newGame("2048:4x4", 3);
  for (const key of ["ArrowLeft", "ArrowDown", "a", "s", "ArrowRight", "ArrowDown", "ArrowLeft", "s", "ArrowDown", "ArrowLeft"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(60);
  }
  const made = await moves();
  assert.ok(made >= 5, `${made} moves`);
  assert.ok((await numberOf(figure("Score"))) > 0);
  assert.ok((await page.locator(".tile").count()) >= 3);
  await page.keyboard.press("u");
  await until("the move is taken back", async () => (await moves()) === made - 1);
  await page.keyboard.press("r");
  await until("the move is made again", async () => (await moves()) === made);
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
  assert.ok((await page.locator(".ghost").count()) > 0, "the ghost of the placement");
  await page.picture("play-1010-dragging");
  await page.mouse.up();
  await until("the piece is placed", async () => (await moves()) === 1);
  assert.ok((await page.locator(".board .cell.filled").count()) > 0);
  await page.locator(".board").focus();
  await page.keyboard.press("1");
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowUp");
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await until("the second is placed by keys", async () => (await moves()) === 2);
});

test("a piece of Tetris is moved, turned and dropped; the ghost shows where", async () => {
  await newGame("tetris:10x20", 2);
  const ghost = () => page.locator(".ghost").first().getAttribute("x");
  const before = await ghost();
  await page.keyboard.press("ArrowLeft");
  assert.notEqual(await ghost(), before);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  await until("the piece is dropped", async () => (await moves()) === 1);
  assert.equal(await page.locator(".board .cell.filled").count(), 4 + 4, "one lies, one waits");
});

test("hints weigh every move and mark the best; the agent plays at any speed", async () => {
  await newGame("tetris:10x20", 2);
  await page.locator("section[aria-label=Play]").getByLabel("Agent", { exact: true }).selectOption("dt-20");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Hints" }).click();
  await until("hints", async () => (await page.locator("#hints tbody tr").count()) > 5);
  assert.equal(await page.locator("#hints tr.best").count(), 1);
  assert.ok((await page.locator(".heat").count()) > 0, "a heat map");
  await page.picture("play-hints");
  await page.locator("#hints tr.best button").click();
  await until("the best move is made", async () => (await moves()) === 1);
  await page.getByLabel("Speed").fill("12");
  await page.getByRole("button", { name: "Let it play" }).click();
  await until("many moves", async () => (await moves()) > 200);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForTimeout(300);
  const paused = await moves();
  await page.waitForTimeout(300);
  assert.equal(await moves(), paused, "paused");
  await page.getByRole("button", { name: "Hints" }).click();
  await page.picture("play-tetris");
});

test("a replay is kept, read back and gone through", async () => {
  const [made, score] = [await moves(), await figure("Score").textContent()];
  const waiting = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download the replay" }).click();
  const file = await (await waiting).path();
  assert.match(readFileSync(file, "utf8"), /"format":"afterstate replay 1"/);
  await newGame("2048:4x4", 1);
  await page.getByLabel("Load a replay").setInputFiles({ name: "game.json", mimeType: "application/json", buffer: readFileSync(file) });
  await until("the start of the replay", async () => (await page.locator(".board.well").count()) === 1 && (await moves()) === 0);
  await page.getByLabel("Move", { exact: true }).fill(String(made));
  await until("its end", async () => (await moves()) === made);
  assert.equal(await figure("Score").textContent(), score);
  await page.getByLabel("Load a replay").setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await page.locator(".note.bad").waitFor();
  page.faults = page.faults.filter((fault) => !fault.includes("400"));
});

test("two tabs that play one game notice each other", async () => {
  await newGame("2048:4x4", 9);
  const id = await page.evaluate(() => location.hash.split("/")[1]);
  const other = await visit(browser, server, {}, ["409"]);
  await other.room(`play/${id}`);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  await until("a move here", async () => (await moves()) > 0);
  await other.locator(".board").focus();
  await other.keyboard.press("ArrowDown");
  await other.keyboard.press("ArrowRight");
  await other.locator(".note.bad", { hasText: "played elsewhere" }).waitFor();
  assert.deepEqual(other.faults, []);
  await other.context().close();
  // The game is still there when its tab is loaded again; the other tab may have made a move since.
  const made = await moves();
  assert.ok(made > 0);
  await page.reload();
  await until("the same game", async () => (await moves()) >= made);
});

test("two agents are compared on the same seed", async () => {
  await page.room("watch");
  const room = page.locator("section[aria-label=Watch]");
  await room.getByLabel("Rules").fill("2048:3x3");
  await room.getByLabel("Rules").press("Tab");
  await until("agents", async () => (await room.getByLabel("Agent", { exact: true }).count()) === 2);
  await page.waitForTimeout(300);
  await room.getByLabel("Agent", { exact: true }).nth(0).selectOption("greedy");
  await room.getByLabel("Agent", { exact: true }).nth(1).selectOption("random");
  await room.getByLabel("Speed").fill("12");
  await room.getByRole("button", { name: "Start" }).click();
  const mean = (lane) => page.locator(".lane").nth(lane).locator(".figures div", { hasText: "Mean" }).locator("dd");
  await until("both have means with intervals", async () =>
    (await page.locator(".lane").count()) === 2 && /to/.test(await mean(0).textContent()) && /to/.test(await mean(1).textContent()));
  assert.ok((await page.locator(".meter").count()) >= 4, "reach rates");
  await page.picture("watch");
  await room.getByRole("button", { name: "Stop" }).click();
});

test("a training of a second is started, and its curve moves", async () => {
  await page.room("train");
  await page.getByLabel("Recipe").first().selectOption("2048-3x3");
  await page.getByLabel("Seconds", { exact: true }).fill("1");
  await page.getByLabel("Games to measure it").fill("20");
  await page.getByLabel("Settings to change").fill("log.window=200\nnetwork.tuples=['0134', '0125']");
  await page.getByRole("button", { name: "Start the training" }).click();
  const row = page.locator("tr[data-run='2048-3x3-1']");
  await row.waitFor();
  const lengths = new Set();
  await until("a curve that grows", async () => {
    lengths.add(Number(await page.locator("#chart").getAttribute("data-windows")));
    return lengths.size > 1 && Math.max(...lengths) > 1;
  });
  await until("the end", async () => (await row.locator(".chip").textContent()) === "finished");
  assert.ok((await page.locator("#chart svg path").count()) > 5);
  await page.picture("train");
  // One that runs for long is stopped and resumed.
  await page.getByLabel("Seconds", { exact: true }).fill("600");
  await page.getByRole("button", { name: "Start the training" }).click();
  const second = page.locator("tr[data-run='2048-3x3-2']");
  await second.getByRole("button", { name: "Stop" }).click();
  await until("it is stopped", async () => (await second.locator(".chip").textContent()) === "stopped");
  await second.getByRole("button", { name: "Resume" }).click();
  await until("it goes on", async () => (await second.locator(".chip").textContent()) === "running");
  await row.getByRole("checkbox").check();
  await second.getByRole("checkbox").check();
  await second.getByRole("button", { name: "Stop" }).click();
  await until("it is stopped again", async () => (await second.locator(".chip").textContent()) === "stopped");
  await page.picture("train-compared");
});

test("a value is taken apart, and the exact one stands beside it", async () => {
  await page.room("inside");
  const room = page.locator("section[aria-label='Look inside']");
  await room.getByLabel("Rules").fill("tetris:10x20");
  await room.getByLabel("Rules").press("Tab");
  await until("a well", async () => (await room.locator(".board.well").count()) === 1);
  await room.getByLabel("Agent", { exact: true }).selectOption("dt-20");
  await until("features", async () => /weight/.test(await room.textContent()));
  await room.getByRole("button", { name: "A few moves on" }).click();
  await until("a heat map", async () => (await room.locator(".heat").count()) > 0);
  await page.picture("inside-features");
  await room.getByLabel("Rules").fill("2048:3x3");
  await room.getByLabel("Rules").press("Tab");
  await until("tiles", async () => (await room.locator(".board.tiles").count()) === 1);
  await room.getByLabel("Agent", { exact: true }).selectOption("runs/2048-3x3-1");
  await until("tuples", async () => (await room.getByRole("button", { name: "Tuple" }).count()) > 0);
  await room.getByRole("button", { name: "Tuple" }).first().focus();
  assert.equal(await room.locator(".outline").count(), 1, "the tuple is drawn");
  await page.picture("inside-tuples");
  await room.getByLabel("Rules").fill("2048:2x2");
  await room.getByLabel("Rules").press("Tab");
  await until("exact values", async () => (await room.getByText("Exact", { exact: true }).count()) === 1);
});

test("results stand beside what was published, with their commands", async () => {
  await page.room("results");
  await page.getByRole("navigation", { name: "All results" }).getByRole("link", { name: "Learning rate 0.1 against 0.025" }).click();
  await page.getByRole("heading", { name: "Learning rate 0.1 against 0.025" }).waitFor();
  await page.getByRole("cell", { name: "published" }).first().or(page.getByText("published").first()).waitFor();
  await page.locator(".prose svg").first().waitFor();
  assert.match(await page.locator(".command code").first().textContent(), /^afterstate reproduce chen-table1/);
  await page.picture("results");
});

test("a page from elsewhere can neither read nor drive the server", async () => {
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
    const met = await foreign.evaluate(async (url) => {
      const body = JSON.stringify({ recipe: "2048-3x3" });
      const tries = [
        fetch(`${url}api/runs`), fetch(`${url}api/runs`, { mode: "no-cors" }), fetch(`${url}api/runs`, { method: "POST", mode: "no-cors", body }),
        fetch(`${url}api/runs`, { method: "POST", headers: { "content-type": "application/json" }, body }),
      ];
      return (await Promise.allSettled(tries)).map((tried) => tried.status);
    }, server.url);
    assert.deepEqual(met, ["rejected", "rejected", "rejected", "rejected"]);
    assert.equal(await runs(), before, "nothing was started");
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
  test(`every room can be read and used: ${name}`, async () => {
    const shown = await visit(browser, server, { ...options, reducedMotion: "reduce" });
    for (const room of ["play", "watch", "train", "inside", "results/chen-table1"]) {
      await shown.room(room);
      await shown.waitForTimeout(400);
      const at = `${name} ${room}`;
      assert.deepEqual(await shown.evaluate(faint), [], `contrast, ${at}`);
      assert.deepEqual(await shown.evaluate(nameless), [], `names of controls, ${at}`);
      assert.ok((await shown.evaluate(tooWide)) <= 1, `width, ${at}`);
      await shown.picture(`${name}-${room.split("/")[0]}`);
    }
    assert.deepEqual(shown.faults, []);
    await shown.context().close();
  });
}

test("the colours can be chosen, and everything is reached by the keyboard", async () => {
  await page.room("play");
  await page.locator("#theme").click();
  await page.locator("#theme").click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.locator("#theme").click();
  await page.evaluate(() => document.activeElement.blur());
  const met = new Set();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    met.add(await page.evaluate(() => {
      const at = document.activeElement;
      return at.textContent.trim().slice(0, 30) || at.getAttribute("aria-label") || at.labels?.[0]?.textContent.trim().slice(0, 30) || at.className;
    }));
  }
  for (const control of ["Play", "Results", "New game", "Undo", "Hints", "Download the replay"]) {
    assert.ok([...met].some((name) => name.includes(control)), `${control} among ${[...met].join(", ")}`);
  }
});
