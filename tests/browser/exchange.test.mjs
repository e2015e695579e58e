// What flamefold export writes, in the programs that it is for: speedscope reads five of the formats, d3-flame-graph one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { require } from "./page.mjs";

const stacks = "app;main;parse 30\napp;main;write 40\nsh;main;idle 20\n";
const folder = path.join(process.env.NODE_PATH, "speedscope/dist/release");
const skip = existsSync(folder) ? false : "no speedscope: npm has not brought it";
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const written = new Map();
let server, chrome;

before(async () => {
	if (skip)
		return;
	server = http.createServer((request, response) => {
		const { pathname } = new URL(request.url, "http://localhost");
		const file = path.join(folder, pathname === "/" ? "index.html" : path.normalize(pathname));
		const content = written.get(pathname) ?? (existsSync(file) && readFileSync(file));

		response.writeHead(content ? 200 : 404, { "content-type": types[path.extname(file)] ?? "application/octet-stream" });
		response.end(content || "");
	}).listen(0, "localhost");
	chrome = await require("playwright-core").chromium.launch({
		executablePath: process.env.CHROMIUM, timeout: 900_000, args: ["--no-sandbox", "--disable-gpu"],
	});
});

after(async () => {
	await chrome?.close();
	server?.close();
});

for (const format of ["speedscope", "chrome", "callgrind", "pprof", "folded"])
	test(`speedscope reads ${format}`, { skip }, async () => {
		const page = await chrome.newPage();
		const refused = [];

		page.setDefaultTimeout(900_000);
		page.on("dialog", (dialog) => {
			refused.push(dialog.message());
			dialog.dismiss();
		});
		page.on("pageerror", (error) => refused.push(error.message));
		written.set(`/profile.${format}`, execFileSync(process.env.FLAMEFOLD, ["export", "-q", "-f", format, "-o", "-", "-"], { input: stacks }));
		await page.goto(`http://localhost:${server.address().port}/#profileURL=/profile.${format}`);
		// Its title is the profile's, once that was read.
		for (let i = 0; i < 600 && !refused.length && !(await page.title()).includes(" - "); i++)
			await page.waitForTimeout(100);
		assert.deepEqual(refused, []);
		assert.match(await page.title(), / - speedscope$/);
		await page.close();
	});

const d3 = path.join(process.env.NODE_PATH, "d3-flame-graph/dist/d3-flamegraph.js");

test("d3-flame-graph draws what d3 has", { skip: existsSync(d3) ? false : "no d3-flame-graph: npm has not brought it" }, async () => {
	const page = await chrome.newPage();
	const json = execFileSync(process.env.FLAMEFOLD, ["export", "-q", "-f", "d3", "-o", "-", "-"], { input: stacks }).toString();

	await page.setContent("<div id=chart></div>");
	await page.addScriptTag({ path: path.join(process.env.NODE_PATH, "d3/dist/d3.js") });
	await page.addScriptTag({ path: d3 });

	await page.evaluate((json) => window.d3.select("#chart").datum(JSON.parse(json))
		.call(window.flamegraph().width(900).transitionDuration(0)), json);
	// Its rectangles get their width in a later frame.
	await page.waitForFunction(() => document.querySelector("g.frame rect[width='900']"));

	const drawn = await page.evaluate(() => [...document.querySelectorAll("g.frame")].map((frame) => [
		frame.__data__.data.name, frame.__data__.value, Math.round(Number(frame.querySelector("rect").getAttribute("width"))),
	]).sort());

	assert.deepEqual(drawn, [
		["app", 70, 700], ["idle", 20, 200], ["main", 20, 200], ["main", 70, 700],
		["parse", 30, 300], ["root", 90, 900], ["sh", 20, 200], ["write", 40, 400],
	]);
	await page.close();
});
