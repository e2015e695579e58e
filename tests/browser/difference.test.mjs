// What flamefold diff draws, in a browser.
import assert from "node:assert/strict";
import { addressOf, clickFrame, difference, facts, frame, frames, graph, hoverFrame, near, openBrowser, searchFor } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;

// [title without its figures, fill] of the static picture's frames.
const painted = (svg) => [...svg.matchAll(/<title>([^<]*) \([^(<]*<\/title><rect [^>]*fill="([^"]*)"/g)]
	.map(([, name, fill]) => [name, fill]).sort();
const drawn = async (page) => (await frames(page)).map(({ name, fill }) => [name, fill]).sort();
const text = (page, id) => page.textContent(`#${id}`);
// How many of these are seen.
const seen = (page, selector) => page.evaluate((selector) => [...document.querySelectorAll(selector)]
	.filter((one) => one.getClientRects().length).length, selector);

const before = "main;run;parse 1000\nmain;run;read 3000\nmain;old;x 500\nidle 401\n";
const after = "main;run;parse 1500\nmain;run;read 2900\nmain;fresh;y 600\nidle 400\n";
const grey = "rgb(217,217,217)";

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

test("panels begin at the top where the root is there", async () => {
	const page = await browser.open(difference(before, after));

	await page.keyboard.press("p");
	await page.keyboard.press("i");
	await page.waitForSelector("#app.down");

	const [panel, drawing] = await page.evaluate(() => [".panel", ".panel svg"].map((name) =>
		document.querySelector(name).getBoundingClientRect().top));

	near(drawing, panel, 1);
});

test("what is said of a box is both sides, the difference and its noise", async () => {
	const page = await browser.open(difference(before, after));

	await hoverFrame(page, "fresh");
	assert.match(await text(page, "details"), /^fresh A 0 % · B 11\.1 % · ▲ \+11\.1 % ± [\d.]+ % · q /);
	await hoverFrame(page, "old");
	assert.match(await text(page, "details"), /^old A 10\.2 % · B 0 % · ▼ -10\.2 % ±/);
	await hoverFrame(page, "idle");
	assert.match(await text(page, "details"), /· q [\d.]+ · noise/);
	/* What was counted is below that, for all to see. */
	assert.match(await page.evaluate(() => document.querySelector("#about").innerText), /\nA [\d,]+ · B [\d,]+ samples/);
	assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id).filter((id, k, all) => all.indexOf(id) < k)), []);
	await hoverFrame(page, "all");
	assert.doesNotMatch(await text(page, "details"), /noise/);
});

test("own values have a q of their own; what was not measured says what its interval is from", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter));
	const { rows } = JSON.parse(difference(deepBefore, deepAfter, "--table=json", "-o", "/dev/null"));
	const said = async (name) => {
		await hoverFrame(page, name);
		return text(page, "details");
	};
	/* Only what has changed is listed: of `parse` its own value, and what it calls. */
	const { self_q: q, self_delta: delta } = rows.find(({ symbol }) => symbol === "parse");
	const [, points, own] = /self A .* ▲ \+([\d.]+) % ± [\d.]+ % · q ([\d.e-]+) /.exec(await said("parse"));

	near(parseFloat(points), 100 * delta, 0.06);
	near(Math.log10(own), Math.log10(q), 0.12);
	assert.match(await said("idle"), /self A .* · q [\d.]+ · noise · [\d.]+ % would have been found/);
	assert.doesNotMatch(await said("idle"), /by samples/);
	await hoverFrame(page, "alloc");
	assert.match(await text(page, "more"), /all 5 places: A .* · q [\d.e-]+ by samples/);
	await page.selectOption("#merging", "callees");
	assert.match(await said("alloc"), /^alloc A .* ± [\d.]+ % by samples, no q/);
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

/* Three functions call each other in other ways on the two sides. */
const deepBefore = `${before}main;run;parse;alloc 700\nmain;run;read;alloc 400\nidle;alloc 300\nmain;old;x;alloc 200\n`;
const deepAfter = `${after}main;run;parse;alloc 200\nmain;run;read;alloc 900\nidle;alloc 300\nmain;fresh;y;alloc 100\n`;

const shapes = async (page) => (await frames(page)).map(({ name, x, y, width }) =>
	[name, Math.round(x), Math.round(y), Math.round(width)]);
