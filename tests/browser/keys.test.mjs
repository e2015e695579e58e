// What keys, pointer and focus do together, and what is typed into the search.
import assert from "node:assert/strict";
import { encode } from "../viewer/encode.mjs";
import { withPayload } from "../viewer/payload.mjs";
import { clickFrame, facts, frame, frames, graph, hoverFrame, near, openBrowser, placeOf, searchFor } from "./page.mjs";

const stacks = "main;parse;read 300\nmain;parse;malloc 100\nmain;write;malloc 200\nidle 200\n";
const browser = openBrowser();
const { test } = browser;
const text = (page, id) => page.textContent(`#${id}`);
const valueOf = (page, selector) => page.evaluate((selector) => document.querySelector(selector).value, selector);
const current = (page) => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
const chips = (page) => page.locator("#chips button").allTextContents();
const press = async (page, ...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
};

test("arrows say where one is, wherever the pointer rests", async () => {
	const page = await browser.open(graph(stacks));

	await hoverFrame(page, "read");
	await press(page, "ArrowUp", "ArrowUp");
	assert.match(await current(page), /^parse /);
	assert.match(await text(page, "details"), /parse \S+ % of all · 400 samples/);
	await press(page, "Enter");
	near((await frame(page, "parse")).width, 1180);
	await page.mouse.move(...(await placeOf(page, "malloc")));
	assert.match(await text(page, "details"), /malloc \S+ % of all · 100 samples/);
});

test("beside the first frame on the root is nothing", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "ArrowUp", "ArrowLeft");
	assert.match(await current(page), /^idle /);
	await press(page, "ArrowLeft");
	assert.match(await current(page), /^idle /);
	await searchFor(page, "^parse$");
	await page.press("#search", "Enter");
	await page.mouse.move(5, 590);
	await press(page, "Escape", "Home", "ArrowUp", "ArrowLeft");
	assert.match(await current(page), /^malloc /);
});

test("the next hit is shown with what it stands on, however thin it is", async () => {
	const rest = Array.from({ length: 50 }, (_, i) => `main;big;other${i} 20000\n`).join("");
	const page = await browser.open(graph(`${rest}main;some;way;deep;needle 30\nmain;some;way;deep;hay 50\nmain;some;way;deep;more 40000\n`));

	await searchFor(page, "^needle$");
	await page.press("#search", "Tab");
	await page.evaluate(() => document.activeElement?.blur?.());
	await press(page, "n");
	assert.match(await current(page), /^needle /);
	for (const name of ["main", "some", "way", "deep"])
		near((await frame(page, name)).width, 1180);
	assert.ok((await frame(page, "more")).width > 1000);
	assert.ok((await frame(page, "needle")).width < 10);
});

test("on names alone there is nothing to do with modules, and that is said", async () => {
	const page = await browser.open(graph(stacks));

	for (const key of ["m", "o"]) {
		await press(page, "0", "ArrowUp", "ArrowUp");
		assert.match(await current(page), /^parse /);
		await press(page, key);
		assert.match(await text(page, "status"), /no modules/i, key);
		assert.deepEqual(await chips(page), []);
	}
	await searchFor(page, "read");
	await page.selectOption("#onhits", "m");
	assert.deepEqual(await chips(page), []);
	assert.match(await text(page, "status"), /no modules/i);
	assert.equal((await frames(page)).length, 8);
});

test("in the table keys are for the row's function, whichever way stacks are merged", async () => {
	for (const hash of ["#g=Both", "#g=Both&o=callees", "#g=Both&o=around&v=parse"]) {
		const page = await browser.open(graph(stacks), hash);

		for (const name of ["malloc", "main", "parse", "read"]) {
			await page.focus(`td button:text-is("${name}")`);
			await press(page, "k");
			assert.ok((await chips(page)).includes(`Only stacks with ^${name}$ ×`), `${hash} ${name}: ${await chips(page)}`);
			await press(page, "u");
		}
		await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }));
		await page.focus(`td button:text-is("main")`);
		await press(page, "c");
		assert.equal(await valueOf(page, "#copied"), "main");
	}
});

test("the table scrolls on when a row has the focus", async () => {
	const page = await browser.open(graph(Array.from({ length: 500 }, (_, i) => `m;f${i} ${1000 - i}\n`).join("")), "#g=Both");
	const top = () => page.evaluate(() => document.querySelector("#funclist").scrollTop);

	await page.focus("td button >> nth=3");
	await page.mouse.move(200, 300);
	for (let i = 1; i <= 8; i++) {
		await page.mouse.wheel(0, 60);
		await page.waitForFunction((least) => document.querySelector("#funclist").scrollTop >= least, 60 * i);
	}
	assert.ok(await top() >= 480);
});

