// Where things are: in windows, frames and pages of any size, and under a finger.
import assert from "node:assert/strict";
import { clickFrame, facts, frame, frames, graph, hoverFrame, near, openBrowser, placeOf, searchFor } from "./page.mjs";

const stacks = "main;parse;read 300\nmain;parse;malloc 100\nmain;write;malloc 200\nidle 200\n";
const tower = Array.from({ length: 150 }, (_, i) => `f${i}`).join(";");
const high = `${tower} 100\nmain;beside 50\n`;
const browser = openBrowser();
const { test } = browser;
const text = (page, id) => page.textContent(`#${id}`);
const boxOf = (page, selector) => page.evaluate((selector) =>
	document.querySelector(selector).getBoundingClientRect().toJSON(), selector);
const current = (page) => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
const press = async (page, ...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
};

// The root is on the screen. @page: a page or a frame in one.
const rootIsSeen = () => {
	const stage = document.querySelector("#stage").getBoundingClientRect();
	const root = [...document.querySelectorAll("#tree rect")]
		.find((one) => one.getAttribute("aria-level") === "1")?.getBoundingClientRect();

	return root && root.top >= stage.top - 1 && root.bottom <= stage.bottom + 1;
};

// A page with the graph in it, HTML or SVG. Answers its frame, once the graph has drawn.
async function embed(page, content, attributes, more = "") {
	const name = content.startsWith("<!DOCTYPE html") ? "inner.html" : "inner.svg";

	browser.write(content, name);
	await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><style>iframe { width: 800px; height: 500px; border: 0 }</style>
		<iframe title="graph" src="${name}" ${attributes}></iframe>${more}`, "host.html"));

	const inner = page.frames().find((one) => one.url().endsWith(name));

	await inner.waitForSelector("[data-ready]", { state: "attached" });
	return inner;
}

test("a low graph lies at the side of its root, next to what is said about it", async () => {
	const page = await browser.open(graph(stacks));
	const { bottom } = await boxOf(page, "#tree rect");

	near(bottom, (await boxOf(page, "footer")).top, 3);
	await press(page, "i");
	near((await boxOf(page, "#tree rect")).top, (await boxOf(page, "footer")).bottom, 3);
});

test("the footer is as high as what it holds, and the graph stands still below the pointer", async () => {
	const long = `std::vector<${"very_long_name<int>, ".repeat(60)}>`;
	const page = await browser.open(graph(`main;${long} 300\nmain;b 200\nc 100\n`));
	const { height } = await boxOf(page, "footer");
	const { y } = await boxOf(page, "#tree rect");

	assert.ok(height < 110, `${height}`);
	/* A name in the legend has an end, too: nothing is to be scrolled to the side. */
	assert.ok(await page.evaluate(() => document.querySelector("footer").scrollWidth <= innerWidth));
	assert.ok((await boxOf(page, "#legend button")).width < 400);
	for (const name of ["c", "b", "main"]) {
		await hoverFrame(page, name);
		near((await boxOf(page, "#tree rect")).y, y, 0.01);
	}
	await page.mouse.move(700, y - 25);
	assert.match(await text(page, "details"), /very_long_name/);
	near((await boxOf(page, "#tree rect")).y, y, 0.01);
	near((await boxOf(page, "footer")).height, height, 0.01);
});

test("in a frame that is not shown at first, and in a sandboxed one, the root is seen", async () => {
	const page = await browser.newPage();
	const html = graph(high, "-f", "html");

	/* A browser may lay it out in a process of its own. */
	await (await embed(page, graph(high), `sandbox="allow-scripts"`)).waitForFunction(rootIsSeen);
	const hidden = await embed(page, html, `style="display: none"`);

	await page.evaluate(() => { document.querySelector("iframe").style.display = "block"; });
	await hidden.waitForFunction(rootIsSeen);
	await page.close();
});

test("the root stays where it is seen when the window becomes another one", async () => {
	const page = await browser.newPage();

	await browser.open(graph(high), "", "graph.svg", page);
	assert.ok(await page.evaluate(rootIsSeen));
	for (const [width, height] of [[1200, 300], [390, 844], [844, 390], [500, 600], [1400, 900]]) {
		await page.setViewportSize({ width, height });
		await page.waitForFunction((width) => innerWidth === width && Math.abs(document.querySelector("#tree rect").getBoundingClientRect().right -
			document.querySelector("#stage").clientWidth + 10) < 2, width);
		await page.waitForFunction(rootIsSeen);
	}
	/* What one has scrolled to stays, too. */
	await page.evaluate(() => new Promise((done) => {
		const stage = document.querySelector("#stage");

		/* The page has to hear of it before the window is another one. */
		stage.addEventListener("scroll", () => requestAnimationFrame(() => setTimeout(done)), { once: true });
		stage.scrollTop = 200;
	}));
	assert.equal(await page.evaluate(() => document.querySelector("#stage").scrollTop), 200);
	await page.setViewportSize({ width: 1400, height: 700 });
	await page.waitForFunction(() => document.querySelector("#stage").scrollTop > 350);
	await page.close();
});

test("a frame of 500 pixels has 400 for the graph, and so has a picture in a page", async () => {
	const page = await browser.newPage();
	const room = () => document.querySelector("#stage").clientHeight;
	const modules = Array.from({ length: 20 }, (_, i) => `main;function_${i} ${i + 5}\n`).join("");

	for (const width of [800, 390, 1100]) {
		const inner = await embed(page, graph(modules + high, "-f", "html"), `style="width: ${width}px"`);

		assert.ok(await inner.evaluate(room) >= 400, `${width}: ${await inner.evaluate(room)}`);
	}
	const svg = graph(modules + high).replace(/^<\?xml[^>]*\?>\s*/, "");

	await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><style>svg[data-flamefold] { height: 500px }</style><div>${svg}</div>`, "host.html"));
	await page.waitForSelector("[data-ready]", { state: "attached" });
	assert.ok(await page.evaluate(room) >= 400, `${await page.evaluate(room)}`);
	await page.close();
});

