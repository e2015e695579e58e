// What one takes away from the page: stacks, the table, pictures, and paper.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { clickFrame, facts, frame, frames, graph, hoverFrame, near, openBrowser, searchFor } from "./page.mjs";

const stacks = [
	"main;parse;read_[k] 300", "main;parse;malloc 100", "main;write;malloc 200", "main;write 150",
	"main;\"q\",c;<&>;leaf 50", "idle 200",
].join("\n") + "\n";
const browser = openBrowser();
const { test } = browser;
const forms = { SVG: ["svg", "graph.svg"], HTML: ["html", "graph.html"] };
const open = ([format, name], text = stacks, ...options) =>
	browser.open(graph(text, "-f", format, ...options), "", name);

async function exported(page, label) {
	await page.keyboard.press("E");

	const { name, content } = await page.download(() => page.click(`#menu button:text-is("${label}")`));

	return { name, content };
}

// path -> self, as `flamefold fold` reads it.
function fold(content) {
	const text = execFileSync(process.env.FLAMEFOLD, ["fold", "-q", "-"], { input: content }).toString();

	return Object.fromEntries(text.split("\n").filter(Boolean).map((line) => {
		const at = line.lastIndexOf(" ");

		return [line.slice(0, at), Number(line.slice(at + 1))];
	}));
}

const pick = (all, fits) => Object.fromEntries(Object.entries(all).filter(([path]) => fits(path)));

for (const [form, how] of Object.entries(forms)) {
	test(`${form}: all stacks go out as they came in`, { always: form === "SVG" }, async () => {
		const page = await open(how);

		await clickFrame(page, "parse");

		const { name, content } = await exported(page, "All stacks, folded text");

		assert.equal(name, "Flame-Graph-all.folded");
		assert.deepEqual(fold(content), fold(stacks));
	});

	test(`${form}: stacks of a view are those of its zoom, after its steps`, { always: form === "SVG" }, async () => {
		const page = await open(how);

		await clickFrame(page, "main");
		assert.deepEqual(fold((await exported(page, "Stacks of this view, folded text")).content),
				 pick(fold(stacks), (path) => path.startsWith("main")));
		await hoverFrame(page, "malloc");
		await page.keyboard.press("k");
		assert.deepEqual(fold((await exported(page, "Stacks of this view, folded text")).content),
				 pick(fold(stacks), (path) => path.includes("malloc")));
		await page.keyboard.press("u");
		await hoverFrame(page, "write");
		await page.keyboard.press("h");
		await page.mouse.move(5, 590);
		assert.deepEqual(fold((await exported(page, "Stacks of this view, folded text")).content), {
			"main": 150, "main;malloc": 200, "main;parse;malloc": 100, "main;parse;read_[k]": 300,
			"main;\"q\",c;<&>;leaf": 50,
		});
	});
}

test("callees first a view has the whole stacks that end in what is zoomed to", async () => {
	const page = await open(forms.SVG);

	await page.selectOption("#merging", "callees");
	assert.deepEqual(fold((await exported(page, "Stacks of this view, folded text")).content), fold(stacks));
	await clickFrame(page, "malloc");
	assert.deepEqual(fold((await exported(page, "Stacks of this view, folded text")).content),
			 pick(fold(stacks), (path) => path.endsWith("malloc")));
});

test("around a function a view has the stacks from it on", async () => {
	const page = await open(forms.SVG);

	await hoverFrame(page, "parse");
	await page.keyboard.press("s");
	await page.mouse.move(5, 590);
	assert.deepEqual(fold((await exported(page, "Stacks of this view, folded text")).content),
			 { "parse;malloc": 100, "parse;read_[k]": 300 });
});

// Fields of CSV, for texts without line ends in them.
const fields = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)]
	.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare);

