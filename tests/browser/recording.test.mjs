// Recordings that are made now: what the viewer says of them is what their stacks say.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { addressOf, facts, frames, near, openBrowser, searchFor, weightShown } from "./page.mjs";
import { load } from "../viewer/load.mjs";
import { readFolded, search, table, total } from "../viewer/stacks.mjs";

const browser = openBrowser();
const { test } = browser;
const folder = mkdtempSync(join(tmpdir(), "flamefold-"));
const exactly = (name) => `^${name.replace(/\W/g, "\\$&")}$`;
const { figuresLike } = load("figuresLike");
const figure = (ns) => figuresLike(ns, "ns")(ns);
const work = `
	const end = Date.now() + 900_000;
	function parse(text) { return JSON.parse(text).sort((a, b) => b.value - a.value); }
	function print(list) { return JSON.stringify(list.map(({ value }, i) => ({ value: Math.sin(value), i }))); }
	let text = print(Array.from({ length: 3000 }, (_, value) => ({ value })));
	while (process.cpuUsage().user < 1e6 && Date.now() < end) text = print(parse(text));
	console.log(process.pid);`;
const maps = [];

after(() => {
	for (const path of [folder, ...maps])
		rmSync(path, { recursive: true, force: true });
});

function flamefold(...options) {
	return execFileSync(process.env.FLAMEFOLD, [...options], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }).toString();
}

// { svg, stacks, info }; null where that is not permitted.
function record(name, ...options) {
	const file = join(folder, `${name}.data`), svg = join(folder, `${name}.svg`);
	const { status, stdout } = spawnSync("perf", ["record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", file, ...options],
					     { stdio: ["ignore", "pipe", "ignore"], timeout: 900_000, cwd: folder });

	/* What node leaves for perf. */
	maps.push(`/tmp/perf-${Number(stdout)}.map`);
	if (status !== 0)
		return null;

	/* On a busy machine the programs that were recorded may go meanwhile, and names with them. */
	let folded = flamefold("fold", file), before;

	for (let tries = 0; before !== folded && tries < 10; tries++) {
		before = folded;
		flamefold("graph", "-o", svg, file);
		folded = flamefold("fold", file);
	}
	return {
		svg: readFileSync(svg, "utf8"), stacks: readFolded(folded),
		info: JSON.parse(flamefold("info", "--format=json", file)),
	};
}

const program = ["--", process.execPath, "--perf-basic-prof", "-e", work];
const own = record("program", ...program);
const whole = record("system", "-a", ...program);
const skips = (recording) => ({ skip: !recording && "perf record is not permitted, or not there" });

for (const [name, recording] of [["a program", own], ["the whole system", whole]])
	test(`a recording of ${name}: every figure is that of its stacks`, skips(recording), async () => {
		const { svg, stacks, info } = recording, rows = table(stacks), all = total(stacks);
		const page = await browser.open(svg);
		const more = await page.textContent("#more");
		const { drawn, hidden, nodes } = await facts(page);

		assert.ok(Buffer.byteLength(svg) <= 700e3, `${Buffer.byteLength(svg)} bytes`);
		assert.ok(info.samples >= 100, `${info.samples} samples`);
		assert.equal(drawn + hidden, nodes);
		assert.equal(await weightShown(page), all);
		assert.match(more, /cpu-clock/);
		assert.match(more, / · 999 Hz · /);
		assert.ok(more.includes(` · ${figuresLike(info.samples, "samples")(info.samples)} · `), more);
		for (const { name, says } of (await frames(page)).filter(({ level }) => level === 2))
			assert.ok(says.includes(`, ${figure(total(stacks.filter(([[process]]) => process === name)))})`), `${name}: ${says}`);

		await page.selectOption("#shown", "Both");
		for (const [name, row] of [...rows].sort(([, a], [, b]) => b.self - a.self).slice(0, 12)) {
			await searchFor(page, exactly(name));
			assert.equal((await facts(page)).match.weight, row.total, name);

			const selves = await page.evaluate(() => [...document.querySelectorAll("#rows tr:not([aria-hidden])")]
				.map(({ children: [, self] }) => Number((self.title || self.textContent).replace(/ .*|,/g, ""))));

			assert.equal(selves.reduce((sum, self) => sum + self, 0), row.self, name);
			await page.press("#search", "Enter");
			assert.equal(await weightShown(page), row.total, name);
			await page.selectOption("#merging", "callers");
		}
		for (const text of ["json", "^v8::", "read|write"]) {
			await searchFor(page, text);
			assert.equal((await facts(page)).match.weight, search(stacks, (name) => new RegExp(text, "i").test(name)).weight, text);
		}
		await searchFor(page, "");
		await page.selectOption("#shown", "Graph");
		await page.selectOption("#merging", "callees");
		for (const { name, says } of (await frames(page)).filter(({ level }) => level === 2).slice(0, 10)) {
			const share = Number(/\(([\d.]+) % of all/.exec(says)[1]);

			/* There may be others of that name in other modules. */
			assert.ok(share <= 100 * rows.get(name).self / all + 0.05, name);
		}
	});

test("a link leads to the same place in a new recording", skips(own), async () => {
	const again = record("again", ...program);
	const page = await browser.open(own.svg);
	const begins = (path) => ([frames]) => path.every((name, i) => name === frames[i]);
	/* The longest way from the root, at most seven long, that both have and that is wide enough. */
	const [path] = [7, 6, 5, 4, 3, 2, 1].flatMap((depth) => own.stacks.map(([frames]) => frames.slice(0, depth)))
		.filter((path) => total(own.stacks.filter(begins(path))) > 0.1 * total(own.stacks) && again.stacks.some(begins(path)));
	const isIt = ({ name, level }) => level === path.length + 1 && name === path.at(-1);

	await page.evaluate((n) => document.querySelectorAll("#tree > rect")[n].focus(), (await frames(page)).findIndex(isIt));
	await page.keyboard.press("Enter");
	near((await frames(page)).find(isIt).width, (await frames(page))[0].width);

	const { zoom } = await facts(page), { hash } = new URL(await addressOf(page));

	assert.equal(zoom.length, 4 * path.length);
	await browser.open(again.svg, hash);
	assert.equal((await facts(page)).zoom, zoom);
	near((await frames(page)).find(isIt).width, (await frames(page))[0].width);
});

test("nothing of all this is an error or a request", browser.quiet);
