// SPDX-License-Identifier: Apache-2.0
// Opens a report in Debian's chromium, light, dark, printed and without JavaScript: any request, console message or error
// fails, and so does anything serious that axe-core finds. Screenshots go to FOLDER, to be looked at.
//   node check.mjs REPORT.html FOLDER NODE_MODULES
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , report, folder, modules] = process.argv;
const require = createRequire(modules + "/");
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core");
const address = pathToFileURL(report).href;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const problems = [];

async function open(options, media) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => problems.push("console: " + message.text()));
  page.on("pageerror", (error) => problems.push("error: " + error.message));
  page.on("request", (request) => {
    if (request.url() !== address)
      problems.push("request: " + request.url());
  });
  if (media)
    await page.emulateMedia({ media });
  await page.goto(address);
  return page;
}

for (const [name, options, media] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["print", { colorScheme: "light" }, "print"],
  ["plain", { colorScheme: "light", javaScriptEnabled: false }],
]) {
  const page = await open(options, media);
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  const shown = await page.locator("h2").allTextContents();
  if (!shown.includes("Findings") || !shown.includes("Tests"))
    problems.push(name + ": parts are missing: " + shown.join(", "));
  if (name === "print" && (await page.locator("pre + button").first().isVisible().catch(() => false)))
    problems.push("print: buttons are printed");
  if (name === "plain" && (await page.locator("button").count()))
    problems.push("plain: buttons that do nothing");
  await page.context().close();
}

// Sorting, by keyboard; a closer look at the stacks.
const page = await open({ colorScheme: "light" });
const head = page.locator("table.sortable thead th button").first();
await head.focus();
await page.keyboard.press("Enter");
if ((await page.locator("table.sortable thead th").first().getAttribute("aria-sort")) !== "ascending")
  problems.push("the keyboard does not sort");
const nodes = page.locator("svg.icicle g.node");
if (await nodes.count()) {
  const before = await page.locator("svg.icicle").getAttribute("viewBox");
  await nodes.last().focus();
  await page.keyboard.press("Enter");
  if ((await page.locator("svg.icicle").getAttribute("viewBox")) === before)
    problems.push("the keyboard does not zoom");
}
await page.context().close();

for (const colorScheme of ["light", "dark"]) {
  const page = await open({ colorScheme, bypassCSP: true });
  await page.addScriptTag({ path: axe });
  const result = await page.evaluate(() => window.axe.run());
  for (const found of result.violations)
    if (found.impact === "serious" || found.impact === "critical")
      problems.push(`axe, ${colorScheme}: ${found.id}: ${found.nodes[0].html}`);
  await page.context().close();
}
await browser.close();
for (const problem of problems)
  console.log(problem);
process.exit(problems.length ? 1 : 0);
