// Large tries: all of it is there, and the document stays small. Times are for `make bench`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { difference, facts, frame, frames, graph, near, openBrowser, searchFor, weightShown } from "./page.mjs";
import { load } from "../viewer/load.mjs";
import { readFolded, search, table, total } from "../viewer/stacks.mjs";

const { figuresLike, stepTo } = load("figuresLike", "stepTo");
const browser = openBrowser();
const { test } = browser;
const exactly = (name) => `^${name.replace(/\W/g, "\\$&")}$`;
const elements = (page) => page.evaluate(() => document.querySelectorAll("*").length);
const makeTree = (nodes) => execFileSync("python3", ["tests/bench/tree.py", String(nodes)],
					 { maxBuffer: 1 << 28 }).toString();

/* The larger one takes long. */
const trees = [[100000, 500e3], [1000000, 1e6]].slice(0, process.env.LONG ? 2 : 1);

for (const [nodes, size] of trees)
	test(`${nodes} nodes`, async (t) => {
		const folded = makeTree(nodes), stacks = readFolded(folded), svg = graph(folded);
		const page = await browser.open(svg);
		const small = async (what) => assert.ok(await elements(page) <= 8000, `${what}: ${await elements(page)} elements`);

		await t.test("are all there", async () => {
			const { drawn, hidden } = await facts(page);

			assert.equal((await facts(page)).nodes, nodes);
			assert.equal(drawn + hidden, nodes);
			assert.ok(drawn <= 6000);
			assert.ok(Buffer.byteLength(svg) <= size, `${Buffer.byteLength(svg)} bytes`);
			await small("first");
			assert.equal(await weightShown(page), total(stacks));
		});

		await t.test("a zoom into a grey run draws exact widths", async () => {
			const rare = stacks.filter(([, value]) => value === 1).at(-1)[0];
			const path = rare.slice(0, -1);
			const inside = stacks.filter(([frames]) => path.every((name, i) => name === frames[i]));
			const all = total(inside), own = total(inside.filter(([frames]) => frames.length === path.length));

			assert.ok(!(await frames(page)).some((one) => one.level > path.length && one.name === path.at(-1)));
			await page.evaluate((hash) => location.hash = hash, `z=${path.map(stepTo).join("")}`);
			await page.waitForFunction(() => document.querySelector("svg").dataset.zoom);
			await small("zoomed");

			const name = path.at(-1), depth = path.length;
			const box = (await frames(page)).find((one) => one.level === depth + 1 && one.name === name);

			near(box.width, 1180);

			const children = (await frames(page)).filter((one) => one.level === depth + 2);

			near(children.reduce((sum, { width }) => sum + width, 0) + own / all * 1180, 1180, 0.5 + children.length);
			await page.keyboard.press("0");
		});

		await t.test("search counts are those of the folded text", async () => {
			for (const text of ["read", "^write_.*_1", "lock|list"]) {
				await searchFor(page, text);

				const { count, weight } = search(stacks, (name) => new RegExp(text, "i").test(name));
				const { match } = await facts(page);

				assert.deepEqual([match.hits, match.weight], [count, weight], text);
				await small("searched");
			}
			await searchFor(page, "");
		});

		await t.test("the table and a merge around a function say what the folded text says", async () => {
			const rows = table(stacks);
			const [name, row] = [...rows].sort(([, a], [, b]) => b.total - a.total)[3];

			await page.selectOption("#shown", "Both");
			await searchFor(page, exactly(name));
			assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#rows tr:not([aria-hidden]) td")]
				.slice(1, 3).map((cell) => Number((cell.title || cell.textContent).replace(/ .*|,/g, "")))), [row.self, row.total]);
			await page.press("#search", "Enter");
			assert.equal(await weightShown(page), row.total);
			await small("around");
			await searchFor(page, "");
			await small("with the table");
			await page.selectOption("#shown", "Graph");
		});

		await t.test("callees first, nothing is lost, and roots are own values", async () => {
			const rows = table(stacks);

			await page.selectOption("#merging", "callees");
			await small("callees first");
			assert.equal(await weightShown(page), total(stacks));
			for (const { name, says } of (await frames(page)).filter(({ level }) => level === 2).slice(0, 20))
				assert.ok(says.includes(`, ${figuresLike(rows.get(name).self, "samples")(rows.get(name).self)})`), says);
			await page.selectOption("#merging", "callers");
		});

		await t.test("memory", { skip: browser.name === "Firefox" && "it is told by CDP" }, async () => {
			const session = await page.context().newCDPSession(page);

			await session.send("HeapProfiler.collectGarbage");

			const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");

			assert.ok(usedSize + backingStorageSize <= 300e6, `${usedSize + backingStorageSize} bytes`);
		});
	});

