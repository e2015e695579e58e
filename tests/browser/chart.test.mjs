// A chart: what each thread did when, by mouse and by keys.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressOf, near, openBrowser, require } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;
const ms = 1_000_000;

// A chart of samples { at, of, tid, cpu }: at in ms, of a function of m.
function chartOf(samples, ...options) {
	const folder = mkdtempSync(join(tmpdir(), "chart-"));
	const lines = samples.map(({ at, of, tid = 1, cpu = 0 }) => `sample pid=1 tid=${tid} time=${at * ms} cpu=${cpu
	} ip=0x1${of}00 period=${ms} chain=U,0x1${of}00,0x1f00`);

	writeFileSync(join(folder, "x.pd"), ["attr name=cpu-clock type=1 config=0 period=1000000 " +
		"sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec",
	"comm pid=1 name=app exec time=1", "mmap2 pid=1 start=0x1000 len=0x1000 name=/no/x time=2", ...lines, ""].join("\n"));
	execFileSync(new URL("../perfdata/build", import.meta.url).pathname, ["-o", join(folder, "x.data"), join(folder, "x.pd")]);
	try {
		return execFileSync(process.env.FLAMEFOLD, ["graph", "-q", "--addrs", "--chart", "-o", "-", "-f", "svg",
			...options, join(folder, "x.data")], { maxBuffer: 1 << 28 }).toString();
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const range = (from, to, of, more) => Array.from({ length: to - from }, (_, k) => ({ at: from + k, of, ...more }));
const two = [...range(10, 50, "a"), ...range(50, 60, "b"), ...range(80, 100, "b"), ...range(20, 40, "c", { tid: 2, cpu: 1 })];
const spans = (page) => page.evaluate(() => [...document.querySelectorAll("#app .spans rect")].map((rect) => ({
	says: rect.getAttribute("aria-label"), x: +rect.getAttribute("x"), wide: +rect.getAttribute("width"),
	level: +rect.getAttribute("aria-level"),
})));
const windowOf = (page) => page.evaluate(() => document.querySelector("svg[data-flamefold]").dataset.window.split(",").map(Number));
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
const details = (page) => page.evaluate(() => document.querySelector("#details").textContent);

async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
	await settle(page);
}

async function openChart(...chart) {
	const page = await browser.open(chartOf(...chart));

	await page.waitForSelector("svg[data-ready]");
	return page;
}

test("each thread has its spans where they are in time", { always: true }, async () => {
	const page = await openChart(two), all = await spans(page), wide = 90 / 1;
	const [, to] = await windowOf(page), whole = all[0].wide + all[1].wide;

	near(to, wide * ms, 1);
	assert.deepEqual(all.map(({ says }) => says.split(",")[0]), [
		"[x <f00>]", "[x <f00>]", "[x <a00>]", "[x <b00>]", "[x <b00>]", "[x <f00>]", "[x <c00>]",
	]);
	assert.deepEqual(all.map(({ level }) => level), [1, 1, 2, 2, 2, 1, 2]);
	assert.match(all[2].says, /40\.0 ms · from 0 ns to 40\.0 ms · 40 samples · x · app-1/);
	near(all[0].wide / whole, 50 / 70, 0.01);
	near(all[5].wide / all[1].wide, 1, 0.01);
});

test("the legend names what has the colours that are seen", async () => {
	const stacks = ["3000 work (/no/libwork.so)\n\t2000 main (/no/app)", "4000 [unknown] (/no/gone)\n\t2000 main (/no/app)",
		"ffffffff81000010 do_sys ([kernel.kallsyms])\n\t3100 wait (/no/libwork.so)\n\t2000 main (/no/app)"];
	const text = Array.from({ length: 90 }, (_, k) => `app  1 [000]  1.${String(k * 1000).padStart(6, "0")}: 1000000 cpu-clock: \n\t${
		stacks[Math.floor(k / 30)]}\n\n`).join("");
	const svg = execFileSync(process.env.FLAMEFOLD, ["graph", "-q", "--chart", "-o", "-", "-f", "svg", "-"], { input: text }).toString();
	const page = await browser.open(svg);

	await page.waitForSelector("svg[data-ready]");

	const legend = await page.evaluate(() => [...document.querySelectorAll("#legend span")].map((one) =>
		[one.textContent, one.querySelector("i").style.background.replaceAll(" ", "")]));
	const fills = await page.evaluate(() => [...document.querySelectorAll("#app .spans rect")].map((rect) =>
		[/^[^,(]*/.exec(rect.getAttribute("aria-label"))[0].trim(), rect.getAttribute("fill")]));

	assert.deepEqual(legend.map(([name]) => name).sort(), ["app", "kernel", "libwork.so", "no symbol"]);
	assert.equal(new Map(legend).get("app"), new Map(fills).get("main"));
	assert.equal(new Map(legend).get("kernel"), new Map(fills).get("do_sys"));
	assert.ok(!legend.some(([, colour]) => !/^rgb\(/.test(colour)));
});

test("keys go from span to span, zoom, and come back", async () => {
	const page = await openChart(two);

	await press(page, "ArrowDown", "ArrowDown");
	assert.match(await details(page), /<a00>/);
	await press(page, "ArrowRight");
	assert.match(await details(page), /<b00>/);
	await press(page, "Enter");
	const [from, to] = await windowOf(page);

	near(from / ms, 40 - 0.2, 0.01);
	near(to / ms, 50 + 0.2, 0.01);
	assert.equal(new URL(await addressOf(page)).hash, `#t=${Math.round(from)},${Math.round(to)}`);
	await press(page, "0", "ArrowUp", "ArrowDown");
	assert.deepEqual(await windowOf(page), [0, 90 * ms]);
	await press(page, "+");
	const [left, right] = await windowOf(page);

	near(right - left, 45 * ms, 1);
	await press(page, "]");
	near((await windowOf(page))[0] - left, 45 * ms / 4, 1);
	await press(page, "Escape");
	/* Down from the leaf is the next thread. */
	await press(page, "ArrowDown", "ArrowDown");
	assert.match(await details(page), /app-2/);
});

test("the focus stays with its span, whatever else is drawn", async () => {
	const page = await openChart(two);
	const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null);

	await press(page, "ArrowDown", "ArrowDown", "ArrowRight");
	assert.match(await focused(), /<b00>\], 10\.0 ms/);
	/* Of others there are fewer then. */
	await press(page, "+", "+");
	assert.match(await focused(), /<b00>\], 10\.0 ms/);
	/* It is not in sight any more. */
	await press(page, "]", "]", "]", "]", "]", "]");
	assert.equal(await focused(), null);
	await press(page, "0");
});