test("a click beside the menu closes it, and so does Tab", async () => {
	const page = await browser.open(graph(stacks));

	await clickFrame(page, "parse", { button: "right" });
	assert.ok(await page.isVisible("#menu"));
	await page.mouse.click(1100, 100);
	assert.ok(!await page.isVisible("#menu"));
	await clickFrame(page, "parse", { button: "right" });
	await press(page, "Tab");
	assert.ok(!await page.isVisible("#menu"));
	/* In Firefox the next control is a list, where keys choose. */
	await page.evaluate(() => document.activeElement.blur());
	await press(page, "?");
	assert.ok(await page.isVisible("#help"));
	await page.click("#help dl");
	assert.ok(await page.isVisible("#help"));
});

test("the button for a frame is for the current one, whatever lies below it", async () => {
	const page = await browser.open(graph(`${Array.from({ length: 200 }, (_, i) => `f${i}`).join(";")} 100\nbeside 50\n`), "#y=1");

	await press(page, "ArrowDown");
	assert.match(await current(page), /^f0 /);
	await page.evaluate(() => document.querySelector("#stage").scrollTop = 1000);
	await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }));
	await page.click("#actions");
	await page.click("[role=menuitem]:has-text('Copy its name')");
	assert.equal(await valueOf(page, "#copied"), "f0");
});

test("what is no expression stays to be mended, and Escape takes it away", async () => {
	const page = await browser.open(graph(stacks));

	await searchFor(page, "read(");
	await page.mouse.click(600, 400);
	await clickFrame(page, "parse");
	assert.equal(await valueOf(page, "#search"), "read(");
	assert.match(await text(page, "matched"), /regular expression|parenthetical/);
	await page.focus("#search");
	await press(page, "Escape");
	assert.equal(await valueOf(page, "#search"), "");
	assert.equal(await text(page, "matched"), "");
	assert.equal(await page.getAttribute("#search", "aria-invalid"), "false");
	near((await frame(page, "parse")).width, 1180);
});

test("Enter does nothing where nothing was found", async () => {
	const page = await browser.open(graph(stacks));

	await searchFor(page, "nothing of that name");
	await page.press("#search", "Enter");
	assert.equal((await facts(page)).view, "callers");
	assert.equal((await frames(page)).length, 8);
});

test("what is for one function is not for those that differ from it in case", async () => {
	const page = await browser.open(graph("main;SSL_read;ssl_read 300\nmain;ssl_read 200\nmain;other 500\n"), "#g=Both");

	await searchFor(page, "^ssl_read$");
	assert.deepEqual((await facts(page)).match, { hits: 2, weight: 500, share: "50.00%" });
	await searchFor(page, "");
	await page.evaluate(() => document.activeElement?.blur?.());
	await hoverFrame(page, "ssl_read");
	await press(page, "h");
	assert.ok(await frame(page, "SSL_read"));
	assert.equal(await frame(page, "ssl_read"), undefined);
});

test("text that is to be taken as it stands is a step as it stands, and other steps stay what they are", async () => {
	const page = await browser.open(graph("main;a.b;x 300\nmain;acb;x 200\nmain;other 500\n"), "#g=Both");

	await hoverFrame(page, "other");
	await press(page, "x");
	await page.click("#regex");
	assert.equal((await frames(page)).some(({ name }) => name === "other"), false);
	await searchFor(page, "a.b");
	assert.equal((await facts(page)).match.hits, 1);
	await page.selectOption("#onhits", "k");
	assert.deepEqual(await chips(page), ["No stacks with ^other$ ×", "Only stacks with a\\.b ×"]);
	assert.match(await text(page, "details"), /all \S+ % of all · 300 samples/);
	await page.press("#search", "Enter");
	assert.match(await text(page, "details"), /a\.b \S+ % of .* · 300 samples/);
	await page.click("#chips button >> nth=0");
	await searchFor(page, "");
	await page.click(`td button:text-is("a.b")`);
	assert.deepEqual((await frames(page)).filter(({ same }) => same).map(({ name }) => name), ["a.b"]);
});

test("a hit that was gone to is none of another graph's", async () => {
	const page = await browser.open(graph(stacks));

	await searchFor(page, "malloc|read|idle");
	await page.press("#search", "Tab");
	await page.evaluate(() => document.activeElement?.blur?.());
	await press(page, "n", "n", "n");
	assert.match(await text(page, "matched"), /3 of 4 frames/);
	await page.selectOption("#onhits", "h");
	assert.doesNotMatch(await text(page, "matched"), /\d of \d/);
});

test("a folded line has a ; between frames only", async () => {
	const page = await browser.open(withPayload(graph("x 1\n"), encode([[["main", "java/lang/Object;.hash"], 3]])));

	await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }));
	await hoverFrame(page, "java/lang/Object;.hash");
	await press(page, "l");
	assert.equal(await valueOf(page, "#copied"), "main;java/lang/Object:.hash 3");
});