const press = async (page, ...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
};
const withoutFocus = (page) => page.evaluate(() => document.activeElement?.blur?.());

for (const [what, act] of Object.entries({
	"callers first": () => {},
	"callees first": (page) => page.selectOption("#merging", "callees"),
	"merged around": async (page) => {
		await searchFor(page, "^alloc$");
		await page.press("#search", "Enter");
		await searchFor(page, "");
		await withoutFocus(page);
	},
	"the widest first": (page) => press(page, "b"),
	"with the root at the top": (page) => press(page, "i"),
	"zoomed": (page) => clickFrame(page, "run"),
	"without a function": async (page) => {
		await searchFor(page, "^parse$");
		await page.selectOption("#onhits", "h");
		await searchFor(page, "");
		await withoutFocus(page);
	},
}))
	test(`A and B alone are as wide and in the order of a graph of them: ${what}`, async () => {
		for (const [key, stacks] of [["1", deepBefore], ["2", deepAfter]]) {
			const plain = await browser.open(graph(stacks));

			await withoutFocus(plain);
			await act(plain);

			const expected = await shapes(plain), { height } = await plain.locator("#stage").boundingBox();
			const page = await browser.open(difference(deepBefore, deepAfter));

			await withoutFocus(page);
			await press(page, key);
			await act(page);

			/* What is above the graph may be higher by a row. */
			const shift = (all) => all.map(([name, x, y, width]) => [name, x, y - all[0][2], width]);

			assert.ok(height > 0 && expected.length > 4);
			assert.deepEqual(shift(await shapes(page)), shift(expected), key);
		}
	});

test("the difference has what the larger side has, and what is gone what A alone has", async () => {
	const page = await browser.open(difference(before, after));
	const widthOf = async (name) => (await frame(page, name))?.width;
	const all = 5400 / 4901, sum = 1500 + 3000 * all + 500 * all + 600 + 401 * all;

	near(await widthOf("parse"), 1180 * 1500 / sum, 1);
	near(await widthOf("read"), 1180 * 3000 * all / sum, 1);
	near(await widthOf("x"), 1180 * 500 * all / sum, 1);
	near(await widthOf("y"), 1180 * 600 / sum, 1);
	await press(page, "4");
	assert.deepEqual((await frames(page)).map(({ name }) => name), ["all", "main", "old", "x"]);
	near(await widthOf("x"), 1180);
	await hoverFrame(page, "old");
	assert.match(await text(page, "details"), /gone of it: 10\.2 %/);
	await press(page, "3");
	near(await widthOf("x"), 1180 * 500 * all / sum, 1);
});

test("where nothing is gone that is said", async () => {
	const page = await browser.open(difference("a 100\n", "a 90\nb 10\n"));

	await press(page, "4");
	assert.equal(await text(page, "status"), "Nothing of A is gone");
	assert.deepEqual((await frames(page)).map(({ name }) => name), ["all"]);
});

test("sides are chosen with buttons, too, which say which one it is", async () => {
	const page = await browser.open(difference(before, after));
	const pressed = () => page.evaluate(() => [...document.querySelectorAll("[id^=side-][aria-pressed=true]")]
		.map((one) => one.textContent));

	assert.deepEqual(await pressed(), ["Difference"]);
	for (const side of ["A", "B", "Gone", "Difference", "Panels"]) {
		await page.click(`#controls button:text-is('${side}')`);
		assert.deepEqual(await pressed(), [side]);
	}
	await page.click("#controls button:text-is('Panels')");
	assert.deepEqual(await pressed(), ["Difference"]);
});

