// The strip of time above the graph: what is chosen in it is what the graph is of, to the sample.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { facts, frame, frames, hoverFrame, openBrowser, require, searchFor } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;
const folder = mkdtempSync(join(tmpdir(), "flamefold-"));
const recording = join(folder, "phases.txt");
const flamefold = (...options) => execFileSync(process.env.FLAMEFOLD, options, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }).toString();

// A program that starts up for 2 s, works for 5 s and collects for 3 s; ten times a second it ticks for 30 ms.
// Each of its two processors has a sample every 5 ms, as perf script prints them.
const samples = [];

for (let ms = 0; ms < 10_000; ms += 5)
	for (const cpu of [0, 1]) {
		const stack = ms % 100 < 30 ? ["tick", "timer"] : ms < 2000 ? ["parse", "start_up"]
			: ms < 7000 ? [`step${ms / 5 % 7}`, "work"] : ["sweep", "collect"];

		samples.push({ ms, weight: 1000 + cpu, stack: ["prog", "main", ...[...stack].reverse()].join(";") });
	}
writeFileSync(recording, samples.map(({ ms, weight, stack }, i) => {
	const [, ...frames] = stack.split(";");

	return `prog ${100 + i % 2}/${100 + i % 2} [00${i % 2}] ${(1000 + ms / 1000).toFixed(6)}: ${weight} cycles: \n${
		frames.reverse().map((name) => `\t401000 ${name}+0x4 (/bin/prog)\n`).join("")}\n`;
}).join(""));
after(() => rmSync(folder, { recursive: true }));

const svg = flamefold("graph", "--phases", recording);
const fold = (text) => Object.fromEntries(text.trim().split("\n").map((line) => {
	const at = line.lastIndexOf(" ");

	return [line.slice(0, at), Number(line.slice(at + 1))];
}));
const only = (from, to) => fold(flamefold("fold", "--only", `time=${from},${to}`, recording));

async function stacksShown(page) {
	await page.click("#export");
	return fold(String((await page.download(() => page.click(
		'#menu button:text-is("Stacks of this view, folded text")'))).content));
}

const link = (page) => page.evaluate(() => decodeURIComponent(location.hash));
const rangeShown = async (page) => /j=([\d._]+)/.exec(await link(page))[1].split("_");

// From and to are [column, cell] of the strip: 10 columns of 50 cells.
async function drag(page, from, to, key) {
	const { x, y, width, height } = await (await page.$("#timemap")).boundingBox();
	const at = ([column, cell]) => [x + (column + 0.5) / 10 * width, y + height - (cell + 0.5) / 50 * height];

	if (key)
		await page.keyboard.down(key);
	await page.mouse.move(...at(from));
	await page.mouse.down();
	await page.mouse.move(...at([(from[0] + to[0]) / 2, 3]));
	await page.mouse.move(...at(to));
	await page.mouse.up();
	if (key)
		await page.keyboard.up(key);
}

// The colour of a cell.
const colourAt = (page, column, cell) => page.evaluate(([column, cell]) => {
	const map = document.querySelector("#timemap");
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

	canvas.drawImage(map, -Math.floor((column + 0.5) / 10 * map.width),
		-Math.floor(map.height - (cell + 0.5) / 50 * map.height));

	const { data } = canvas.getImageData(0, 0, 1, 1);

	return [...data].join();
}, [column, cell]);

test("a time that is dragged over is what the graph is of, as --only time= has it", async () => {
	const page = await browser.open(svg);

	for (const [from, to, time] of [[[2, 0], [2, 49], [2, 3]], [[1, 20], [6, 10], [1.4, 6.22]], [[9, 49], [9, 49], [9.98, 10]],
					[[6, 40], [7, 2], [6.8, 7.06]]]) {
		await drag(page, from, to);
		assert.deepEqual((await rangeShown(page)).map(Number), time);
		assert.deepEqual(await stacksShown(page), only(...time));
	}
	/* From right to left is the same. */
	await drag(page, [2, 49], [2, 0]);
	assert.deepEqual(await stacksShown(page), only(2, 3));
	await page.keyboard.press("Y");
	assert.deepEqual(await stacksShown(page), fold(flamefold("fold", recording)));
	browser.quiet();
});

