// The viewer in a real browser: what a person sees and does.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(process.env.NODE_PATH + "/")("playwright-core");

const stacks = [
	"main;parse;read 300",
	"main;parse;malloc 100",
	"main;WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW;malloc 200",
	"main;<script>alert(1)</script>;]]>&\"x' 200",
	"idle 200",
].join("\n") + "\n";
const pink = "rgb(230,0,230)";

let folder, browser, page, errors;

function graph(text, ...options) {
	return execFileSync(process.env.FLAMEFOLD, ["graph", ...options, "-"],
			    { input: text, maxBuffer: 1 << 28 });
}

async function open(svg, query = "") {
	const file = join(folder, "graph.svg");

	writeFileSync(file, svg);
	await page.goto(pathToFileURL(file) + query);
}

function frame(name) {
	return page.locator("#frames > *", {
		has: page.locator("title", { hasText: new RegExp(`^${name} \\(`) }),
	});
}

async function box(name) {
	const rect = frame(name).locator("rect");
	const number = async (key) => Number(await rect.getAttribute(key));

	return [await number("x"), await number("width")];
}

async function pinkNames() {
	const hits = page.locator(`#frames > *:has(rect[fill="${pink}"]) title`);

	return hits.allTextContents();
}

async function searchFor(text, how = () => page.keyboard.press("Control+f")) {
	page.once("dialog", (dialog) => dialog.accept(text));
	await how();
}

function assertNear(actual, expected) {
	assert.ok(Math.abs(actual - expected) < 0.2, `${actual} is not ${expected}`);
}

before(async () => {
	folder = mkdtempSync(join(tmpdir(), "flamefold-"));
	browser = await chromium.launch({
		executablePath: process.env.CHROMIUM,
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
	});
	page = await browser.newPage({ viewport: { width: 1280, height: 400 } });
	errors = [];
	page.on("pageerror", (error) => errors.push(String(error)));
	page.on("console", (message) => errors.push(message.text()));
});

after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true, force: true });
});

test("every label fits its box", async () => {
	await open(graph(stacks));
	const wide = await page.evaluate(() =>
		[...document.querySelectorAll("#frames > *")].filter((g) =>
			g.querySelector("text").getComputedTextLength() >
			Number(g.querySelector("rect").getAttribute("width")) - 2)
			.map((g) => g.textContent));

	assert.deepEqual(wide, []);
	assert.match(await frame("W+").locator("text").textContent(), /^W+\.\.$/);
});

test("the frame under the pointer is described", async () => {
	await open(graph(stacks));
	await frame("malloc").first().hover();
	assert.equal(await page.textContent("#details"),
		     "Function: malloc (200 samples, 20.00%)");
	await page.mouse.move(5, 5);
	assert.equal(await page.textContent("#details"), " ");
});

test("a click zooms, and what the frame stands on is faded", async () => {
	await open(graph(stacks));
	assert.ok(!await page.isVisible("#unzoom"));
	await frame("parse").click();
	for (const name of ["all", "main", "parse"])
		assert.deepEqual(await box(name), [10, 1180]);
	assert.match(await frame("main").getAttribute("class"), /parent/);
	assert.ok(!/parent/.test(await frame("parse").getAttribute("class")));
	assert.ok(!await frame("idle").isVisible());
	assertNear((await box("read"))[1], 885);
	assert.equal(await frame("all").locator("text").textContent(), "all");
});

test("a reset restores every box", async () => {
	const boxes = () => page.evaluate(() =>
		[...document.querySelectorAll("#frames rect")].map((rect) =>
			["x", "y", "width", "fill"].map((key) => {
				const value = rect.getAttribute(key);

				return key === "fill" ? value : Number(value);
			})));

	await open(graph(stacks));
	const first = await boxes();

	for (const reset of [
		() => page.click("#unzoom"),
		() => page.keyboard.press("Escape"),
		() => frame("all").click(),
	]) {
		await frame("parse").click();
		assert.notDeepEqual(await boxes(), first);
		await reset();
		assert.deepEqual(await boxes(), first);
		assert.ok(!await page.isVisible("#unzoom"));
		assert.equal(new URL(page.url()).search, "");
	}
});

