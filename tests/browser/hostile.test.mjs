// Names that somebody else chose, and pages that forbid things.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { after } from "node:test";
import { addressOf, clickFrame, facts, frames, graph, openBrowser, searchFor, withSources } from "./page.mjs";

const hostile = [
	"</script><script>alert(1)</script>", "]]>", "<![CDATA[", "-->", "\"onload=\"alert(1)", "'><img src=x onerror=alert(1)>",
	"javascript:alert(1)", "&lt;b&gt;", "&#0;", "a\u202Eb", "\u2066x\u2069", "\u200b", "tab\there", "\x01\x1b[31m", "\ufffe", "\ud7ff",
	"{{7*7}}", "${alert(1)}", "__proto__", "constructor", "x".repeat(65536), "<".repeat(3000), "((((((((((a+)+)+)+)+)+)+)+)+)+$", "",
];
const folded = `${hostile.map((name, i) => `main;${name.replace(/;/g, ":")};leaf${i} ${10 + i}`).join("\n")}\n`;
const bytes = Buffer.concat([Buffer.from(folded), Buffer.from("main;bad\xff\xfeutf8;\x80 50\nmain;nul", "latin1"),
	Buffer.from([0]), Buffer.from("byte;x 50\n")]);
const browser = openBrowser();
const { test } = browser;

function svgOf(...options) {
	return execFileSync(process.env.FLAMEFOLD, ["graph", ...options, "-"],
			    { input: bytes, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "ignore"] }).toString();
}

// What a server sends for each path, and nothing else: { content, headers }.
const served = new Map();
const server = createServer(({ url }, response) => {
	const { content, headers } = served.get(url) ?? {};

	response.writeHead(headers ? 200 : 404, headers);
	response.end(content);
});

after(() => {
	server.close();
	server.closeAllConnections();
});

async function serve(page, content, type, headers = {}, name = "graph.svg") {
	if (!server.listening)
		await new Promise((done) => server.listen(0, "127.0.0.1", done));
	served.set(`/${name}`, { content, headers: { ...headers, "Content-Type": type } });
	await page.goto("about:blank");
	await page.goto(`http://127.0.0.1:${server.address().port}/${name}`);
}

for (const [name, file, make] of [
	["SVG", "graph.svg", () => svgOf()], ["sources", "graph.svg", () => withSources(svgOf())],
	["HTML", "graph.html", () => svgOf("-f", "html")],
])
	test(`${name}: hostile names do nothing but stand there`, async () => {
		const page = await browser.newPage();

		page.on("dialog", () => assert.fail("a name was run"));
		await browser.open(make(), "", file, page);
		assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe, a, #tree rect > *").length), 0);
		assert.equal(await page.evaluate(() => document.querySelectorAll("script").length), 1);

		const seen = (await frames(page)).map(({ name }) => name);

		for (const one of hostile.filter((name) => /^[ -~]{3,200}$/.test(name)))
			assert.ok(seen.includes(one.replace(/;/g, ":")), one);
		assert.ok(seen.every((one) => !/[\u202a-\u202e\u2066-\u2069\0-\x1f]/.test(one)));
		for (const key of ["t", "v", "v", "?", "Escape"])
			await page.keyboard.press(key);
		for (const [i, text] of hostile.entries())
			await searchFor(page, i % 2 ? text.slice(0, 500) : `^${text.slice(0, 100).replace(/\W/g, "\\$&")}`);
		await searchFor(page, "^__proto__$");
		assert.equal((await facts(page)).match.hits, 1);
		await page.evaluate(() => document.querySelector("#tree rect:nth-child(4)").focus());
		for (const key of ["s", "k", "h", "m", "Enter", "c"])
			await page.keyboard.press(key);
		await page.close();
	});