test("where the table has all the room the strip is drawn no sooner than it is seen", async () => {
	const page = await browser.open(svg, "#g=Table");
	browser.quiet();
	await page.keyboard.press("t");
	await page.waitForSelector("#app.Graph");
	assert.ok(await page.evaluate(() => {
		const map = document.querySelector("#timemap"), { data } = map.getContext("2d").getImageData(0, 0, map.width, map.height);

		return map.height > 0 && data.every((value, k) => k % 4 < 3 || value === 255);
	}));
	browser.quiet();
});

test("keys choose the same", async () => {
	const page = await browser.open(svg);

	await page.keyboard.press("T");
	for (let i = 0; i < 3; i++)
		await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("Tab");
	for (let i = 0; i < 4; i++)
		await page.keyboard.press("ArrowLeft");
	assert.deepEqual((await rangeShown(page)).map(Number), [3.02, 6]);
	assert.match(await page.getAttribute("#timeto", "aria-valuetext"), /^6\.00 s; 3\.02 s – 6\.00 s/);
	assert.deepEqual(await stacksShown(page), only(3.02, 6));
	await page.keyboard.press("T");
	await page.keyboard.press("Tab");
	await page.keyboard.press("PageUp");
	assert.ok(Number((await rangeShown(page))[1]) > 9.9);
	await page.keyboard.press("PageDown");
	assert.deepEqual((await rangeShown(page)).map(Number), [3.02, 3.04]);
	/* Keys that do not move it are the viewer's. */
	await page.keyboard.press("/");
	assert.equal(await page.evaluate(() => document.activeElement.id), "search");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Escape");
	assert.doesNotMatch(await link(page), /j=/);
	browser.quiet();
});

test("the link keeps it, and so do steps, zoom and the way stacks are merged", async () => {
	const page = await browser.open(svg, "#j=1_3");

	assert.deepEqual(await stacksShown(page), only(1, 3));
	await page.evaluate(() => {
		location.hash = "#j=1_3&t=k:start_up";
	});
	await page.waitForFunction(() => document.querySelector("#chips").textContent.includes("start_up"));
	assert.deepEqual(Object.keys(await stacksShown(page)), ["prog;main;start_up;parse"]);
	assert.equal((await stacksShown(page))["prog;main;start_up;parse"], only(1, 3)["prog;main;start_up;parse"]);
	await browser.open(svg, "#j=1_3&o=callees");
	assert.equal((await facts(page)).view, "callees");
	assert.ok(await frame(page, "parse"));
	assert.equal(await frame(page, "sweep"), undefined);
	for (const wrong of ["x", "5_4", "-1_2", "20_30", "1_2~x", "1_2~", "NaN_3"]) {
		await browser.open(svg, `#j=${wrong}`);
		assert.ok(await frame(page, "main"), wrong);
	}
	browser.quiet();
});

test("a frame that is pointed at shows when it ran", async () => {
	const page = await browser.open(svg);
	const all = await colourAt(page, 3, 22);

	assert.equal(await colourAt(page, 8, 22), all);
	await hoverFrame(page, "collect");

	const not = await colourAt(page, 3, 22), ran = await colourAt(page, 8, 22);

	assert.notEqual(not, ran);
	assert.equal(await colourAt(page, 6, 49), not);
	assert.equal(await colourAt(page, 7, 2), ran);
	/* In each 100 ms the first 30 ms are somebody else's. */
	assert.equal(await colourAt(page, 7, 0), not);
	assert.equal(await colourAt(page, 8, 5), not);
	await hoverFrame(page, "timer");
	for (const column of [0, 4, 9])
		for (let cell = 0; cell < 50; cell++) {
			const isTick = cell % 5 === 0, isPart = cell % 5 === 1;

			if (!isPart)
				assert.equal(await colourAt(page, column, cell) === not, !isTick, `${column} ${cell}`);
		}
	/* So does what a search has found, and the current frame of a graph that was made of steps. */
	await page.mouse.move(600, 5);
	await searchFor(page, "start_up");
	assert.notEqual(await colourAt(page, 1, 22), not);
	assert.equal(await colourAt(page, 3, 22), not);
	await browser.open(svg, "#j=0_5&t=h:main&o=callees");
	await hoverFrame(page, "sweep").catch(() => {});
	await hoverFrame(page, "parse");
	assert.notEqual(await colourAt(page, 1, 22), not);
	assert.equal(await colourAt(page, 3, 22), not);
	browser.quiet();
});

