// The viewer, as the build embeds it and from its sources, in SVG and in HTML.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { addressOf, clickFrame, facts, frame, frames, graph, hoverFrame, near, openBrowser, searchFor, withSources } from "./page.mjs";
import { load } from "../viewer/load.mjs";

const { stepTo } = load("stepTo");

const stacks = [
	"main;parse;read 300",
	"main;parse;malloc 100",
	"main;WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW;malloc 200",
	"main;<script>alert(1)</script>;]]>&\"x' 200",
	"idle 200",
].join("\n") + "\n";
const pink = "rgb(230,0,230)";
const browser = openBrowser();
const { test } = browser;
const names = async (page, fits) => (await frames(page)).filter(fits).map(({ name }) => name);
const valueOf = (page, selector) => page.evaluate((selector) => document.querySelector(selector).value, selector);
const text = (page, id) => page.textContent(`#${id}`);

const forms = {
	SVG: (page, ...options) => browser.open(graph(stacks, ...options)),
	sources: (page, ...options) => browser.open(withSources(graph(stacks, ...options))),
	HTML: (page, ...options) => browser.open(graph(stacks, "-f", "html", ...options), "", "graph.html"),
};

for (const [form, open] of Object.entries(forms)) {
	const see = (name, run, options) => test(`${form}: ${name}`,
		options ?? {}, () => run(browser.page));

	see("all frames are drawn, where flamegraph.pl draws them", async (page) => {
		await open(page);

		const { nodes, drawn, hidden, view, zoom, match } = await facts(page);

		assert.deepEqual({ nodes, drawn, hidden, view, zoom, match },
				 { nodes: 10, drawn: 10, hidden: 0, view: "callers", zoom: "", match: "" });
		for (const [name, x, width, level] of [
			["all", 10, 1180, 1], ["idle", 10, 236, 2], ["main", 246, 944, 2], ["parse", 718, 472, 3],
			["malloc", 482, 236, 4], ["read", 836, 354, 4],
		]) {
			const one = await frame(page, name);

			near(one.x, x);
			near(one.width, width);
			assert.equal(one.level, level);
			assert.equal(one.y, (4 - one.level) * 16 + 1);
		}
	});

	see("every label fits its box", async (page) => {
		await open(page);
		for (const one of await frames(page))
			assert.ok(one.label.length > 0);
		assert.match((await frames(page)).find(({ name }) => /^W+$/.test(name)).label, /^W+…W+$/);

		const wide = await page.evaluate(() => {
			const rects = [...document.querySelectorAll("#tree > rect")];

			return [...document.querySelectorAll("#texts text")].filter((label) => {
				const { x, y, width } = label.getBBox();

				return !rects.some((rect) => rect.getBBox().x <= x && rect.getBBox().y <= y + 8 &&
					rect.getBBox().y + 15 >= y + 8 && x + width <= rect.getBBox().x + rect.getBBox().width);
			}).map((label) => label.textContent);
		});

		assert.deepEqual(wide, []);
	});

	see("the frame under the pointer is described at once", async (page) => {
		await open(page);
		await hoverFrame(page, "malloc");
		assert.equal(await text(page, "details"), "malloc 20.0 % of all · 200 samples · self 20.0 % · 200 samples ");
		assert.equal(await text(page, "more"), "all 2 places: 30.0 % of all · self 30.0 % ± 2.5 % ");
		await hoverFrame(page, "all");
		assert.match(await text(page, "details"), /all 100 % of all · 1,000 samples · self 0 %/);
	});

	see("all boxes of the function that is pointed at are outlined", async (page) => {
		await open(page);
		await hoverFrame(page, "malloc");
		assert.deepEqual(await names(page, ({ same }) => same), ["malloc", "malloc"]);
		await page.mouse.move(5, 590);
		assert.deepEqual(await names(page, ({ same }) => same), []);
	});

	see("a click zooms, and what the frame stands on is faded", async (page) => {
		await open(page);
		const { fill } = await frame(page, "main");

		assert.ok(await page.isDisabled("#unzoom"));
		await clickFrame(page, "parse");
		for (const name of ["all", "main", "parse"])
			near((await frame(page, name)).width, 1180);
		assert.notEqual((await frame(page, "main")).fill, fill);
		assert.equal(await frame(page, "idle"), undefined);
		near((await frame(page, "read")).width, 885);
		await hoverFrame(page, "read");
		assert.match(await text(page, "details"), /75\.0 % of the zoom \(parse\)/);
		assert.notEqual((await facts(page)).zoom, "");
	});

	see("a reset restores every box, Back and Forward too", async (page) => {
		await open(page);
		const first = await frames(page);
		const home = await addressOf(page);

		for (const reset of [
			() => page.click("#unzoom"), () => page.keyboard.press("Escape"), () => page.keyboard.press("0"),
			() => clickFrame(page, "all"), () => page.goBack(),
		]) {
			await clickFrame(page, "parse");
			assert.notDeepEqual(await frames(page), first);
			await reset();
			await page.mouse.move(5, 590);
			await page.evaluate(() => document.activeElement?.blur?.());
			assert.deepEqual((await frames(page)).map((one) => ({ ...one, same: false })), first);
		}
		await page.goForward();
		near((await frame(page, "parse")).width, 1180);
		await page.goBack();
		assert.equal((await addressOf(page)).replace(/#$/, ""), home);
	});

	see("a click on a faded frame zooms out to it", async (page) => {
		await open(page);
		await clickFrame(page, "read");
		await clickFrame(page, "main");
		near((await frame(page, "main")).width, 1180);
		near((await frame(page, "parse")).width, 590);
		assert.equal(await frame(page, "idle"), undefined);
	});

	see("a search marks frames as one types, and says which share they have", async (page) => {
		await open(page);
		await page.keyboard.press("Control+f");
		await page.keyboard.type("^malloc$");
		assert.deepEqual(await names(page, ({ fill }) => fill === pink), ["malloc", "malloc"]);
		assert.deepEqual((await facts(page)).match, { hits: 2, weight: 300, share: "30.00%" });
		assert.equal(await text(page, "matched"), "Matched: 30.0 % of all · 2 frames · self 30.0 % ");
		await page.keyboard.press("Escape");
		assert.deepEqual(await names(page, ({ fill }) => fill === pink), []);
		assert.equal(await text(page, "matched"), "");
	});

	see("frames on top of hits do not count again, nor what zoom hides in the zoom", async (page) => {
		await open(page);
		await searchFor(page, "parse|read");
		assert.deepEqual((await facts(page)).match, { hits: 2, weight: 400, share: "40.00%" });
		await searchFor(page, "malloc");
		await page.mouse.move(5, 590);
		await clickFrame(page, "parse");
		assert.match(await text(page, "matched"), /Matched: 30\.0 % of all · 2 frames · self 30\.0 % 25\.0 % of the zoom \(parse\)/);
	});

	see("only names are searched, with regard to case as one chooses", async (page) => {
		await open(page);
		for (const [expression, hits] of [["samples", 0], ["^read$", 1], ["MALLOC", 0], ["main", 1]]) {
			await searchFor(page, expression);
			assert.equal((await facts(page)).match.hits, hits, expression);
		}
		await searchFor(page, "MALLOC");
		await page.keyboard.press("Control+i");
		assert.equal((await facts(page)).match.hits, 2);
		await searchFor(page, "m.in|(");
		await page.click("#regex");
		assert.equal((await facts(page)).match.hits, 0);
		await searchFor(page, "alert(1)");
		assert.equal((await facts(page)).match.hits, 1);
	});

	see("an expression that is none is said to be none", async (page) => {
		await open(page);
		await searchFor(page, "(");
		assert.match(await text(page, "matched"), /regular expression|parenthetical/);
		assert.equal(await page.getAttribute("#search", "aria-invalid"), "true");
		assert.deepEqual(await names(page, ({ fill }) => fill === pink), []);
		await searchFor(page, "read");
		assert.equal((await facts(page)).match.hits, 1);
		assert.equal(await page.getAttribute("#search", "aria-invalid"), "false");
	});

	see("one goes from hit to hit", async (page) => {
		await open(page);
		await searchFor(page, "malloc");
		await page.keyboard.press("Tab");
		await page.evaluate(() => document.activeElement?.blur?.());
		await page.keyboard.press("n");
		assert.match(await text(page, "matched"), /1 of 2 frames/);
		await page.keyboard.press("n");
		assert.match(await text(page, "matched"), /2 of 2 frames/);
		assert.match(await text(page, "details"), /malloc 10\.0 % of all · 100 samples/);
		await page.keyboard.press("n");
		assert.match(await text(page, "matched"), /1 of 2 frames/);
		await page.keyboard.press("N");
		assert.match(await text(page, "matched"), /2 of 2 frames/);
	});

	see("the address restores what is seen", async (page) => {
		await open(page);
		await clickFrame(page, "parse");
		await searchFor(page, "mall?oc+|read");
		await page.selectOption("#colours", "Name");
		await page.keyboard.press("Escape");
		await page.selectOption("#shown", "Both");
		const { hash } = new URL(await addressOf(page));
		const seen = await frames(page), { zoom, match } = await facts(page);

		await page.goto("about:blank");
		await page.goto(browser.write(graph(stacks), "again.svg") + hash);
		await page.waitForSelector("[data-ready]", { state: "attached" });
		assert.deepEqual(await frames(page), seen);
		assert.deepEqual([(await facts(page)).zoom, (await facts(page)).match], [zoom, match]);
		assert.equal(await valueOf(page, "#colours"), "Name");
		assert.equal(await valueOf(page, "#shown"), "Both");
	});

	see("links of flamegraph.pl lead to the same frames", async (page) => {
		await open(page);
		const address = await addressOf(page);

		await page.goto("about:blank");
		await page.goto(`${address}?x=718.0&y=53&s=read`);
		await page.waitForSelector("[data-ready]", { state: "attached" });
		near((await frame(page, "parse")).width, 1180);
		assert.equal((await facts(page)).match.hits, 1);
		await page.goto("about:blank");
		await page.goto(`${address}?x=1&y=2&s=%5B`);
		await page.waitForSelector("[data-ready]", { state: "attached" });
		assert.equal((await facts(page)).zoom, "");
	});

	see("the root goes to the top, and back", async (page) => {
		await open(page, "--inverted");
		assert.equal((await frame(page, "all")).y, 0);
		await clickFrame(page, "parse");
		near((await frame(page, "read")).width, 885);
		assert.equal((await frame(page, "read")).y, 48);
		await page.keyboard.press("i");
		assert.equal((await frame(page, "all")).y, 49);
		near((await frame(page, "read")).width, 885);
	});

	see("callees first: a root for each own value, and the function stays", async (page) => {
		await open(page);
		await page.selectOption("#merging", "callees");
		near((await frame(page, "malloc")).width, 354);
		assert.equal((await frame(page, "malloc")).level, 2);
		near((await frame(page, "idle")).width, 236);
		assert.equal((await facts(page)).view, "callees");
		await page.mouse.move(5, 590);
		await clickFrame(page, "malloc");
		near((await frame(page, "parse")).width, 1180 / 3, 0.7);
		await page.selectOption("#merging", "callers");
		near((await frame(page, "malloc")).width, 1180);
		assert.equal((await frame(page, "malloc")).level, 4);
	});

	see("merged around a function: callers below, callees above", async (page) => {
		await open(page);
		await hoverFrame(page, "parse");
		await page.keyboard.press("s");
		assert.equal((await facts(page)).view, "around");
		near((await frame(page, "parse")).width, 1180);
		near((await frame(page, "read")).width, 885);
		near((await frame(page, "main")).width, 1180);
		assert.ok((await frame(page, "main")).y > (await frame(page, "parse")).y);
		assert.ok((await frame(page, "read")).y < (await frame(page, "parse")).y);
		await page.click("#chips button");
		assert.equal((await facts(page)).view, "callers");
		await searchFor(page, "^(malloc|read)$");
		await page.press("#search", "Enter");
		assert.match(await text(page, "details"), /\^\(malloc\|read\)\$ 60\.0 % of all · 600 samples/);
		await page.keyboard.press("Escape");
		await page.keyboard.press("Escape");
		assert.equal((await facts(page)).view, "callers");
	});

	see("steps are chips that can be taken away", async (page) => {
		await open(page);
		const first = await frames(page);
		const step = async (name, key) => {
			await hoverFrame(page, name);
			await page.keyboard.press(key);
			await page.mouse.move(5, 590);
		};

		await step("parse", "x");
		assert.match(await text(page, "details"), /all 60\.0 % of all · 600 samples/);
		await step("main", "h");
		assert.equal(await frame(page, "main"), undefined);
		near((await frame(page, "malloc")).width, 1180 / 3, 0.7);
		assert.deepEqual(await page.locator("#chips button").allTextContents(),
				 ["No stacks with ^parse$ ×", "Hide ^main$ ×"]);
		await page.locator("#chips button").first().click();
		near((await frame(page, "read")).width, 354);
		await page.keyboard.press("u");
		await page.evaluate(() => document.activeElement?.blur?.());
		assert.deepEqual(await frames(page), first);
		await searchFor(page, "malloc");
		await page.selectOption("#onhits", "k");
		assert.match(await text(page, "details"), /all 30\.0 % of all · 300 samples/);
	});

	see("the table says the same, can be sorted, and marks functions in the graph", async (page) => {
		await open(page);
		await page.keyboard.press("t");
		const rows = () => page.evaluate(() => [...document.querySelectorAll("#rows tr:not([aria-hidden])")]
			.map((row) => [...row.children].map((cell) => cell.textContent)));

		assert.deepEqual((await rows()).slice(0, 2), [
			["malloc", "300 samples (30.0 %)", "300 samples (30.0 %)"],
			["read", "300 samples (30.0 %)", "300 samples (30.0 %)"],
		]);
		await page.click("th button:has-text('Total')");
		assert.equal((await rows())[0][0], "main");
		assert.equal(await page.getAttribute("th:has-text('Total')", "aria-sort"), "descending");
		await page.click("th button:has-text('Function')");
		assert.deepEqual((await rows()).map(([name]) => name), (await rows()).map(([name]) => name).sort());
		await page.click("td button:has-text('malloc')");
		assert.equal(await valueOf(page, "#search"), "");
		assert.equal((await rows()).length, 8);
		assert.deepEqual(await names(page, ({ same }) => same), ["malloc", "malloc"]);
		assert.equal(await page.getAttribute("td button:has-text('malloc')", "aria-pressed"), "true");
		assert.match(await text(page, "details"), /malloc 20\.0 % of all/);
		await page.click("tr:has-text('malloc') td >> nth=1");
		assert.deepEqual(await names(page, ({ same }) => same), []);
		await page.keyboard.press("t");
		assert.ok(!await page.isVisible("#stage"));
		await page.keyboard.press("t");
		assert.ok(!await page.isVisible("#funclist"));
	});

	see("own values are a darker band as wide as they are", async (page) => {
		await browser.open(withSources(graph("a;b 600\na 400\n")));
		assert.equal(await page.getAttribute("#bands", "d"), "M10 17h472v2h-472z");
	});

	see("wrappers fold into one box with a count, recursion into one", async (page) => {
		await browser.open(withSources(graph("main;start;run;work 98\nmain;start;run;rest 2\nr;r;r;x 100\n")));
		await page.keyboard.press("w");
		assert.equal((await frame(page, "main")).label, "main +2");
		assert.equal(await frame(page, "start"), undefined);
		await page.keyboard.press("u");
		await page.keyboard.press("r");
		assert.equal((await names(page, ({ name }) => name === "r")).length, 1);
		near((await frame(page, "x")).width, 590);
	});

	see("copying gives name, stack and folded line", async (page) => {
		await open(page);
		const copied = async (key) => {
			await hoverFrame(page, "read");
			await page.keyboard.press(key);
			await page.waitForFunction(() => !document.querySelector("#copied").hidden ||
				document.querySelector("#status").textContent === "Copied");

			const chosen = await page.evaluate(() => document.querySelector("#copied").value);

			await page.keyboard.press("Escape");
			return chosen;
		};

		/* Without the permission the text is there, selected. */
		await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }));
		assert.equal(await copied("c"), "read");
		assert.equal(await copied("C"), "main\nparse\nread");
		assert.equal(await copied("l"), "main;parse;read 300");
		await page.selectOption("#merging", "callees");
		await page.mouse.move(5, 590);
		await hoverFrame(page, "parse");
		await page.keyboard.press("C");
		assert.equal(await valueOf(page, "#copied"), "parse\nmalloc");
		assert.equal(await page.evaluate(() => getSelection().toString() ||
			document.activeElement.value.slice(document.activeElement.selectionStart)), "parse\nmalloc");
		await page.keyboard.press("Escape");
	});

	see("what is copied is in the clipboard where the browser allows that", async (page) => {
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await open(page);
		for (const [key, copied] of [["c", "read"], ["C", "main\nparse\nread"], ["l", "main;parse;read 300"]]) {
			await hoverFrame(page, "read");
			await page.keyboard.press(key);
			await page.waitForFunction(() => document.querySelector("#status").textContent === "Copied");
			assert.equal(await page.evaluate(() => navigator.clipboard.readText()), copied);
			assert.ok(!await page.isVisible("#copied"));
			await page.mouse.move(5, 590);
		}
		await page.context().clearPermissions();
	}, { always: false, notInFirefox: "permissions are Chromium's" });

	see("colours mean what one chooses, with a legend", async (page) => {
		await open(page);
		const fills = async () => Object.fromEntries((await frames(page)).map(({ name, fill }) => [name, fill]));
		const module = await fills();

		await page.selectOption("#colours", "Name");
		assert.notEqual((await fills()).read, (await fills()).parse);
		await page.selectOption("#colours", "Self");
		assert.equal((await fills()).main, (await fills()).parse);
		assert.notEqual((await fills()).main, (await fills()).read);
		await page.selectOption("#colours", "Value");
		assert.notEqual((await fills()).main, (await fills()).parse);
		await page.selectOption("#colours", "Module");
		assert.deepEqual(await fills(), module);
	});

	see("dark when the system is, and when one wants", async (page) => {
		await open(page);
		const ink = () => page.evaluate(() => getComputedStyle(document.querySelector("#app")).backgroundColor);

		assert.equal((await facts(page)).theme, "light");
		await page.emulateMedia({ colorScheme: "dark" });
		await page.waitForSelector("[data-theme=dark]", { state: "attached" });
		assert.notEqual(await ink(), "rgb(255, 255, 255)");
		await page.keyboard.press("d");
		assert.equal((await facts(page)).theme, "light");
		assert.equal(await ink(), "rgb(255, 255, 255)");
		await page.emulateMedia({ colorScheme: null });
	}, { always: false, notInFirefox: "the theme of the system is set in Chromium only" });

	see("help lists every key, and a hint goes after the first zoom", async (page) => {
		await open(page);
		assert.match(await text(page, "more"), /Click a frame to zoom/);
		await page.keyboard.press("?");
		assert.ok(await page.isVisible("#help"));
		for (const key of ["s", "k", "x", "f", "h", "m", "o", "c", "C", "l", "r", "w", "u", "v", "i", "b",
			"e", "t", "d", "/", "n", "N", "Backspace", "0", "?", "Enter", "Arrows", "Escape"])
			assert.ok((await page.locator("#help kbd").allTextContents()).includes(key), key);
		await page.keyboard.press("Escape");
		assert.ok(!await page.isVisible("#help"));
		await clickFrame(page, "parse");
		await page.keyboard.press("0");
		await page.mouse.move(5, 590);
		assert.doesNotMatch(await text(page, "more"), /Click a frame to zoom/);
	});

	see("the menu of a frame does what its keys do", async (page) => {
		await open(page);
		await clickFrame(page, "parse", { button: "right" });
		assert.equal(await page.locator("#menu [role=menuitem]").count(), 11);
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		assert.equal((await facts(page)).view, "around");
		await page.keyboard.press("Escape");
		await clickFrame(page, "idle", { button: "right" });
		await page.keyboard.press("Escape");
		assert.ok(!await page.isVisible("#menu"));
	});
}

