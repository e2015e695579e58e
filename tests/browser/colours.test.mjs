// The viewer's colours are those of the picture it takes the place of, and those its legend shows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { encode } from "../viewer/encode.mjs";
import { clickFrame, frame, frames, graph, openBrowser } from "./page.mjs";

const browser = openBrowser();

// [title without its figures, fill] of the static picture's frames.
const painted = (svg) => [...svg.matchAll(/<title>([^<]*) \([^(<]*<\/title><rect [^>]*fill="([^"]*)"/g)]
	.map(([, name, fill]) => [name, fill]).sort();
const drawn = async (page) => (await frames(page)).map(({ name, fill }) => [name, fill]).sort();

const changed = "main;a 10 30\nmain;b 70 70\nmain;c 20 0\nmain;d 50 10\nmain;d;e 5 6\nidle 0 3\n";

for (const options of [[], ["--negate"], ["--colors=java"], ["--inverted"]])
	test(`a difference is red and blue ${options}`, async () => {
		const svg = graph(changed, ...options);
		const page = await browser.open(svg);
		const sign = options[0] === "--negate" ? -1 : 1;

		assert.deepEqual(await drawn(page), painted(svg));
		assert.notEqual((await frame(page, "a")).fill, (await frame(page, "d")).fill);
		assert.equal((await frame(page, "d")).fill, sign > 0 ? "rgb(0,0,255)" : "rgb(255,0,0)");
		assert.equal((await frame(page, "b")).fill, "rgb(255,255,255)");
	});

test("a difference with nothing before is all red", async () => {
	const svg = graph("main;a 0 30\nmain;b 0 10\n"), page = await browser.open(svg);

	assert.deepEqual(await drawn(page), painted(svg));
	assert.equal((await frame(page, "a")).fill, "rgb(255,0,0)");
	assert.match((await frame(page, "a")).says, /; \+75\.0 %\)/);
});

test("a difference has a legend, and callees first the sums of changes", async () => {
	const page = await browser.open(graph("main;a;x 10 30\nmain;b;x 0 5\nmain;c 9 9\n"));

	assert.deepEqual(await page.locator("#legend span").allTextContents(), ["less", "same", "more"]);
	assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#legend i")].map((one) => one.style.background)),
			 ["rgb(0, 0, 255)", "rgb(255, 255, 255)", "rgb(255, 0, 0)"]);
	assert.ok((await page.locator("#colours option").allTextContents()).includes("By change"));
	assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector("#stage")).backgroundColor), (await frame(page, "all")).fill);
	await page.selectOption("#merging", "callees");
	assert.match((await frame(page, "x")).says, /^x \(79\.5 % of all, 35 samples; \+56\.8 %\)/);
	assert.match((await frame(page, "a")).says, /^a \(68\.2 % of all, 30 samples; \+45\.5 %\)/);
	await page.selectOption("#colours", "Module");
	assert.deepEqual(await page.locator("#legend span").allTextContents(), []);
	await page.selectOption("#merging", "callers");
	await clickFrame(page, "a");
	assert.match((await frame(page, "x")).says, /^x \(68\.2 % of all, 30 samples; \+45\.5 %\)/);
});

test("separators are grey with every palette", async () => {
	for (const options of [["--colors=chain"], ["--colors=hot"], ["--hash"], ["--colors=java"]]) {
		const svg = graph("a;b;--;c 100\na;-;d_[k] 50\n", ...options), page = await browser.open(svg);

		assert.deepEqual((await drawn(page)).filter(([name]) => /^--?$/.test(name)),
				 painted(svg).filter(([name]) => /^--?$/.test(name)), options[0]);
		assert.equal((await frame(page, "--")).fill, "rgb(160,160,160)");
	}
});

test("colours that somebody wrote into a map are the viewer's, too", async () => {
	const cwd = mkdtempSync(join(tmpdir(), "flamefold-"));

	writeFileSync(join(cwd, "palette.map"), "->white\nb->red\nc->#00ff80\nd->rgb( 1, 2, 3)\ne->rgb(1,2,4)\nf->#123\n");

	const svg = execFileSync(process.env.FLAMEFOLD, ["graph", "--cp", "-"], {
		cwd, input: "b 100\nc 50\nd 40\ne 30\nf 20\n", stdio: ["pipe", "pipe", "ignore"],
	}).toString();

	rmSync(cwd, { recursive: true });
	assert.match(svg, /fill="red"/);
	assert.deepEqual(await drawn(await browser.open(svg)), [["all", "rgb(255,255,255)"], ["b", "rgb(255,0,0)"], ["c", "rgb(0,255,128)"],
		["d", "rgb(1,2,3)"], ["e", "rgb(1,2,4)"], ["f", "rgb(17,34,51)"]]);
});

test("the viewer starts where nothing at all is drawn without it", async () => {
	for (const options of [[], ["--colors=hot"]]) {
		const page = await browser.open(graph("a;b 100\n", "--minwidth=5000", ...options));

		assert.equal((await frames(page)).length, 3);
	}
});

test("the legend has the colour of a module's functions, not of those without a symbol or inlined", async () => {
	const of = (name, kind) => ({ name, module: "/usr/lib/libx.so", kind });
	const stacks = [[[of("[libx.so+0x40]", 1 | 8)], 500], [[of("f", 1)], 300], [[of("f", 1), of("e", 1 | 16)], 200]];
	const data = Buffer.from(encode(stacks)).toString("base64");
	const page = await browser.open(graph("x 1\n").replace(/<data>[^]*<\/data>/, `<data>${data}</data>`)
		.replace(/data-packing="\w+"/, `data-packing="none"`));
	const legend = await page.evaluate(() => [...document.querySelectorAll("#legend button")].map((one) =>
		[one.textContent, one.firstChild.style.background.replaceAll(" ", "")]));

	assert.deepEqual(legend, [["no symbol", (await frame(page, "[libx.so+0x40]")).fill], ["libx.so", (await frame(page, "f")).fill]]);
});

test("nothing of all this is an error or a request", browser.quiet);
