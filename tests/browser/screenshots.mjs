// Pictures of the viewer for Documentation/viewer.md:
//
//	NODE_PATH=build/deps/node/node_modules node tests/browser/screenshots.mjs GRAPH.svg FOLDER [FUNCTION]
//
// GRAPH.svg is any graph flamefold wrote; FUNCTION is looked for and merged around.
import { createRequire } from "node:module";
import { resolve, join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(`${resolve(process.env.NODE_PATH)}/`)("playwright-core");
const [file, folder, name = "malloc"] = process.argv.slice(2);
const address = pathToFileURL(resolve(file)).href;
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
});

// The widest frame that is neither the root nor a process, deep enough to have something above.
const widest = () => {
	const rects = [...document.querySelectorAll("#tree rect")]
		.filter((rect) => Number(rect.getAttribute("aria-level")) === 5);

	return rects.sort((a, b) => b.getAttribute("width") - a.getAttribute("width"))[0].getBoundingClientRect().toJSON();
};

async function picture(title, { width = 1200, height = 430, dark, scale = 1 } = {}, run = () => {}) {
	const page = await browser.newPage({
		viewport: { width, height }, deviceScaleFactor: scale, colorScheme: dark ? "dark" : "light",
	});

	await page.goto(address);
	await page.waitForSelector("[data-ready]", { state: "attached" });
	await run(page);
	await page.waitForTimeout(300);
	await page.screenshot({ path: join(folder, `${title}.png`) });
	await page.close();
}

const search = (page, text) => page.fill("#search", text);

await picture("first");
await picture("dark", { dark: true });
await picture("phone", { width: 320, height: 568 });
await picture("darkphone", { width: 320, height: 568, dark: true });
await picture("wide", { width: 3840, height: 430 });
await picture("zoom", {}, async (page) => {
	const { x, y } = await page.evaluate(widest);

	await page.mouse.click(x + 10, y + 7);
});
await picture("search", {}, (page) => search(page, name));
await picture("callees", {}, (page) => page.selectOption("#merging", "callees"));
await picture("around", {}, async (page) => {
	await search(page, name);
	await page.press("#search", "Enter");
});
await picture("table", {}, (page) => page.selectOption("#shown", "Both"));
await picture("self", {}, (page) => page.selectOption("#colours", "Self"));
await picture("icicle", {}, (page) => page.click("[aria-label='Root at the top or bottom']"));
await picture("steps", {}, async (page) => {
	await search(page, name);
	await page.selectOption("#onhits", "k");
	await page.keyboard.press("Escape");
	await page.keyboard.press("w");
});
await picture("help", { height: 750 }, (page) => page.keyboard.press("?"));
await browser.close();
