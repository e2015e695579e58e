// The build makes the script's own names short (scripts/embed.c). The browser's names are in
// platform.words, and must stay.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { openBrowser } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;
const folder = new URL("../../src/write/viewer/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const kept = new Set(read("platform.words").split(/[\s.]+/));
const code = readdirSync(folder).filter((name) => name.endsWith(".js")).map(read).join("\n")
	.replace(/\/\*[^]*?\*\//g, "");

// What the script means when it says so, although the browser has the same name elsewhere.
const ours = new Set(`all attributes bottom count details divisor elements first flat frames grow head high kind
	labels left level low name number options parent right root rows scale self sign status table total trim view
	weight app page fontSize links controls items element exports list step profile entries lines file ratio unit
	before after columns error caption range end time start second compare`.split(/\s+/));

test("what the browser knows as a property is not made short", async () => {
	await browser.page.goto("about:blank");
	const names = new Set(await browser.page.evaluate(() => {
		const seen = new Set(), names = new Set();
		const todo = [window, document.createElement("canvas").getContext("2d"), document.body.style];

		while (todo.length) {
			const one = todo.pop();

			if (one === null || !/object|function/.test(typeof one) || seen.has(one))
				continue;
			seen.add(one);
			for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
				names.add(name);
				todo.push(value);
			}
			todo.push(Object.getPrototypeOf(one));
		}
		return [...names];
	}));
	const used = new Set([...code.matchAll(/\.\s*([A-Za-z_]\w{2,})/g)].map(([, name]) => name));

	assert.ok(names.size > 3000);
	assert.deepEqual([...used].filter((name) => names.has(name) && !kept.has(name) && !ours.has(name)), []);
});

test("words of the language are not made short", () => {
	const language = `async await break case catch class const continue do else extends false finally for function if
		instanceof let new null return super switch throw true try typeof undefined var void while`.split(/\s+/);
	/* Neither in strings, nor as names of properties. */
	const bare = code.replace(/"[^"\n]*"|'[^'\n]*'/g, "");

	for (const word of language.filter((word) => word.length > 2))
		assert.ok(kept.has(word) || !new RegExp(`(?<![.$\\w])${word}\\b(?!:)`).test(bare), word);
});

test("what is kept is used", () => {
	for (const word of kept)
		assert.ok(!word || new RegExp(`\\b${word}\\b`).test(code), word);
});
