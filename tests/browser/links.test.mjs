// Addresses: what they keep, and what becomes of those that are odd.
import assert from "node:assert/strict";
import { clickFrame, facts, frames, graph, near, openBrowser, searchFor } from "./page.mjs";

const stacks = "main;parse;read 300\nmain;parse;malloc 100\nmain;write;malloc 200\nidle 200\n";
const browser = openBrowser();
const { test } = browser;
const address = (page) => page.evaluate(() => location.href);
const text = (page, id) => page.textContent(`#${id}`);
const fresh = async (page, address) => {
	await page.goto("about:blank");
	await page.goto(address);
	await page.waitForSelector("[data-ready]", { state: "attached" });
};

// The boxes of a name, from left to right.
const boxes = async (page, name) => (await frames(page)).filter((one) => one.name === name).sort((a, b) => a.x - b.x);
const clickBox = async (page, { x, y, width }) => {
	const all = await page.locator("#frames").boundingBox();

	await page.mouse.click(all.x + x + width / 2, all.y + y + 7);
};

test("in a flame chart Back, Forward and links lead to the box that was meant", async () => {
	const page = await browser.open(graph("b;x 10\na 20\nb;y 30\na 15\nb;z 25\n", "--flamechart"));
	const shown = async () => (await frames(page)).map(({ says }) => says);

	await clickBox(page, (await boxes(page, "b"))[1]);

	const second = await shown(), link = await address(page);

	assert.ok(second.some((says) => /^y /.test(says)));
	await page.keyboard.press("0");
	await clickBox(page, (await boxes(page, "b"))[2]);
	assert.ok((await shown()).some((says) => /^z /.test(says)));
	await page.goBack();
	await page.goBack();
	assert.deepEqual(await shown(), second);
	await fresh(page, link);
	assert.deepEqual(await shown(), second);
});

test("what a server was asked for stays in the address", async () => {
	const page = await browser.open(graph(stacks), "?file=graph.svg&raw");

	await clickFrame(page, "parse");
	assert.match(await address(page), /\?file=graph\.svg&raw#z=/);
	await fresh(page, await address(page));
	near((await boxes(page, "parse"))[0].width, 1180);
	/* The place in an old link is not that of this one. */
	await browser.open(graph(stacks), "?x=1&y=2&s=read");
	await clickFrame(page, "parse");
	assert.match(await address(page), /graph\.svg#z=/);
});

test("what a link cannot mean is left out, and all else of it holds", async () => {
	for (const [hash, kind, look, panes] of [
		["#c=Palette&g=Both", "callers", "Module", "Both"], ["#o=nothing&c=Name", "callers", "Name", "Graph"],
		["#g=nothing&o=callees", "callees", "Module", "Graph"], ["#s=(&o=callees&c=Self&g=Both", "callees", "Self", "Both"],
	]) {
		const page = await browser.open(graph(stacks), hash);

		assert.deepEqual(await page.evaluate(() => ["merging", "colours", "shown"].map((id) => document.querySelector(`#${id}`).value)),
				 [kind, look, panes], hash);
		assert.equal((await facts(page)).view, kind);
		assert.ok((await frames(page)).length > 3, hash);
		assert.equal(/regular expression|parenthetical/.test(await text(page, "matched")), /s=\(/.test(hash), hash);
	}
});

test("a link with a step that is none says so", async () => {
	const page = await browser.open(graph(stacks), "#t=k:(");

	assert.match(await text(page, "status"), /regular expression|parenthetical/);
	assert.equal((await frames(page)).length, 8);
});

test("keys that leave the zoom change the address, too", async () => {
	const page = await browser.open(graph(stacks));

	await clickFrame(page, "parse");
	await page.mouse.move(5, 590);
	await page.keyboard.press("ArrowRight");
	assert.match(await text(page, "details"), /write \S+ % of all · 200 samples/);

	const { zoom } = await facts(page);

	await fresh(page, await address(page));
	assert.equal((await facts(page)).zoom, zoom);
});

test("more roots than a call can have arguments", async () => {
	const page = await browser.open(graph(Array.from({ length: 200000 }, (_, i) => `f${i} 1\n`).join("")));

	assert.equal((await facts(page)).nodes, 200001);
	assert.match(await text(page, "details"), /all 100 % of all · 200 k samples/);
	await browser.open(graph(Array.from({ length: 200000 }, (_, i) => `f${i} 1\n`).join("")), "?x=10.0&y=37");
	await searchFor(page, "^f17$");
	assert.equal((await facts(page)).match.hits, 1);
});

test("nothing of all this is an error or a request", browser.quiet);