test("the side, the panels and what colours go by are in the link; what cannot be is left out", async () => {
	const svg = difference(before, after), page = await browser.open(svg);

	await press(page, "1", "s");
	assert.match(await addressOf(page), /#b=A&e=1$/);

	const shown = await shapes(page), colours = await drawn(page);
	const again = await browser.open(svg, "#b=A&e=1");

	assert.deepEqual(await shapes(again), shown);
	assert.deepEqual(await drawn(again), colours);
	await browser.open(svg, "#a=1");
	assert.equal(await seen(page, ".panel"), 2);
	for (const link of ["#b=__proto__", "#b=C", "#b=constructor&a="]) {
		await browser.open(svg, link);
		assert.equal((await frames(page)).length, 10);
	}
	/* A graph of one profile has no sides. */
	await browser.open(graph(before), "#b=A&e=1&a=1&k=Delta");
	assert.equal((await frames(page)).length, 8);
	await page.selectOption("#shown", "Both");
	await page.goBack();
});

test("colours go by own values with s, and S merges around a function", async () => {
	const page = await browser.open(difference("main;work 1000\nmain 4000\n", "main;work 3000\nmain 2000\n"));

	assert.equal((await frame(page, "main")).fill, grey);
	assert.match((await frame(page, "work")).label, /▲40\.0%/);
	await press(page, "s");
	assert.match((await frame(page, "main")).label, /^main ▼40\.0%/);
	assert.equal((await frame(page, "main")).fill, "rgb(94,155,216)");
	assert.equal((await page.locator("#legend span").allTextContents())[0], "self less, up to ▼40.0 %");
	await press(page, "s");
	assert.equal((await frame(page, "main")).fill, grey);
	await hoverFrame(page, "work");
	await press(page, "S");
	assert.equal((await facts(page)).view, "around");
	/* The function is no root: it has changed. */
	assert.equal((await frames(page)).find(({ y }, k, all) => y === Math.max(...all.map((one) => one.y)) || k === 0).fill,
		     "rgb(230,97,1)");
});

test("strips show what moved within a frame whose sum did not", async () => {
	const page = await browser.open(difference(before, after));
	const boxes = (name) => page.evaluate((name) => [...document.querySelector(`#${name}`).getAttribute("d")
		.matchAll(/M(\S+) (\S+?)h(\S+?)v/g)].map(([, ...numbers]) => numbers.map(Number)), name);
	const [more, less] = [await boxes("grown"), await boxes("shrunk")], run = await frame(page, "run");

	/* all, main and run: parse has more, and read less. */
	assert.equal(more.length, 3);
	assert.equal(less.length, 3);

	const [x, y, wide] = more.find(([, y]) => Math.abs(y - run.y - 12) < 1), [from, , narrow] = less.find((one) => one[1] === y);
	const { width } = await frame(page, "all"), sum = 1500 + 5400 / 4901 * (3000 + 500 + 401) + 600;

	near(x, run.x);
	near(from, x + wide);
	near(wide, width * (1500 - 1000 * 5400 / 4901) / sum);
	near(narrow, width * (3000 * 5400 / 4901 - 2900) / sum);
	await hoverFrame(page, "run");
	assert.match(await text(page, "details"), /within it: ▲ \+7\.4 % · ▼ -7\.5 %/);
	await browser.open(difference(before, before));
	assert.deepEqual([await boxes("grown"), await boxes("shrunk")], [[], []]);
	/* What only grows has none. */
	await browser.open(difference("main;a 1000\nidle 5000\n", "main;a 3000\nidle 5000\n"));
	assert.ok(!(await boxes("grown")).some(([, y]) => y < run.y));
});

test("the static picture has the same marks", () => {
	const svg = difference(before, after).split("<metadata")[0];
	const group = (name) => new RegExp(`<g[^>]*>\\s*<title>${name} \\([^]*?</g>`).exec(svg)[0];

	assert.match(group("old"), /url\(#gone-lines\)/);
	assert.match(group("fresh"), /stroke="#000"/);
	assert.match(group("run"), /fill="#b34700"[^]*fill="#1f5fa8"/);
	assert.doesNotMatch(group("parse"), /url|stroke=|#b34700/);
	assert.match(svg, /<pattern id="gone-lines"/);
});

test("the table has both sides, their difference and how sure that is, and can be sorted by each", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter));
	const rows = () => page.evaluate(() => [...document.querySelectorAll("#rows tr:not([aria-hidden])")]
		.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));
	const heads = () => page.locator("#heads th").allTextContents();
	const allA = 6501, allB = 6900;
	const share = (count, all) => 100 * count / all;

	await page.selectOption("#shown", "Table");
	assert.deepEqual(await heads(), ["Function", "A", "B", "Δ ▼", "Δ self", "q", "q self", "Detectable"]);

	const first = await rows(), of = (name) => first.find(([one]) => one === name);

	near(parseFloat(of("alloc")[1]), share(1600, allA), 0.06);
	near(parseFloat(of("alloc")[2]), share(1500, allB), 0.06);
	near(parseFloat(of("alloc")[3].slice(1)), share(1500, allB) - share(1600, allA), 0.06);
	assert.match(of("fresh")[3], /^▲ \+10\.1 %/);
	assert.match(of("read")[4], /^▼ -4\.1 %/);
	assert.match(of("idle")[5], /noise$/);
	assert.doesNotMatch(of("fresh")[5], /noise/);
	near(parseFloat(of("idle")[7]), 1.9, 1);
	/* What it has by itself was tested for itself. */
	assert.equal(of("main")[6], "");
	assert.match(of("idle")[6], /^[\d.]+ noise$/);
	assert.match(of("read")[6], /^[\d.e-]+$/);

	const numbers = first.map((row) => parseFloat(row[3].replace(/[▲▼ ]/g, "")));

	assert.deepEqual(numbers, [...numbers].sort((a, b) => b - a));
	for (const head of ["A", "B", "q", "q self", "Detectable"]) {
		await page.click(`#heads button:text-is('${head}')`);
		assert.equal((await page.textContent("#heads [aria-sort]")).replace(/ .$/, ""), head);
	}
	await page.click("#heads button:text-is('A')");
	assert.deepEqual((await rows()).slice(0, 2).map(([name]) => name), ["main", "run"]);
});

