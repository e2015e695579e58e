// What figures say, of what they are, and how long it can be read.
import assert from "node:assert/strict";
import { clickFrame, facts, frame, graph, hoverFrame, openBrowser, placeOf, searchFor } from "./page.mjs";

const stacks = "main;parse;read 300\nmain;parse;malloc 100\nmain;write;malloc 200\nidle 200\nmain 200\n";
const browser = openBrowser();
const { test } = browser;
const text = (page, id) => page.textContent(`#${id}`);
const press = async (page, ...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
};
// The lines of an element, as one sees them.
const linesOf = (page, ...ids) => page.evaluate((ids) => ids.flatMap((id) =>
	[...document.querySelector(`#${id}`).children].map((one) => one.textContent.trim())), ids);
const tip = (page) => linesOf(page, "tip");
const shown = (page, id) => page.evaluate((id) => {
	const { width, height } = document.querySelector(`#${id}`).getBoundingClientRect();

	return width > 1 && height > 1;
}, id);
// What has been said as a toast from now on.
const watchToasts = (page) => page.evaluate(() => {
	const status = document.querySelector("#status");

	window.toasts = [];
	new MutationObserver(() => {
		if (status.className === "toast" && status.getBoundingClientRect().height > 12)
			window.toasts.push(status.textContent);
	}).observe(status, { attributes: true, childList: true });
});
const toasted = (page, says) => page.waitForFunction((says) => window.toasts.some((one) => one.includes(says)), says);

test("details name what the keys went to, not the frame whose element it was", async () => {
	const page = await browser.open(graph(stacks));

	await press(page, "ArrowUp", "ArrowUp", "Home");
	for (const name of ["all"])
		for (let i = 0; i < 3; i++) {
			await press(page, "End", "Enter");
			assert.match(await text(page, "details"), /^read /);
			await press(page, "Escape");
			assert.match(await text(page, "details"), new RegExp(`^${name} `));
			await press(page, "Home");
		}
});

test("a zoom into a grey run is about the frame that it zoomed to", async () => {
	const page = await browser.open(graph(`a;big 100000\n${Array.from({ length: 40 }, (_, i) => `a;thin${i};x 40\n`).join("")}`));
	const [x, y] = await placeOf(page, "big");
	const { width } = await frame(page, "big");

	await page.mouse.move(Math.round(x + width / 2 + 8), y);
	assert.match(await text(page, "details"), /frames thinner than a pixel, the widest:/);
	await page.mouse.down();
	await page.mouse.up();
	assert.notEqual((await facts(page)).zoom, "");
	assert.match(await text(page, "details"), /^thin\d /);
	assert.doesNotMatch(await text(page, "details"), /thinner than a pixel/);
});

test("every line is of one thing, and says of what", async () => {
	const page = await browser.open(graph(stacks));
	const scopes = async () => {
		const lines = [...await linesOf(page, "details", "more", "matched"), ...await tip(page)];

		for (const line of lines) {
			const said = new Set(line.match(/ of (all|the zoom|the stacks kept|stacks around)/g));

			assert.ok(said.size <= 1, line);
			assert.ok(said.size === 1 || !/\d %/.test(line) || /^(self|\d+ samples · ±)/.test(line) || /± [\d.]+ %$/.test(line), line);
		}
		return lines;
	};

	await searchFor(page, "malloc");
	await page.press("#search", "Tab");
	await clickFrame(page, "main");
	await clickFrame(page, "parse");
	await hoverFrame(page, "malloc");

	const zoomed = await scopes();

	for (const line of ["10.0 % of all · 100 samples · self 10.0 % · 100 samples", "25.0 % of the zoom (parse) · self 25.0 %",
		"all 2 places: 30.0 % of all · self 30.0 %", "Matched: 30.0 % of all · 2 frames · self 30.0 %"])
		assert.ok(zoomed.includes(line), `${line}: ${zoomed.join("\n")}`);
	await hoverFrame(page, "parse");
	await press(page, "s");
	await hoverFrame(page, "main");
	assert.ok((await scopes()).some((line) => /of stacks around/.test(line)), (await scopes()).join("\n"));
	await press(page, "Escape", "Escape");
	await hoverFrame(page, "parse");
	await press(page, "k");
	await hoverFrame(page, "read");
	assert.ok((await scopes()).includes("75.0 % of the stacks kept · 300 samples · self 75.0 % · 300 samples"), (await scopes()).join("\n"));
	await press(page, "t");
	assert.equal(await text(page, "sharesof"), "Shares are of the stacks kept");
	await press(page, "u");
	assert.equal(await text(page, "sharesof"), "Shares are of all");
});