test("a click on a faded frame zooms out to it", async () => {
	await open(graph(stacks));
	await frame("read").click();
	await frame("main").click();
	assert.deepEqual(await box("main"), [10, 1180]);
	assert.ok(await frame("parse").isVisible());
	assert.ok(!await frame("idle").isVisible());
});

test("a search marks frames and says which share they have", async () => {
	await open(graph(stacks));
	await searchFor("^malloc$");
	assert.equal((await pinkNames()).length, 2);
	assert.equal(await page.textContent("#matched"), "Matched: 30.0%");
	assert.equal(await page.textContent("#search"), "Reset Search");
	await page.keyboard.press("F3");
	assert.deepEqual(await pinkNames(), []);
	assert.ok(!await page.isVisible("#matched"));
});

test("frames on top of matches do not count again", async () => {
	await open(graph(stacks));
	await searchFor("parse|read", () => page.click("#search"));
	assert.equal(await page.textContent("#matched"), "Matched: 40.0%");
});

test("what zoom hides does not count", async () => {
	await open(graph(stacks));
	await searchFor("malloc");
	await frame("parse").click();
	assert.equal(await page.textContent("#matched"), "Matched: 25.0%");
});

test("Ctrl-I searches without regard to case", async () => {
	await open(graph(stacks));
	await searchFor("MALLOC");
	assert.equal((await pinkNames()).length, 0);
	await page.keyboard.press("Control+i");
	assert.equal((await pinkNames()).length, 2);
});

test("an expression that is none is said to be none", async () => {
	await open(graph(stacks));
	await searchFor("(");
	assert.match(await page.textContent("#matched"), /Not a regular expression/);
	assert.deepEqual(await pinkNames(), []);
	await page.keyboard.press("F3");
	await searchFor("read");
	assert.equal((await pinkNames()).length, 1);
});

test("the address restores zoom and search", async () => {
	const svg = graph(stacks);

	await open(svg);
	await frame("parse").click();
	await searchFor("mall?oc +|read");
	const { search } = new URL(page.url());

	await open(svg, search);
	assert.deepEqual(await box("parse"), [10, 1180]);
	assert.equal((await pinkNames()).length, 3);
	await open(svg, "?x=1&y=2&s=%5B");
	assert.ok(!await page.isVisible("#unzoom"));
});

test("frames and buttons work from the keyboard", async () => {
	await open(graph(stacks));
	await frame("parse").focus();
	assert.match(await page.textContent("#details"), /parse/);
	await page.keyboard.press("Enter");
	assert.deepEqual(await box("parse"), [10, 1180]);
	await page.focus("#unzoom");
	await page.keyboard.press("Enter");
	assertNear((await box("parse"))[1], 472);
});

test("an icicle graph zooms towards its root", async () => {
	await open(graph(stacks, "--inverted"));
	await frame("parse").click();
	assert.match(await frame("main").getAttribute("class"), /parent/);
	assertNear((await box("read"))[1], 885);
});

test("nothing of all this is reported as an error", () => {
	assert.deepEqual(errors, []);
});

test("the picture looks the same without script and style", async () => {
	const svg = graph("main;parse 700\nmain;read 300\n");
	const site = "http://flamefold.test/";
	const shot = async (headers) => {
		await page.route(`${site}**`, (route) => route.fulfill({
			body: svg, contentType: "image/svg+xml", headers }));
		await page.goto(`${site}graph.svg`);
		await page.unroute(`${site}**`);
		return page.screenshot();
	};
	const blocked = await shot({ "Content-Security-Policy": "default-src 'none'" });

	assert.ok(errors.some((text) => /Content Security Policy/.test(text)));
	assert.ok(blocked.equals(await shot({})));
});