for (const [width, height] of [[390, 844], [320, 568], [844, 390]])
	test(`${width}x${height}: one row above the graph, all controls there, no small print`, async () => {
		const page = await browser.newPage({ viewport: { width, height }, hasTouch: true });

		await browser.open(graph(stacks, "-f", "html"), "", "graph.html", page);
		assert.ok((await boxOf(page, "header")).height <= 40);
		for (const id of ["merging", "shown", "colours"])
			assert.ok(!await page.isVisible(`#${id}`));
		await page.tap("#tools");
		assert.equal(await page.getAttribute("#tools", "aria-expanded"), "true");
		await page.selectOption("#merging", "callees");
		assert.equal((await facts(page)).view, "callees");
		assert.ok(await page.evaluate(() => [...document.querySelectorAll("#controls *")]
			.every((one) => one.getBoundingClientRect().right <= innerWidth)));
		await page.tap("#tools");
		assert.ok(!await page.isVisible("#merging"));
		await searchFor(page, "malloc");
		assert.ok((await boxOf(page, "header")).height <= 40);
		for (const leave of [() => {}, () => document.activeElement.blur()]) {
			await page.evaluate(leave);
			assert.ok(await page.evaluate(() => [...document.querySelectorAll("header *")].filter((one) => one.getClientRects().length)
				.every((one) => one.getBoundingClientRect().right <= innerWidth)));
		}
		await page.selectOption("#onhits", "k");
		assert.equal(await page.locator("#chips button").count(), 1);
		assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#app *")]
			.filter((one) => one.getClientRects().length && parseFloat(getComputedStyle(one).fontSize) < 12)
			.map((one) => one.outerHTML)), []);
		await page.close();
	});

test("what can be done with hits can be read at every width", async () => {
	for (const width of [1400, 900, 880, 720, 600, 390]) {
		const page = await browser.newPage({ viewport: { width, height: 700 } });

		await browser.open(graph(stacks, "-f", "html"), "", "graph.html", page);
		await searchFor(page, "malloc");
		const { room, needs } = await page.evaluate(() => {
			const list = document.querySelector("#onhits"), context = document.createElement("canvas").getContext("2d");

			context.font = getComputedStyle(list).font;
			return { room: list.clientWidth, needs: context.measureText("Hits…").width + 28 };
		});

		assert.ok(room >= needs, `${width}: ${room} of ${needs}`);
		await page.close();
	}
});