test("links that somebody else made do nothing but lead somewhere", async () => {
	for (const hash of [
		"#z=%00", "#z=constructor&n=__proto__", "#s=(", "#v=(", "#t=q:x", "#t=k:(", "#t=", "#t=k:main&t=h:&t=r:&t=w:",
		"#o=nothing", "#c=nothing", "#g=nothing", "#k=nothing", "#s=%3Cimg%20src=x%3E", `#z=${"abcd".repeat(20000)}`, "#o=around", "#d=x",
	]) {
		const page = await browser.open(graph("main;a;b 500\nmain;c 500\n"), hash);

		assert.ok((await frames(page)).length >= 1, hash);
	}
});

test("no request leaves the page, whatever one does", browser.quiet);

test("the picture looks the same without script and style", async () => {
	const page = await browser.newPage();
	const svg = graph("main;parse;y 700\nmain;read 300\nmain;parse;x 400\n");
	const errors = browser.errors.length;
	const shot = async (headers) => {
		await serve(page, svg, "image/svg+xml", headers);
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
		return page.evaluate(async (clip) => clip, await page.screenshot({ clip: { x: 0, y: await page.evaluate(() =>
			document.querySelector("svg#frames")?.getBoundingClientRect().y ?? 36), width: 1200, height: 64 } }).then((one) => [...one]));
	};
	const blocked = await shot({ "Content-Security-Policy": "default-src 'none'" });

	assert.equal(await page.evaluate(() => document.querySelector("#app")), null);
	assert.ok(browser.errors.slice(errors).some((text) => /Content.Security.Policy/.test(text)));

	const shown = await shot({});

	assert.ok(await page.evaluate(() => Boolean(document.querySelector("#app"))));

	const different = await page.evaluate(async ([one, other]) => {
		const pixels = async (bytes) => {
			const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
			const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");

			context.drawImage(image, 0, 0);
			return context.getImageData(0, 0, image.width, image.height).data;
		};
		const [a, b] = [await pixels(one), await pixels(other)];
		let count = 0;

		for (let i = 0; i < a.length; i += 4)
			count += Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 30;
		return count / (a.length / 4);
	}, [blocked, shown]);

	assert.ok(different <= 0.01, `${(100 * different).toFixed(2)} % of the pixels differ`);
	await page.close();
	browser.errors.length = 0;
	browser.requests.length = 0;
});

test("an <img>, and a browser without scripts, show the same picture", { notInFirefox: "scripts are switched off in Chromium only" }, async () => {
	const many = Array.from({ length: 3000 }, (_, i) => `many;f${i} 1`).join("\n");
	const folded = `main;std::parse(int);y 7000\nmain;read 3000\n${many}\n`;
	const page = await browser.newPage({ javaScriptEnabled: false });
	const shots = [];

	browser.write(graph(folded), "image.svg");
	for (const [name, content] of [
		["image.svg", graph(folded)],
		["image.html", `<!DOCTYPE html><body style="margin:0"><img src="image.svg" style="display:block">`],
	]) {
		await page.goto(browser.write(content, name));
		await page.waitForLoadState("load");
		shots.push((await page.screenshot({ clip: { x: 0, y: 0, width: 1200, height: 250 } })).toString("base64"));
	}
	assert.ok(shots[0].length > 5000);
	assert.equal(shots[0], shots[1]);

	await page.goto(browser.write(graph(folded, "-f", "html"), "page.html"));
	for (const [id, text] of [["title", /^Flame Graph$/], ["frames text >> nth=0", /^all$/],
		["note", /^3,000 of 3,006 frames are narrower than half a pixel: drawn together/]]) {
		assert.match(await page.textContent(`#${id}`), text);
		assert.ok(await page.isVisible(`#${id}`), id);
	}
	assert.equal(await page.locator("#frames rect").count(), 6);
	await page.close();
});

// In the page: the colours of the four corners of its only image.
function cornersOf() {
	const [image] = document.images, canvas = document.createElement("canvas");
	const context = canvas.getContext("2d"), [x, y] = [image.naturalWidth - 3, image.naturalHeight - 3];

	[canvas.width, canvas.height] = [x + 3, y + 3];
	context.drawImage(image, 0, 0);
	return [[2, 2], [x, 2], [2, y], [x, y]].map(([x, y]) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].join());
}

