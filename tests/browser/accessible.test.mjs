// Without a mouse, without eyes, with other colours, on paper and on small screens.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clickFrame, difference, facts, frame, frames, graph, hoverFrame, near, openBrowser, require, searchFor } from "./page.mjs";

const stacks = "main;parse;read 300\nmain;parse;malloc 100\nmain;write;malloc 200\nmain;write 200\nidle 200\n";
const changed = "main;parse;read 3000\nmain;parse;malloc 1000\nmain;write 6000\nmain;fresh;y 900\nidle 2000\n";
const browser = openBrowser();
const { test } = browser;
const text = (page, id) => page.textContent(`#${id}`);
const current = (page) => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
const press = async (page, ...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
};

let axe;
try {
	axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
} catch {}

async function violations(page) {
	await page.evaluate(axe);

	const { violations, incomplete } = await page.evaluate(() => window.axe.run(document, {
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
		rules: { "label-content-name-mismatch": { enabled: true } },
	}));

	for (const { id, nodes } of incomplete)
		console.log(`# axe cannot tell: ${id}, ${nodes.length} elements`);

	/* In an SVG document some rules cannot run; what they are about is the same in HTML. */
	const broken = incomplete.filter(({ nodes }) => nodes.some(({ none }) => none.some(({ id }) => id === "error-occurred")));

	if (await page.evaluate(() => document.documentElement.localName === "html"))
		assert.deepEqual(broken.map(({ id }) => id), []);
	return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(" ")}`);
}

const formats = { SVG: ["graph.svg", "svg"], HTML: ["graph.html", "html"] };

for (const [name, [file, format]] of Object.entries(formats)) {
	const open = (...options) => browser.open(graph(stacks, "-f", format, ...options), "", file);

	for (const [state, enter] of Object.entries({
		"at first": () => {},
		"zoomed and searched": async (page) => {
			await clickFrame(page, "parse");
			await searchFor(page, "read");
		},
		"with the table": (page) => press(page, "t"),
		"with the table alone": (page) => press(page, "t", "t"),
		"with a row that is chosen, in the dark": async (page) => {
			await press(page, "d", "t");
			await page.click("td button >> nth=1");
		},
		"with what can be saved": (page) => press(page, "E"),
		"with what is no expression": (page) => searchFor(page, "("),
		"with steps, merged around": async (page) => {
			await press(page, "r", "w");
			await searchFor(page, "malloc");
			await page.press("#search", "Enter");
		},
		"with help": (page) => press(page, "?"),
		"with the menu": (page) => clickFrame(page, "parse", { button: "right" }),
		"in the dark": (page) => press(page, "d"),
	}))
		test(`${name}: axe finds nothing ${state}`, { skip: !axe && "no axe-core" }, async () => {
			const page = await open();

			await enter(page);
			assert.deepEqual(await violations(page), []);
		});

	for (const [what, text, ...keys] of [
		["a difference", "main;a 10 30\nmain;b 70 70\nmain;c 20 0\n"],
		["a difference, in the dark", "main;a 10 30\nmain;b 70 70\nmain;c 20 0\n", "d"],
		["threads to choose from", "java-10/10;main;parse 300\njava-10/11;main;parse 100\ngc-10/12;mark_[k] 250\n"],
	])
		test(`${name}: axe finds nothing in ${what}`, { skip: !axe && "no axe-core" }, async () => {
			const page = await browser.open(graph(text, "-f", format), "", file);

			await press(page, ...keys);
			assert.deepEqual(await violations(page), []);
		});

	for (const [state, ...keys] of [["at first"], ["of one side", "1"], ["of what is gone, in the dark", "4", "d"], ["in panels", "p"],
		["in panels, in the dark", "p", "d"], ["with the table", "t", "t"], ["with the table, in the dark", "t", "d"],
		["of own values", "s"], ["with help", "?"]])
		test(`${name}: axe finds nothing in a difference ${state}`, { skip: !axe && "no axe-core" }, async () => {
			const page = await browser.open(difference(stacks, changed, "-f", format), "", file);

			await press(page, ...keys);
			assert.deepEqual(await violations(page), []);
		});

	test(`${name}: axe finds nothing in a difference on a phone`, { skip: !axe && "no axe-core" }, async () => {
		const page = await browser.newPage({ viewport: { width: 360, height: 700 }, hasTouch: true });

		await browser.open(difference(stacks, changed, "-f", format), "#a=1", file, page);
		assert.deepEqual(await violations(page), []);
		await page.click("#tools");
		assert.deepEqual(await violations(page), []);
		assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#app *")]
			.filter((one) => one.getClientRects().length && !one.closest("#status, #legend") &&
				one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.outerHTML)), []);
		assert.ok(await page.evaluate(() => [...document.querySelectorAll("#controls button")]
			.every((one) => one.offsetHeight >= 24 && one.offsetWidth >= 24)));
		await page.close();
	});

	test(`${name}: axe finds nothing on a phone`, { skip: !axe && "no axe-core" }, async () => {
		const page = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true });

		await browser.open(graph(stacks, "-f", format), "", file, page);
		assert.deepEqual(await violations(page), []);
		await searchFor(page, "malloc");
		assert.deepEqual(await violations(page), []);
		await page.click("#tools");
		assert.deepEqual(await violations(page), []);
		await page.close();
	});

	test(`${name}: the accessibility tree has names, levels and sizes`, { notInFirefox: "its tree is CDP's" }, async () => {
		const page = await open();
		const session = await page.context().newCDPSession(page);
		const { nodes } = await session.send("Accessibility.getFullAXTree");
		const items = nodes.filter(({ role }) => role?.value === "treeitem").map(({ name, properties }) => ({
			name: name.value, level: properties.find((one) => one.name === "level")?.value.value,
		}));

		assert.deepEqual(items.map(({ level }) => level), [1, 2, 2, 3, 4, 4, 3, 4]);
		assert.match(items[3].name, /^parse \(40\.0 % of all, 400 samples\), self 0 %, 2 callees$/);
		assert.ok(nodes.some(({ role }) => role?.value === "tree"));
		assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("[role=treeitem]")].map((one) =>
			`${one.ariaPosInSet ?? one.getAttribute("aria-posinset")}/${one.getAttribute("aria-setsize")}`)),
				 ["1/1", "1/2", "2/2", "1/2", "1/2", "2/2", "2/2", "1/1"]);
	});
}

test("axe finds nothing in a page that has a graph in it", { skip: !axe && "no axe-core" }, async () => {
	const page = await browser.newPage();
	const svg = graph(stacks).replace(/^<\?xml[^>]*\?>\s*/, "");

	await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><header>a</header><main><h1>b</h1></main>
		<div style="width: 900px">${svg}</div><footer>c</footer>`, "host.html"));
	await page.waitForSelector("[data-ready]", { state: "attached" });
	assert.deepEqual(await violations(page), []);
	assert.equal(await page.getAttribute("section:has(#app)", "aria-label"), "Flame Graph");
	await page.close();
});

