// What the tests find elements by: the same in Chromium, whose driver knows it, and in Firefox.
import assert from "node:assert/strict";
import { openBrowser } from "./page.mjs";

const browser = openBrowser();
const { test } = browser;
const rows = ["read", "read (2)", "it's", "last"].map((name) =>
	`<tr><td><button>${name}</button></td><td>of ${name}</td></tr>`);

async function open() {
	await browser.page.goto(browser.write(`<!DOCTYPE html><title>rows</title><table>${rows.join("")}</table>`, "rows.html"));
	return browser.page;
}

test("an element is found by CSS, by text, below what has a text, and by its number", { always: true }, async () => {
	const page = await open();

	for (const [selector, found] of [
		["td button", ["read", "read (2)", "it's", "last"]],
		["button:has-text('read')", ["read", "read (2)"]],
		[`button:text-is("read")`, ["read"]],
		[`button:has-text("it's")`, ["it's"]],
		["tr:has-text('(2)') td", ["read (2)", "of read (2)"]],
		["tr:has-text('(2)') td >> nth=1", ["of read (2)"]],
		["tr:has-text('read') > td:has-text('of ')", ["of read", "of read (2)"]],
		["table:has-text('last') tr:has-text('last') button", ["last"]],
		["tr:has-text('nobody') td", []],
		["td >> nth=40", []],
	])
		assert.deepEqual(await page.locator(selector).allTextContents(), found, selector);
	assert.equal(await page.textContent("tr:has-text('(2)') button"), "read (2)");
});

test("what is no selector throws instead of waiting for an element", { always: true }, async () => {
	const page = await open();

	for (const selector of ["td:no-such-class('read')", "td[", "td:has-text('nobody') ~~ td"])
		for (const act of ["click", "focus", "textContent", "waitForSelector"])
			await assert.rejects(page[act](selector), undefined, `${act} ${selector}`);
});
