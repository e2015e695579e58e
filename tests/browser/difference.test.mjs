// What flamefold diff draws, in a browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { frame, frames, hoverFrame, openBrowser } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;

// [title without its figures, fill] of the static picture's frames.
const painted = (svg) => [...svg.matchAll(/<title>([^<]*) \([^(<]*<\/title><rect [^>]*fill="([^"]*)"/g)]
	.map(([, name, fill]) => [name, fill]).sort();
const drawn = async (page) => (await frames(page)).map(({ name, fill }) => [name, fill]).sort();
const text = (page, id) => page.locator(`#${id}`).textContent();

const before = "main;run;parse 1000\nmain;run;read 3000\nmain;old;x 500\nidle 401\n";
const after = "main;run;parse 1500\nmain;run;read 2900\nmain;fresh;y 600\nidle 400\n";
const grey = "rgb(217,217,217)";

function difference(a, b, ...options) {
	const folder = mkdtempSync(join(tmpdir(), "difference-"));
	const [one, other] = [a, b].map((stacks, i) => {
		const path = join(folder, `${"ab"[i]}.folded`);

		writeFileSync(path, stacks);
		return path;
	});

	try {
		return execFileSync(process.env.FLAMEFOLD, ["diff", "-q", "-o", "-", "-f", "svg", ...options, one, other],
				    { maxBuffer: 1 << 28 }).toString();
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test("boxes are as wide as the larger side, and coloured by what noise does not explain", { always: true }, async () => {
	const svg = difference(before, after), page = await browser.open(svg);
	const [fresh, old, parse] = await Promise.all(["fresh", "old", "parse"].map((name) => frame(page, name)));

	assert.deepEqual(await drawn(page), painted(svg));
	assert.equal(fresh.fill, "rgb(230,97,1)");
	assert.ok(old.width > 0.08 * 1180);
	assert.notEqual(parse.fill, grey);
	assert.equal((await frame(page, "idle")).fill, grey);
	assert.equal((await frame(page, "all")).fill, grey);
});

test("what is said of a box is both sides, the difference and its noise", async () => {
	const page = await browser.open(difference(before, after));

	await hoverFrame(page, "fresh");
	assert.match(await text(page, "details"), /^fresh A 0 % · B 11\.1 % · ▲ \+11\.1 % ± [\d.]+ % · q /);
	await hoverFrame(page, "old");
	assert.match(await text(page, "details"), /^old A 10\.2 % · B 0 % · ▼ -10\.2 % ±/);
	await hoverFrame(page, "idle");
	assert.match(await text(page, "details"), /· q [\d.]+ · noise/);
});

test("a sign is in the label, what is new is outlined, and what is gone hatched", async () => {
	const page = await browser.open(difference(before, after));
	/* Is it within what a path is drawn over? */
	const isIn = async (id, name) => {
		const { x, y, width } = await frame(page, name);

		return page.evaluate(([id, x, y]) => document.querySelector(`#${id}`).isPointInFill(new DOMPoint(x, y)),
				     [id, x + width / 2, y + 5]);
	};

	assert.match((await frame(page, "fresh")).label, /^fresh ▲11\.1/);
	assert.match((await frame(page, "read")).label, /^read ▼7\.5/);
	assert.equal((await frame(page, "idle")).label, "idle");
	for (const [name, isNew, isGone] of [["fresh", true, false], ["y", true, false], ["old", false, true],
		["x", false, true], ["read", false, false], ["idle", false, false]])
		assert.deepEqual([await isIn("new", name), await isIn("gone", name)], [isNew, isGone], name);
});

test("a profile compared with itself is grey", async () => {
	const page = await browser.open(difference(before, before));

	for (const name of ["main", "parse", "old", "idle"])
		assert.equal((await frame(page, name)).fill, grey);
});

test("swapped sides swap the colours", async () => {
	const page = await browser.open(difference(after, before));

	assert.equal((await frame(page, "fresh")).fill, "rgb(94,155,216)");
	await hoverFrame(page, "old");
	assert.match(await text(page, "details"), /▲ \+10\.2 %/);
});

test("the legend has numbers", async () => {
	const page = await browser.open(difference(before, after));

	assert.deepEqual(await page.locator("#legend span").allTextContents(),
			 ["less, up to ▼11.1 %", "no more than noise", "more, up to ▲11.1 %", "new", "gone", "moved within it"]);
});