/* Of each ten stacks A lacks one, and B another. */
for (const [nodes, size] of trees)
	test(`a difference of ${nodes} nodes`, async (t) => {
		const lines = makeTree(nodes).trim().split("\n").map((line) => line.replace(/\d+$/, (count) => 5 * count));
		const [before, after] = [1, 2].map((rest) => `${lines.filter((_, i) => i % 10 !== rest).join("\n")}\n`);
		const svg = difference(before, after), page = await browser.open(svg);
		const small = async (what) => assert.ok(await elements(page) <= 8000, `${what}: ${await elements(page)} elements`);
		const press = async (key) => {
			await page.evaluate(() => document.activeElement?.blur?.());
			await page.keyboard.press(key);
		};

		await t.test("is all there, and small", async () => {
			assert.equal((await facts(page)).nodes, nodes);
			assert.equal((await facts(page)).drawn + (await facts(page)).hidden, nodes);
			assert.ok(Buffer.byteLength(svg) <= 1.6 * size, `${Buffer.byteLength(svg)} bytes`);
		});

		await t.test("has sides with the sums of the folded text", async () => {
			for (const [key, stacks] of [["1", before], ["2", after], ["4", ""], ["3", ""]]) {
				await press(key);
				await small(key);
				if (stacks)
					assert.match(await page.textContent("#more"),
						     new RegExp(`${key === "1" ? "A" : "B"} ${total(readFolded(stacks)).toLocaleString("en")}\\b`));
			}
		});

		await t.test("has panels that are zoomed and searched", async () => {
			await press("p");
			await small("panels");
			await searchFor(page, "read");
			await small("searched");
			await searchFor(page, "");
			await press("ArrowUp");
			await press("Enter");
			await small("zoomed");
			await press("v");
			await small("callees first");
			await press("v");
			await press("0");
			await page.selectOption("#shown", "Both");
			await small("with the table");
			await page.selectOption("#shown", "Graph");
			await press("p");
		});

		await t.test("memory", { skip: browser.name === "Firefox" && "it is told by CDP" }, async () => {
			const session = await page.context().newCDPSession(page);

			await session.send("HeapProfiler.collectGarbage");

			const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");

			assert.ok(usedSize + backingStorageSize <= 300e6, `${usedSize + backingStorageSize} bytes`);
		});
	});

test("a stack of 3,000 frames can be scrolled, and the document stays small", async () => {
	const stack = (k) => Array.from({ length: 3000 }, (_, i) => `f${k}_${i}`).join(";");
	const page = await browser.open(graph(`${[0, 1, 2, 3].map((k) => `${stack(k)} 100`).join("\n")}\n`));

	assert.ok(await elements(page) <= 8000);
	assert.equal(await page.evaluate(() => document.querySelector("#frames").getAttribute("height")), "48017");
	assert.ok((await frames(page)).some(({ name }) => name === "all"));
	for (const y of [24000, 0, 48000]) {
		await page.evaluate((y) => document.querySelector("#stage").scrollTo(0, y), y);
		await page.waitForFunction((y) => {
			const stage = document.querySelector("#stage").getBoundingClientRect();
			const rows = new Set([...document.querySelectorAll("#tree rect")].map((rect) => rect.getBoundingClientRect().y)
				.filter((at) => at >= stage.y && at <= stage.bottom));

			return rows.size >= Math.floor(stage.height / 16) - 1;
		}, y);
		assert.ok(await elements(page) <= 8000);
	}
	/* What is said about the frame under the pointer, 2,000 pixels and more away from the root. */
	await page.evaluate(() => document.querySelector("#stage").scrollTo(0, 20000));
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	await page.mouse.move(100, 200);

	const [row, described] = await page.evaluate(() => {
		const { y } = document.querySelector("#frames").getBoundingClientRect();

		return [2999 - Math.floor((200 - y) / 16) + 1, document.querySelector("#details").textContent];
	});

	assert.ok(described.startsWith(`f0_${row - 1} 25.0 %`), `${described} in row ${row}`);
	await page.mouse.move(5, 590);
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("End");
	assert.match(await page.textContent("#details"), /f0_2999/);
	assert.ok(await page.evaluate(() => {
		const { y } = document.activeElement.getBoundingClientRect();

		return y > 0 && y < innerHeight;
	}));
	await page.keyboard.press("Enter");
	near((await frame(page, "f0_2999")).width, (await frame(page, "all")).width);
});

test("a stack of 50,000 frames is ready soon, all of it, and can be seen without script", async () => {
	const svg = graph(`${Array.from({ length: 50000 }, (_, i) => `f${i}`).join(";")} 100\n`);
	const page = await browser.open(svg);

	assert.ok(svg.length <= 1e6, `${svg.length} bytes`);
	assert.equal((await facts(page)).nodes, 50001);
	assert.equal((await facts(page)).hidden, 0);
	assert.equal(await page.evaluate(() => document.querySelector("#frames").getAttribute("height")), "800017");
	assert.ok(await elements(page) <= 8000);
	await page.evaluate(() => document.querySelector("#stage").scrollTo(0, 0));
	await page.waitForFunction(() => document.querySelector("#tree rect[aria-label^='f49999 ']"));
	/* The static picture has the first 4,096 rows, and a run for the others. */
	assert.match(svg, /45,904 of 50,001 frames are narrower than half a pixel, or beyond row 4096: drawn together/);
	assert.match(svg, /viewBox="0 0 1200 65[0-9]{3}"/);
	assert.match(svg, /<g id="runs"[^>]*>\s*<path [^>]* d="M100 \d+(\.\d+)?h11800"/);
});

test("where even one row has too much, boxes become grey sooner", async () => {
	const page = await browser.newPage({ viewport: { width: 3840, height: 1000 }, deviceScaleFactor: 3 });

	await browser.open(graph(`${Array.from({ length: 12000 }, (_, i) => `a${i};b${i} 1`).join("\n")}\n`), "", "graph.svg", page);
	assert.ok(await elements(page) <= 8000);
	assert.ok((await facts(page)).hidden > 0);
	await page.close();
});

test("nothing of all this is an error or a request", browser.quiet);
