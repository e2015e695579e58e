// What was seen to be wrong when pictures of real recordings were looked at.
import assert from "node:assert/strict";
import { clickFrame, facts, frame, frames, graph, near, openBrowser } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;
const long = `std::__detail::_Map_base<${"std::pair<const unsigned long, std::vector<int> >, ".repeat(40)}>::operator[](unsigned long const&)`;

test("a page's style for rectangles, paths and text does not reach into the graph", async () => {
	const svg = graph("main;parse;read 30\nmain;print 10\nidle 5\n").replace(/^<\?xml[^>]*\?>\s*/, "");
	const rude = "svg svg { border: 9px solid red; max-width: 50px } rect { stroke: lime; stroke-width: 4px; rx: 9px } path { stroke: red; fill: none } text { font: italic 30px serif; letter-spacing: 4px; fill: red } g { opacity: 0.3 } svg rect, article text { stroke: blue; display: none }";
	const looks = () => [...document.querySelectorAll("#frames, #frames *")].map((one) => {
		const style = getComputedStyle(one);

		return [one.localName, one.id, ...["stroke", "strokeWidth", "fill", "rx", "x", "width", "height", "fontSize", "fontStyle", "letterSpacing", "opacity",
			"display", "borderTopWidth", "maxWidth", "fillOpacity", "pointerEvents", "textAnchor"].map((key) => style[key])].join(" ");
	});
	const page = await browser.newPage(), seen = [];

	for (const style of ["", rude]) {
		await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><style>${style}</style><article style="position: absolute; width: 900px">${svg}</article>`, "host.html"));
		await page.waitForSelector("[data-ready]", { state: "attached" });
		await clickFrame(page, "parse");
		seen.push(await page.evaluate(looks));
	}
	assert.ok(seen[0].length > 10);
	assert.deepEqual(seen[1], seen[0]);
	await page.close();
});

test("a name of 2,000 letters takes no more of the legend than others", async () => {
	const page = await browser.open(graph(`main;${long} 30\nmain;b 20\nmain;c 10\n`));
	const boxes = await page.evaluate(() => [...document.querySelectorAll("#legend button")].map((one) => {
		const { left, right, top } = one.getBoundingClientRect();

		return { left, right, top };
	}));

	assert.equal(boxes.length, 3);
	assert.ok(boxes.every(({ left, right, top }) => right <= 1200 && right - left < 400 && top === boxes[0].top), JSON.stringify(boxes));
});

test("of a long name a label has what it ends with", async () => {
	const page = await browser.open(graph(`main;${long} 30\nmain;${"W".repeat(1990)}end 20\nidle 70\n`));
	const [first, second] = [await frame(page, long), (await frames(page)).find(({ name }) => name.startsWith("WWW"))];

	assert.equal(first?.label ?? (await frames(page)).find(({ name }) => name.startsWith("std")).label, "std::__detail::_Map_base::operator[]");
	assert.match(second.label, /^W+…W+end$/);
});

test("in a low frame the title has what the field for searches leaves", async () => {
	const page = await browser.newPage({ viewport: { width: 1000, height: 500 } });

	await browser.open(graph("main 1\n", "--title=node --perf-basic-prof hot.js · build1 · 2024-05-03 12:31 UTC · cycles · 62.0 s · 1.3 M samples"), "", "graph.svg", page);
	assert.ok(await page.evaluate(() => {
		const title = document.querySelector("#title");

		return title.scrollWidth <= title.clientWidth && document.querySelector("#search").clientWidth >= 100;
	}));
	await page.close();
});

test("graph and table beside each other: names are as in the graph, and nothing is cut off", async () => {
	const names = Array.from({ length: 12 }, (_, k) => `v8::internal::JsonParser<unsigned short>::ParseTheJsonValue${k}(int, int)`);
	const svg = graph(names.map((name, k) => `main;${name} ${k + 1}`).join("\n"));

	for (const width of [1200, 800, 390]) {
		const page = await browser.newPage({ viewport: { width, height: 700 } });

		await browser.open(svg, "#g=Both", "graph.svg", page);

		const { cells, list, wide } = await page.evaluate(() => ({
			cells: [...document.querySelectorAll("#rows button")].map((one) => [one.textContent, one.title, one.scrollWidth <= one.clientWidth]),
			list: document.querySelector("#funclist").clientWidth, wide: document.querySelector("#funclist").scrollWidth,
		}));

		assert.ok(wide <= list, `${width}: ${wide} in ${list}`);
		for (const [shown, name, fits] of cells)
			if (names.includes(name))
				assert.ok(fits && shown.startsWith("Parse") && (width < 1200 || shown.endsWith(/\d+(?=\()/.exec(name)[0])), `${width}: ${shown}`);
		await page.close();
	}
});

test("samples that are what is counted are not said twice", async () => {
	const page = await browser.open(graph("main;a 3\nmain;b 4\n"), "#g=Both");

	assert.deepEqual(await page.locator("#heads th").allTextContents(), ["Function", "Self ▼", "Total"]);
});

test("a step that is none is said to be none", async () => {
	const page = await browser.open(graph("main;a 3\nmain;b 4\n"), "#t=dark");

	assert.equal(await page.textContent("#status"), "'dark' is not a step");
	assert.equal((await facts(page)).drawn, 4);
});

test("in the dark a run of thin boxes is no brighter than what it holds, and paler", async () => {
	const page = await browser.open(graph(`${Array.from({ length: 400 }, (_, k) => `thin${k}_[k] 1`).join("\n")}\nwide_[k] 999600\n`), "#d=dark");
	const [fill] = await page.evaluate(() => [...document.querySelectorAll("#thin path")].map((path) => path.getAttribute("fill")));
	const run = fill.match(/\d+/g).map(Number), box = (await frame(page, "wide")).fill.match(/\d+/g).map(Number);
	const chroma = (colour) => Math.max(...colour) - Math.min(...colour);

	assert.ok(Math.max(...run) < Math.max(...box) && chroma(run) < 0.6 * chroma(box), `${run} of ${box}`);
});

test("what can be tapped is not to be clicked", async () => {
	const phone = await browser.newPage({ viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true });

	const page = await browser.open(graph("main 1\n"));

	assert.match(await page.textContent("#more"), /Click a frame to zoom; type \//);
	assert.equal((await page.textContent("#app footer")).match(/1 sample/g).length, 1);
	await browser.open(graph("main 1\n", "-f", "html"), "", "graph.html", phone);
	assert.equal((await phone.textContent("#more")).replace(/few samples.*/, "").trim(), browser.name === "Firefox"
		? "Click a frame to zoom; type / to search, ? for all keys" : "Tap a frame, and once more to zoom");
	await phone.close();
});

test("nothing of all this is an error or a request", browser.quiet);
