// Opens a report as a person would: clicks, filters, searches, sorts, opens an exchange, goes back.
// `node report.mjs PLAN` reads a plan as JSON: the page, what its numbers must be, where to leave pictures.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { launch, open } from "./browser.mjs";

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await launch();

const numberIn = (text) => Number(text.replaceAll(",", ""));
const exact = async (page) => numberIn(await page.locator("#exact").textContent());
const isOpen = (page) => page.locator("dialog#exchange").evaluate((dialog) => dialog.open);
const rows = (page) => page.locator("#rows tbody tr").count();

/// A page answers a click when its events have come round, on a busy machine a moment later.
const becomes = async (read, expected, what) => {
  const end = Date.now() + 20_000;
  for (;;) {
    const seen = await read();
    if (isDeepStrictEqual(seen, expected)) return;
    if (Date.now() > end) assert.deepEqual(seen, expected, what);
    await new Promise((again) => setTimeout(again, 20));
  }
};

/// The first number of the row in which a link stands.
const of_row = async (link) => numberIn(await link.locator("xpath=ancestor::tr/td[1]").textContent());

/// No violation of levels A and AA, with the exchange open and without.
const accessible = async (page, what) => {
  // The policy of the page forbids scripts but its own; the debugger is not bound by it.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
  }));
  const told = violations.map(({ id, nodes }) =>
    `${id}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`);
  assert.deepEqual(told, [], what);
};

const numbers = async (page) => {
  for (const [name, count] of Object.entries(plan.counts ?? {})) {
    const link = page.locator(`#tonight a[href="#exchanges?${name.replace(" ", "=")}"]`);
    assert.equal(await of_row(link), count, name);
  }
};

/// Each class, outcome, kind, server and tool that there is, and who must act: the total is the one of the tables.
const filters = async (page) => {
  for (const { filters, count } of plan.filtered ?? []) {
    const address = `#exchanges?${new URLSearchParams(filters)}`;
    const shown = await page.evaluate((address) => new Promise((resolve) => {
      window.addEventListener("hashchange",
        () => resolve(document.querySelector("#exact").textContent), { once: true });
      location.hash = address;
    }), address);
    assert.equal(numberIn(shown), count, address);
  }
  await page.locator("#clear").click();
  await becomes(() => exact(page), plan.total);
};

/// The text of each cell of a column, where it is there.
const column = (page, sort) => page.evaluate((sort) => {
  const at = [...document.querySelectorAll("#rows thead th")].findIndex((head) => head.dataset.sort === sort);
  return [...document.querySelectorAll("#rows tbody tr")].map((row) => row.children[at]?.textContent ?? "");
}, sort);

/// What is worst comes first, and each exchange that is not fine says why.
const worst_first = async (page) => {
  const classes = ["broken", "error", "connectivity only", "partially working", "fully working"];
  const [of_class, answers] = [await column(page, "class"), await column(page, "answer")];
  const places = of_class.map((name, at) => classes.indexOf(name)
    + (name !== "fully working" || answers[at].endsWith("failure") ? 0 : answers[at] ? 0.1 : 0.2));
  assert.deepEqual(places, [...places].sort((a, b) => a - b), "worst first");
  const lines = await page.evaluate(() => [...document.querySelectorAll("#rows tbody tr")]
    .map((row) => row.querySelector("th .of")?.textContent ?? ""));
  places.forEach((place, at) => assert.ok(place >= 4 || lines[at].length > 0, `row ${at} says nothing`));
};