test("arrows go to callees, callers and neighbours; Home and End down and up", async () => {
	const page = await browser.open(graph(stacks));
	const go = async (key, expected) => {
		await press(page, key);
		assert.match(await current(page), new RegExp(`^${expected} `), key);
	};

	await go("ArrowUp", "main");
	await go("ArrowUp", "parse");
	await go("ArrowRight", "write");
	await go("ArrowRight", "write");
	await go("ArrowLeft", "parse");
	await go("ArrowUp", "read");
	await go("ArrowLeft", "malloc");
	await go("ArrowDown", "parse");
	await go("Home", "all");
	await go("End", "read");
	assert.match(await text(page, "details"), /^read/);
	await press(page, "i");
	await go("ArrowUp", "parse");
	await go("ArrowDown", "read");
});

test("neighbours are reached however thin they are", async () => {
	const page = await browser.open(graph("a 1000000\nb 1\nc 1\nd 1000000\n"));

	await press(page, "ArrowUp", "ArrowRight");
	assert.match(await current(page), /^b /);
	await press(page, "ArrowRight");
	assert.match(await current(page), /^c /);
	await press(page, "Enter");
	near((await frame(page, "c")).width, 1180);
});

test("the focus goes with the frame through a zoom, and back", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "ArrowUp", "ArrowUp", "Enter");
	assert.match(await current(page), /^parse /);
	await press(page, "Backspace");
	assert.match(await current(page), /^main /);
	await press(page, "Escape");
	assert.match(await current(page), /^all /);
});

test("what is for functions does nothing at the root", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "Home", "k", "x", "h", "f", "m", "o", "s");
	assert.equal(await page.locator("#chips button").count(), 0);
	assert.equal((await frames(page)).length, 8);
});

