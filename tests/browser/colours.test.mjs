// The viewer's colours are those of the picture it takes the place of, and those its legend shows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "../viewer/encode.mjs";
import { withPayload } from "../viewer/payload.mjs";
import { clickFrame, frame, frames, graph, openBrowser } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;

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
	assert.deepEqual(await page.locator("#legend button").allTextContents(), ["x", "c"]);
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
	const page = await browser.open(withPayload(graph("x 1\n"), encode(stacks)));
	const legend = await page.evaluate(() => [...document.querySelectorAll("#legend button")].map((one) =>
		[one.textContent, one.firstChild.style.background.replaceAll(" ", "")]));

	assert.deepEqual(legend, [["no symbol", (await frame(page, "[libx.so+0x40]")).fill], ["libx.so", (await frame(page, "f")).fill]]);
});

test("the swatch of JIT code has the colour of the JIT frame that is heaviest, and of all of them by kind", async () => {
	const jit = ["java/lang/String.hash", "java/util/Map.get", "LazyCompile:*parse /a.js:1", "Interpreter"];
	const text = jit.map((name, i) => `main;${name}_[j] ${60 - 10 * i}\n`).join("");
	const of = (name, module) => ({ name, module, kind: 3 });
	const stacks = [[[of("Interpreter", "/tmp/perf-77.map")], 20], [[of("parse", "/tmp/perf-77.map")], 50], [[of("parse", "[jit]")], 30]];
	const fromMaps = withPayload(graph("x 1\n"), encode(stacks));
	const swatches = (page) => page.evaluate(() => [...document.querySelectorAll("#legend button")]
		.filter((one) => one.textContent === "JIT").map((one) => one.firstChild.style.background.replaceAll(" ", "")));

	for (const theme of ["light", "dark"]) {
		for (const [svg, heaviest] of [[graph(text, `--theme=${theme}`), jit[0]], [fromMaps, "parse"]]) {
			const page = await browser.open(svg, `#d=${theme}`);

			assert.deepEqual(await swatches(page), [(await frame(page, heaviest)).fill]);
			await page.selectOption("#colours", "Kind");

			const fills = (await frames(page)).filter(({ name }) => jit.includes(name) || svg === fromMaps && name !== "all").map(({ fill }) => fill);

			assert.ok(fills.length >= 3);
			assert.deepEqual(new Set(fills), new Set(await swatches(page)));
		}
		const still = graph(text, `--theme=${theme}`), [, swatch] = /fill="([^"]*)"[^>]*><text[^>]*>JIT</.exec(still.slice(still.indexOf(`<g id="legend">`)));

		assert.equal(swatch, painted(still).find(([name]) => name === `${jit[0]}_[j]` || name === jit[0])[1]);
	}
});

// sRGB to linear light, relative luminance and OKLab.
const linear = ([...rgb]) => rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const numbers = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number);
const hexToNumbers = (hex) => hex.match(/\w\w/g).map((one) => parseInt(one, 16));

function contrast(one, other) {
	const light = (rgb) => linear(rgb).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const [a, b] = [light(one), light(other)].sort((x, y) => y - x);

	return (a + 0.05) / (b + 0.05);
}

function oklab(rgb) {
	const [r, g, b] = linear(rgb);
	const [l, m, s] = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
		[0.0883024619, 0.2817188376, 0.6299787005]].map(([x, y, z]) => Math.cbrt(x * r + y * g + z * b));

	return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s];
}

const distance = (one, other) => Math.hypot(...oklab(one).map((c, i) => c - oklab(other)[i]));
const kernelAndJit = "main;read;sys_read_[k] 30\nmain;a/b.c_[j] 40\nmain;deep_[i] 20\nmain;[libx.so] 20\nmain;other 50\n";
const legend = (page) => page.evaluate(() => [...document.querySelectorAll("#legend :is(button, span)")].map((one) =>
	[one.textContent, one.firstChild.style.background.replaceAll(" ", "")]));

