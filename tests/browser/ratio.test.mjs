// What a ratio and a mode colour by: the same in the viewer as in the picture it takes the place of.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clickFrame, frame, frames, hoverFrame, openBrowser } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;
const build = fileURLToPath(new URL("../perfdata/build", import.meta.url));

// The picture of a recording that is written as tests/perfdata/README.md says.
function pictureOf(lines, ...options) {
	const folder = mkdtempSync(join(tmpdir(), "flamefold-ratio-")), data = join(folder, "x.data");

	try {
		writeFileSync(join(folder, "x.pd"), `${lines.join("\n")}\n`);
		execFileSync(build, ["-o", data, join(folder, "x.pd")]);
		return execFileSync(process.env.FLAMEFOLD, ["-q", "--addrs", ...options, "-o", "-", "-f", "svg", data],
			{ maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] }).toString();
	} finally {
		rmSync(folder, { recursive: true });
	}
}

// Cycles and instructions of stacks below 0x22: [address, samples, instructions of each].
const counted = (...stacks) => [
	"attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,CALLCHAIN,PERIOD ids=1 flags=sample_id_all,comm_exec",
	"attr name=instructions type=0 config=1 sample_type=IDENTIFIER,IP,TID,TIME,CALLCHAIN,PERIOD ids=2 flags=sample_id_all",
	"comm pid=1 name=main exec time=1",
	...stacks.flatMap(([address, samples, instructions]) => Array.from({ length: samples }, (_, i) => [
		`sample event=cycles pid=1 time=${i + 2} period=100 chain=U,${address},0x22`,
		`sample event=instructions pid=1 time=${i + 2} period=${instructions} chain=U,${address},0x22`,
	]).flat()),
];
const named = (address) => `[unknown <${address}>]`;
// [title without its figures, fill] of the static picture's frames; and of the viewer's.
const painted = (svg) => [...svg.matchAll(/<title>([^<]*?) \([^<]*<\/title><rect [^>]*fill="([^"]*)"/g)]
	.map(([, name, fill]) => [name.replaceAll("&lt;", "<").replaceAll("&gt;", ">"), fill]).sort();
// "#ffffff" and "rgb(255,255,255)" are one.
const asNumbers = (fill) => fill.startsWith("#")
	? `rgb(${fill.slice(1).match(/../g).map((two) => parseInt(two, 16))})` : fill.replaceAll(" ", "");
const drawn = async (page) => (await frames(page)).map(({ name, fill }) => [name, fill]).sort();
const same = async (page, svg) => assert.deepEqual((await drawn(page)).map(([name, fill]) => [name, asNumbers(fill)]),
	painted(svg).map(([name, fill]) => [name, asNumbers(fill)]));
const legend = (page) => page.locator("#legend span").allTextContents();
const swatches = (page) => page.evaluate(() => [...document.querySelectorAll("#legend i")]
	.map((one) => getComputedStyle(one).backgroundColor.replaceAll(" ", "")));

test("frames have the colours of their ratio, and grey says that there are too few samples", { always: true }, async () => {
	const svg = pictureOf(counted(["0x11", 20, 25], ["0x33", 20, 400], ["0x44", 5, 100], ["0x55", 4, 100]), "--mode", "cpi");
	const page = await browser.open(svg);
	const fill = async (address) => asNumbers((await frame(page, named(address))).fill);

	await same(page, svg);
	const shown = await legend(page), colours = await swatches(page);

	assert.match(shown[0], /^CPI up to 0\.25$/);
	assert.match(shown[2], /^0\.\d+ in all$/);
	assert.match(shown[4], /^4\.00 and more$/);
	assert.equal(shown[5], "too few samples");
	/* Much is at the one end of the scale, little at the other. */
	assert.equal(await fill("11"), colours[4]);
	assert.equal(await fill("33"), colours[0]);
	/* Five samples are enough, four are not. */
	assert.equal(await fill("55"), colours[5]);
	assert.notEqual(await fill("44"), colours[5]);
	assert.match((await frame(page, named("11"))).says, /CPI 4\.00/);
	assert.match((await frame(page, named("44"))).says, /CPI 1\.00/);
	assert.doesNotMatch((await frame(page, named("55"))).says, /CPI/);
	await hoverFrame(page, named("33"));
	assert.match(await page.textContent("#tip"), /CPI 0\.25/);
});

test("with keys alone: what the ratio of each frame is", { always: true }, async () => {
	const page = await browser.open(pictureOf(counted(["0x11", 20, 25], ["0x33", 30, 400]), "--mode", "cpi"));
	const said = new Set();

	for (const key of ["ArrowUp", "Home", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowLeft"]) {
		await page.keyboard.press(key);
		said.add((await page.textContent("#details")).match(/^(\[unknown <\w+>\]|\S+) .*CPI ([\d.]+)/)?.slice(1).join(" "));
	}
	assert.ok(said.has(`${named("11")} 4.00`), [...said].join("; "));
	assert.ok(said.has(`${named("33")} 0.25`), [...said].join("; "));
	assert.ok([...said].some((one) => one?.startsWith("main ")), [...said].join("; "));
});

test("colours can be others, and those of the ratio again", async () => {
	const svg = pictureOf(counted(["0x11", 20, 25], ["0x33", 20, 400]), "--mode", "cpi");
	const page = await browser.open(svg);

	assert.match((await legend(page))[0], /^CPI/);
	await page.selectOption("#colours", "Module");
	assert.equal((await legend(page)).filter((one) => one.includes("CPI")).length, 0);
	await page.selectOption("#colours", "Ratio");
	await same(page, svg);
	/* A zoom moves no colour: the scale is that of the whole. */
	const before = (await frame(page, named("11"))).fill;

	await clickFrame(page, named("11"));
	assert.equal((await frame(page, named("11"))).fill, before);
});

test("mode wall is coloured by how many ran at once", { always: true }, async () => {
	const ms = 1_000_000, ticks = (tid, from, count, address) => Array.from({ length: count }, (_, i) =>
		`sample event=cpu-clock pid=7 tid=${tid} time=${(from + 10 * (i + 1)) * ms} period=${10 * ms} chain=U,${address},0x22`);
	const workers = [100, 101, 102, 103], at = (time, what) => workers.map((tid) => `switch ${what} time=${time * ms} pid=7 tid=${tid}`);
	const svg = pictureOf([
		"attr name=cpu-clock type=1 config=0 sample_type=IDENTIFIER,IP,TID,TIME,CALLCHAIN,PERIOD ids=1 flags=sample_id_all,comm_exec,context_switch",
		"comm pid=7 name=p7 time=1",
		`switch time=${1000 * ms} pid=7 tid=7`, ...ticks(7, 1000, 60, "0x11"), `switch out time=${1600 * ms} pid=7 tid=7`,
		...at(1600, ""), ...workers.flatMap((tid) => ticks(tid, 1600, 40, "0x12")), ...at(2000, "out"),
	], "--mode", "wall");
	const page = await browser.open(svg);
	const [serial, parallel] = [await frame(page, named("11")), await frame(page, named("12"))];

	await same(page, svg);
	/* 600 ms of one, and 400 ms of four. */
	assert.match(serial.says, /60\.0 %.*parallelism 1\.00/);
	assert.match(parallel.says, /40\.0 %.*parallelism 4\.00/);
	assert.match((await frame(page, "all")).says, /parallelism 2\.20/);
	assert.notEqual(serial.fill, parallel.fill);
	const shown = await legend(page), colours = await swatches(page);

	assert.match(shown[0], /^parallelism up to 1\.00$/);
	assert.match(shown[2], /^2\.20 in all$/);
	assert.equal(asNumbers(serial.fill), colours[0]);
	assert.equal(asNumbers(parallel.fill), colours[4]);
});
