// Pictures of the viewer for Documentation/viewer.md:
//
//	NODE_PATH=build/deps/node/node_modules node tests/browser/screenshots.mjs GRAPH.svg FOLDER [FUNCTION [DARK.svg [WIDE.svg]]]
//
// GRAPH.svg is any graph flamefold wrote; FUNCTION is looked for and merged around. What is dark and
// what is wide can be other graphs. Of a difference there are those of diff.md, and FUNCTION is pointed at.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve, join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(`${resolve(process.env.NODE_PATH)}/`)("playwright-core");
const [file, folder, name = "malloc", darkFile = file, wideFile = file] = process.argv.slice(2);
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

async function picture(title, { width = 1200, height = 600, dark, scale = 1, of = file } = {}, run = () => {}) {
	const page = await browser.newPage({
		viewport: { width, height }, deviceScaleFactor: scale, colorScheme: dark ? "dark" : "light",
	});

	await page.goto(pathToFileURL(resolve(of)).href);
	await page.waitForSelector("[data-ready]", { state: "attached" });
	await run(page);
	await page.waitForTimeout(300);
	await page.screenshot({ path: join(folder, `${title}.png`) });
	await page.close();
}

const search = (page, text) => page.fill("#search", text);

async function pointAt(page, name) {
	const box = await page.evaluate((name) => [...document.querySelectorAll("#tree rect")]
		.filter((rect) => rect.getAttribute("aria-label")?.startsWith(`${name} `))
		.sort((a, b) => b.getAttribute("width") - a.getAttribute("width"))[0].getBoundingClientRect().toJSON(), name);

	await page.mouse.move(box.x + Math.min(20, box.width / 2), box.y + 7);
}

if (readFileSync(file, "utf8").includes("data-scale=")) {
	await picture("diff", {}, (page) => pointAt(page, name));
	await picture("diffpanels", { height: 640 }, async (page) => {
		await page.keyboard.press("p");
		await pointAt(page, name);
	});
	await picture("diffdark", { dark: true }, (page) => page.selectOption("#shown", "Both"));
	await browser.close();
	process.exit();
}

await picture("first");
await picture("dark", { dark: true, of: darkFile });
await picture("phone", { width: 390, height: 700 });
await picture("darkphone", { width: 390, height: 700, dark: true });
await picture("wide", { width: 2560, height: 800, of: wideFile });
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
await picture("help", { height: 900 }, (page) => page.keyboard.press("?"));
await browser.close();
