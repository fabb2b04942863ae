// The other tabs: evaluations where trainings were started, curves, the ranking, and results.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { open, serve, until, visit } from "./browser.mjs";

suite("the other tabs", () => {
  let browser;
  let server;
  let page;

  before(async () => {
    server = await serve();
    browser = await open();
    page = await visit(browser, server, { viewport: { width: 1440, height: 900 } }, ["400"]);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("a tab that is left while it opens is not told as open", async () => {
    const left = await visit(browser, server);
    let answer;
    const held = new Promise((resolve) => { answer = resolve; });
    await left.route("**/api/games", async (route) => { await held; await route.continue(); });
    await Promise.all([left.waitForRequest("**/api/games"), left.goto(server.url)]);
    await left.openTab("results");
    await Promise.all([left.waitForResponse("**/api/games"), answer()]);
    await left.idle();
    await left.evaluate(() => new Promise((shown) => { requestAnimationFrame(() => setTimeout(shown, 100)); }));
    assert.equal(await left.evaluate(() => document.body.dataset.ready), "results");
    assert.deepEqual(left.faults, []);
    await left.context().close();
  });

  test("a training that was stopped and resumed shows its evaluation", async () => {
    await page.openTab("train");
    assert.equal(await page.getByLabel("Recipe").first().inputValue(), "2048");
    await page.getByLabel("Recipe").first().selectOption("2048-3x3");
    await page.getByLabel("Games to measure the agent").fill("30");
    await page.getByLabel("Settings to change").fill("log.window=100\nbudget.seconds=10\nnetwork.tuples=['0134', '0125']");
    // Long enough to be stopped on a machine that has other work.
    await page.getByLabel("Seconds", { exact: true }).fill("10");
    await page.getByRole("button", { name: "Start the training" }).click();
    const row = page.locator("[data-run='2048-3x3-1']");
    await row.getByRole("button", { name: "Stop" }).click();
    await row.getByRole("button", { name: "Resume" }).click();
    await until(page, "the end", async () => (await row.locator(".chip").textContent()) === "finished");
    await until(page, "the evaluation", async () => /Evaluation: mean .* of 30 games/.test(await row.textContent()));
    const [whole] = await row.locator(".strength .whole").all();
    assert.equal(await whole.evaluate((node) => getComputedStyle(node).whiteSpace), "nowrap");
    await page.picture("train-evaluated");
  });

  test("curves have one unit, values under the pointer, smoothing and zoom", async () => {
    const chart = page.locator("#chart");
    assert.match(await chart.locator(".axis").allTextContents().then((texts) => texts.join(" ")), /games mean score \(points\)/);
    await chart.locator(".plot").focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await chart.locator(".readout").textContent(), /games: [\d,.]+/);
    await chart.getByLabel("Logarithmic").check();
    assert.match(await chart.locator(".axis").last().textContent(), /log/);
    const box = await chart.locator("svg").boundingBox();
    const points = () => chart.locator(".curve").first().getAttribute("d").then((path) => path.length);
    const all = await points();
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 250, box.y + 100, { steps: 4 });
    await page.mouse.up();
    assert.ok((await points()) < all, "fewer points");
    await chart.getByRole("button", { name: "Show all" }).click();
    assert.equal(await points(), all);
    // A run of another game takes the place of this one: points and lines do not share an axis.
    await page.getByLabel("Recipe").first().selectOption("melax");
    await page.getByLabel("Settings to change").fill("log.window=5");
    await page.getByLabel("Seconds", { exact: true }).fill("1");
    await page.getByLabel("Games to measure the agent").fill("0");
    await page.getByRole("button", { name: "Start the training" }).click();
    const other = page.locator("[data-run='melax-1']");
    await until(page, "the end", async () => (await other.locator(".chip").textContent()) === "finished");
    await other.getByRole("button", { name: "Measure" }).waitFor();
    await page.locator("[data-run='2048-3x3-1']").getByRole("checkbox").check();
    assert.equal(await other.getByRole("checkbox").isChecked(), false);
  });

  test("a training on a cluster shows its workers, lost tasks and the dashboard", async () => {
    // What a training of another process leaves while it runs: its files, and a lock that is held.
    const [from, folder] = ["2048-3x3-1", "shared"].map((name) => join(server.folder, "runs", name));
    mkdirSync(folder);
    const window = JSON.parse(readFileSync(join(from, "metrics.jsonl"), "utf8").split("\n")[0]);
    window.extra = { workers: 3, "games/s": 12.5, "lost tasks": 1 };
    writeFileSync(join(folder, "metrics.jsonl"), `${JSON.stringify(window)}\n`);
    writeFileSync(join(folder, "dashboard"), "http://127.0.0.1:8265");
    writeFileSync(join(folder, "recipe.toml"), readFileSync(join(from, "recipe.toml")));
    const holder = spawn("flock", [join(folder, "lock"), "cat"]);
    const row = page.locator("[data-run='shared']");
    await until(page, "it runs", async () => (await row.locator(".chip").textContent()) === "running");
    assert.equal(await row.locator(".cluster").textContent(), "Cluster: 3 workers, 12.5 games/s, 1 lost task; Ray's dashboard");
    assert.equal(await row.getByRole("link", { name: "Ray's dashboard" }).getAttribute("href"), "http://127.0.0.1:8265");
    await page.picture("train-cluster");
    holder.stdin.end();
    await until(page, "it is stopped", async () => (await row.locator(".chip").textContent()) === "stopped");
    assert.equal(await row.locator(".cluster").isVisible(), false);
  });

  test("a bad setting is explained in the form", async () => {
    await page.getByLabel("Settings to change").fill("phase.0.rate=fast");
    await page.getByRole("button", { name: "Start the training" }).click();
    await until(page, "the error", async () => /rate/.test(await page.locator("form .error").textContent()));
  });

  test("watched agents are ranked with the significance of the difference", async () => {
    await page.openTab("watch");
    const tab = page.locator("section[aria-label=Watch]");
    await tab.getByText("Options").click();
    await tab.getByLabel("Rules").fill("2048:3x3");
    await tab.getByLabel("Rules").press("Tab");
    await until(page, "agents", async () => (await tab.getByLabel("Agent", { exact: true }).count()) === 2);
    await tab.getByLabel("Agent", { exact: true }).nth(0).selectOption("greedy");
    await tab.getByLabel("Agent", { exact: true }).nth(1).selectOption("random");
    assert.equal(await tab.getByLabel("Search", { exact: true }).nth(1).locator("option").count(), 1, "no search for random play");
    await tab.getByLabel("Speed").fill("12");
    await tab.getByRole("button", { name: "Start" }).click();
    await until(page, "a significant difference", async () => /p < 0.0001/.test(await tab.getByRole("region", { name: "Ranking" }).textContent()));
    assert.equal(await tab.locator(".panel h2").first().textContent(), "greedy", "the search greedy is not named");
    await page.picture("watch-ranking");
    await tab.getByRole("button", { name: "Stop" }).click();
  });

  test("the picture of the README: 1010! with hints", async () => {
    const shown = await visit(browser, server, { viewport: { width: 1180, height: 760 } });
    await shown.openTab("play");
    await shown.getByRole("button", { name: "1010!" }).click();
    await shown.locator(".board.blocks").waitFor();
    // With a seed, for one random game in a thousand ends before 40 moves.
    const options = shown.getByRole("button", { name: "Options" });
    await options.click();
    await shown.getByLabel("Seed").fill("1");
    await shown.getByLabel("Seed").press("Enter");
    await options.click();
    const moves = async () => Number(await shown.locator(".figures div", { hasText: "Moves" }).first().locator("dd").textContent());
    await shown.idle();
    for (let played = 1; played <= 40; played++) {
      await shown.keyboard.press("n");
      await until(shown, "a move of the agent", async () => (await moves()) === played);
    }
    await shown.keyboard.press("h");
    await shown.locator(".heat").first().waitFor();
    await shown.idle();
    await shown.picture("readme");
    assert.deepEqual(shown.faults, []);
    await shown.context().close();
  });

  test("a figure of results is laid out anew on a phone", async () => {
    const phone = await visit(browser, server, { viewport: { width: 390, height: 844 } });
    for (const name of ["chen-figure10", "carr-softmax"]) {
      await phone.openTab(`results/${name}`);
      const figure = phone.locator("figure").first();
      await figure.locator(".stretched svg").waitFor();
      const box = await figure.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390, "it fits the screen");
      const ticks = figure.locator(".tick");
      assert.ok((await ticks.count()) > 5);
      assert.ok((await ticks.first().evaluate((node) => parseFloat(getComputedStyle(node).fontSize))) >= 12);
      assert.ok((await figure.locator(".legend-item").count()) > 1);
      assert.notEqual((await figure.locator("figcaption").textContent()).trim(), "");
      await phone.picture(`phone-figure-${name}`);
    }
    assert.deepEqual(phone.faults, []);
    await phone.context().close();
  });

  test("boards that are watched go on when their server is back", async () => {
    const first = await serve();
    const watched = await visit(browser, first, {}, ["Failed to load resource"]);
    await watched.openTab("watch");
    const tab = watched.locator("section[aria-label=Watch]");
    await tab.getByRole("button", { name: "Start" }).click();
    const played = async () => {
      const moves = await tab.locator(".panel .figures div", { hasText: "Moves" }).locator("dd").allTextContents();
      return moves.length > 0 && moves.every((text) => Number(text) > 3);
    };
    await until(watched, "moves", played);
    await first.kill();
    await watched.locator(".banner").waitFor();
    const second = await serve(() => {}, new URL(first.url).port);
    await watched.locator(".banner").waitFor({ state: "detached" });
    await tab.getByRole("button", { name: "Stop" }).waitFor();
    await until(watched, "moves on the new server", played);
    assert.deepEqual(watched.faults, []);
    await watched.context().close();
    await second.stop();
  });

  test("Explain follows the game in Play, with its piece", async () => {
    await page.openTab("play");
    await page.getByRole("button", { name: "Tetris" }).click();
    await page.locator(".board.well").waitFor();
    await page.idle();
    await page.keyboard.press("n");
    await until(page, "a move", async () => (await page.locator(".strip div", { hasText: "Moves" }).locator("dd").textContent()) === "1");
    await page.openTab("explain");
    const tab = page.locator("section[aria-label=Explain]");
    await until(page, "the same well", async () => (await tab.locator(".board.well .cell.filled").count()) >= 8);
    assert.equal(await tab.locator(".shown-hand figure").count(), 1);
    await page.picture("explain-follows");
  });

  test("results are searched and downloaded", async () => {
    await page.openTab("results");
    const contents = page.getByRole("navigation", { name: "All results" });
    const all = await contents.locator("li:visible").count();
    await contents.getByLabel("Search").fill("tetris");
    const found = await contents.locator("li:visible").count();
    assert.ok(found > 0 && found < all, `${found} of ${all}`);
    const waiting = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download README.md" }).click();
    assert.equal((await waiting).suggestedFilename(), "README.md");
    assert.deepEqual(page.faults, []);
  });
});
