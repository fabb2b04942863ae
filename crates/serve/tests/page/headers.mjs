// The headers of the server, and that a browser obeys them: no foreign script, no frame, no referrer.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, suite, test } from "node:test";
import { open, serve, visit } from "./browser.mjs";

suite("headers", () => {
  let browser;
  let server;
  let elsewhere;
  let asked;

  before(async () => {
    server = await serve();
    browser = await open();
    asked = [];
    elsewhere = createServer((request, response) => {
      asked.push(request);
      response.setHeader("content-type", "text/html");
      const url = server.url;
      response.end(request.url === "/frame" ? `<!doctype html><iframe src="${url}"></iframe>` : "<!doctype html>");
    }).listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    elsewhere?.close();
    elsewhere?.closeAllConnections();
  });

  const other = (path) => `http://127.0.0.1:${elsewhere.address().port}${path}`;

  test("every response has them, refusals too", async () => {
    const page = await visit(browser, server, {}, [""]);
    for (const path of ["", "page/main.js", "page/style.css", "api/games", "api/nothing", "nowhere"]) {
      const response = await page.goto(server.url + path);
      const headers = response.headers();
      const policy = headers["content-security-policy"];
      for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]) {
        assert.ok(policy.includes(part), `${path}: ${part} in ${policy}`);
      }
      assert.ok(!policy.includes("unsafe") && !policy.includes("*"), `${path}: ${policy}`);
      assert.equal(headers["referrer-policy"], "no-referrer", path);
      assert.equal(headers["x-content-type-options"], "nosniff", path);
      assert.equal(headers["cross-origin-opener-policy"], "same-origin", path);
      assert.equal(headers["cross-origin-resource-policy"], "same-origin", path);
    }
    await page.context().close();
  });

  test("what a policy forbids does not run and is not loaded", async () => {
    const page = await visit(browser, server, {}, [""]);
    await page.openTab("play");
    asked.length = 0;
    const done = await page.evaluate(async (url) => {
      const inline = document.createElement("script");
      inline.textContent = "window.injected = true;";
      document.head.append(inline);
      const loaded = (name) => new Promise((resolve) => {
        const element = document.createElement(name);
        element.onload = () => resolve("loaded");
        element.onerror = () => resolve("refused");
        element.src = url;
        document.body.append(element);
      });
      const fetched = await fetch(url, { mode: "no-cors" }).then(() => "loaded", () => "refused");
      return { injected: window.injected === true, script: await loaded("script"), image: await loaded("img"), fetched };
    }, other("/script"));
    assert.deepEqual(done, { injected: false, script: "refused", image: "refused", fetched: "refused" });
    assert.deepEqual(asked.map((request) => request.url), [], "nothing was asked of the other server");
    await page.context().close();
  });

  test("no other page shows it in a frame", async () => {
    const page = await visit(browser, server, {}, [""]);
    await page.goto(other("/frame"));
    const frame = page.frames().find((one) => one.parentFrame() !== null);
    assert.ok(frame, "there is a frame");
    await frame.waitForLoadState();
    assert.ok(!frame.url().startsWith(server.url), frame.url());
    assert.equal(await frame.locator("nav").count(), 0);
    await page.context().close();
  });

  test("a link to another server tells it nothing", async () => {
    const page = await visit(browser, server, {}, [""]);
    await page.openTab("play");
    asked.length = 0;
    await page.evaluate((url) => {
      const link = Object.assign(document.createElement("a"), { href: url, textContent: "elsewhere", id: "elsewhere" });
      document.body.prepend(link);
    }, other("/link"));
    await page.locator("#elsewhere").click();
    await page.waitForURL(other("/link"));
    const request = asked.find((one) => one.url === "/link");
    assert.equal(request.headers.referer, undefined);
    await page.context().close();
  });
});
