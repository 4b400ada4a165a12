// A browser with nothing of its own: no network, no profile, no services.
import { chromium } from "playwright-core";

export const launch = () =>
  chromium.launch({
    executablePath: process.env.TAPECHECK_BROWSER ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });

/// A page opened from disk; whatever it complains about is kept.
export const open = async (browser, file, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  // Minutes, not seconds: other tests have the machine as well.
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", async (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) complaints.push(`a request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  return { page, complaints, context };
};
