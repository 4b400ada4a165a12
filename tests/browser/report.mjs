// Opens a report as a person would: clicks, filters, searches, sorts, opens an exchange, goes back.
// `node report.mjs PLAN` reads a plan as JSON: the page, what its numbers must be, where to leave pictures.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { launch, open } from "./browser.mjs";

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await launch();

const numberIn = (text) => Number(text.replaceAll(",", ""));
const exact = async (page) => numberIn(await page.locator("#exact").textContent());
const isOpen = (page) => page.locator("dialog#exchange").evaluate((dialog) => dialog.open);

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
    const shown = page.locator(`[data-count="${name}"]`);
    assert.equal(numberIn(await shown.textContent()), count, name);
  }
};

/// Each class, answer, server and kind of error that there is: the total is the one of the tables.
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
  assert.equal(await exact(page), plan.total);
};

const click_through = async (page) => {
  // A bar of the first screen filters the table.
  const bar = page.locator("#tonight a[href^='#exchanges?class=']").first();
  const count = numberIn(await bar.locator(".n").textContent());
  await bar.click();
  assert.equal(await exact(page), count, "the bar that was clicked");
  await page.goBack();
  assert.equal(await exact(page), plan.total, "back before the bar");

  // Choosing and searching.
  const select = page.locator("#by-server");
  const server = await select.locator("option").nth(1).getAttribute("value");
  await select.selectOption(server);
  const servers = await page.locator("#rows tbody tr td:nth-child(2)").allTextContents();
  assert.ok(servers.length > 0 && servers.every((name) => name === server), `${server}: ${servers}`);
  await page.locator("#clear").click();
  const key = (await page.locator("#rows tbody a").nth(1).getAttribute("data-key"));
  await page.locator("#q").fill(key);
  assert.equal(await page.locator("#rows tbody tr").count(), 1, "a key is found");
  await page.locator("#q").fill("no exchange says this");
  assert.equal(await page.locator("#rows tbody tr").count(), 0);
  await page.locator("#clear").click();

  // Sorting, both ways.
  const tools = () => page.locator("#rows tbody th a").allTextContents();
  const by_tool = page.locator("#rows thead th[data-sort=tool] button");
  await by_tool.click();
  assert.equal(await page.locator("#rows thead th[data-sort=tool]").getAttribute("aria-sort"), "ascending");
  const up = (await tools()).map((tool) => tool.toLowerCase());
  assert.deepEqual(up, [...up].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  await by_tool.click();
  assert.equal(await page.locator("#rows thead th[data-sort=tool]").getAttribute("aria-sort"), "descending");

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
  assert.equal(await page.evaluate(() => document.activeElement?.dataset?.key), opened, "focus");
  await page.goForward();
  await page.waitForFunction(() => document.querySelector("dialog#exchange").open);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog#exchange").open);
  assert.ok(!(await page.evaluate(() => location.hash)).startsWith("#exchange/"), "the address follows");

  // An address that was kept leads to its exchange.
  await page.evaluate((place) => { location.hash = place; }, `#exchange/${opened}`);
  await page.waitForFunction(() => document.querySelector("dialog#exchange").open);
  await page.locator("#close").click();
  assert.equal(await isOpen(page), false);
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
    assert.equal(await exact(page), plan.total, "all exchanges");
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

// On a phone nothing is wider than the screen.
const phone = await open(browser, plan.page, { viewport: { width: 390, height: 844 } });
const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth);
assert.ok(wide <= 390, `${wide} pixels wide`);
if (plan.pictures) await phone.page.screenshot({ path: `${plan.pictures}/phone.png`, fullPage: true });
const printed = await phone.page.pdf();
assert.equal(printed.subarray(0, 5).toString(), "%PDF-");

// Without script it can still be read.
const plain = await open(browser, plan.page, { javaScriptEnabled: false });
assert.ok((await plain.page.locator("h1").textContent()).length > 0);
if (plan.total > 0) assert.ok((await plain.page.locator("#rows tbody tr").count()) > 0);

// The theme is what one chooses, and forgotten.
const { page } = await open(browser, plan.page, { colorScheme: "light" });
const dark = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
await page.locator("#theme").click();
await page.locator("#theme").click();
assert.equal(await dark(), "dark");
await page.reload();
assert.equal(await dark(), "light dark");

await browser.close();
console.log("as a person would");