test("a search marks, adds up, and goes from hit to hit", async () => {
	const page = await openChart(two);

	await press(page, "/");
	await page.keyboard.type("<b00>");
	await settle(page);
	assert.equal(await page.evaluate(() => document.querySelectorAll("#app rect.match").length), 2);
	assert.equal(await page.evaluate(() => document.querySelector("#matched").textContent),
		     "30.0 ms, 33.3 % of the time on processors");
	await press(page, "Enter");
	assert.match(await details(page), /<b00>.*from 40\.0 ms/);
	await page.evaluate(() => document.querySelector("#search").blur());
	await press(page, "n");
	assert.match(await details(page), /<b00>.*from 70\.0 ms/);
	await press(page, "N");
	assert.match(await details(page), /<b00>.*from 40\.0 ms/);
});

test("the pointer says what is there, a click chooses and another one zooms", async () => {
	const page = await openChart(two);
	const { x, y, width } = await page.evaluate(() => {
		const { x, y, width } = document.querySelectorAll("#app .spans rect")[2].getBoundingClientRect();

		return { x, y, width };
	});

	await page.mouse.move(x + width / 2, y + 8);
	assert.match(await page.evaluate(() => document.querySelector("#tip").textContent), /<a00>.*40\.0 ms.*app-1/);
	await page.mouse.down();
	await page.mouse.up();
	await settle(page);
	assert.deepEqual(await windowOf(page), [0, 90 * ms]);
	await page.mouse.down();
	await page.mouse.up();
	await settle(page);
	near((await windowOf(page))[1] / ms, 41.6, 0.01);
});

test("with Ctrl the wheel zooms around the pointer, and a drag on the ruler chooses", async () => {
	const page = await openChart(two);

	await page.mouse.move(640, 200);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -300);
	await page.waitForFunction(() => document.querySelector("svg[data-flamefold]").dataset.window !== "0,90000000");
	await page.keyboard.up("Control");
	const [from, to] = await windowOf(page);

	near((to - from) / (90 * ms), Math.exp(-1), 0.001);
	await press(page, "0");
	const { x, y, width } = await page.evaluate(() => document.querySelector("#ruler").getBoundingClientRect().toJSON());

	await page.mouse.move(x + width / 4, y + 10);
	await page.mouse.down();
	await page.mouse.move(x + width / 2, y + 10, { steps: 4 });
	await page.mouse.up();
	await settle(page);
	const [left, right] = await windowOf(page);

	near(left / ms, 22.5, 1);
	near(right / ms, 45, 1);
});