test("a second time is compared with the first", async () => {
	const page = await browser.open(svg);

	await drag(page, [3, 0], [4, 49]);
	await drag(page, [7, 0], [8, 49], "Shift");
	assert.match(await link(page), /j=7_9~3_5/);
	assert.match(await page.textContent("#timesays"), /7\.00 s – 9\.00 s compared with 3\.00 s – 5\.00 s/);

	const sweep = await frame(page, "sweep");

	assert.match(sweep.says, /A 0 % · B 70\.0 % · ▲ \+70\.0 %/);
	assert.match((await frame(page, "work")).says, /A 70\.0 % · B 0 % · ▼ -70\.0 %/);
	assert.match((await frame(page, "tick")).says, /noise/);
	await page.keyboard.press("1");
	assert.ok(!await frame(page, "sweep"));
	await page.keyboard.press("3");
	/* And no more. */
	await page.keyboard.press("y");
	assert.deepEqual(await stacksShown(page), only(7, 9));
	assert.equal(await page.$("#side-A"), null);
	/* By keys alone: what follows is compared, and the focus stays in the graph. */
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("y");
	assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "treeitem");
	assert.match(await link(page), /j=9_10~7_9/);
	await page.keyboard.press("Y");
	assert.deepEqual(await stacksShown(page), fold(flamefold("fold", recording)));
	/* From a link. */
	await browser.open(svg, "#j=7_9~3_5");
	assert.match((await frame(page, "sweep")).says, /▲ \+70\.0 %/);
	await page.goBack();
	browser.quiet();
});

test("phases are marked, and chosen as one", async () => {
	const page = await browser.open(svg);
	const phases = await page.$$eval("#phase option", (all) => all.slice(1).map(({ value, textContent }) => [value, textContent]));

	assert.equal(phases.length, 3);
	phases.forEach(([value, says], i) => {
		const [from, to] = value.split("_").map(Number), cell = 0.0201;

		assert.ok(Math.abs(from - [0, 2, 7][i]) < 0.03 + cell && Math.abs(to - [2, 7, 10][i]) < 0.03 + cell, value);
		assert.match(says, [/start_up|parse/, /work/, /collect|sweep/][i]);
	});
	await page.selectOption("#phase", phases[2][0]);
	assert.deepEqual(await stacksShown(page), only(...phases[2][0].split("_")));
	browser.quiet();
});

test("without scripts, and in an <img>, the strip is a part of the picture, which the viewer takes over", { notInFirefox: "scripts are switched off in Chromium only" }, async () => {
	const bursts = join(folder, "bursts.txt");
	let lines = "";

	// In the second second much, in the third a little; in the others a sample every 100 ms.
	for (let ms = 0; ms < 4000; ms += 5)
		if (ms % 100 === 0 || ms >= 1000 && ms < 2000 || ms >= 2500 && ms < 2600 && ms % 20 === 0)
			lines += `prog 7/7 [000] ${(5 + ms / 1000).toFixed(6)}: 1000 cycles: \n\t401000 main+0x4 (/bin/prog)\n\n`;
	writeFileSync(bursts, lines);

	const picture = flamefold("graph", bursts);
	const colours = { light: ["245,245,245", "253,212,126", "171,38,24"], dark: ["38,39,42", "98,44,28", "228,147,61"] };

	for (const [name, colorScheme] of [["picture.svg", "light"], ["picture.svg", "dark"], ["image.html", "dark"]]) {
		const page = await browser.newPage({ javaScriptEnabled: false, colorScheme }), probe = await browser.newPage();

		browser.write(picture, "picture.svg");
		await page.goto(browser.write(name === "picture.svg" ? picture : `<!DOCTYPE html><body style="margin:0"><img src="picture.svg" style="display:block">`, name));

		const shot = (await page.screenshot()).toString("base64");
		const at = await probe.evaluate(async ([shot, cells]) => {
			const image = new Image(), canvas = new OffscreenCanvas(1200, 600).getContext("2d", { willReadFrequently: true });

			image.src = `data:image/png;base64,${shot}`;
			await image.decode();
			canvas.drawImage(image, 0, 0);
			return cells.map(([column, cell]) => [...canvas.getImageData(10 + Math.round((column + 0.5) * 1180 / 4), 136 - 2 * cell - 1, 1, 1).data.slice(0, 3)].join());
		}, [shot, [[0, 1], [0, 5], [2, 27], [1, 0], [1, 49]]]);
		const [nothing, little, much] = colours[colorScheme];

		assert.deepEqual(at, [nothing, little, little, much, much], `${name} ${colorScheme}`);
		await page.close();
		await probe.close();
	}

	const page = await browser.open(picture);

	assert.equal(await page.$("#time"), null);
	assert.ok(await page.$("#times"));
	browser.quiet();
});