test("what is not drawn is counted, whatever it is below", async () => {
	const page = await browser.open(graph("a;big 100000\na;thin;x;y 3\na;thin;x;z 1\nb;c 1\n"));

	assert.deepEqual([await facts(page)].map(({ nodes, drawn, hidden }) => [nodes, drawn, hidden]), [[9, 3, 6]]);
	assert.match(await text(page, "more"), / · 6 frames thinner than a pixel are drawn together: zoom in /);
	await page.evaluate((hash) => location.hash = hash, `z=${["a", "thin"].map(stepTo).join("")}`);
	await page.waitForFunction(() => document.querySelector("svg").dataset.zoom);
	assert.deepEqual([await facts(page)].map(({ drawn, hidden }) => [drawn, hidden]), [[6, 0]]);
});

test("names of V8 say where they are, and labels are what they are called", async () => {
	const where = "JS:^makeText /home/user/project/sources/application.js:2:18";
	const page = await browser.open(graph(`main;${where} 100\nmain;fold:fold.c:12 100\nmain;wide 1000\n`));

	assert.equal((await frame(page, where)).label, "JS:^makeText");
	await hoverFrame(page, where);
	assert.match(await text(page, "more"), /(^| )\/home\/user\/project\/sources\/application\.js:2:18 · /);
	await page.mouse.move(5, 590);
	await searchFor(page, "file:application\\.js|fold\\.c:12$");
	assert.equal((await facts(page)).match.hits, 2);
});