test("where not all rows are drawn, those one looks at are, zoomed and printed too", async () => {
	const dense = Array.from({ length: 40 }, (_, i) => `dense;${Array.from({ length: 200 }, (_, k) => `f${i}_${k}`).join(";")} 100\n`);
	const deep = Array.from({ length: 2500 }, (_, i) => `deep${i % 7}`).join(";");
	const page = await browser.open(graph(`${deep} 400\n${dense.join("")}`));
	const inSight = () => page.evaluate(() => {
		const stage = document.querySelector("#stage").getBoundingClientRect();

		return [...document.querySelectorAll("#tree rect")].map((one) => one.getBoundingClientRect())
			.filter(({ top, bottom }) => bottom > stage.top && top < stage.bottom).length;
	});

	assert.ok(await inSight() > 500);
	await clickFrame(page, "dense");
	assert.ok(await inSight() > 500, `${await inSight()} frames`);
	await page.evaluate(() => ["beforeprint", "afterprint"].forEach((type) => dispatchEvent(new Event(type))));
	assert.ok(await inSight() > 500, `${await inSight()} frames after printing`);
});

test("in somebody else's page there is room for the frames, and keys are for the graph that is looked at", async () => {
	const svg = graph("main;parse 700\nmain;read 300\n").replace(/^<\?xml[^>]*\?>\s*/, "");
	const page = await browser.newPage();
	const theme = async () => (await facts(page)).theme;

	await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><p tabindex="0">before</p><div style="width:900px">${svg}</div><p>after</p>`, "host.html"));
	await page.waitForSelector("[data-ready]", { state: "attached" });
	assert.ok(await page.evaluate(() => document.querySelector("#stage").clientHeight >= document.querySelector("#frames").clientHeight));
	await page.focus("p");
	await press(page, "d");
	assert.equal(await theme(), "light");
	await hoverFrame(page, "parse");
	await press(page, "d");
	assert.equal(await theme(), "dark");
	await page.mouse.move(1100, 590);
	await page.focus("#tree rect");
	await press(page, "d");
	assert.equal(await theme(), "light");
	await page.close();
});

test("help has every key once, in sets that are named", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "?");

	const keys = await page.locator("#help kbd").allTextContents();

	assert.equal(new Set(keys).size, keys.length);
	for (const key of ["Enter", ..."skxfhmocClrwuvibetd/nN0+-[]E?", "Backspace", "Click", "Arrows", "Home, End", "Ctrl-I", "Escape"])
		assert.ok(keys.includes(key), key);
	assert.deepEqual(await page.locator("#help h2").allTextContents(),
			 ["Go", "Search", "Change what is shown", "Change how it looks", "Copy, export, help"]);
});

test("what lies over the page keeps the focus", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "?");
	for (const key of ["Tab", "Shift+Tab", "click", "Tab"]) {
		if (key === "click") {
			await page.click("#help h2");
			continue;
		}
		await press(page, key);
		assert.ok(await page.evaluate(() => document.querySelector("#help").contains(document.activeElement)), key);
	}
	await press(page, "Escape");
	assert.equal(await page.isVisible("#help"), false);
});

test("case, letters and numbers of any script", async () => {
	const page = await browser.open(graph("main;Ärger 1\nmain;ärger 2\nmain;🔥 4\nmain;жук 8\n"));

	for (const [string, finds] of [["ärger", "2 frames"], ["Ärger", "1 frame"], ["Жук", "0 frames"], ["^.$", "1 frame"], ["\\p{Lu}", "1 frame"],
				       ["\\-|main", "1 frame"]]) {
		await page.fill("#search", string);
		assert.match(await text(page, "matched"), RegExp(` · ${finds} ·`), string);
	}
});

test("controls are in sets that are named, and have words where there is room", async () => {
	const page = await browser.open(graph(stacks));
	/* Firefox leaves attr() in it. */
	const words = () => page.evaluate(() => [...document.querySelectorAll("[data-word]")].map((one) =>
		getComputedStyle(one, "::after").content.replace("attr(data-word)", one.getAttribute("data-word"))));

	assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#controls [role=group]")]
		.map((one) => one.getAttribute("aria-label"))), ["What is seen", "How it looks", "Export and help"]);
	assert.deepEqual(new Set(await words()), new Set(["none"]));
	await page.setViewportSize({ width: 1500, height: 600 });
	await page.waitForFunction(() => innerWidth === 1500);
	assert.equal((await words()).length, 5);
	assert.ok((await words()).every((word) => /[A-Z]/.test(word)), await words());
	/* What is seen is part of what is heard. */
	assert.ok(await page.evaluate(() => [...document.querySelectorAll("[data-word]")]
		.every((one) => one.getAttribute("aria-label").includes(one.getAttribute("data-word")))));
	await page.setViewportSize({ width: 1200, height: 600 });
});

test("nothing of all this is an error or a request", browser.quiet);