test("an <img>, and a page whose scripts do not run, are as dark as was asked for, up to the edges", { always: true }, async () => {
	const page = await browser.newPage(), probe = await browser.newPage();
	const corners = async (type, bytes) => {
		await probe.goto(browser.write(`<!DOCTYPE html><img src="data:image/${type};base64,${Buffer.from(bytes).toString("base64")}">`, "corners.html"));
		await probe.waitForFunction(() => document.images[0].complete);
		return [...new Set(await probe.evaluate(cornersOf))];
	};

	for (const [theme, expected] of [["light", "255,255,255"], ["dark", "22,23,26"]]) {
		const svg = graph("main;parse 700\nmain;read 300\n", `--theme=${theme}`);

		assert.deepEqual(await corners("svg+xml", svg), [expected], `${theme} <img>`);
		await serve(page, svg, "image/svg+xml", { "Content-Security-Policy": "script-src 'none'" });
		assert.equal(await page.evaluate(() => document.querySelector("#app")), null);
		assert.deepEqual(await corners("png", await page.screenshot()), [expected], theme);
	}
	await page.close();
	await probe.close();
	browser.errors.length = 0;
	browser.requests.length = 0;
});

test("each of several empty names is a frame, and what joins letters stays in a name", { always: true }, async () => {
	const names = ["\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"];
	const page = await browser.open(graph(`a;b;;; 40\n${names.map((name) => `a;${name} 30\n`).join("")}`));
	const seen = await frames(page);

	assert.deepEqual(seen.filter(({ level }) => level > 3).map(({ level, width }) => [level, Math.round(width)]).sort(), [[4, 472], [5, 472]]);
	for (const name of names)
		assert.equal(seen.find((one) => one.name === name)?.label, name);
});

test("where style is forbidden and script is not, the viewer works and has its style", async () => {
	const page = await browser.newPage();

	await serve(page, graph("main;parse 700\nmain;read 300\n"), "image/svg+xml",
		    { "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'" });
	await page.waitForSelector("[data-ready]", { state: "attached" });
	assert.equal((await frames(page)).length, 4);
	assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("#app")).display), "flex");
	await clickFrame(page, "parse");
	await page.waitForSelector("#shownpart:not([hidden])");
	assert.deepEqual(await page.evaluate(() => {
		const { left, width } = document.querySelector("#shownpart").style;

		return [left, width];
	}), ["0%", "70%"]);
	assert.deepEqual(browser.errors.filter((text) => !/Refused to apply (a stylesheet|inline style)|Content.Security.Policy/.test(text)), []);
	await page.close();
	browser.errors.length = 0;
	browser.requests.length = 0;
});

test("the HTML page allows its own script and no other", async () => {
	const page = await browser.newPage();

	await serve(page, graph("main;parse 700\nmain;read 300\n", "-f", "html"), "text/html", {}, "graph.html");
	await page.waitForSelector("[data-ready]", { state: "attached" });

	const ran = await page.evaluate(() => {
		const script = document.createElement("script");

		script.textContent = "window.ran = true";
		document.body.append(script);
		return Boolean(window.ran);
	});

	assert.equal(ran, false);
	assert.ok(browser.errors.some((text) => /Content.Security.Policy/.test(text)));
	await page.close();
	browser.errors.length = 0;
	browser.requests.length = 0;
});

test("in a page of somebody else the viewer stays in its place", async () => {
	const page = await browser.newPage();
	const svg = graph("main;parse 700\nmain;read 300\n").replace(/^<\?xml[^>]*\?>\s*(<!DOCTYPE[^>]*>)?/, "");

	await page.goto(browser.write(`<!DOCTYPE html><html lang="en"><title>host</title><p>before</p><div style="width:900px">${svg}</div><p>after</p>`, "host.html"));
	await page.waitForSelector("[data-ready]", { state: "attached" });
	assert.equal((await frames(page))[0].width, 880);
	assert.ok(await page.isVisible("body > p:first-of-type") && await page.isVisible("body > p:last-of-type"));
	await page.close();
});