test("the table goes out in its order, with what was searched for, as numbers", { always: true }, async () => {
	const page = await open(forms.SVG);

	await page.keyboard.press("t");
	await page.click("th button:has-text('Function')");

	const { name, content } = await exported(page, "Table, CSV");
	const lines = content.toString().split("\r\n");

	assert.equal(name, "Flame-Graph.csv");
	assert.equal(lines.pop(), "");
	assert.deepEqual(fields(lines[0]), ["Function", "Self (samples)", "Total (samples)", "Module", "File", "Samples"]);
	assert.deepEqual(lines.slice(1).map((line) => fields(line).slice(0, 3)), [
		["\"q\",c", "0", "50"], ["<&>", "0", "50"], ["idle", "200", "200"], ["leaf", "50", "50"], ["main", "0", "800"],
		["malloc", "300", "300"], ["parse", "0", "400"], ["read", "300", "300"], ["write", "150", "350"],
	]);
	await searchFor(page, "^(malloc|read)$");
	await page.evaluate(() => document.activeElement.blur());
	assert.deepEqual((await exported(page, "Table, CSV")).content.toString().split("\r\n").slice(1, -1)
		.map((line) => fields(line)[0]), ["malloc", "read"]);
});

// What a picture shows, wherever it is shown: rectangles with what they are called, and words.
const shown = (page) => page.evaluate(() => {
	const svg = document.querySelector("svg");

	return {
		scripts: document.querySelectorAll("script, style, foreignObject, [onclick], image").length,
		texts: [...svg.querySelectorAll("text")].map((one) => one.textContent),
		boxes: [...svg.querySelectorAll("rect")].filter((one) => one.querySelector("title")).map((one) => ({
			name: one.querySelector("title").textContent.replace(/ \([^(]*\)$/, ""),
			/* With the pixel that is left to the next one, as frames() has it. */
			width: Number(one.getAttribute("width")) + 1, fill: getComputedStyle(one).fill,
		})),
		back: getComputedStyle(svg.querySelector("rect")).fill,
	};
});
const sorted = (boxes) => boxes.map(({ name, width, fill }) => `${name} ${width} ${fill.replaceAll(" ", "")}`).sort();

for (const theme of ["light", "dark"])
	test(`the picture of a view looks as the view does, ${theme}`, { always: theme === "dark" }, async () => {
		const page = await open(forms.SVG);

		if (theme === "dark")
			await page.keyboard.press("d");
		await clickFrame(page, "main");
		await hoverFrame(page, "idle").catch(() => {});
		await searchFor(page, "malloc");
		await page.evaluate(() => document.activeElement.blur());
		await page.mouse.move(5, 590);

		const seen = await frames(page), before = await facts(page);
		const { name, content } = await exported(page, "Picture of this view, SVG");

		assert.equal(name, "Flame-Graph.svg");
		assert.deepEqual({ ...await facts(page), ms: 0 }, { ...before, ms: 0 });
		assert.deepEqual(sorted(await frames(page)), sorted(seen));
		await page.goto(browser.write(content, "view.svg"));

		const { scripts, texts, boxes, back } = await shown(page);

		assert.equal(scripts, 0);
		assert.deepEqual(sorted(boxes), sorted(seen));
		assert.ok(texts.includes("Flame Graph") && texts.some((one) => /Zoomed to main .*Matched: 30/.test(one)), texts.join("\n"));
		assert.equal(back === "rgb(255, 255, 255)", theme === "light");
		/* It has no data to be read back. */
		assert.throws(() => execFileSync(process.env.FLAMEFOLD, ["fold", "-q", "-"], { input: content, stdio: "pipe" }));
	});

const imageOf = (type, content) =>
	`<!DOCTYPE html><img src="data:image/${type};base64,${content.toString("base64")}">`;

// In the page: how wide its image is, and the colours in the middle of it.
function columnOf() {
	const [image] = document.images, canvas = document.createElement("canvas");
	const context = canvas.getContext("2d");

	[canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
	context.drawImage(image, 0, 0);

	const { data } = context.getImageData(600, 0, 1, canvas.height);

	return [canvas.width, new Set(new Uint32Array(data.buffer)).size];
}

test("the picture of a view is whole for a program that knows no style, and as an image", async () => {
	const page = await open(forms.HTML);
	const { content } = await exported(page, "Picture of this view, SVG");
	const file = browser.write(content, "view.svg");

	execFileSync("xmllint", ["--noout", new URL(file).pathname]);
	for (const [type, bytes] of [
		["svg+xml", content], ["png", execFileSync("rsvg-convert", [new URL(file).pathname])],
	]) {
		await page.goto(browser.write(imageOf(type, bytes), "img.html"));
		await page.waitForFunction(() => document.images[0].complete);

		/* The title, labels and boxes make a picture of many colours, as wide as the view. */
		const [wide, inks] = await page.evaluate(columnOf);

		assert.equal(wide, 1200, type);
		assert.ok(inks >= 4, `${type}: ${inks} colours`);
	}
});

test("the legend goes out with the picture, swatches and words, and none too wide for it", async () => {
	const name = `parse_${"long_".repeat(200)}`;
	const page = await open(forms.SVG, `main;${name} 30\nmain;write 20\nidle 10\n`);
	const legend = await page.evaluate(() => [...document.querySelectorAll("#legend button")].map((one) =>
		[getComputedStyle(one.querySelector("i")).backgroundColor, one.textContent]));
	const { content } = await exported(page, "Picture of this view, SVG");

	await page.goto(browser.write(content, "view.svg"));

	const seen = await page.evaluate(() => [...document.querySelectorAll("svg > rect + text")].slice(1).map((text) => {
		const { right } = text.getBoundingClientRect(), swatch = text.previousSibling;

		return [getComputedStyle(swatch).fill, text.textContent, right < innerWidth && swatch.getBoundingClientRect().right <= text.getBoundingClientRect().left];
	}));

	assert.equal(legend.length, 3);
	assert.deepEqual(seen.map(([fill]) => fill), legend.map(([fill]) => fill));
	assert.ok(seen.every(([, , fits]) => fits), JSON.stringify(seen));
	assert.match(seen[0][1], /^parse_.*…/);
	assert.deepEqual(seen.slice(1).map(([, text]) => text), ["write", "idle"]);
});

test("pixels are as many as the screen's, and show the same", { always: true }, async () => {
	const page = await open(forms.HTML);
	const { name, content } = await exported(page, "Picture of this view, PNG");

	assert.equal(name, "Flame-Graph.png");
	assert.equal(content.subarray(1, 4).toString(), "PNG");
	await page.goto(browser.write(imageOf("png", content), "img.html"));
	await page.waitForFunction(() => document.images[0].complete);

	const [wide, inks] = await page.evaluate(columnOf);

	assert.equal(wide, 1200);
	assert.ok(inks >= 4, `${inks} colours`);
});

test("pixels of a fine screen are finer, but not more than a canvas can have", async () => {
	const page = await browser.newPage({ viewport: { width: 1200, height: 600 }, deviceScaleFactor: 2 });
	const size = ({ content }) => [content.readUInt32BE(16), content.readUInt32BE(20)];

	await browser.open(graph(stacks), "", "graph.svg", page);
	assert.equal(size(await exported(page, "Picture of this view, PNG"))[0], 2400);
	await browser.open(graph(`${Array.from({ length: 3000 }, (_, i) => `f${i}`).join(";")} 1\n`), "", "graph.svg", page);

	const [wide, high] = size(await exported(page, "Picture of this view, PNG"));

	assert.ok(high <= 16000 && high > 15000 && wide > 300, `${wide} x ${high}`);
	await page.close();
});

test("a name of a file has nothing that a shell or a folder would mind", async () => {
	for (const [title, expected] of [["../a b/c: 50 % $(x)", "a-b-c-50-x.csv"], ["…", "graph.csv"], ["Größe", "Größe.csv"]]) {
		const page = await open(forms.SVG, stacks, `--title=${title}`);

		assert.equal((await exported(page, "Table, CSV")).name, expected);
	}
});

test("the menu is reached by its button and with keys, and closes", async () => {
	const page = await open(forms.SVG);

	await page.focus("#export");
	await page.keyboard.press("Enter");
	assert.deepEqual(await page.locator("#menu [role=menuitem]").allTextContents(), [
		"Stacks of this view, folded text", "All stacks, folded text", "Table, CSV", "Picture of this view, SVG",
		"Picture of this view, PNG", "Print this view",
	]);

	const [button, menu] = [await page.locator("#export").boundingBox(), await page.locator("#menu").boundingBox()];

	near(menu.x, button.x, 1);
	near(menu.y, button.y + button.height, 1);
	await page.keyboard.press("ArrowDown");
	assert.equal(await page.evaluate(() => document.activeElement.textContent), "All stacks, folded text");
	await page.keyboard.press("Escape");
	assert.ok(!await page.isVisible("#menu"));
	assert.equal(await page.evaluate(() => document.activeElement.id), "export");
});

for (const [form, how] of Object.entries(forms))
	test(`${form}: what is printed is the current view, as wide as the paper`, { always: form === "SVG" }, async () => {
		const page = await open(how);

		await page.keyboard.press("d");
		await clickFrame(page, "main");
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		assert.equal(await page.evaluate(() => Boolean(document.querySelector("#app, #picture"))), false);

		const { texts, boxes, back } = await shown(page);

		assert.equal(back, "rgb(255, 255, 255)");
		assert.ok(texts.includes("Flame Graph") && texts.some((one) => /Zoomed to main/.test(one)));
		assert.ok(boxes.some(({ name, width }) => name === "write" && width > 400 && width < 500));
		assert.ok(!boxes.some(({ name }) => name === "idle"));
		/* Paper is not as wide as a window. */
		await page.setViewportSize({ width: 700, height: 900 });
		await page.waitForFunction(() => innerWidth === 700);
		assert.ok(await page.evaluate(() => {
			const { left, right } = [...document.querySelectorAll("rect")]
				.find((one) => /^main/.test(one.querySelector("title")?.textContent)).getBoundingClientRect();

			return left >= 0 && right <= 700 && right - left > 600;
		}));
		await page.setViewportSize({ width: 1200, height: 600 });
		await page.waitForFunction(() => innerWidth === 1200);
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		assert.equal(await page.evaluate(() => document.querySelector("svg[data-flamefold]").dataset.theme), "dark");
		assert.ok((await frame(page, "main")).width > 1100);
		assert.equal(await frame(page, "idle"), undefined);
	});

test("on paper a deep graph is as wide as it is, and the rows that are left out are counted", async () => {
	const deep = `${Array.from({ length: 300 }, (_, k) => `f${k}`).join(";")} 30\nside 10\n`;

	for (const root of ["", "#y=1"])
		for (const [zoom, there, gone] of [["", ["all", "f0", "f62", "side"], ["f63", "f299"]], ["f200", ["f192", "f200", "f255"], ["f191", "f256"]]]) {
			const page = await browser.open(graph(deep), root);

			if (zoom) {
				await page.evaluate((zoom) => [...document.querySelectorAll("#tree rect")]
					.find((rect) => rect.getAttribute("aria-label").startsWith(`${zoom} `)).focus(), zoom);
				await page.keyboard.press("Enter");
			}
			await page.evaluate(() => dispatchEvent(new Event("beforeprint")));

			const { texts, boxes } = await shown(page), names = boxes.map(({ name }) => name);
			const [, , wide, high] = (await page.getAttribute("svg svg", "viewBox")).split(" ");
			const tops = await page.evaluate(() => {
				const { y, height } = document.querySelector("svg svg").getBoundingClientRect();

				return [...document.querySelectorAll("rect > title")].map((one) => (one.parentNode.getBoundingClientRect().y - y) / height);
			});

			assert.ok(high / wide > 0.9 && high / wide < 1.2, `${wide} x ${high}`);
			assert.ok(tops.every((top) => top > 0 && top < 1));
			assert.deepEqual([there.filter((name) => !names.includes(name)), gone.filter((name) => names.includes(name))], [[], []], `${root} ${zoom}`);
			assert.ok(texts.some((text) => text.includes("237 rows left out")), texts.slice(0, 4).join("\n"));
			await page.evaluate(() => dispatchEvent(new Event("afterprint")));
			assert.equal((await frames(page)).length, zoom ? 301 : 302);
		}
});

test("nothing of all this is an error or a request", () => browser.quiet());