const click_through = async (page) => {
  await worst_first(page);

  // A row of the first screen filters the table.
  const bar = page.locator("#tonight a[href^='#exchanges?outcome=']").first();
  const count = await of_row(bar);
  await bar.click();
  await becomes(() => exact(page), count, "the row that was clicked");
  await page.goBack();
  await becomes(() => exact(page), plan.total, "back before the row");

  // So does an outcome, and each row that is left shows it.
  for (const link of await page.locator("#tonight a[href^='#exchanges?outcome=']").all()) {
    const [calls, outcome] = [await of_row(link), await link.textContent()];
    await link.click();
    await becomes(() => exact(page), calls, "the outcome that was clicked");
    await becomes(async () => [...new Set(await column(page, "outcome"))], calls ? [outcome] : [], "rows of the outcome");
    await becomes(() => page.locator("#by-outcome").inputValue(), outcome.replaceAll(" ", "_"), "the filter says so");
    await page.goBack();
    await becomes(() => exact(page), plan.total, "back before the outcome");
  }

  // Choosing and searching.
  const select = page.locator("#by-server");
  const server = await select.locator("option").nth(1).getAttribute("value");
  await select.selectOption(server);
  const servers = async () => [...new Set(await page.locator("#rows tbody tr td:nth-child(2)").allTextContents())];
  await becomes(servers, [server], "rows of the server that was chosen");
  await page.locator("#clear").click();
  const key = (await page.locator("#rows tbody a").nth(1).getAttribute("data-key"));
  await page.locator("#q").fill(key);
  await becomes(() => rows(page), 1, "a key is found");
  await page.locator("#q").fill("no exchange says this");
  await becomes(() => rows(page), 0, "nothing is found");
  await becomes(() => page.locator("#rows").isVisible(), false, "no empty table");
  const told = () => page.locator("#shown").textContent();
  const all = plan.total.toLocaleString("en-US");
  await becomes(async () => (await told()).startsWith("Nothing found among "), true, "it is said");
  assert.ok((await told()).includes(`${all} calls`) && !(await told()).includes("filters"), await told());
  await select.selectOption(server);
  await becomes(async () => /^Nothing found among .*calls? .*with these filters/.test(await told()), true, "filters are named");
  await page.locator("#clear").click();
  await becomes(() => page.locator("#rows").isVisible(), true, "the table is back");

  // Whatever is searched for is kept in the address as it is, and means nothing but itself.
  const odd = "100% <b>&\"'+#?=\\.*[é] ";
  await page.locator("#q").fill(odd);
  await becomes(() => rows(page), 0, "nothing is found");
  await page.reload();
  await becomes(() => page.locator("#q").inputValue(), odd, "what was searched for is kept");
  await page.locator("#clear").click();
  await becomes(() => exact(page), plan.total);

  // Class, answer and score are there when they are asked for.
  const classes = page.locator("#rows thead th[data-sort=class]");
  assert.equal(await classes.isVisible(), false, "two words");
  await page.locator("#detailed").check();
  assert.equal(await classes.isVisible(), true, "asked for");

  // Every column sorts, both ways, and says so; once more, and the worst comes first again.
  const at_first = await column(page, "tool");
  for (const head of await page.locator("#rows thead th").all()) {
    const first = () => page.locator("#rows tbody tr").first().textContent();
    const seen = [];
    for (const way of ["ascending", "descending"]) {
      await head.locator("button").click();
      await becomes(() => head.getAttribute("aria-sort"), way, "a column sorts");
      const mark = await head.locator("button").evaluate((button) => getComputedStyle(button, "::after").content);
      assert.ok(mark.includes(way === "ascending" ? "▲" : "▼"), mark);
      seen.push(await first());
    }
    const by = await head.getAttribute("data-sort");
    assert.equal(await page.locator("#rows thead [aria-sort]").count(), 1, by);
    if (["tool", "score"].includes(by)) assert.notEqual(seen[0], seen[1], by);
    await head.locator("button").click();
    await becomes(() => page.locator("#rows thead [aria-sort]").count(), 0, by);
    await becomes(() => column(page, "tool"), at_first, by);
  }
  await page.locator("#clear").click();

  // Sorting, both ways.
  const tools = () => page.locator("#rows tbody th a").allTextContents();
  const by_tool = page.locator("#rows thead th[data-sort=tool] button");
  await by_tool.click();
  await becomes(() => page.locator("#rows thead th[data-sort=tool]").getAttribute("aria-sort"), "ascending", "sorted");
  const up = (await tools()).map((tool) => tool.toLowerCase());
  assert.deepEqual(up, [...up].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  await by_tool.click();
  await becomes(() => page.locator("#rows thead th[data-sort=tool]").getAttribute("aria-sort"), "descending", "sorted the other way");

  // An exchange, by keyboard; back; the focus is where it was.
  const link = page.locator("#rows tbody a").first();
  const opened = await link.getAttribute("data-key");
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("dialog#exchange").open);
  const inside = await page.locator("#reasoning").textContent();
  assert.ok(inside.includes(`tapecheck explain ${opened}`), inside);
  assert.ok(await page.evaluate(() => document.querySelector("dialog").contains(document.activeElement)));
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector("dialog#exchange").open);
  await becomes(() => page.evaluate(() => document.activeElement?.dataset?.key), opened, "focus");
  await page.goForward();
  await page.waitForFunction(() => document.querySelector("dialog#exchange").open);

  // Back, and forward before the page is told that the call was closed: the call is open again.
  const back_and_forward = () => page.evaluate(() => new Promise((turned) => {
    window.addEventListener("hashchange", () => {
      window.addEventListener("hashchange", () => turned(), { once: true });
      history.forward();
    }, { once: true });
    history.back();
  }));
  for (let round = 0; round < 20; round += 1) {
    await back_and_forward();
    await becomes(() => isOpen(page), true, "open after going back and forward");
  }
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog#exchange").open);
  await becomes(async () => (await page.evaluate(() => location.hash)).startsWith("#exchange/"), false, "the address follows");

  // One that is not here is said not to be.
  await page.evaluate(() => { location.hash = "#exchange/0000"; });
  await page.waitForFunction(() => document.querySelector("#shown").textContent.includes("not in this table"));

  // An address that was kept leads to its exchange.
  await page.evaluate((place) => { location.hash = place; }, `#exchange/${opened}`);
  await page.waitForFunction(() => document.querySelector("dialog#exchange").open);
  await page.locator("#close").click();
  await becomes(() => isOpen(page), false, "closed");
};

