// Along the width, freely: wheel, drag, keys, the small picture of all, and the address.
import assert from "node:assert/strict";
import { addressOf, clickFrame, facts, frame, frames, graph, near, openBrowser, placeOf } from "./page.mjs";

const stacks = "main;parse;read 300\nmain;parse;malloc 100\nmain;write;malloc 200\nmain;write 200\nidle 200\n";
const browser = openBrowser();
const { test } = browser;
const windowOf = (page) => page.evaluate(() =>
	document.querySelector("svg[data-flamefold]").dataset.window.split(",").map(Number));
const changed = (page, was) => page.waitForFunction((was) =>
	document.querySelector("svg[data-flamefold]").dataset.window !== was, String(was));
const length = (page) => page.evaluate(() => history.length);

async function wheel(page, ...by) {
	const was = await windowOf(page);

	await page.mouse.wheel(...by);
	await changed(page, was);
}

test("a wheel zooms around the pointer, and what is there stays there", async () => {
	const page = await browser.open(graph(stacks));
	const [x, y] = await placeOf(page, "write");
	const before = await length(page);

	await page.mouse.move(x, y);
	for (let i = 0; i < 4; i++)
		await wheel(page, 0, -100);

	const [from, to] = await windowOf(page);

	near(from + (x - 10) / 1180 * (to - from), (x - 10) / 1180, 0.001);
	assert.ok(to - from < 0.3);
	/* What is cut off has the width that is left of it, and its label is in sight. */
	near((await frame(page, "all")).width, 1180);
	near((await frame(page, "main")).width + (await frame(page, "main")).x, 1190);
	assert.equal(await frame(page, "idle"), undefined);
	/* One entry of the history, however often the wheel is turned. */
	assert.equal(await length(page), before + 1);
	await page.goBack();
	await page.waitForFunction(() => document.querySelector("svg[data-flamefold]").dataset.window === "0,1");
	await page.goForward();
	await page.waitForFunction((was) => document.querySelector("svg[data-flamefold]").dataset.window === was, `${from},${to}`);
	await page.keyboard.press("0");
	assert.deepEqual(await windowOf(page), [0, 1]);
	assert.equal((await frames(page)).length, 8);
});

test("with Shift, or to the side, a wheel moves, as a drag does, and a drag is no click", async () => {
	const page = await browser.open(graph(stacks));

	await clickFrame(page, "parse");
	const [left, right] = await windowOf(page);
	const [x, y] = await placeOf(page, "parse");

	await page.mouse.move(x, y);
	await wheel(page, 120, 0);
	const [from, to] = await windowOf(page);

	near(to - from, right - left, 0.0001);
	near(from - left, 120 / 1180 * (right - left), 0.0001);
	await page.mouse.down();
	await page.mouse.move(x + 100, y, { steps: 4 });
	await page.mouse.up();
	near((await windowOf(page))[0] - from, -100 / 1180 * (right - left), 0.0001);
	assert.ok((await frames(page)).some(({ name }) => name === "main"));
	await page.mouse.move(x, y);
	await page.keyboard.down("Shift");
	await page.mouse.wheel(0, -5000);
	await page.waitForFunction(() => document.querySelector("svg[data-flamefold]").dataset.window.startsWith("0,"));
	await page.keyboard.up("Shift");
});

test("keys do the same, and the address keeps it", async () => {
	const page = await browser.open(graph(stacks));

	await page.keyboard.press("ArrowUp");
	for (const key of ["+", "+", "]"])
		await page.keyboard.press(key);
	const shown = await windowOf(page), seen = await frames(page), { hash } = new URL(await addressOf(page));

	assert.ok(shown[1] - shown[0] < 0.5);
	await page.goto("about:blank");
	await page.goto(browser.write(graph(stacks), "again.svg") + hash);
	await page.waitForSelector("[data-ready]", { state: "attached" });
	assert.deepEqual(await windowOf(page), shown);
	assert.deepEqual((await frames(page)).map(({ name, x, width }) => [name, x, width]), seen.map(({ name, x, width }) => [name, x, width]));
	await page.click("#unzoom");
	assert.deepEqual(await windowOf(page), [0, 1]);
});