test("more than fifty threads are folded away until they are asked for", async () => {
	const page = await openChart(Array.from({ length: 60 }, (_, k) => ({ at: 10, of: "a", tid: k + 1, cpu: k })));
	const seen = () => page.evaluate(() => [...document.querySelectorAll("#threads section")].filter((one) => !one.hidden).length);

	assert.equal(await seen(), 50);
	assert.match(await page.evaluate(() => document.querySelector("#folded").textContent), /^10 more threads/);
	await page.evaluate(() => document.querySelector("#folded").click());
	assert.equal(await seen(), 60);
});

// Of 8 threads that are sampled each ms; more than a page reads at once.
function chartOfMany(samples) {
	const folder = mkdtempSync(join(tmpdir(), "chart-")), bench = new URL("../bench/moments.c", import.meta.url).pathname;

	execFileSync(process.env.CC || "cc", ["-O1", "-o", join(folder, "moments"), bench]);
	execFileSync(join(folder, "moments"), [samples, join(folder, "x.data")]);
	try {
		return execFileSync(process.env.FLAMEFOLD, ["graph", "-q", "--addrs", "--chart", "-o", "-", "-f", "svg",
			join(folder, "x.data")], { maxBuffer: 1 << 28 }).toString();
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const described = (page) => page.waitForFunction(() =>
	[...document.querySelectorAll("#app .spans rect")].every((rect) => rect.hasAttribute("aria-label")));
const whole = (page) => page.waitForSelector("svg[data-whole]");

async function goTo(page, from, to) {
	await page.evaluate((hash) => { location.hash = hash; }, `t=${Math.round(from)},${Math.round(to)}`);
	await page.waitForFunction((from) => Math.abs(document.querySelector("svg[data-flamefold]").dataset.window.split(",")[0] - from) < 2, from);
	await settle(page);
	await page.waitForTimeout(300);
	await described(page);
}

test("a link that comes later is all that is shown, and help gives the focus back", async () => {
	const page = await openChart(two), [, all] = await windowOf(page);
	const goTo = async (hash) => {
		await page.evaluate((hash) => { location.hash = hash; }, hash);
		await settle(page);
	};
	const sought = () => page.evaluate(() => document.querySelector("#search").value);

	await goTo("#t=10000000,20000000&s=100");
	assert.deepEqual([await windowOf(page), await sought()], [[10 * ms, 20 * ms], "100"]);
	await goTo("#s=200");
	assert.deepEqual([await windowOf(page), await sought()], [[0, all], "200"]);
	await goTo("#t=10000000,20000000");
	assert.deepEqual([await windowOf(page), await sought()], [[10 * ms, 20 * ms], ""]);
	await press(page, "ArrowDown", "o");
	assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "false");
	await press(page, "o");
	assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "treeitem");
	await press(page, "?", "Tab");
	assert.equal(await page.evaluate(() => document.activeElement.id), "close");
	await press(page, "Escape");
	assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "treeitem");
	browser.quiet();
});

test("in somebody else's page it has room, and leaves the page its keys", async () => {
	const svg = chartOf(two).replace(/^<\?xml[^>]*\?>\s*(<!DOCTYPE[^>]*>)?/, ""), host = `<!DOCTYPE html><title>host</title><textarea></textarea>${svg}`;
	const page = await browser.newPage();

	await page.goto(browser.write(host, "host.html"));
	await page.waitForSelector("svg[data-ready]");
	assert.ok(await page.evaluate(() => document.querySelector("#stage").clientHeight > 100));
	await page.click("textarea");
	await page.keyboard.type("no +-d?0");
	assert.equal(await page.inputValue("textarea"), "no +-d?0");
	/* What has no address of its own can be zoomed nevertheless. */
	await page.goto(browser.write(`<!DOCTYPE html><title>frame</title><iframe srcdoc="${host.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`, "frame.html"));

	const frame = page.frames()[1];

	await frame.waitForSelector("svg[data-ready]");

	const before = await windowOf(frame);

	await frame.evaluate(() => document.querySelector('#controls [title="Zoom in"]').click());
	await settle(frame);
	assert.notDeepEqual(await windowOf(frame), before);
	await page.close();
	browser.quiet();
});