test("recordings that are too short, and --no-heat, have no strip", async () => {
	const short = join(folder, "short.txt");

	writeFileSync(short, readFileSync(recording, "utf8").split("\n\n").slice(0, 700).join("\n\n"));
	for (const picture of [flamefold("graph", short), flamefold("graph", "--no-heat", recording),
			       flamefold("graph", recording, recording)]) {
		const page = await browser.open(picture);

		assert.equal(await page.$("#times"), null);
	}
	browser.quiet();
});

test("rows are processes where these are known", async () => {
	const page = await browser.open(flamefold("graph", "--pid", recording));

	await page.selectOption("#timerows", "process");
	assert.deepEqual((await page.$$eval("#rownames text", (all) => all.map((one) => one.textContent))).sort(),
			 ["prog-100", "prog-101"]);
	browser.quiet();
});

test("a row's weight is said of the time that is pointed at", async () => {
	const turns = join(folder, "turns.txt");

	writeFileSync(turns, Array.from({ length: 400 }, (_, k) => {
		const pid = k < 200 ? 1 : 2;

		return `p ${pid}/${pid} [000] ${(1000 + k / 100).toFixed(6)}: 1000 cycles: \n\t401000 f+0x4 (/bin/p)\n\n`;
	}).join(""));

	const page = await browser.open(flamefold("graph", "--pid", turns));

	await page.selectOption("#timerows", "process");

	const { x, y, width, height } = await (await page.$("#timemap")).boundingBox();
	const rows = await page.$$eval("#rownames text", (all) => all.map((one) => one.textContent));

	for (const [name, share, weighs] of [["p-1", 0.3, true], ["p-1", 0.9, false], ["p-2", 0.3, false], ["p-2", 0.9, true]]) {
		const seen = new Set();

		/* Columns may be narrower than samples are apart. */
		for (let pixel = 0; pixel < 12; pixel++) {
			await page.mouse.move(x + share * width + pixel, y + (rows.indexOf(name) + 0.5) / rows.length * height);
			seen.add(/: (\S+) .*· (\S+)$/.exec(await page.textContent("#timesays")).slice(1).join(" "));
		}
		assert.equal([...seen].some((one) => !one.startsWith("0 ")), weighs, `${name} ${[...seen]}`);
		assert.ok([...seen].every((one) => one.endsWith(` ${name}`)));
	}
	browser.quiet();
});

test("rows are processors, which are of all stacks", async () => {
	const page = await browser.open(svg);
	const shown = () => page.$$eval("#rownames text", (all) => all.map((one) => one.textContent));
	const picture = () => page.evaluate(() => document.querySelector("#timemap").toDataURL());

	await page.selectOption("#timerows", "processor");
	assert.deepEqual(await shown(), ["CPU 0", "CPU 1"]);
	assert.match(await link(page), /q=processor/);

	const all = await picture();

	assert.doesNotMatch(await page.textContent("#timesays"), /Processors/);
	await hoverFrame(page, "collect");
	assert.match(await page.textContent("#timesays"), /^Processors are of all stacks/);
	assert.equal(await picture(), all);
	await page.mouse.move(600, 5);
	/* A time is dragged over as in any other strip. */
	await drag(page, [2, 10], [4, 40]);

	const range = await rangeShown(page);

	assert.deepEqual(await stacksShown(page), only(...range));
	assert.deepEqual((await page.textContent("#timesays")).match(/^[\d.]+ s – [\d.]+ s · [\d.]+ % of all$/)?.length, 1);
	/* And by keys. */
	await page.keyboard.press("T");
	await page.keyboard.press("ArrowRight");
	assert.ok((await rangeShown(page))[0] > range[0]);
	/* The link has it; one that is none of these, and a recording that does not say, have parts of columns. */
	await browser.open(svg, "#q=processor&j=1_3");
	assert.deepEqual(await shown(), ["CPU 0", "CPU 1"]);
	assert.deepEqual(await stacksShown(page), only(1, 3));
	await browser.open(flamefold("graph", "--only", "symbol=collect", recording), "#q=processor");
	assert.deepEqual(await shown(), []);
	assert.equal(await page.$("#timerows"), null);
	await browser.open(flamefold("graph", "--only", "cpu=1", recording), "#q=processor");
	assert.deepEqual(await shown(), []);
	browser.quiet();
});

