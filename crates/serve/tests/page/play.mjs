// The tab Play by keyboard alone, at both screen sizes, with the editor, and without its server.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { lowContrast, overflow, unnamedControls } from "./accessibility.mjs";
import { open, serve, until, visit } from "./browser.mjs";

const DESKTOP = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const GAMES = ["2048", "Tetris", "1010!"];

const moves = async (page) => Number((await page.locator(".strip div", { hasText: "Moves" }).locator("dd").textContent()).replace(/\D/g, ""));
const focused = (page) => page.evaluate(() => document.activeElement.className);

/** Chooses a game by its button. */
async function choose(page, game) {
  const kind = { "2048": "tiles", Tetris: "well", "1010!": "blocks" }[game];
  await page.getByRole("button", { name: game, exact: true }).click();
  await page.locator(`.board.${kind}`).waitFor();
  await page.idle();
}

suite("the tab Play", () => {
  let browser;
  let server;

  before(async () => {
    server = await serve();
    browser = await open();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Runs a test with its own page, which must have no faults. */
  const withPage = (options, act, expected = []) => async () => {
    const page = await visit(browser, server, { ...options, reducedMotion: "reduce" }, expected);
    try {
      await page.openTab("play");
      await page.idle();
      await act(page);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
    }
  };

  test("after a game is chosen by keys, Space and Enter drop the piece", withPage(DESKTOP, async (page) => {
    await page.getByRole("button", { name: "Tetris" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".board.well").waitFor();
    await page.idle();
    assert.match(await focused(page), /board/);
    const { hash } = new URL(page.url());
    for (const [at, key] of [" ", "Enter", "ArrowDown", " "].entries()) {
      await page.keyboard.press(key);
      await until(page, `the drop of ${key}`, async () => (await moves(page)) === at + 1);
    }
    assert.equal(new URL(page.url()).hash, hash, "the same game");
    // The button New game gives the focus to the board, too.
    await page.getByRole("button", { name: "New game" }).focus();
    await page.keyboard.press("Enter");
    await until(page, "a new game", async () => (await moves(page)) === 0);
    await page.keyboard.press(" ");
    await until(page, "a drop", async () => (await moves(page)) === 1);
  }));

  test("a new game keeps the last one: undo brings it back", withPage(DESKTOP, async (page) => {
    await choose(page, "Tetris");
    for (let played = 1; played <= 3; played++) {
      await page.keyboard.press(" ");
      await until(page, "a drop", async () => (await moves(page)) === played);
    }
    const { hash } = new URL(page.url());
    await page.keyboard.press("Shift+N");
    await until(page, "a new game", async () => (await moves(page)) === 0);
    assert.match(await page.locator(".brief").textContent(), /Undo \(U\) brings back the last one/);
    await page.keyboard.press("u");
    await until(page, "the last game", async () => (await moves(page)) === 3);
    assert.equal(new URL(page.url()).hash, hash);
    await choose(page, "2048");
    await page.keyboard.press("Backspace");
    await until(page, "the game of Tetris", async () => (await page.locator(".board.well").count()) === 1 && (await moves(page)) === 3);
  }));

  test("moves of the agent are played in turn, also those asked for before the agents of a new game are known", withPage(DESKTOP, async (page) => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await page.route("**/api/agents?*", async (route) => { await held; await route.continue(); });
    await page.getByRole("button", { name: "1010!" }).click();
    await page.locator(".board.blocks").waitFor();
    for (let press = 0; press < 3; press++) await page.keyboard.press("n");
    release();
    await until(page, "three moves", async () => (await moves(page)) === 3);
  }));

  test("keys are those of the terminal, and the help lists them", withPage(DESKTOP, async (page) => {
    await choose(page, "Tetris");
    await page.keyboard.press("n");
    await until(page, "one move of the agent", async () => (await moves(page)) === 1);
    await page.keyboard.press("a");
    await until(page, "moves of the agent", async () => (await moves(page)) > 3);
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Let it play" }).waitFor();
    await page.idle();
    const paused = await moves(page);
    await page.keyboard.press("p");
    await until(page, "the agent goes on", async () => (await moves(page)) > paused);
    await page.keyboard.press("a");
    await page.keyboard.press("]");
    assert.equal(await page.getByLabel("Search", { exact: true }).first().inputValue(), "expectimax:2");
    await page.keyboard.press("[");
    await page.keyboard.press("h");
    await page.locator("#hints tr.best").waitFor();
    assert.ok(await page.locator("#hints .legend").isVisible(), "a legend");
    assert.equal(await page.locator(".board .coordinate").count(), 10, "letters of the columns");
    await page.keyboard.press("?");
    const dialog = page.locator("dialog[open]");
    assert.match(await dialog.textContent(), /drop it.*one move of the agent.*change the search depth.*new game/s);
    await page.picture("play-keys");
    await page.keyboard.press("Escape");
  }));

  for (const [name, options] of [["desktop", DESKTOP], ["phone", PHONE]]) {
    test(`every board with its controls fits the screen: ${name}`, withPage(options, async (page) => {
      for (const game of GAMES) {
        await choose(page, game);
        const last = { Tetris: page.getByRole("button", { name: "Drop" }), "1010!": page.locator(".hand") }[game];
        const parts = [page.locator(".board svg").first(), page.locator(".tools")];
        if (last && (game !== "Tetris" || name === "phone")) parts.push(last);
        for (const part of parts) {
          const box = await part.boundingBox();
          assert.ok(box.y >= 0 && box.y + box.height <= options.viewport.height, `${game}: ${JSON.stringify(box)}`);
          assert.ok(box.x >= 0 && box.x + box.width <= options.viewport.width, `${game}: ${JSON.stringify(box)}`);
        }
        await page.screenshot({ path: `${process.env.AFTERSTATE_SCREENSHOTS ?? "."}/fits-${name}-${game.replace("!", "")}.png` });
      }
      const [edge, row] = await Promise.all([".board-card", ".choose button:last-child"].map((at) => page.locator(at).last().boundingBox()));
      assert.ok(row.x + row.width <= edge.x + edge.width + 1, "the choices are as wide as the board's card");
      assert.equal(await page.evaluate(() => scrollY), 0);
    }));
  }

  test("pieces of 1010! keep their slots, and the end of a game leaves the board visible", withPage(DESKTOP, async (page) => {
    // Two of the three pieces are equal: the one that is placed leaves its slot.
    const empty = Array(10).fill(".".repeat(10)).join("|");
    const position = `#play/at/${encodeURIComponent("1010:10x10,pieces=19,hand=3")}/${encodeURIComponent(`1x1 2x2 2x2|${empty}`)}`;
    await page.evaluate((hash) => { location.hash = hash; }, position);
    const place = page.locator(".hand > *");
    await until(page, "the position", async () => (await place.count()) === 3 && /2x2/.test(await place.nth(2).getAttribute("aria-label")));
    await page.locator("#hints tr.best").waitFor();
    const third = await place.nth(2).getAttribute("aria-label");
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await until(page, "a placement", async () => (await moves(page)) === 1);
    assert.equal(await place.count(), 3, "three slots");
    assert.equal(await place.nth(1).evaluate((node) => node.tagName), "SPAN", "the second is empty");
    assert.equal(await place.nth(2).getAttribute("aria-label"), third);
    await page.getByLabel("Agent", { exact: true }).first().selectOption("random");
    await page.getByLabel("Speed").fill("12");
    await page.getByRole("button", { name: "Let it play" }).click();
    await page.getByText("Game over").waitFor();
    const board = await page.locator(".board svg").first().boundingBox();
    const end = await page.locator(".game-over").boundingBox();
    assert.ok(end.y >= board.y + board.height, "below the board");
    await page.picture("play-over");
  }));

  test("a position is tapped in by touch, and by keys", withPage(PHONE, async (page) => {
    await choose(page, "1010!");
    await page.getByRole("button", { name: "Edit" }).tap();
    const editor = page.locator("dialog.editor[open]");
    await editor.waitFor();
    for (const cell of [0, 1, 12]) await editor.locator(`[data-cell="${cell}"]`).tap();
    await editor.getByRole("button", { name: "Piece 2x2" }).tap();
    assert.deepEqual(await page.evaluate(unnamedControls), []);
    assert.deepEqual(await page.evaluate(lowContrast), []);
    assert.ok((await page.evaluate(overflow)) <= 1);
    await page.screenshot({ path: `${process.env.AFTERSTATE_SCREENSHOTS ?? "."}/editor-phone.png` });
    await editor.getByRole("button", { name: "Show hints" }).tap();
    await editor.waitFor({ state: "hidden" });
    await page.locator("#hints tr.best").waitFor();
    assert.equal(await page.locator(".board .cell.filled").count(), 3);
    assert.ok((await page.locator(".hand > *").evaluateAll((slots) => slots.map((slot) => slot.ariaLabel))).some((label) => /2x2/.test(label)));
    // By keys: the cell in the second column of the first row gets a tile.
    await choose(page, "2048");
    await page.keyboard.press("e");
    await editor.waitFor();
    assert.deepEqual(await page.evaluate(lowContrast), [], "the colours of tiles");
    await page.screenshot({ path: `${process.env.AFTERSTATE_SCREENSHOTS ?? "."}/editor-tiles.png` });
    await editor.getByRole("button", { name: "Clear" }).click();
    await editor.locator("[data-cell='0']").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowRight");
    for (let power = 0; power < 5; power++) await page.keyboard.press("+");
    await editor.getByRole("button", { name: "Show hints" }).focus();
    await page.keyboard.press("Enter");
    await until(page, "the tiles", async () => (await page.locator(".board .tile").allTextContents()).join() === "2,32");
    await until(page, "the focus on the board", async () => /board/.test(await focused(page)));
  }));

  test("an impossible position is refused in the editor, with the reason", withPage(DESKTOP, async (page) => {
    await choose(page, "1010!");
    await page.keyboard.press("e");
    const editor = page.locator("dialog.editor[open]");
    await editor.waitFor();
    for (let cell = 0; cell < 10; cell++) await editor.locator(`[data-cell="${cell}"]`).click();
    await editor.getByRole("button", { name: "Show hints" }).click();
    await until(page, "the reason", async () => /row 1.*full/.test(await editor.locator(".error").textContent()));
    await editor.getByRole("button", { name: "Cancel" }).click();
  }, ["400"]));

  test("bad rules are explained beside their field", withPage(DESKTOP, async (page) => {
    await page.getByRole("button", { name: "Options" }).click();
    const rules = page.locator("section[aria-label=Play]").getByLabel("Rules");
    await rules.fill("2048:9x9");
    await rules.press("Enter");
    await until(page, "the error", async () => /9x9/.test(await page.locator(".rules .error").first().textContent()));
    assert.equal(await rules.getAttribute("aria-invalid"), "true");
  }, ["400"]));

  test("a link carries a position, and a review marks the mistakes", withPage(DESKTOP, async (page) => {
    const position = `#play/at/${encodeURIComponent("2048:4x4")}/${encodeURIComponent("2 2 . .|. . . .|. . . .|. . . 64")}`;
    await page.evaluate((hash) => { location.hash = hash; }, position);
    await until(page, "the position", async () => (await page.locator(".board .tile").allTextContents()).join() === "2,2,64");
    for (let played = 1; played <= 6; played++) {
      await page.keyboard.press("n");
      await until(page, "a move", async () => (await moves(page)) === played);
    }
    await page.getByRole("button", { name: "Find mistakes" }).click();
    await page.locator(".review .curve").first().waitFor();
    assert.match(await page.locator(".review").textContent(), /of 6 lost more than/);
    await page.picture("play-review");
  }));

  test("a score that grows, the tile 2048 and the best score are told", withPage(DESKTOP, async (page) => {
    const position = `#play/at/${encodeURIComponent("2048:4x4")}/${encodeURIComponent("1024 1024 . .|. . . .|. . . .|. . . .")}`;
    await page.evaluate((hash) => { location.hash = hash; }, position);
    await until(page, "the position", async () => (await page.locator(".board .tile").allTextContents()).join() === "1024,1024");
    await page.keyboard.press("ArrowLeft");
    await until(page, "the tile", async () => /You have made 2,048/.test(await page.locator(".moment").textContent()));
    assert.equal((await page.locator(".gain").textContent()).trim(), "+2,048");
    await page.picture("play-win");
    const best = () => page.locator(".strip div", { hasText: "Your best" }).locator("dd").textContent();
    assert.equal(await best(), "–", "a position is no game by hand");
    await choose(page, "Tetris");
    await page.keyboard.press(" ");
    await until(page, "a best score", async () => (await best()) === "0");
  }));

  test("without its server the page shows a banner, and goes on when it is back", async () => {
    const first = await serve();
    const { port } = new URL(first.url);
    const page = await visit(browser, first, DESKTOP, ["Failed to load resource"]);
    await page.openTab("play");
    await choose(page, "Tetris");
    await page.keyboard.press(" ");
    await until(page, "a drop", async () => (await moves(page)) === 1);
    const cells = await page.locator(".board .cell.filled").count();
    await first.kill();
    await page.keyboard.press(" ");
    await page.locator(".banner").waitFor();
    const tools = await page.locator(".tools").boundingBox();
    assert.ok(tools.y + tools.height <= DESKTOP.viewport.height, "the board makes room for the banner");
    await page.picture("server-gone");
    const second = await serve(() => {}, port);
    try {
      await page.getByRole("button", { name: "Retry now" }).click().catch(() => {});
      await page.locator(".banner").waitFor({ state: "detached" });
      await until(page, "the position", async () => (await moves(page)) === 0 && (await page.locator(".board .cell.filled").count()) === cells);
      await page.idle();
      await page.locator(".board").first().focus();
      await page.keyboard.press(" ");
      await until(page, "a drop on the new server", async () => (await moves(page)) === 1);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.context().close();
      await second.stop();
    }
  });
});