test("of many runs the first picture has joined ones, and a zoom shows each of them", async () => {
	const page = await browser.open(chartOfMany(400000));

	await page.waitForSelector("svg[data-ready]");
	await described(page);
	const [, length] = await windowOf(page), first = await spans(page);

	assert.ok(first.length < 4000, `${first.length} are drawn`);
	assert.ok(first.some(({ says }) => /^[\d,]+ spans of .* in .*, the longest: /.test(says)));
	await whole(page);

	/* Nothing is lost: all time, and all samples. */
	await press(page, "/");
	await page.keyboard.type("work");
	await page.waitForFunction(() => document.querySelector("svg[data-flamefold]").dataset.match);
	near(+(await page.evaluate(() => document.querySelector("svg[data-flamefold]").dataset.match)).split(",")[1] / 400000 / ms, 1, 0.01);
	assert.match(await page.evaluate(() => document.querySelector("#matched").textContent), /100 % of the time/);
	await press(page, "Escape");

	/* What is joined in the whole is one by one in a piece of it. */
	await goTo(page, length / 2, length / 2 + 60 * ms);
	const near60 = await spans(page);

	assert.ok(near60.every(({ says }) => !/spans of/.test(says)), "each for itself");
	assert.ok(near60.filter(({ level }) => level === 12).length > 20);

	/* What begins and ends out of sight does so when it did. */
	await goTo(page, 0, length / 8);
	const long = (await spans(page)).filter(({ says, level }) => level === 1 && !/spans of/.test(says)).sort((a, b) => b.wide - a.wide)[0];
	const [, from, unit] = / from ([\d.]+) (\S+) to /.exec(long.says);
	const middle = from * { s: 1000, ms: 1, "µs": 1e-3, ns: 1e-6 }[unit] * ms;

	await goTo(page, middle + 5 * ms, middle + 25 * ms);
	assert.ok((await spans(page)).some(({ says }) => says === long.says), long.says);
});

test("it is there before the browser has read all of the file, and then the rest comes", {
	notInFirefox: "it hands on the beginning of a document when it likes",
}, async () => {
	/* Of more and shorter pieces than are written. */
	const svg = chartOfMany(400000).replace(/(?:[^<>&\s]{3840}\n){4}/g, "$&</data>\n<data>\n");
	const held = svg.length - 4000;
	let rest;
	const server = createServer((request, response) => {
		response.setHeader("content-type", "image/svg+xml");
		response.write(svg.slice(0, held));
		rest = () => response.end(svg.slice(held));
	}).listen(0, "127.0.0.1");

	await once(server, "listening");

	const page = await browser.newPage();

	try {
		await page.goto(`http://127.0.0.1:${server.address().port}/x.svg`, { waitUntil: "commit" });
		await page.waitForSelector("svg[data-ready]");
		assert.equal(await page.evaluate(() => document.readyState), "loading");
		assert.ok((await spans(page)).length > 100);
		await press(page, "+");
		rest();
		await whole(page);
		assert.equal(await page.evaluate(() => document.querySelector("#details").textContent.includes("cannot be read")), false);
		assert.equal(await page.evaluate(() => document.querySelectorAll("#app").length), 1);
	} finally {
		server.closeAllConnections();
		server.close();
		await page.close();
	}
});

test("of a file that was cut there is what is finer no more", { notInFirefox: "it shows nothing of it" }, async () => {
	const svg = chartOfMany(400000).replace(/(?:[^<>&\s]{3840}\n){4}/g, "$&</data>\n<data>\n");
	const page = await browser.open(svg.slice(0, svg.length - 40000));

	await page.waitForFunction(() => /cannot be read/.test(document.querySelector("#details").textContent));
	assert.ok((await spans(page)).length > 100);
});

test("nothing is wrong with it for those who do not see it", { notInFirefox: "axe is loaded through Chromium" }, async () => {
	const page = await openChart(two);

	await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
	const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
		runOnly: ["wcag2a", "wcag2aa"],
	}));

	assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200)]), []);
	/* One stop of the Tab key for each thread. */
	assert.equal(await page.evaluate(() => document.querySelectorAll("#app .spans rect[tabindex='0']").length), 2);
});

test("without a script there is a picture, and it is read back as the graph", async () => {
	const svg = chartOf(two), still = svg.slice(0, svg.indexOf("<metadata"));

	assert.equal(still.match(/<rect x=/g).length, 7);
	assert.match(still, /<title>\[x &lt;a00&gt;\] \(40 ms\)<\/title>/);
	const folded = execFileSync(process.env.FLAMEFOLD, ["fold", "-q", "-"], { input: svg }).toString();

	assert.equal(folded, "app;[x <f00>];[x <a00>] 40000000\napp;[x <f00>];[x <b00>] 30000000\napp;[x <f00>];[x <c00>] 20000000\n");
});