test("an edge of the time can be taken and moved, and a drag begins at the very edge of the strip", async () => {
	const page = await browser.open(svg, "#j=2_4"), { x, y, width, height } = await (await page.$("#timemap")).boundingBox();
	// From and to: how far along the strip, in seconds. Its lowest row begins a second.
	const pull = async (from, to) => {
		await page.mouse.move(x + from / 10 * width, y + height - 1);
		await page.mouse.down();
		await page.mouse.move(x + (from + to) / 20 * width, y + height - 1);
		await page.mouse.move(x + to / 10 * width, y + height - 1);
		await page.mouse.up();
	};

	await pull(4, 6.5);
	assert.deepEqual((await rangeShown(page)).map(Number), [2, 6.02]);
	await pull(2, 1.5);
	assert.deepEqual((await rangeShown(page)).map(Number), [1, 6.02]);
	/* Beyond the other one it is that one's other side. */
	await pull(1, 8.5);
	assert.deepEqual((await rangeShown(page)).map(Number), [6, 8.02]);
	/* Each of them is one step back. */
	await page.goBack();
	assert.deepEqual((await rangeShown(page)).map(Number), [1, 6.02]);
	/* One that is only touched stays, and so does what is compared with. */
	await browser.open(svg, "#j=2_4~7_9");
	await pull(4, 4.01);
	assert.match(await link(page), /j=2_4~7_9/);
	await pull(4, 5.5);
	assert.match(await link(page), /j=2_5\.02~7_9/);
	await browser.open(svg);
	await page.mouse.move(x + 1, y + height - 1);
	await page.mouse.down();
	await page.mouse.move(x + 0.35 * width, y + height - 1);
	await page.mouse.up();
	assert.deepEqual((await rangeShown(page)).map(Number), [0, 3.02]);
	browser.quiet();
});

test("where the table has all the room the key for a time shows the strip", async () => {
	const page = await browser.open(svg, "#g=Table");

	await page.keyboard.press("T");
	assert.equal(await page.evaluate(() => document.activeElement.id), "timefrom");
	await page.keyboard.press("ArrowRight");
	assert.deepEqual((await rangeShown(page)).map(Number), [1, 10]);
	browser.quiet();
});

test("the outline of a time can be seen on dark cells and pale ones", async () => {
	const page = await browser.open(svg, "#j=2_4"), shot = (await page.screenshot()).toString("base64");
	const { x, y, width, height } = await (await page.$("#timemap")).boundingBox();

	/* Across its left edge, from a dark cell to a dark cell, are the colours of letters and of the page. */
	const lightness = await page.evaluate(async ([shot, left, top]) => {
		const image = new Image(), canvas = new OffscreenCanvas(16, 1).getContext("2d");

		image.src = `data:image/png;base64,${shot}`;
		await image.decode();
		canvas.drawImage(image, -left, -top);
		return [...canvas.getImageData(0, 0, 16, 1).data].filter((_, k) => k % 4 === 1);
	}, [shot, Math.round(x + 0.2 * width) - 8, Math.round(y + height / 2)]);

	assert.ok(Math.max(...lightness) - Math.min(...lightness) > 100, String(lightness));
	browser.quiet();
});

test("a time that is chosen with keys is one step back", async () => {
	const page = await browser.open(svg);

	await page.keyboard.press("T");
	for (let i = 0; i < 3; i++)
		await page.keyboard.press("ArrowRight");
	assert.match(await link(page), /j=3_10/);
	await page.goBack();
	assert.match(page.url(), /graph\.svg$/);
	browser.quiet();
});

test("of a time there is what ran in it, and nothing else", async () => {
	const page = await browser.open(svg, "#j=2_4&g=Both&s=collect|sweep|timer");
	const only = flamefold("graph", "--only", "time=2,4", recording);

	assert.match(await page.textContent("#matched"), /Matched: 30\.0 % of this time · 1 frame ·/);
	assert.deepEqual(await page.$$eval("#rows button", (all) => all.map(({ title }) => title)), ["timer"]);
	assert.equal((await facts(page)).match.hits, 1);

	const { nodes } = await facts(page);

	await browser.open(only);
	assert.equal((await facts(page)).nodes, nodes);
	browser.quiet();
});

