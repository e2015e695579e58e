// What flamefold export writes, in the program that it is for: speedscope reads five of the formats.
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
