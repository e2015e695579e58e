// A graph in a real browser, and what a person sees and does there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launchFirefox, whyNoFirefox } from "./firefox.mjs";

export const require = createRequire(`${process.env.NODE_PATH}/`);
const sources = new URL("../../src/write/viewer/", import.meta.url);

// What flamefold makes of folded text.
export function graph(text, ...options) {
	return execFileSync(process.env.FLAMEFOLD, ["graph", ...options, "-"], {
		input: text, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "ignore"],
	}).toString();
}

// What flamefold makes of two of them.
export function difference(a, b, ...options) {
	const folder = mkdtempSync(join(tmpdir(), "difference-"));
	const [one, other] = [a, b].map((stacks, i) => {
		const path = join(folder, `${"ab"[i]}.folded`);

		writeFileSync(path, stacks);
		return path;
	});

	try {
		return execFileSync(process.env.FLAMEFOLD, ["diff", "-q", "-o", "-", "-f", "svg", ...options, one, other],
				    { maxBuffer: 1 << 28 }).toString();
	} finally {
		rmSync(folder, { recursive: true });
	}
}

// The same with the sources of the script instead of what the build made of them.
export function withSources(svg) {
	const begin = svg.indexOf("<![CDATA[", svg.lastIndexOf("<script")) + 9;
	const end = svg.lastIndexOf("]]></script>");
	const script = readdirSync(sources).filter((name) => name.endsWith(".js")).sort()
		.map((name) => readFileSync(new URL(name, sources), "utf8")).join("\n");

	return `${svg.slice(0, begin)}(() => {"use strict";${script}})();${svg.slice(end)}`;
}

async function launchChromium() {
	const { chromium } = require("playwright-core");
	const chrome = await chromium.launch({
		executablePath: process.env.CHROMIUM, timeout: 900_000,
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
	});

	return {
		newPage: async (options) => {
			const page = await chrome.newPage(options);

			/* No verdict depends on how busy the machine is. */
			page.setDefaultTimeout(300_000);
			/* What comes of @act: { name, content }. */
			page.download = async (act) => {
				const [file] = await Promise.all([page.waitForEvent("download"), act()]);

				return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
			};
			return page;
		},
		close: () => chrome.close(),
	};
}

const launchers = { Chromium: launchChromium, Firefox: launchFirefox };

// What the tests of a file see: one browser of each kind, which starts with the first test that
// is for it. Tests run one after the other; `page`, open() and newPage() are those of the
// browser that the running one is for: Chromium, or what test() below says. What is reported as
// an error, and every request for something else than the file, makes the last test fail.
export function openBrowser(options = {}) {
	const state = { errors: [], requests: [], name: "Chromium" };
	const started = {};
	let folder;

	async function use(name) {
		started[name] ??= await launchers[name](folder);
		state.name = name;
		state.page = started[name].page ??= await state.newPage(options);
	}

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "flamefold-"));
		await use("Chromium");
	});
	after(async () => {
		for (const one of Object.values(started))
			await one.close();
		rmSync(folder, { recursive: true, force: true });
	});
	/*
	 * test(name, run) or test(name, options, run), as node's: a test that runs in Chromium and
	 * then in Firefox, there with ALL_IN_FIREFOX=1, or @always. It takes what it needs from this object
	 * while it runs. @skip: why it runs nowhere; @notInFirefox: why not there.
	 */
	state.test = (name, ...more) => {
		const run = more.pop(), { always, skip = false, notInFirefox } = more[0] ?? {};

		test(name, { skip }, run);
		if (always || process.env.ALL_IN_FIREFOX)
			test(`Firefox: ${name}`, { skip: skip || notInFirefox || whyNoFirefox() || false }, async (t) => {
				await use("Firefox");
				try {
					await run(t);
				} finally {
					await use("Chromium");
				}
			});
	};
	state.newPage = async (options = {}) => {
		const page = await started[state.name].newPage({ viewport: { width: 1200, height: 600 }, ...options });

		page.on("pageerror", (error) => state.errors.push(`${state.name}: ${error.stack}`));
		page.on("console", (message) => state.errors.push(`${state.name}: ${message.text()}`));
		page.on("request", (request) => {
			if (!/^(file|data|blob|about):/.test(request.url()))
				state.requests.push(request.url());
		});
		return page;
	};
	state.write = (content, name = "graph.svg") => {
		writeFileSync(join(folder, name), content);
		return pathToFileURL(join(folder, name)).href;
	};
	state.open = async (content, query = "", name = "graph.svg", page = state.page) => {
		await page.goto("about:blank");
		await page.goto(state.write(content, name) + query);
		await page.waitForSelector("[data-ready]", { state: "attached" });
		return page;
	};
	state.quiet = () => {
		assert.deepEqual(state.errors, []);
		assert.deepEqual(state.requests, []);
	};
	return state;
}