test("the frame with the focus can be seen", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "ArrowUp");
	const { stroke, width } = await page.evaluate(() => {
		const style = getComputedStyle(document.activeElement);

		return { stroke: style.stroke, width: parseFloat(style.strokeWidth) };
	});

	assert.equal(stroke, "rgb(0, 0, 0)");
	assert.ok(width >= 2);
});

test("with keys alone: the hottest callee of a function, and its stack copied", async () => {
	const page = await browser.open(graph(stacks));

	await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
	await press(page, "/");
	await page.keyboard.type("^parse$");
	await press(page, "Enter");
	assert.equal((await facts(page)).view, "around");
	await press(page, "Escape", "Escape", "Escape");
	await press(page, "/");
	await page.keyboard.type("^parse$");
	await press(page, "Tab", "Tab", "Tab", "Tab", "Enter");
	assert.match(await text(page, "status"), /1 of 1: parse \(40\.0 % of all, 400 samples/);
	await press(page, "ArrowUp", "C");
	assert.equal(await page.evaluate(() => document.querySelector("#copied").value), "main\nparse\nread");
});

test("every control can be reached with Tab, and does its work with keys", async () => {
	const page = await browser.open(graph(stacks));
	const seen = [];

	for (let i = 0; i < 20; i++) {
		await press(page, "Tab");
		seen.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")));
	}
	for (const label of ["Which way stacks are merged", "What is shown", "What colours mean", "Help", "Search"])
		assert.ok(seen.includes(label), `${label}: ${seen}`);
	assert.ok(seen.some((label) => /^all \(/.test(label)));
	await page.focus("#merging");
	await press(page, "ArrowDown");
	assert.equal((await facts(page)).view, "callees");
});

test("what has changed is said", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "ArrowUp", "Enter");
	assert.equal(await text(page, "status"), "Zoomed to main (80.0 % of all, 800 samples)");
	assert.equal(await page.getAttribute("#status", "role"), "status");
	await searchFor(page, "malloc");
	assert.match(await text(page, "status"), /Matched: 30\.0 % of all/);
	await press(page, "Escape", "Escape");
	assert.match(await text(page, "status"), /^Whole graph/);
});

function contrast(one, other) {
	const light = (colour) => colour.match(/\d+/g).slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const [a, b] = [light(one), light(other)].sort((x, y) => y - x);

	return (a + 0.05) / (b + 0.05);
}