/// What was recorded has become text, never markup.
const harmless = async (page) => {
  const odd = await page.evaluate(() => ({
    elements: document.querySelectorAll("img, iframe, object, embed, base, link, video, audio, a[href^='javascript'], [onerror], [onclick], [onload], [style]").length,
    scripts: document.querySelectorAll("script").length,
    hit: String(globalThis.hit),
  }));
  assert.deepEqual(odd, { hit: "undefined", elements: 0, scripts: plan.total > 0 ? 2 : 1 });
};

for (const scheme of ["light", "dark"]) {
  const { page, complaints, context } = await open(browser, plan.page, { colorScheme: scheme });
  await harmless(page);
  await numbers(page);
  if (plan.total > 1) {
    await becomes(() => exact(page), plan.total, "all exchanges");
    if (scheme === "light") {
      await filters(page);
      await click_through(page);
    }
  }
  await accessible(page, `${scheme}: the page`);
  if (plan.pictures) await page.screenshot({ path: `${plan.pictures}/${scheme}.png`, fullPage: true });
  if (plan.total > 0) {
    for (let at = 0; at < Math.min(plan.open ?? 1, await page.locator("#rows tbody a").count()); at += 1) {
      await page.locator("#rows tbody a").nth(at).click();
      await page.waitForFunction(() => document.querySelector("dialog#exchange").open);
      await harmless(page);
      if (at === 0) await accessible(page, `${scheme}: an exchange`);
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => !document.querySelector("dialog#exchange").open);
    }
  }
  assert.deepEqual(complaints, [], scheme);
  await context.close();
}

/// What sticks out of the screen, and what of the menu cannot be seen.
const cut_off = (page) => page.evaluate(() => ({
  wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
  menu: [...document.querySelectorAll("nav a")].filter((link) => {
    const { left, right } = link.getBoundingClientRect();
    const within = link.closest("nav").getBoundingClientRect();
    return left < within.left - 1 || right > within.right + 1;
  }).map((link) => link.textContent),
}));
const whole = { wide: 0, menu: [] };

// On a screen of usual size the first screen has no holes, and names of who must act stay whole.
{
  const { page, context } = await open(browser, plan.page, { viewport: { width: 1280, height: 800 } });
  assert.deepEqual(await cut_off(page), whole);
  const [columns, names, below] = await page.evaluate(() => [
    [...document.querySelectorAll(".columns")].map((columns) => [...columns.children]
      .map((column) => Math.round(column.lastElementChild.getBoundingClientRect().bottom))),
    [...document.querySelectorAll("#tonight a[href^='#exchanges?who=']")].map((name) => name.getClientRects().length),
    [...document.querySelectorAll("#tonight h3")].filter((title) => title.getBoundingClientRect().top > 800)
      .map((title) => title.textContent),
  ]);
  for (const bottoms of columns) {
    assert.ok(Math.max(...bottoms) - Math.min(...bottoms) <= 1, `columns end at ${bottoms}`);
  }
  assert.ok(names.every((lines) => lines === 1), "who must act is a line");
  assert.deepEqual(below, [], "all of tonight begins on the first screen");
  for (const panel of await page.locator(".card").all()) {
    assert.ok((await panel.locator("li, p, td, pre, svg, dd").count()) > 0, await panel.textContent());
  }

  // The keyboard alone: first the way past the menu, then the menu, and each can be seen to have the focus.
  await page.keyboard.press("Tab");
  await becomes(() => page.evaluate(() => document.activeElement.className), "skip", "the first stop of the keyboard");
  for (let at = 0; at < 4; at += 1) {
    const shown = await page.evaluate(() => {
      const { left, top } = document.activeElement.getBoundingClientRect();
      return left >= 0 && top >= 0 && getComputedStyle(document.activeElement).outlineStyle !== "none";
    });
    assert.ok(shown, "where the keyboard is");
    await page.keyboard.press("Tab");
  }
  await context.close();
}

// Enlarged to twice its size, and on a phone, nothing is wider than the screen or cut off.
for (const [width, height] of [[640, 400], [390, 844], [320, 640]]) {
  const { page, context } = await open(browser, plan.page, { viewport: { width, height } });
  assert.deepEqual(await cut_off(page), whole, `${width} pixels`);
  await context.close();
}

// Where the system chooses colours, those that mean something can still be told apart.
{
  const { page, context } = await open(browser, plan.page, { forcedColors: "active" });
  const colours = await page.evaluate(() => [...document.querySelectorAll("#tonight th i")]
    .map((mark) => getComputedStyle(mark).backgroundColor));
  const page_colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.ok(colours.every((colour) => colour !== page_colour), String(colours));
  await context.close();
}

const phone = await open(browser, plan.page, { viewport: { width: 390, height: 844 } });
if (plan.pictures) await phone.page.screenshot({ path: `${plan.pictures}/phone.png`, fullPage: true });
const printed = await phone.page.pdf();
assert.equal(printed.subarray(0, 5).toString(), "%PDF-");

// Without script it can still be read.
const plain = await open(browser, plan.page, { javaScriptEnabled: false });
assert.ok((await plain.page.locator("h1").textContent()).length > 0);
if (plan.total > 0) assert.ok((await plain.page.locator("#rows tbody tr").count()) > 0);

await browser.close();
console.log("as a person would");