// As the page has it: page.url() learns of what history.pushState() has changed some time later.
export const addressOf = (page) => page.evaluate(() => location.href);

// The public attributes of the picture's root.
export function facts(page) {
	return page.evaluate(() => {
		const { dataset } = document.querySelector("svg[data-flamefold]");
		const number = (text) => Number(text);
		const [hits, weight, share] = dataset.match.split(",");

		return {
			nodes: number(dataset.nodes), drawn: number(dataset.drawn), hidden: number(dataset.hidden),
			zoom: dataset.zoom, view: dataset.view, theme: dataset.theme, ms: number(dataset.ms),
			match: dataset.match && { hits: number(hits), weight: number(weight), share },
		};
	});
}

// The exact value of what the details are about.
export async function weightShown(page) {
	const [details, more] = [await page.textContent("#details"), await page.textContent("#more")];
	const [, digits] = /([\d,]+) ns/.exec(more) ?? /([\d,]+) samples?(?! lost)/.exec(more) ?? / · ([\d,]+) /.exec(details);

	return Number(digits.replace(/,/g, ""));
}

// The frames that are elements: { name, x, y, width, fill, level, text, same }, the root first. The
// pixel that a box leaves to its neighbour is its own.
export function frames(page) {
	return page.evaluate(() => {
		const labels = [...document.querySelectorAll("#texts text")];

		return [...document.querySelectorAll("#tree > rect")].map((rect) => {
			const number = (key) => Number(rect.getAttribute(key));
			const [x, y, width] = ["x", "y", "width"].map(number);
			const label = labels.find((one) => {
				const at = Number(one.getAttribute("x"));

				return at >= x && at <= x + width && Math.abs(Number(one.getAttribute("y")) - y - 10.5) < 1;
			});

			return {
				name: rect.getAttribute("aria-label").replace(/ \([^(]*\), self .*$/, ""),
				x, y, width: width >= 2 ? width + 1 : width, fill: rect.getAttribute("fill"), level: number("aria-level"),
				label: label?.textContent ?? "", same: rect.classList.contains("same"),
				says: rect.getAttribute("aria-label"),
			};
		});
	});
}

export async function frame(page, name) {
	return (await frames(page)).find((one) => one.name === name);
}

// In the middle of a frame, in the page.
export async function placeOf(page, name) {
	const { x, y, width } = await frame(page, name);
	const box = await page.locator("#frames").boundingBox();

	return [box.x + x + width / 2, box.y + y + 7];
}

export async function clickFrame(page, name, options) {
	await page.mouse.click(...await placeOf(page, name), options);
}

export async function hoverFrame(page, name) {
	await page.mouse.move(...await placeOf(page, name));
}

export async function searchFor(page, text) {
	await page.fill("#search", text);
}

// Boxes begin and end at pixels of the screen.
export function near(actual, expected, by = 0.6) {
	assert.ok(Math.abs(actual - expected) <= by, `${actual} is not ${expected}`);
}