test("a difference with keys alone: what grew most, its sides, panels, what is gone", async () => {
	const page = await browser.open(difference(stacks, changed));

	/* The table has it first. */
	await press(page, "t");
	assert.equal(await page.textContent("#rows td button >> nth=0"), "fresh");
	await page.focus("#rows td button >> nth=0");
	await press(page, "Enter");
	assert.match(await text(page, "status"), /^fresh \(A 0 % · B 7\.0 % · ▲ \+7\.0 %/);
	await press(page, "t", "t");
	await page.focus("#tree rect[tabindex='0']");
	assert.match(await current(page), /^fresh \(A 0 % · B 7\.0 % · ▲ \+7\.0 % .*\), self A 0 % · B 0 % · 0 %, 1 callee$/);
	await press(page, "ArrowUp");
	assert.match(await current(page), /^y /);
	await press(page, "1");
	assert.match(await text(page, "status"), /^A alone: all \(A 100 % · B 100 %/);
	assert.ok(!await frame(page, "fresh"));
	assert.match(await current(page), /^main /);
	await press(page, "2");
	assert.ok(await frame(page, "fresh"));
	await press(page, "4");
	assert.match(await text(page, "status"), /^Gone: all/);
	await press(page, "3", "p");
	assert.equal(await text(page, "status"), "Three panels");
	assert.match(await page.getAttribute(".side >> nth=0", "aria-label"), /^A alone: A 100 % · B 100 %/);
	assert.equal(await page.getAttribute(".side >> nth=0", "role"), "img");
	await press(page, "p", "s");
	assert.equal(await text(page, "status"), "Colours are of own values");
});

test("every control of a difference can be reached with Tab", async () => {
	const page = await browser.open(difference(stacks, changed));
	const seen = [];

	for (let i = 0; i < 22; i++) {
		await press(page, "Tab");
		seen.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")));
	}
	for (const label of ["A alone", "B alone", "Difference: as wide as the larger side", "Gone: what A has and B has not",
		"Three panels: A, B and the difference", "Panels"])
		assert.ok(label === "Panels" || seen.some((one) => one?.includes(label)), `${label}: ${seen}`);
});

test("labels of a difference can be read, and its strips be seen, light and dark", async () => {
	const page = await browser.open(difference(stacks, changed));

	for (const theme of ["light", "dark"]) {
		const [pairs, strips] = await page.evaluate(() => {
			const rects = [...document.querySelectorAll("#tree rect")];
			const fillOf = (name) => getComputedStyle(document.querySelector(`#${name}`)).fill;

			return [[...document.querySelectorAll("#texts text")].map((label) => {
				const x = Number(label.getAttribute("x")), y = Number(label.getAttribute("y"));
				const rect = rects.find((one) => Math.abs(Number(one.getAttribute("x")) + 3 - x) < 0.2 &&
					Math.abs(Number(one.getAttribute("y")) + 10.5 - y) < 0.6);

				return [rect.getAttribute("fill"), label.getAttribute("fill") === "#000" ? "rgb(0,0,0)" : "rgb(255,255,255)"];
			}), [fillOf("grown"), fillOf("shrunk")]];
		});
		const grey = pairs[0][0];

		assert.ok(pairs.length > 6);
		for (const [fill, ink] of pairs)
			assert.ok(contrast(fill, ink) >= 4.5, `${theme}: ${ink} on ${fill}`);
		for (const strip of strips)
			assert.ok(contrast(strip, grey) >= (theme === "light" ? 3 : 1.5), `${theme}: ${strip} on ${grey}`);
		await press(page, "d");
	}
});

test("forced colours: what is new and gone and moved can be told", { notInFirefox: "what the system wants is set in Chromium only" }, async () => {
	const page = await browser.open(difference(stacks, changed), "#a=1");

	await page.emulateMedia({ forcedColors: "active" });
	const seen = await page.evaluate(() => {
		const style = (selector) => getComputedStyle(document.querySelector(selector));

		return {
			box: style("#tree rect").stroke, fresh: style("#new").stroke, wide: style("#new").strokeWidth,
			hatch: style(".hatch").fill, more: style("#grown").fill, less: style("#shrunk").fill,
			panel: style(".side g > path").stroke,
		};
	});

	assert.equal(seen.fresh, seen.box);
	assert.equal(seen.wide, "3px");
	assert.equal(seen.hatch, seen.box);
	assert.notEqual(seen.more, seen.less);
	assert.equal(seen.panel, seen.box);
	await page.emulateMedia({ forcedColors: "none" });
});

const palettes = ["module", "hot", "mem", "io", "red", "green", "blue", "aqua", "yellow", "purple", "orange",
	"java", "js", "perl", "wakeup", "chain"];

test("every label can be read: all looks, all palettes, light and dark, faded and found", async () => {
	const names = ["java/util/List", "a::b", "x_[k]", "y_[j]", "z_[i]", "w_[w]", ...Array.from({ length: 40 }, (_, i) => `name${i * 7919}`)];
	const folded = `${names.map((name, i) => `base;up;${name};leaf${i} ${10 + i}`).join("\n")}\n`;

	for (const palette of palettes) {
		const page = await browser.open(graph(folded, `--colors=${palette}`));

		await searchFor(page, "leaf3");
		await page.evaluate(() => document.activeElement?.blur?.());
		await clickFrame(page, "up");
		for (const theme of ["light", "dark"]) {
			for (const look of await page.evaluate(() => [...document.querySelectorAll("#colours option")].map((one) => one.value))) {
				await page.selectOption("#colours", look);
				const pairs = await page.evaluate(() => {
					const rects = [...document.querySelectorAll("#tree rect")];

					return [...document.querySelectorAll("#texts text")].map((label) => {
						const x = Number(label.getAttribute("x")), y = Number(label.getAttribute("y"));
						const rect = rects.find((one) => Math.abs(Number(one.getAttribute("x")) + 3 - x) < 0.2 &&
							Math.abs(Number(one.getAttribute("y")) + 10.5 - y) < 0.6);

						return [rect.getAttribute("fill"), label.getAttribute("fill") === "#000" ? "rgb(0,0,0)" : "rgb(255,255,255)"];
					});
				});

				assert.ok(pairs.length > 10);
				for (const [fill, ink] of pairs)
					assert.ok(contrast(fill, ink) >= 4.5, `${palette} ${theme} ${look}: ${ink} on ${fill}`);
			}
			await page.evaluate(() => document.activeElement?.blur?.());
			await press(page, "d");
		}
	}
});

test("forced colours: boxes and labels are the system's", { notInFirefox: "what the system wants is set in Chromium only" }, async () => {
	const page = await browser.open(graph(stacks));

	await page.emulateMedia({ forcedColors: "active" });
	const [fill, stroke, ink, canvas, canvasText] = await page.evaluate(() => {
		const style = (selector) => getComputedStyle(document.querySelector(selector));
		const system = (name) => {
			const probe = document.createElementNS("http://www.w3.org/1999/xhtml", "p");

			document.querySelector("#app").append(probe);
			probe.style.color = name;

			const { color } = getComputedStyle(probe);

			probe.remove();
			return color;
		};

		return [style("#tree rect").fill, style("#tree rect").stroke, style("#texts text").fill,
			system("Canvas"), system("CanvasText")];
	});

	assert.deepEqual([fill, stroke, ink], [canvas, canvasText, canvasText]);
	await searchFor(page, "parse");
	assert.equal(await page.evaluate(() => new Set([...document.querySelectorAll("#tree rect")]
		.map((rect) => getComputedStyle(rect).stroke)).size), 2);
	await page.emulateMedia({ forcedColors: "none" });
});

test("nothing moves for those who do not want it", { notInFirefox: "what the system wants is set in Chromium only" }, async () => {
	const page = await browser.open(graph(stacks));
	// What was begun is counted: it ends by itself, soon.
	const moves = () => page.evaluate(() => globalThis.moves);

	await page.evaluate(() => {
		const { animate } = Element.prototype;

		globalThis.moves = 0;
		Element.prototype.animate = function (...how) {
			globalThis.moves += this.id === "moving";
			return animate.apply(this, how);
		};
	});
	await page.emulateMedia({ reducedMotion: "reduce" });
	await clickFrame(page, "parse");
	assert.equal(await moves(), 0);
	await page.emulateMedia({ reducedMotion: "no-preference" });
	await press(page, "0");
	assert.equal(await moves(), 1);
});

for (const [name, [file, format]] of Object.entries(formats))
	test(`${name}: at any width the graph fits the page, and labels can be read`, async () => {
		for (const width of [320, 1200, 3840])
			for (const deviceScaleFactor of [1, 2, 3]) {
				const page = await browser.newPage({ viewport: { width, height: 568 }, deviceScaleFactor });

				await browser.open(graph(stacks, "-f", format), "", file, page);
				near((await frame(page, "all")).width, width - 20);
				assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth &&
					document.querySelector("#stage").scrollWidth <= innerWidth));
				assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#app *")]
					.filter((one) => one.getClientRects().length && !one.closest("#status") &&
						one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.outerHTML)), []);
				assert.ok(await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector("#texts text") ??
					document.documentElement).fontSize)) >= 11);
				assert.ok(await page.evaluate(() => [...document.querySelectorAll("button, select, input")]
					.filter((one) => one.offsetParent).every((one) => one.offsetHeight >= 24 && one.offsetWidth >= 24)));
				await page.setViewportSize({ width: width + 100, height: 568 });
				await page.waitForFunction((expected) => Math.abs(Number(document.querySelector("#tree rect")
					.getAttribute("width")) - expected) < 2, width + 80);
				await page.close();
			}
	});

test("a width that was asked for stays", async () => {
	const page = await browser.open(graph(stacks, "--width=800"));

	near((await frame(page, "all")).width, 780);
});

test("a finger first asks, then zooms", async () => {
	const page = await browser.newPage({ viewport: { width: 320, height: 568 }, hasTouch: true });

	await browser.open(graph(stacks, "-f", "html"), "", "graph.html", page);
	const { x, y } = await page.evaluate(() => [...document.querySelectorAll("#tree rect")]
		.find((one) => /^main/.test(one.getAttribute("aria-label"))).getBoundingClientRect().toJSON());

	await page.touchscreen.tap(x + 50, y + 7);
	assert.match(await text(page, "details"), /main \S+ % of all · 800 samples/);
	assert.equal((await facts(page)).zoom, "");
	await page.touchscreen.tap(x + 50, y + 7);
	near((await frame(page, "main")).width, 300);
	await page.close();
});

test("nothing of all this is an error or a request", browser.quiet);