test("the small picture of all shows which part is seen, and moves it", async () => {
	const page = await browser.open(graph(stacks));
	const map = await page.locator("#minimap").boundingBox();
	const part = () => page.locator("#shownpart").boundingBox();
	const pixels = () => page.evaluate(() => {
		const map = document.querySelector("#map");
		const { data } = map.getContext("2d").getImageData(0, map.height - 2, map.width, 1);

		return data.filter((_, i) => i % 4 === 3 && data[i] === 255).length / map.width;
	});
	const at = (share) => [map.x + share * map.width, map.y + 20];

	/* It is drawn after the graph; before that a canvas is 300 pixels wide. */
	await page.waitForFunction(() => document.querySelector("#map").width > 300);
	near(await pixels(), 1, 0.01);
	assert.ok(!await page.isVisible("#shownpart"));
	await clickFrame(page, "malloc");
	const [from, to] = await windowOf(page);

	near((await part()).x, map.x + from * map.width, 2);
	near((await part()).width, (to - from) * map.width, 3);
	await page.mouse.click(...at(0.1));
	near((await windowOf(page))[0], 0.1 - (to - from) / 2, 0.003);
	await page.mouse.move(...at(0.1));
	await page.mouse.down();
	await page.mouse.move(...at(0.5), { steps: 3 });
	await page.mouse.up();
	near((await windowOf(page))[0], 0.5 - (to - from) / 2, 0.003);
	await page.keyboard.press("0");
	await page.mouse.move(...at(0.2));
	await page.mouse.down();
	await page.mouse.move(...at(0.6), { steps: 3 });
	await page.mouse.up();
	near((await windowOf(page))[0], 0.2, 0.003);
	near((await windowOf(page))[1], 0.6, 0.003);
});

test("boxes that were too thin come into sight, and the document stays small", async () => {
	const many = Array.from({ length: 20000 }, (_, i) => `main;f${String(i).padStart(5, "0")};leaf 1\n`).join("");
	const page = await browser.open(graph(many));

	await page.mouse.move(...await placeOf(page, "main"));
	for (let i = 0; i < 8; i++)
		await wheel(page, 0, -200);
	assert.ok((await frames(page)).filter(({ name }) => /^f\d{5}$/.test(name)).length > 20);
	assert.ok(await page.evaluate(() => document.querySelectorAll("*").length) < 8000);
});

test("a page that scrolls keeps its wheel; with Ctrl it is the graph's", async () => {
	const page = await browser.newPage();
	const svg = graph(stacks).replace(/^<\?xml[^>]*\?>\s*/, "");

	await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><div style="width:900px">${svg}</div><p style="height: 3000px">long</p>`, "host.html"));
	await page.waitForSelector("[data-ready]", { state: "attached" });
	await page.mouse.move(...await placeOf(page, "write"));
	await page.mouse.wheel(0, 50);
	await page.waitForFunction(() => scrollY > 0);
	assert.deepEqual(await windowOf(page), [0, 1]);
	await page.evaluate(() => scrollTo(0, 0));
	await page.mouse.move(...await placeOf(page, "write"));
	await page.keyboard.down("Control");
	await wheel(page, 0, -200);
	await page.keyboard.up("Control");
	assert.equal(await page.evaluate(() => scrollY), 0);
	await page.close();
});

test("two fingers keep what they hold, and one that stays goes on", { notInFirefox: "touches come through CDP" }, async () => {
	const page = await browser.newPage({ viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true });

	await browser.open(graph("a 40\nb 20\nc 40\n", "-f", "html"), "", "graph.html", page);

	const client = await page.context().newCDPSession(page);
	const { y } = await page.locator("#frames").boundingBox();
	const touch = async (type, ...places) => {
		await client.send("Input.dispatchTouchEvent", { type, touchPoints: places.map(([x, id]) => ({ x, y: y + 8, id })) });
		/* Moves come with the next frame. */
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	};
	const window = async () => (await page.getAttribute("svg[data-flamefold]", "data-window")).split(",").map(Number);
	const at = async (x) => {
		const [from, to] = await window();

		return from + (to - from) * (x - 10) / 370;
	};
	const held = [await at(150), await at(240)];

	await touch("touchStart", [150, 0]);
	await touch("touchStart", [150, 0], [240, 1]);
	for (const by of [20, 40, 60])
		await touch("touchMove", [150 - by, 0], [240 + by / 2, 1]);
	near(await at(90), held[0], 0.001);
	near(await at(270), held[1], 0.001);

	const [from, to] = await window();

	near(to - from, 0.5, 0.001);
	await touch("touchEnd", [270, 1]);
	await touch("touchMove", [110, 0]);
	await touch("touchMove", [130, 0]);
	near(await at(130), held[0], 0.001);
	await touch("touchEnd", [130, 0]);
	/* It was no tap. */
	near((await window())[1] - (await window())[0], 0.5, 0.001);
	assert.equal((await facts(page)).zoom, "");
	await page.close();
});

test("nothing of all this is an error or a request", browser.quiet);