test("a box says the same of both sides, whichever of them is looked at and however stacks are merged", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter));
	const said = async () => (await frames(page)).map(({ says, fill }) => `${says.replace(/, self .*/, "")} ${fill}`);

	for (const act of [() => {}, () => page.selectOption("#merging", "callees"), async () => {
		await searchFor(page, "^alloc$");
		await page.press("#search", "Enter");
		await searchFor(page, "");
		await withoutFocus(page);
	}]) {
		await press(page, "3");
		await act();

		const both = await said();

		for (const key of ["1", "2", "4"]) {
			await press(page, key);

			const one = await said();

			assert.ok(one.length > 3);
			assert.deepEqual(one.filter((text) => !both.includes(text)), [], key);
		}
	}
});

test("what is taken away has both sides", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter));
	const save = async (label) => (await page.download(async () => {
		await press(page, "E");
		await page.click(`#menu button:text-is('${label}')`);
	})).content.toString();
	const lines = (text) => text.trim().split("\n").sort();
	const expected = difference(deepBefore, deepAfter, "-f", "folded");

	assert.deepEqual(lines(await save("All stacks, folded text")), lines(expected));
	assert.deepEqual(lines(await save("Stacks of this view, folded text")), lines(expected));
	await press(page, "1");
	assert.deepEqual(lines(await save("Stacks of this view, folded text")), lines(deepBefore));
	await press(page, "3");

	const [head, ...rows] = (await save("Table, CSV")).trim().split("\r\n");

	assert.equal(head, "Function,A (%),B (%),Delta (points),Self delta (points),q,Self q,Module,File");
	near(Number(rows.find((row) => row.startsWith("fresh,")).split(",")[3]), 100 * 700 / 6900, 1e-9);
});

