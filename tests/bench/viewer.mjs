// How long the viewer takes, in the browser: viewer.mjs GRAPH.svg...
//
// For each graph one row a thing that is done: milliseconds from the event until the next frame is
// ready to be shown, and of processor time of the page's thread; then elements of the document.
// Medians of RUNS runs (5). Of graphs of others what they have of it, as flamegraph.pl calls it.
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(`${resolve(process.env.NODE_PATH)}/`)("playwright-core");
const runs = Number(process.env.RUNS ?? 5);
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
});
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

// What is done, in this order. Each runs in the page.
const things = {
	"zoom in": () => {
		const rects = [...document.querySelectorAll("#tree > rect")];
		const { x, y } = rects[Math.min(20, rects.length - 1)].getBoundingClientRect();

		document.querySelector("#frames").dispatchEvent(new MouseEvent("click", { clientX: x + 1, clientY: y + 3, bubbles: true }));
	},
	"zoom out": () => dispatchEvent(new KeyboardEvent("keydown", { key: "0" })),
	"search, first letter": () => type("r"),
	"search, fourth letter": () => type("read"),
	"search, away": () => type(""),
	flip: () => dispatchEvent(new KeyboardEvent("keydown", { key: "i" })),
	"callees first": () => dispatchEvent(new KeyboardEvent("keydown", { key: "v" })),
	"callers first": () => dispatchEvent(new KeyboardEvent("keydown", { key: "v" })),
	"around a function": () => {
		const rects = [...document.querySelectorAll("#tree > rect")];
		const { x, y } = rects[Math.min(20, rects.length - 1)].getBoundingClientRect();

		document.querySelector("#frames").dispatchEvent(new PointerEvent("pointermove", { clientX: x + 1, clientY: y + 3, bubbles: true }));
		dispatchEvent(new KeyboardEvent("keydown", { key: "s" }));
	},
	leave: () => dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })),
	"with the table": () => dispatchEvent(new KeyboardEvent("keydown", { key: "t" })),
	"fold recursion": () => dispatchEvent(new KeyboardEvent("keydown", { key: "r" })),
};

// What there is to do in the strip of time, first of all.
const timeThings = {
	"brush": () => brush(0.2, 0.5),
	"brush, another time": () => brush(0.6, 0.7),
	"all time": () => dispatchEvent(new KeyboardEvent("keydown", { key: "Y" })),
	"when a frame ran": () => {
		const { x, y } = [...document.querySelectorAll("#tree > rect")][5].getBoundingClientRect();

		document.querySelector("#frames").dispatchEvent(new PointerEvent("pointermove", { clientX: x + 1, clientY: y + 3, bubbles: true }));
	},
};

const theirThings = {
	"zoom in": () => [...document.querySelectorAll("#frames > g > rect")].sort((a, b) => b.width.baseVal.value - a.width.baseVal.value)[20]
		.dispatchEvent(new MouseEvent("click", { bubbles: true })),
	"zoom out": () => window.unzoom?.(),
	"search, fourth letter": () => window.search?.("read"),
};

async function open(file) {
	const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
	const session = await page.context().newCDPSession(page);

	await session.send("Performance.enable", { timeDomain: "threadTicks" });
	return { file, page, session, results: new Map() };
}

async function measure({ file, page, session, results }) {
	const add = (name, ...values) => results.set(name, [...results.get(name) ?? [], values]);
	const cpu = async () => 1000 * (await session.send("Performance.getMetrics")).metrics
		.find(({ name }) => name === "TaskDuration").value;
	const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
	let before = await cpu();

	await page.bringToFront();
	await page.goto("about:blank");
	await page.goto(pathToFileURL(resolve(file)).href);
	if (await page.locator("svg[data-flamefold]").count())
		await page.waitForSelector("[data-ready]", { state: "attached" });
	add("ready, from the start", await page.evaluate(() => performance.now()), await cpu() - before, await elements());

	const ours = await page.locator("svg[data-flamefold]").count();

	const hasTime = await page.locator("#strip").count();

	for (const [name, thing] of Object.entries(ours ? { ...hasTime ? timeThings : {}, ...things } : theirThings)) {
		before = await cpu();

		const wall = await page.evaluate(({ thing }) => new Promise((done) => {
			const type = (text) => {
				const field = document.querySelector("#search");

				field.value = text;
				field.dispatchEvent(new Event("input"));
			};
			const brush = (from, to) => {
				const strip = document.querySelector("#strip"), { x, y, width, height } = strip.getBoundingClientRect();
				const happens = (type, at) => strip.dispatchEvent(new PointerEvent(type, {
					clientX: x + at * width, clientY: y + height / 2, bubbles: true,
				}));

				/* There is no pointer to be captured. */
				strip.setPointerCapture = () => {};
				happens("pointerdown", from);
				happens("pointerup", to);
			};
			const act = new Function("type", "brush", `return ${thing}`)(type, brush);
			const begin = performance.now();

			act();
			requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
		}), { thing: String(thing) });

		await page.waitForTimeout(200);
		add(name, wall, await cpu() - before, await elements());
	}
}

async function report({ file, session, results }) {
	const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");

	console.log(`\n${basename(file)}: ms until shown, ms of the thread, elements`);
	for (const [name, list] of results) {
		const [wall, thread, count] = [0, 1, 2].map((i) => median(list.map((values) => values[i])));

		console.log(`  ${name.padEnd(24)} ${wall.toFixed(0).padStart(6)} ${thread.toFixed(0).padStart(6)} ${
			String(count).padStart(8)}`);
	}
	console.log(`  memory of the page       ${((usedSize + backingStorageSize) / 1e6).toFixed(0).padStart(6)} MB`);
}

const graphs = [];

for (const file of process.argv.slice(2))
	graphs.push(await open(file));
// In turns: what else the machine does meets each of them.
for (let run = 0; run < runs; run++)
	for (const graph of graphs)
		await measure(graph);
for (const graph of graphs)
	await report(graph);
await browser.close();