test("what is said of a time, or of two, is the same whatever was looked at before", async () => {
	const page = await browser.open(svg, "#g=Both");
	const said = () => page.evaluate(() => ["#rows", "#legend", "#more", "#grown", "#shrunk"].map((id) => {
		const element = document.querySelector(id);

		return element?.getAttribute("d") ?? element?.textContent;
	}));
	const afterAndAnew = async (hash) => {
		await page.evaluate((hash) => { location.hash = hash; }, hash);
		await page.waitForFunction((range) => document.querySelector("#timesays").textContent.includes(range), hash.startsWith("#j=1") ? "1.00 s" : "6.00 s");

		const after = await said();

		await browser.open(svg, hash);
		assert.deepEqual(after, await said(), hash);
	};

	await afterAndAnew("#j=1_3&g=Both");
	await browser.open(svg, "#j=2_4~7_9&g=Both");
	await afterAndAnew("#j=6_8~3_5&g=Both");
	browser.quiet();
});

test("a time in which nothing ran says so, and what is compared with it is new or gone", async () => {
	const pause = join(folder, "pause.txt");

	writeFileSync(pause, Array.from({ length: 1000 }, (_, k) => k >= 400 && k < 600 ? "" :
		`p 1/1 [000] ${(1000 + k / 100).toFixed(6)}: 1000 cycles: \n\t401000 ${k < 800 ? "f" : "g"}+0x4 (/bin/p)\n\t401000 main+0x4 (/bin/p)\n\n`).join(""));

	const picture = flamefold("graph", pause), page = await browser.open(picture, "#j=4_6");

	assert.match(await page.textContent("#more"), /no samples/);
	assert.doesNotMatch(await page.textContent("#more"), /frames thinner|few samples/);
	await browser.open(picture, "#j=4_6~2_4&g=Both");
	assert.match((await frame(page, "main")).says, /A 100 % · B 0 % · ▼ -100 %/);
	await browser.open(picture, "#j=2_4~4_6");
	assert.match((await frame(page, "main")).says, /A 0 % · B 100 % · ▲ \+100 %/);
	browser.quiet();
});

test("the table of a comparison says of changes that are seen that they are none of noise", async () => {
	const page = await browser.open(svg, "#j=7_9~3_5&g=Both");
	const rows = await page.$$eval("#rows tr:has(button)", (all) => Object.fromEntries(all.map((row) =>
		[row.querySelector("button").title, row.textContent])));

	assert.match(rows.sweep, /▲ \+70\.0 %/);
	assert.doesNotMatch(rows.sweep, /noise/);
	assert.match(rows.tick, /noise/);
	browser.quiet();
});

test("a picture that is taken away says which time it is of", async () => {
	const page = await browser.open(svg, "#j=2_4&t=h:main");

	await page.click("#export");
	assert.match(String((await page.download(() => page.click('#menu button:text-is("Picture of this view, SVG")'))).content),
		     />2\.00 s – 4\.00 s · Hide main</);
	browser.quiet();
});

test("rows with names leave room for the graph on a low page", async () => {
	const many = join(folder, "many.txt");

	writeFileSync(many, Array.from({ length: 400 }, (_, k) => {
		const pid = 1 + k % 20;

		return `p ${pid}/${pid} [000] ${(1000 + k / 100).toFixed(6)}: 1000 cycles: \n\t401000 f+0x4 (/bin/p)\n\n`;
	}).join(""));

	const page = await browser.newPage({ viewport: { width: 800, height: 390 } });

	await browser.open(flamefold("graph", "--pid", many), "#q=process", "graph.svg", page);
	assert.equal((await page.$$("#rownames text")).length, 8);
	assert.ok(await page.evaluate(() => document.querySelector("#strip").clientHeight <= 104));
	await page.setViewportSize({ width: 900, height: 900 });
	await page.waitForFunction(() => document.querySelectorAll("#rownames text").length === 16);
	await page.close();
	browser.quiet();
});

test("axe finds nothing in the strip", { skip: !require.resolve("axe-core/axe.min.js") }, async () => {
	for (const [colorScheme, viewport, hash] of [["light", { width: 1200, height: 600 }, ""], ["dark", { width: 390, height: 700 }, "#j=1_3"],
						     ["light", { width: 1200, height: 600 }, "#j=7_9~3_5"]]) {
		const page = await browser.newPage({ colorScheme, viewport });

		await browser.open(svg, hash, "graph.svg", page);
		await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));

		const { violations } = await page.evaluate(() => window.axe.run(document, { rules: { "page-has-heading-one": { enabled: false } } }));

		assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
		await page.close();
	}
	assert.ok((await frames(browser.page)).length);
});