test("three panels show A, B and the difference: what is done in one is done in all", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter));
	const panel = (side) => page.evaluate((side) => {
		const svg = document.querySelectorAll(".side")[side === "A" ? 0 : 1];
		const { x, y } = svg.getBoundingClientRect();

		return {
			labels: [...svg.querySelectorAll(".labels text")].map((one) => ({
				text: one.textContent, x: x + Number(one.getAttribute("x")), y: y + Number(one.getAttribute("y")),
			})),
			fills: [...svg.querySelectorAll("g:not(.labels) > path")].map((one) => one.getAttribute("fill")),
			twin: svg.querySelector(".twin").getAttribute("d"),
			says: svg.getAttribute("aria-label"),
		};
	}, side);
	const caption = (side) => page.textContent(`#caption-${side}`);
	const names = async (side) => (await panel(side)).labels.map((one) => one.text.replace(/ .*/, "")).sort();

	assert.equal(await seen(page, ".panel"), 0);
	await press(page, "p");
	assert.equal(await seen(page, ".panel"), 2);
	assert.match(await caption("A"), /^A · .*a\.folded$/);
	assert.equal(await caption("both"), "Difference");
	assert.deepEqual((await names("A")).filter((name) => /^(old|fresh)$/.test(name)), ["old"]);
	assert.deepEqual((await names("B")).filter((name) => /^(old|fresh)$/.test(name)), ["fresh"]);

	/* The pointer over a box of A: the same one is marked in B and in the difference, and told of. */
	const at = (await panel("A")).labels.find((one) => one.text.startsWith("parse"));

	await page.mouse.move(at.x + 10, at.y - 4);
	assert.match(await text(page, "details"), /^parse A 26\.1 % · B 24\.6 %/);
	assert.ok((await panel("A")).twin && (await panel("B")).twin && (await page.getAttribute("#twin", "d")));
	assert.ok((await frame(page, "parse")).same);
	assert.equal(await seen(page, "#tip"), 1);

	/* A click there zooms all. */
	await page.mouse.click(at.x + 10, at.y - 4);
	near((await frame(page, "parse")).width, 1180);
	assert.ok(!(await names("A")).includes("read") && !(await names("B")).includes("read"));
	assert.ok((await names("B")).includes("alloc"));
	assert.match((await panel("B")).says, /^B alone: A 26\.1 % · B 24\.6 %/);
	await page.mouse.move(5, 5);
	await press(page, "0");

	/* A search is in all. */
	await searchFor(page, "alloc");
	for (const side of ["A", "B"])
		assert.ok((await panel(side)).fills.includes("rgb(230,0,230)"), side);
	await searchFor(page, "");
	await withoutFocus(page);

	/* What one side has none of. */
	await clickFrame(page, "old");
	assert.match(await caption("B"), /it has none of this$/);
	assert.deepEqual((await panel("B")).labels, []);
	assert.ok((await names("A")).includes("x"));
	assert.equal((await panel("B")).says, "B alone: nothing");
	await press(page, "0", "v");
	assert.ok((await names("A")).includes("old") && !(await names("B")).includes("old"), `${await names("A")}; ${await names("B")}`);
	await press(page, "v", "i");

	const [root, above] = ["all", "main"].map((name) => (labels) => labels.find((one) => one.text.startsWith(name)).y);
	const { labels } = await panel("A");

	assert.ok(root(labels) < above(labels));

	const page2 = await browser.newPage({ viewport: { width: 360, height: 700 } });

	await browser.open(difference(deepBefore, deepAfter), "#a=1", "graph.svg", page2);
	assert.deepEqual(await page2.evaluate(() => [...document.querySelectorAll(".panel, #stage")].map((one) => {
		const { x, width, height } = one.getBoundingClientRect();

		return [x, width, height > 80];
	})), [[0, 360, true], [0, 360, true], [0, 360, true]]);
	await page2.close();
});

test("A and B are side by side where there is room", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter), "#a=1");
	const places = () => page.evaluate(() => [...document.querySelectorAll(".side, #frames")].map((svg) => {
		const { x, y, width } = svg.getBoundingClientRect();

		return { x, y, width, labels: svg.querySelectorAll("text").length };
	}));

	/* They are beside each other in a window of 1200 pixels, too: what follows is about the wider one's places. */
	await page.setViewportSize({ width: 1400, height: 900 });
	await page.waitForFunction(() => document.querySelector("#frames").getBoundingClientRect().width > 1300 &&
		document.querySelector("#pair.beside"));

	const [a, b, both] = await places();

	assert.equal(a.y, b.y);
	assert.ok(b.x >= a.x + a.width - 1 && b.x + b.width <= 1401, JSON.stringify([a, b, both]));
	near(a.width, b.width, 2);
	near(a.width + b.width, both.width, 8);
	assert.ok(both.y > a.y && a.labels > 3 && b.labels > 3);
	/* What is under the pointer in B stays there, and is the same in the graph. */
	await page.mouse.move(b.x + b.width / 2, b.y + 20);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -300);
	await page.keyboard.up("Control");
	await page.waitForFunction(() => {
		const [from, to] = document.documentElement.dataset.window.split(",").map(Number);

		return to - from < 0.5 && Math.abs((from + to) / 2 - 0.5) < 0.02;
	});
	await page.setViewportSize({ width: 900, height: 900 });
	await page.waitForFunction(() => !document.querySelector("#pair.beside"));

	const [above, below] = await places();

	assert.equal(above.x, below.x);
	assert.ok(below.y > above.y);
});