test("a tooltip at the pointer says what the frame is, and the exact number in its second line", async () => {
	const page = await browser.open(graph("main;work 62012345678\nmain 1234567890\n", "--countname=ns"));

	await hoverFrame(page, "main");
	assert.deepEqual(await tip(page), ["main", "100 % of all · 63.2 s · 63,246,913,568 ns", "self 2.0 % · 1.2 s"]);
	await hoverFrame(page, "work");
	assert.deepEqual(await tip(page), ["work", "98.0 % of all · 62.0 s · 62,012,345,678 ns", "self 98.0 % · 62.0 s"]);
	assert.equal(await page.getAttribute("#tip", "aria-hidden"), "true");

	const [x, y] = await placeOf(page, "work");
	const at = () => page.evaluate(() => document.querySelector("#tip").getBoundingClientRect().toJSON());
	const before = await at();

	await page.mouse.move(x + 40, y);
	assert.equal((await at()).x, before.x + 40);
	/* At the edges it is on the other side. */
	await page.mouse.move(1185, y);
	assert.ok((await at()).right <= 1200 && (await at()).left < 1185);
	await page.mouse.move(600, 100);
	assert.ok(!await shown(page, "tip"));
});

test("what counts has the unit of what it counts", async () => {
	const page = await browser.open(graph("main;a 3000000\nmain;b 1000000\n"));

	await hoverFrame(page, "b");
	assert.match(await text(page, "details"), /25\.0 % of all · 1\.0 M samples · self/);
	await browser.open(graph("main;a 3000000\nmain;b 1000000\n", "--countname=bytes"));
	await hoverFrame(page, "b");
	assert.match(await text(page, "details"), /25\.0 % of all · 977 KiB · self/);
	assert.match(await text(page, "more"), /1,000,000 bytes/);
	await press(page, "t");

	const rows = await page.evaluate(() => [...document.querySelectorAll("#rows tr:not([aria-hidden])")].map((row) => row.textContent));

	assert.ok(rows[0].includes("2.9 MiB") && rows[1].includes("1.0 MiB"), rows.join("\n"));
});

test("details stay when the pointer leaves, and can be selected and copied", async () => {
	const page = await browser.open(graph(stacks));

	await hoverFrame(page, "parse");
	await page.mouse.move(600, 100);
	assert.match(await text(page, "details"), /^parse /);
	await clickFrame(page, "parse");
	await hoverFrame(page, "main");
	assert.match(await text(page, "details"), /^main /);
	await page.mouse.move(600, 100);
	assert.match(await text(page, "details"), /^parse /);

	const { x, y, height } = await page.locator("#details b").boundingBox();

	await page.mouse.move(x + 1, y + height / 2);
	await page.mouse.down();
	await page.mouse.move(x + 400, y + height / 2);
	await page.mouse.up();
	assert.match(await page.evaluate(() => String(getSelection())), /^parse/);
	/* What is drawn again leaves it. */
	await page.setViewportSize({ width: 1000, height: 600 });
	await page.waitForFunction(() => Number(document.querySelector("#tree rect").getAttribute("width")) < 985);
	assert.match(await page.evaluate(() => String(getSelection())), /^parse/);
	await page.setViewportSize({ width: 1200, height: 600 });
});

test("a name of 2,000 letters leaves the figures in sight, and can be seen as a whole", async () => {
	const name = `std::map<${"std::pair<int, long>, ".repeat(95)}last>::find`;
	const page = await browser.newPage({ viewport: { width: 390, height: 844 } });

	await browser.open(graph(`main;${name} 30\nmain;b 70\n`), "", "graph.svg", page);
	await page.evaluate(() => [...document.querySelectorAll("#tree rect")].find((one) =>
		/^std/.test(one.getAttribute("aria-label"))).focus());
	assert.match(await text(page, "details"), /^std::map.*….*::find .*30\.0 % of all/);

	const lines = await page.evaluate(() => {
		const footer = document.querySelector("footer").getBoundingClientRect();
		const { top, bottom } = document.querySelector("#details div").getBoundingClientRect();

		return top >= footer.top && bottom <= footer.bottom && bottom <= innerHeight;
	});

	assert.ok(lines);
	await page.click("#details button");
	assert.equal(await page.evaluate(() => document.querySelector("#copied").value), name);
	await page.close();
});

test("what is said is seen", async () => {
	const page = await browser.open(graph(stacks));

	await watchToasts(page);
	await page.evaluate(() => Object.defineProperty(navigator, "clipboard", {
		value: { writeText: async () => {} }, configurable: true,
	}));
	await hoverFrame(page, "parse");
	await press(page, "c");
	await toasted(page, "Copied");
	await hoverFrame(page, "read");
	await press(page, "m");
	await toasted(page, "no modules");
	assert.equal(await page.getAttribute("#status", "role"), "status");
	/* What one sees anyway is for screen readers. */
	await clickFrame(page, "parse");
	assert.equal(await text(page, "status"), "Zoomed to parse (40.0 % of all, 400 samples)");
	assert.equal(await page.getAttribute("#status", "class"), "");
	await browser.open(graph(stacks), "#z=aaaabbbb&n=x;read");
	assert.match(await text(page, "status"), /^Gone; nearest: read/);
});

test("nothing of all this is an error or a request", browser.quiet);