// Pictures of recordings: one that is made now, and those of the corpus, as far as there are any.
function recordings() {
	const folder = mkdtempSync(join(tmpdir(), "flamefold-"));
	const flamefold = (...options) => execFileSync(process.env.FLAMEFOLD, options, { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
	const names = ["google+perf_data_converter/src/quipper/testdata/perf.data.callgraph-3.8", "KDAB+perfparser/tests/auto/perfdata/vector_static_gcc/perf.data",
		"GrapheneOS+platform_system_extras/simpleperf/testdata/has_embedded_native_libs_apk_perf.data"];
	const files = process.env.CORPUS ? names.map((name) => join(process.env.CORPUS, name)) : [];

	try {
		execFileSync("perf", ["record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", join(folder, "p.data"), "--", process.execPath, "-e",
			"let n = 0; while (process.cpuUsage().user < 5e5) n += JSON.stringify(Array(999).fill(n)).length"], { stdio: "ignore", cwd: folder });
		files.push(join(folder, "p.data"));
	} catch {}
	const svgs = files.filter((file) => existsSync(file)).map((file) => flamefold("graph", "-o", "-", file).toString());

	rmSync(folder, { recursive: true });
	return svgs;
}

// Fourteen modules, as DTrace writes them.
const manyModules = () => graph(Array.from({ length: 14 }, (_, k) => `main;libm${k}.so\`f${k} ${300 - 10 * k}\n`).join(""));

test("the ten heaviest modules are told apart, and the legend has no colour twice, in recordings, too", async () => {
	const svgs = [manyModules(), ...recordings()];

	for (const svg of svgs)
		for (const [theme, least] of [["light", 0.063], ["dark", 0.059]]) {
			const page = await browser.open(svg, `#d=${theme}`);
			const entries = await legend(page);
			const modules = entries.filter(([name]) => !/^(kernel|JIT|no symbol)$/.test(name)).slice(0, 10);

			assert.ok(entries.length > 0);
			assert.equal(new Set(entries.map(([, colour]) => colour)).size, entries.length, String(entries));
			if (svg === svgs[0])
				assert.equal(modules.length, 10);
			modules.forEach(([one, colour], i) => modules.slice(0, i).forEach(([other, its]) => {
				const apart = distance(numbers(colour), numbers(its));

				assert.ok(apart >= least, `${theme}: ${one} and ${other}: ${apart}`);
			}));
		}
});

test("fills stand out from the page and labels from fills, in every class, look, theme and entry", async () => {
	const svg = graph(kernelAndJit), [light, dark] = ["light", "dark"].map((name) =>
		new RegExp(`data-${name}="([^"]*)"`).exec(svg)[1].split(" ").map((one) => hexToNumbers(one)));

	for (const [list, page, ink] of [[light, [255, 255, 255], [0, 0, 0]], [dark, [0x16, 0x17, 0x1a], [255, 255, 255]]])
		for (const fill of list) {
			assert.ok(contrast(fill, page) >= 3, `${fill} on ${page}`);
			assert.ok(contrast(fill, ink) >= 4.5, `${ink} on ${fill}`);
		}
	for (const theme of ["light", "dark"]) {
		const page = await browser.open(svg, `#d=${theme}`), under = theme === "dark" ? [0x16, 0x17, 0x1a] : [255, 255, 255];

		for (const look of ["Module", "Name", "Kind", "Self", "Value"]) {
			await page.selectOption("#colours", look);
			for (const { name, fill } of await frames(page))
				assert.ok(contrast(numbers(fill), under) >= 3, `${theme} ${look} ${name}: ${fill}`);
			for (const [name, colour] of await legend(page))
				assert.ok(contrast(numbers(colour), under) >= 3, `${theme} ${look} ${name}: ${colour}`);
		}
	}
});

test("folded text has a legend of functions and kinds that marks, and hides with Ctrl", async () => {
	const page = await browser.open(graph(kernelAndJit));
	const colours = Object.fromEntries(await legend(page));

	assert.deepEqual(Object.keys(colours), ["other", "JIT", "kernel", "no symbol", "inlined"]);
	for (const [entry, name] of [["other", "other"], ["JIT", "a/b.c"], ["kernel", "sys_read"], ["inlined", "deep"], ["no symbol", "[libx.so]"]])
		assert.equal(colours[entry], (await frame(page, name)).fill, entry);

	await page.click("#legend button:has-text('kernel')");
	assert.equal((await frame(page, "sys_read")).fill, "rgb(230,0,230)");
	assert.equal(await page.getAttribute("#legend button:has-text('kernel')", "aria-pressed"), "true");
	await page.click("#legend button:has-text('kernel')");
	assert.notEqual((await frame(page, "sys_read")).fill, "rgb(230,0,230)");
	await page.click("#legend button:has-text('JIT')", { modifiers: ["Control"] });
	assert.equal(await frame(page, "a/b.c"), undefined);
	assert.ok(!(await legend(page)).some(([name]) => name === "JIT"));
	await page.keyboard.press("u");
	assert.ok(await frame(page, "a/b.c"));
});

test("the static picture has the viewer's colours and legend, light and dark", async () => {
	for (const theme of ["light", "dark"]) {
		const svg = graph(kernelAndJit, `--theme=${theme}`), page = await browser.open(svg);
		const hex = (fill) => `#${numbers(fill).map((c) => c.toString(16).padStart(2, "0")).join("")}`;
		const still = [...svg.slice(svg.indexOf(`<g id="legend">`)).matchAll(/fill="([^"]*)"[^>]*><text[^>]*>([^<]*)</g)].map(([, fill, name]) => [name, fill]);

		assert.equal(await page.getAttribute("svg[data-flamefold]", "data-theme"), theme);
		assert.deepEqual((await drawn(page)).map(([name, fill]) => [name, hex(fill)]), painted(svg));
		assert.deepEqual((await legend(page)).map(([name, fill]) => [name, hex(fill)]), still);
	}
});

test("--theme is the theme of an <img>, and without scripts no page is white around a dark picture", {
	notInFirefox: "the theme of the system is set, and scripts are switched off, in Chromium only",
}, async () => {
	const context = await browser.page.context().browser().newContext({ javaScriptEnabled: false, colorScheme: "dark", viewport: { width: 1400, height: 500 } });
	const page = await context.newPage();
	const corners = async () => {
		const shot = (await page.screenshot()).toString("base64"), probe = await browser.newPage();
		const seen = await probe.evaluate(async (shot) => {
			const image = new Image(), canvas = document.createElement("canvas");

			image.src = `data:image/png;base64,${shot}`;
			await image.decode();
			[canvas.width, canvas.height] = [image.width, image.height];

			const context = canvas.getContext("2d", { willReadFrequently: true });

			context.drawImage(image, 0, 0);
			return [[2, 2], [image.width - 3, 2], [2, image.height - 3], [image.width - 3, image.height - 3]]
				.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].join());
		}, shot);

		await probe.close();
		return [...new Set(seen)];
	};

	for (const [name, options, expected] of [["a.svg", [], "22,23,26"], ["b.svg", ["--theme=light"], "255,255,255"], ["c.svg", ["--theme=dark"], "22,23,26"],
		["d.html", ["-f", "html"], "22,23,26"], ["e.html", ["-f", "html", "--theme=light"], "255,255,255"], ["f.svg", ["--static"], "22,23,26"]]) {
		await page.goto(browser.write(graph(kernelAndJit, ...options), name));
		assert.deepEqual(await corners(), [expected], name);
	}
	for (const [theme, expected] of [["light", "255,255,255"], ["dark", "22,23,26"]]) {
		browser.write(graph(kernelAndJit, `--theme=${theme}`), "image.svg");
		await page.goto(browser.write(`<!DOCTYPE html><body style="margin:0"><img style="display:block;width:100vw;height:100vh;object-fit:fill" src="image.svg">`, "page.html"));
		assert.deepEqual(await corners(), [expected], theme);
	}
	await context.close();
});