test("two taps at one point are for one frame, wherever the point is", async () => {
	const page = await browser.newPage({ viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true, reducedMotion: "reduce" });
	const many = Array.from({ length: 60 }, (_, i) =>
		`${Array.from({ length: 50 }, (_, k) => `f${Math.floor(i / (1 + (k % 7)))}_${k}`).join(";")} ${10 + i % 13}\n`).join("");

	await browser.open(graph(many, "-f", "html"), "", "graph.html", page);
	const stage = await boxOf(page, "#stage");
	const wrong = [];
	/* Firefox's driver has whole pixels. */
	const within = browser.name === "Firefox" ? 0 : 0.5;

	for (let i = 0; i < 40; i++) {
		const x = 15 + within + (i * 37) % 360, y = Math.floor(stage.top + (i * 53) % (stage.height - 2)) + 1 + within;

		await press(page, "0", "Home");
		await page.evaluate((y) => { document.querySelector("#stage").scrollTop = y; }, 100 + 7 * i);
		await page.evaluate(() => Promise.all(document.querySelector("#moving").getAnimations().map((one) => one.finished)).then(() => {}));
		const [label, ...others] = await page.evaluate(([y, ...all]) => all.map((x) =>
			document.elementFromPoint(x, y).getAttribute("aria-label")), within ? [y, x] : [y, x, x - 1, x + 1]);

		/* Beside the boxes, or where a whole pixel is between two. */
		if (!label || others.some((one) => one !== label))
			continue;
		/* A frame is its label here: what it weighs, calls and uses itself is the same zoomed. */
		const widest = () => page.evaluate(() => [...document.querySelectorAll("#tree rect")]
			.reduce((all, one) => Math.max(all, Number(one.getAttribute("width"))), 0));
		const width = () => page.evaluate(() => Number(document.activeElement.getAttribute("width")));

		await page.touchscreen.tap(x, y);
		const chosen = await current(page);

		await page.touchscreen.tap(x, y);
		const zoomed = await current(page);

		if (chosen !== label || zoomed !== label || await width() !== await widest())
			wrong.push({ i, label, chosen, zoomed });
	}
	assert.deepEqual(wrong, []);
	await page.close();
});

test("keys do their work after a list was chosen from", async () => {
	const page = await browser.open(graph(stacks));

	await page.focus("#merging");
	await press(page, "ArrowDown");
	assert.equal((await facts(page)).view, "callees");
	await press(page, "v");
	assert.equal((await facts(page)).view, "callers");
	await press(page, "d");
	assert.equal((await facts(page)).theme, "dark");
	await press(page, "/");
	assert.equal(await current(page), "Search");
});

test("after Reset zoom the focus is in the graph", async () => {
	const page = await browser.open(graph(stacks));

	await clickFrame(page, "parse");
	await page.click("#unzoom");
	assert.match(await current(page), /^all \(/);
	await press(page, "ArrowUp");
	assert.match(await current(page), /^main \(/);
});

test("after a step keys are for what is under the pointer now, and never dead", async () => {
	const page = await browser.open(graph("main;a 300\nmain;b 200\nmain;c 100\n"));
	const [x, y] = await placeOf(page, "c");

	await page.mouse.move(x, y);
	await press(page, "x");
	await press(page, "x");
	assert.equal(await page.locator("#chips button").count(), 2);
	assert.deepEqual((await frames(page)).length, 3);

	const host = await browser.newPage();
	const svg = graph(stacks).replace(/^<\?xml[^>]*\?>\s*/, "");

	await host.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><div style="width:900px">${svg}</div>`, "host.html"));
	await host.waitForSelector("[data-ready]", { state: "attached" });
	await hoverFrame(host, "idle");
	await press(host, "x");
	await host.focus("#chips button");
	await host.mouse.move(1100, 590);
	await press(host, "Enter");
	assert.equal(await host.locator("#chips button").count(), 0);
	await press(host, "v");
	assert.equal((await facts(host)).view, "callees");
	await host.close();
});

test("the style of a page that the graph is in does not reach into it", async () => {
	const svg = graph(stacks).replace(/^<\?xml[^>]*\?>\s*/, "");
	const rude = `body { color: red; font: italic 30px serif; text-transform: uppercase; letter-spacing: 4px; line-height: 3; text-align: right; visibility: visible; word-spacing: 9px }
		h1, h2, p, div, button, select, input, td, th, header, footer, main, section, table, kbd { color: red; background: yellow; border: 9px solid red; padding: 20px; margin: 20px; float: right; text-shadow: 2px 2px red; font: 30px serif; display: block; width: 50px; text-transform: uppercase }`;
	const looks = () => [...document.querySelectorAll("#app, #app *")].filter((one) => !one.closest("svg svg, #help")).map((one) => {
		const style = getComputedStyle(one);

		return [one.id || one.localName, ...["color", "backgroundColor", "fontFamily", "fontSize", "fontStyle", "lineHeight", "letterSpacing", "textTransform",
			"textAlign", "textShadow", "borderTopWidth", "paddingTop", "marginTop", "float", "display", "width", "height", "wordSpacing"].map((key) => style[key])].join(" ");
	});
	const page = await browser.newPage();
	const seen = [];

	for (const style of ["", rude]) {
		await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><style>${style}</style><article style="position: absolute; width: 900px">${svg}</article>`, "host.html"));
		await page.waitForSelector("[data-ready]", { state: "attached" });
		await hoverFrame(page, "parse");
		await press(page, "t");
		seen.push(await page.evaluate(looks));
	}
	assert.deepEqual(seen[1], seen[0]);
	await page.close();
});

test("nothing of all this is an error or a request", browser.quiet);
