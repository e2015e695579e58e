// node chart.mjs FILE: how long the chart takes in a browser: until it is there, until the document is read, too,
// a zoom, all of the time again (ms).
import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_PATH}/`);
const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });

page.setDefaultTimeout(900_000);
const begin = Date.now();

/* The viewer shows the chart and takes keys before all of the document has been read. */
await page.goto(`file://${process.argv[2]}`, { waitUntil: "commit" });
await page.waitForSelector("svg[data-ready]");
const figures = [Date.now() - begin];

await page.waitForLoadState("load");
figures.push(Date.now() - begin);

for (const key of ["+", "0"])
	figures.push(await page.evaluate((key) => new Promise((done) => {
		const begin = performance.now();

		dispatchEvent(new KeyboardEvent("keydown", { key }));
		requestAnimationFrame(() => requestAnimationFrame(() => done(Math.round(performance.now() - begin))));
	}), key));
console.log(figures.join(" "));
await browser.close();