test("the viewer's style is for nothing else in somebody else's page", async () => {
	const svg = graph("main;parse 700\nmain;read 300\n").replace(/^<\?xml[^>]*\?>\s*(<!DOCTYPE[^>]*>)?/, "");
	const own = ["h1", "h2", "header", "footer", "main", "button", "input", "select", "textarea", "table", "th", "td", "dl", "dd", "kbd"];
	const elements = own.map((name) => /^t[hd]$/.test(name) ? `<table><tr><${name}>x</${name}></tr></table>` : `<${name}>x</${name}>`);
	const host = (inside) => `<!DOCTYPE html><html lang="en"><title>host</title><style>html { overflow-y: scroll }</style><div class="own down Both same">${elements.join("")}<button aria-pressed="true" disabled>x</button></div>${inside}`;
	// All that is said of every element of the page's own, in one text.
	const looks = (page) => page.evaluate(() => [...document.querySelectorAll(".own, .own *")].map((one) => {
		const style = getComputedStyle(one);

		return `${one.tagName}: ${[...style].map((name) => `${name}: ${style.getPropertyValue(name)}`).join("; ")}`;
	}));
	const page = await browser.newPage();

	await page.goto(browser.write(host(""), "host.html"));
	const before = await looks(page);

	await page.goto(browser.write(host(`<div style="width:900px">${svg}</div>`), "host.html"));
	await page.waitForSelector("[data-ready]", { state: "attached" });
	assert.deepEqual(await looks(page), before);
	await page.close();
});

test("of two graphs in a page each has its own style, keys and place in the address", async () => {
	const inside = (svg) => svg.replace(/^<\?xml[^>]*\?>\s*(<!DOCTYPE[^>]*>)?/, "");
	const times = Array.from({ length: 400 }, (_, k) =>
		`p 1/1 [000] ${(1000 + k / 100).toFixed(6)}: 1000 cycles: \n\t401000 f+0x4 (/bin/p)\n\t401000 main+0x4 (/bin/p)\n\n`).join("");
	const stacks = "start;parse 700\nstart;read 300\n";
	const page = await browser.newPage();
	const address = browser.write(`<!DOCTYPE html><meta charset="utf-8"><title>two</title><a href="#below">below</a>${inside(graph(times))}<h2 id="below">below</h2>${inside(graph(stacks))}`, "two.html");
	const ready = () => page.waitForFunction(() => document.querySelectorAll("svg[data-ready]").length === 2);
	const zooms = () => page.evaluate(() => [...document.querySelectorAll("svg[data-flamefold]")].map(({ dataset }) => dataset.zoom !== ""));
	const box = (n, name) => page.locator(`svg[data-flamefold] >> nth=${n} >> #tree rect[aria-label^="${name} "]`);

	await page.goto(address);
	await ready();
	/* What the second one takes back of the page's style is none of the first one's. */
	assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("#strip")).position), "relative");
	assert.ok(await page.evaluate(() => document.querySelector("#timemap").clientHeight <= 100));
	await box(1, "parse").click();
	await box(0, "main").click();
	assert.deepEqual(await zooms(), [true, true]);

	const link = await addressOf(page);

	await page.goBack();
	assert.deepEqual(await zooms(), [false, true]);
	/* A place in the page is no link of a graph. */
	await page.click("a");
	assert.deepEqual(await zooms(), [false, true]);
	await page.goto("about:blank");
	await page.goto(link);
	await ready();
	assert.deepEqual(await zooms(), [true, true]);
	/* The one with the focus keeps it, and the other one is where it was. */
	await box(0, "main").focus();
	await page.evaluate(() => window.dispatchEvent(new Event("resize")));
	await page.setViewportSize({ width: 900, height: 600 });
	await page.waitForFunction(() => innerWidth === 900);
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^main /);
	assert.match(await page.locator("#details >> nth=1").textContent(), /^parse /);
	await page.close();
});

test("nothing of all this is an error or a request", browser.quiet);