test("a part of the width is the same part in all panels", async () => {
	const wide = (count) => Array.from({ length: 40 }, (_, i) =>
		`main;f${String(i).padStart(2, "0")};g ${i % 3 === 1 ? count : 100}\n`).join("");
	const page = await browser.open(difference(wide(300), wide(20)), "#a=1&r=0.3_0.6");
	const [a, b, both] = await page.evaluate(() => [...document.querySelectorAll(".labels, #texts")].map((group) => {
		const names = [...group.querySelectorAll("text")].map((one) => one.textContent.slice(0, 3))
			.filter((name) => /^f\d/.test(name)).sort();

		return [names[0], names.at(-1)];
	}));
	const number = (name) => Number(name.slice(1));

	/* A label at the edge may have no room in one of them. */
	for (const one of [a, b])
		for (const k of [0, 1])
			near(number(one[k]), number(both[k]), 1.5);
	assert.ok(number(both[0]) > 8 && number(both[1]) < 30);
	await page.keyboard.press("0");
});

test("panels show the rows that the graph shows, however deep", async () => {
	const deep = (count) => `${Array.from({ length: 300 }, (_, i) => `f${i}`).join(";")} ${count}\n`;
	const page = await browser.open(difference(deep(500), deep(900)), "#a=1");
	const top = () => page.evaluate(() => [...document.querySelectorAll(".panel, #stage")].map((one) => {
		const labels = [...one.querySelectorAll("text")].filter((label) => {
			const { y } = label.getBoundingClientRect(), box = one.getBoundingClientRect();

			return y > box.y && y < box.bottom - 10;
		});

		return labels.map((label) => label.textContent).sort().join();
	}));

	for (const y of [0, 2000, 4800]) {
		await page.evaluate((y) => document.querySelector("#stage").scrollTo(0, y), y);
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

		const [a, b, both] = await top();

		assert.ok(both.length > 20);
		assert.equal(a, both);
		assert.equal(b, both);
	}
});

test("the root stays in sight when A and B come to lie one above the other", async () => {
	const deep = Array.from({ length: 40 }, (_, k) => `f${k}`).join(";"), page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
	const isAtRoot = () => page.evaluate(() => {
		const { scrollTop, scrollHeight, clientHeight } = document.querySelector("#stage");

		return scrollHeight - clientHeight - scrollTop < 2;
	});

	await browser.open(difference(`${deep} 500\n`, `${deep} 400\nf0;other 100\n`), "#a=1", "graph.svg", page);
	assert.ok(await isAtRoot());
	await page.setViewportSize({ width: 390, height: 800 });
	await page.waitForFunction(() => innerWidth === 390 && document.querySelector("#pair").className === "");
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	assert.ok(await isAtRoot());
	await page.close();
});

test("a picture of the panels has all three", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter), "#a=1");
	const { content } = await page.download(async () => {
		await press(page, "E");
		await page.click("#menu button:text-is('Picture of this view, SVG')");
	});

	assert.match(content.toString(), /A · [^<]*a\.folded<[^]*B · [^<]*b\.folded</);
	assert.equal(content.toString().match(/>alloc[ <]/g).length > 6, true);
});

test("on paper are all three panels, dark on white, whatever the theme", async () => {
	const page = await browser.open(difference(deepBefore, deepAfter), "#a=1&d=dark");

	await page.evaluate(() => dispatchEvent(new Event("beforeprint")));

	const [texts, ink, back, marks] = await page.evaluate(() => {
		const svg = document.documentElement.lastElementChild;

		return [[...svg.querySelectorAll("text")].map((one) => one.textContent), svg.getAttribute("fill"),
			svg.querySelector("rect").getAttribute("fill"), svg.querySelectorAll("[fill='url(#hatch)']").length];
	});

	await page.evaluate(() => dispatchEvent(new Event("afterprint")));
	assert.deepEqual([ink, back], ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
	assert.deepEqual(texts.filter((one) => /^(A|B) · |^Difference$|^gone$/.test(one)).map((one) => one[0]), ["A", "B", "D", "g"]);
	assert.equal(marks, 2);
	assert.equal((await facts(page)).theme, "dark");
	assert.ok((await frames(page)).length > 10);
});

test("only a picture of a difference has the script of one", () => {
	const [plain, both] = [graph(before), difference(before, after)];

	assert.ok(both.includes("Three panels") && !plain.includes("Three panels"));
	assert.ok(!plain.includes("gone-lines") && !plain.includes("#side-") && !plain.includes(".caption"));
});

test("nothing of all this is an error or a request", browser.quiet);