test("scrollbars have the colours of the theme, which Firefox does not give them by itself", { always: true }, async () => {
	for (const [theme, expected] of [["light", "rgb(138, 138, 138) rgb(255, 255, 255)"], ["dark", "rgb(133, 133, 133) rgb(22, 23, 26)"]]) {
		const page = await browser.open(graph("main;a 3\n"), `#d=${theme}`);

		for (const id of ["stage", "about", "funclist"])
			assert.equal(await page.evaluate((id) => getComputedStyle(document.getElementById(id)).scrollbarColor, id), expected, id);
	}
});

test("boxes are a pixel apart, whatever a pixel of the screen is", async () => {
	for (const scale of [1, 2, 1.5]) {
		const page = await browser.newPage({ deviceScaleFactor: scale });

		await browser.open(graph("a 333\nb 334\nc 333\n"), "", "graph.svg", page);
		const [a, b, c] = await page.evaluate(() => [...document.querySelectorAll("#tree > rect")].slice(1).map((rect) =>
			["x", "width"].map((key) => Number(rect.getAttribute(key)))));

		for (const [[x, width], [next]] of [[a, b], [b, c]]) {
			assert.ok(Math.abs((next - x - width) * scale - Math.max(1, Math.round(scale))) < 0.05, `${scale}: ${x} ${width} ${next}`);
			assert.ok(Math.abs(next * scale - Math.round(next * scale)) < 0.05, `${scale}: ${next}`);
		}
		await page.close();
	}
});

test("a run of thin boxes is darker than what it holds, not grey", async () => {
	const page = await browser.open(graph(`${Array.from({ length: 400 }, (_, k) => `thin${k}_[k] 1`).join("\n")}\nwide_[k] 999600\n`));
	const fills = await page.evaluate(() => [...document.querySelectorAll("#thin path")].map((path) => path.getAttribute("fill")));
	const [, light] = /data-light="([^"]*)"/.exec(graph("x 1\n"));
	const kernel = hexToNumbers(light.split(" ")[165]);

	assert.deepEqual(fills, [`rgb(${kernel.map((c) => Math.round(0.75 * c))})`]);
});

test("By Self goes up to the function with the most", async () => {
	const page = await browser.open(graph(`${Array.from({ length: 50 }, (_, k) => `main;f${k} ${k + 1}`).join("\n")}\n`), "#c=Self");
	const [, , most] = await legend(page);

	assert.equal(most[1], (await frame(page, "f49")).fill);
	assert.match(most[0], /^3\.9/);
});

test("nothing of all this is an error or a request", browser.quiet);