test("around a function both sides are in the window, however deep they are", async () => {
	const deep = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i}`).join(";");
	const page = await browser.open(graph(`${deep("up", 60)};pivot;${deep("down", 60)} 100\n`));

	for (const top of ["", "i"]) {
		if (top)
			await page.keyboard.press(top);
		await searchFor(page, "^pivot$");
		await page.press("#search", "Enter");

		const stage = await page.locator("#stage").boundingBox();
		const [{ y }] = await page.evaluate(() => [...document.querySelectorAll("#tree rect")]
			.filter((one) => one.getAttribute("aria-level") === "1").map((one) => one.getBoundingClientRect().toJSON()));

		assert.ok(y > stage.y + stage.height / 4 && y < stage.y + stage.height * 3 / 4, `${y} in ${stage.y} to ${stage.y + stage.height}`);
		await page.click("#chips button");
		await page.evaluate(() => document.activeElement?.blur?.());
	}
});

test("all that can be chosen comes back from the address", async () => {
	const chosen = "#s=MALLOC&i=i&c=Self&g=Both&k=-Total&w=1&y=1&l=1&d=dark&t=h%3A%5Eparse%24&t=r%3A";
	const page = await browser.open(graph(stacks), chosen);
	const seen = async () => [await frames(page), await facts(page), await text(page, "rows"), await text(page, "heads"),
		await page.locator("#chips button").allTextContents(), await text(page, "ignorecase")]
		.map((one) => JSON.stringify(one, (key, value) => key === "ms" ? 0 : value));

	assert.equal((await facts(page)).match.hits, 2);
	assert.equal((await facts(page)).theme, "dark");
	assert.deepEqual(await page.locator("#chips button").allTextContents(), ["Hide ^parse$ ×", "Recursion folded ×"]);
	assert.match(await text(page, "heads"), /Total ▲/);
	assert.equal((await frame(page, "all")).y, 0);
	assert.equal(await page.getAttribute("#texts text", "text-anchor"), "end");
	/* The widest is the first one. */
	assert.deepEqual(await names(page, ({ level }) => level === 2), ["main", "idle"]);

	const before = await seen();

	/* What one does then adds to it. */
	await page.keyboard.press("F3");
	assert.equal(await page.evaluate(() => document.activeElement.id), "search");
	await page.keyboard.press("Escape");
	await page.evaluate(() => document.activeElement?.blur?.());
	await searchFor(page, "MALLOC");
	await page.keyboard.press("Tab");

	const { hash } = new URL(await addressOf(page));

	assert.deepEqual([...new URLSearchParams(hash.slice(1))].sort(), [...new URLSearchParams(chosen.slice(1))].sort());
	await browser.open(graph(stacks), hash);
	assert.deepEqual(await seen(), before);
});

test("labels keep their end where one wants that", async () => {
	const page = await browser.open(graph("main;a_name_that_is_quite_long_indeed_and_longer_than_its_box 10\nmain;b 100\n"));
	const label = async () => (await page.locator("#texts text").allTextContents()).find((one) => /…|\.\./.test(one));

	assert.match(await label(), /^a_name.*…/);
	await page.keyboard.press("e");
	assert.match(await label(), /^…\w*its_box$/);
});

test("of a time it is said how long it is", async () => {
	const page = await browser.open(graph("main;a 1500000000\nmain;b 250000000\n", "--countname=ns"));

	assert.match(await text(page, "details"), / · 1\.75 s/);
	await hoverFrame(page, "a");
	assert.match(await text(page, "details"), / · 1\.50 s · /);
	assert.match(await text(page, "more"), /1,500,000,000 ns/);
});

test("lost, cut and unnamed shares are said, and that few samples say little", async () => {
	const svg = graph(stacks).replace("<metadata ", `<metadata data-event="cycles" data-samples="50" ` +
		`data-lost="50" data-truncated="5" data-unknown="250" data-frequency="99" data-duration="2500000000" `);
	const page = await browser.open(svg);
	const more = await text(page, "more");

	for (const part of ["cycles", "99 Hz", "in 2.50 s", "50 samples lost: 4.8 % of those taken",
		"cut stacks: 0.5 % of all samples", "without a symbol: 25.0 % of all"])
		assert.ok(more.includes(`${part} `), `${part}: ${more}`);
	assert.doesNotMatch(more, /few samples/);
	await browser.open(graph("main;a 30\nmain;b 20\n"));
	assert.match(await text(page, "more"), /few samples: shares are rough/);
});

test("a difference says how own shares have changed", async () => {
	const page = await browser.open(graph("main;a 10 30\nmain;b 70 70\nmain;c 20 0\n"));

	await hoverFrame(page, "a");
	assert.equal(await text(page, "details"), "a 30.0 % of all · 30 samples · self 30.0 % · 30 samples · changed by +20.0 % ");
	await hoverFrame(page, "b");
	assert.equal(await text(page, "details"), "b 70.0 % of all · 70 samples · self 70.0 % · 70 samples · changed by 0 % ");
	await hoverFrame(page, "main");
	assert.equal(await text(page, "details"), "main 100 % of all · 100 samples · self 0 % · changed by 0 % ");
});

test("options of flamegraph.pl change what the details say", async () => {
	const page = await browser.open(graph("main;a 30\nmain;b 70\n", "--total=200", "--factor=2",
					      "--countname=bytes", "--nametype=Name:", "--title=T & <t>", "--subtitle=S"));

	await hoverFrame(page, "a");
	assert.equal(await text(page, "details"), "Name: a 15.0 % of all · 60 bytes · self 15.0 % · 60 bytes ");
	near((await frame(page, "all")).width, 1180);
	near((await frame(page, "main")).width, 590);
	assert.equal(await text(page, "title"), "T & <t>");
	assert.equal(await text(page, "subtitle"), "S");
});

test("--reverse shows callees first, --flamechart keeps the order", async () => {
	const page = await browser.open(graph(stacks, "--reverse"));

	assert.equal((await facts(page)).view, "callees");
	near((await frame(page, "malloc")).width, 354);
	await browser.open(graph("b;x 10\na 20\nb;y 30\n", "--flamechart"));
	assert.deepEqual((await frames(page)).filter(({ level }) => level === 2).map(({ name, x }) => [name, x]),
			 [["b", 10], ["a", 207], ["b", 600]]);
});

test("a palette is the look at first, and the others are there", async () => {
	const page = await browser.open(graph(stacks, "--colors=java"));
	const fills = async () => (await frames(page)).map(({ fill }) => fill);
	const palette = await fills();

	assert.equal(await valueOf(page, "#colours"), "Palette");
	assert.deepEqual(await page.locator("#colours option").allTextContents(),
			 ["By Module", "By Name", "By Kind", "By Self", "By Value", "By java"]);
	for (const look of ["Module", "Name", "Kind", "Self", "Value"]) {
		await page.selectOption("#colours", look);
		assert.notDeepEqual(await fills(), palette, look);
	}
	/* They are those of a graph without a palette. */
	await page.selectOption("#colours", "Module");

	const module = await fills();

	await browser.open(graph(stacks));
	assert.deepEqual(await fills(), module);
	await browser.open(graph(stacks, "--colors=java"));
	await page.selectOption("#colours", "Palette");
	assert.deepEqual(await fills(), palette);
});

test("frames that are links are followed, with Ctrl they zoom", {
	notInFirefox: "puppeteer-core does not come back from another document",
}, async () => {
	const page = await browser.newPage();

	const names = browser.write("read\thref=other.html\ttarget=_top\nidle\ttitle=nothing to do\thref=other.html\n", "names");

	browser.write("<!DOCTYPE html><title>other</title>", "other.html");
	await browser.open(graph(stacks, `--nameattr=${fileURLToPath(names)}`), "", "graph.svg", page);
	await page.keyboard.down("Control");
	await clickFrame(page, "read");
	await page.keyboard.up("Control");
	near((await frame(page, "read")).width, 1180);
	await page.keyboard.press("0");
	await clickFrame(page, "read");
	await page.waitForURL("**/other.html");
	await page.goBack();
	await page.waitForSelector("[data-ready]", { state: "attached" });
	await clickFrame(page, "idle");
	await page.waitForURL("**/other.html");
	await page.close();
});

test("the script is small", async () => {
	const size = (text) => text.slice(text.lastIndexOf("<script"), text.lastIndexOf("</script>")).length;

	for (const format of ["svg", "html"])
		assert.ok(size(graph(stacks, "-f", format)) <= 64 * 1024, `${format}: ${size(graph(stacks, "-f", format))} bytes`);
});

test("a browser that cannot unpack the data says so, and keeps the picture", async () => {
	const page = await browser.newPage();

	await page.addInitScript(() => delete window.DecompressionStream);
	await page.goto(browser.write(graph(Array.from({ length: 30000 }, (_, i) => `a${i % 7};b${i} 1`).join("\n"))));
	await page.waitForFunction(() => /static picture/.test(document.querySelector("#details").textContent));
	assert.ok(await page.evaluate(() => document.querySelectorAll("#frames rect").length > 5));
	await page.close();
});

test("nothing of all this is an error or a request", browser.quiet);
