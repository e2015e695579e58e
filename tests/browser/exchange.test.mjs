// What flamefold export writes, in the programs that it is for: speedscope reads five of the formats, d3-flame-graph,
// the Firefox Profiler and Grafana's panel one each.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
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

async function isRead(address) {
	const page = await chrome.newPage();
	const refused = [];

	page.setDefaultTimeout(900_000);
	page.on("dialog", (dialog) => {
		refused.push(dialog.message());
		dialog.dismiss();
	});
	page.on("pageerror", (error) => refused.push(error.message));
	await page.goto(`http://localhost:${server.address().port}/#profileURL=${address}`);
	// Its title is the profile's, once that was read.
	for (let i = 0; i < 600 && !refused.length && !(await page.title()).includes(" - "); i++)
		await page.waitForTimeout(100);
	assert.deepEqual(refused, []);
	assert.match(await page.title(), / - speedscope$/);
	await page.close();
}

for (const format of ["speedscope", "chrome", "callgrind", "pprof", "folded"])
	test(`speedscope reads ${format}`, { skip }, async () => {
		written.set(`/profile.${format}`, execFileSync(process.env.FLAMEFOLD, ["export", "-q", "-f", format, "-o", "-", "-"], { input: stacks }));
		await isRead(`/profile.${format}`);
	});

// Two threads, one of which waits for the other.
function recordTwo() {
	const where = mkdtempSync(path.join(tmpdir(), "exchange-"));
	const sample = (at, of, tid) => `sample id=1 pid=1 tid=${tid} time=${at} cpu=0 ip=0x1${of}00 period=10 chain=U,0x1${of}00,0x1f00`;
	const fields = "sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN";

	writeFileSync(path.join(where, "x.pd"), [
		"tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_state:8,next_pid:4",
		`attr name=cpu-clock type=1 config=0 period=10 ids=1 ${fields} flags=sample_id_all,comm_exec`,
		`attr name=sched:sched_switch type=2 config=316 period=1 ids=2 ${fields},RAW flags=sample_id_all`,
		"comm pid=1 name=app exec time=1", "mmap2 pid=1 start=0x1000 len=0x1000 name=/no/x time=2",
		sample(100, "a", 1), sample(110, "b", 1),
		"sample event=sched:sched_switch id=2 pid=1 tid=1 time=118 cpu=0 ip=0x1c00 period=1 chain=U,0x1c00,0x1f00 " +
			"fields=prev_pid:1,prev_state:1,next_pid:2",
		sample(125, "b", 2), sample(135, "a", 2), "",
	].join("\n"));
	execFileSync(new URL("../perfdata/build", import.meta.url).pathname, ["-o", path.join(where, "x.data"), path.join(where, "x.pd")]);
	return where;
}

test("speedscope reads charts, which are as its schema says", { skip }, async () => {
	const where = recordTwo(), chart = (format) => execFileSync(process.env.FLAMEFOLD,
		["export", "-q", "--addrs", "--chart", "-f", format, "-o", "-", path.join(where, "x.data")]);

	try {
		for (const format of ["speedscope", "chrome"]) {
			written.set(`/chart.${format}`, chart(format));
			await isRead(`/chart.${format}`);
		}
	} finally {
		rmSync(where, { recursive: true });
	}

	const file = JSON.parse(written.get("/chart.speedscope"));
	const ajv = new (require("ajv"))({ strict: false });
	const schema = JSON.parse(readFileSync(path.join(folder, "file-format-schema.json")));

	assert.ok(ajv.validate(schema, file), ajv.errorsText());
	assert.deepEqual(file.profiles.map(({ type, name, unit }) => [type, name, unit]),
			 [["evented", "app-2", "nanoseconds"], ["evented", "app-1", "nanoseconds"]]);
	/* The schema does not see that what is opened last is closed first. */
	for (const { events, endValue } of file.profiles) {
		const open = [];
		let last = 0;

		for (const { type, frame, at } of events) {
			assert.ok(at >= last && at <= endValue);
			last = at;
			if (type === "O")
				open.push(frame);
			else
				assert.equal(open.pop(), frame);
		}
		assert.deepEqual(open, []);
	}
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

// Text of perf script: three threads of two programs, an inlined function, names that have to be quoted, weights in ns.
const recording = `app 8/9 1.000000: 30000000 cpu-clock:
	401010 inl+0x10 (inlined)
	401010 parse+0x10 (/bin/app)
	401000 main+0x0 (/bin/app)

app 8/10 1.100000: 40500000 cpu-clock:
	401020 write [x];y \\ é😀+0x10 (/bin/app)
	401000 main+0x0 (/bin/app)

sh 11/11 1.200000: 20000000 cpu-clock:
	401000 idle+0x0 (/bin/sh)
	401000 main+0x0 (/bin/sh)

`;
const flamefold = (...words) => execFileSync(process.env.FLAMEFOLD, [...words, "-"], { input: recording }).toString();
const folded = (...options) => flamefold("fold", ...options).trimEnd().split("\n").sort();

const profiler = path.join(process.env.NODE_PATH, "@firefox-devtools/profiler-cli/dist/profiler-cli.js");

test("the Firefox Profiler sees what fold prints", { skip: existsSync(profiler) ? false : "no profiler-cli: npm has not brought it" }, async () => {
	const home = mkdtempSync(path.join(tmpdir(), "profiler-"));
	const run = { env: { ...process.env, HOME: home }, stdio: ["ignore", "pipe", "pipe"] };
	const ask = (...words) => JSON.parse(execFileSync(process.execPath, [profiler, ...words, "--json", "--session", "one"], run));
	const file = path.join(home, "profile.json");
	const seen = [];
	let daemon, threads;

	try {
		writeFileSync(file, flamefold("export", "-q", "--tid", "-f", "firefox", "-o", "-"));
		daemon = spawn(process.execPath, [profiler, "--daemon", file, "--session", "one"], { ...run, stdio: "ignore" });
		// Who asks for a session that is not written down yet removes what the daemon writes meanwhile. It is asked only then.
		for (let i = 0; !threads; i++)
			try {
				JSON.parse(readFileSync(path.join(home, ".profiler-cli/one.json")));
				threads = ask("thread", "list").threads;
			} catch (error) {
				// It answers once it has read the file.
				if (i === 300 || daemon.exitCode !== null)
					throw error;
				await sleep(200);
			}
		for (const thread of threads) {
			const tree = ask("thread", "samples-top-down", "--thread", thread.threadHandle);
			const open = [[tree.regularCallTree, `${thread.name}-${thread.pid}/${thread.tid}`]];

			assert.equal(tree.weightType, "tracing-ms");
			for (const [node, stack] of open) {
				if (node.selfSamples)
					seen.push(`${stack} ${Math.round(node.selfSamples * 1e6)}`);
				for (const child of node.children)
					open.push([child, `${stack};${child.name}${child.inlineStatus === "inlined" ? "_[i]" : ""}`]);
			}
		}
		assert.deepEqual(seen.sort(), folded("--tid", "--inline-mark"));
	} finally {
		daemon?.kill();
		rmSync(home, { recursive: true, force: true });
	}
});

// The package's own code, without what it draws with: that would be half a gigabyte. Its names of enums are Grafana's
// @grafana/data's, and so is the display of an enum, the text that its number stands for.
const panel = path.join(process.env.NODE_PATH, "../flamegraph/package/dist/esm");
const data = `export const FieldType = { string: "string", enum: "enum", number: "number" };
export const createTheme = () => ({});
export const getDisplayProcessor = ({ field }) => (value) => ({ text: field.config.type?.enum.text[value] ?? String(value), numeric: value });`;

test("Grafana's panel sees what fold prints", { skip: existsSync(panel) ? false : "no flamegraph of Grafana: npm has not brought it" }, async () => {
	const url = (code) => `data:text/javascript,${encodeURIComponent(code)}`;
	const code = (file) => readFileSync(path.join(panel, file), "utf8").replace("'@grafana/data'", `'${url(data)}'`);
	const transform = code("FlameGraph/dataTransform.mjs").replace("'../types.mjs'", `'${url(code("types.mjs"))}'`)
		.replace("'./treeTransforms.mjs'", `'${url("export const mergeParentSubtrees = 0, mergeSubtrees = 0;")}'`);
	const { FlameGraphDataContainer } = await import(url(transform));
	const frame = JSON.parse(flamefold("export", "-q", "-f", "grafana", "-o", "-"));
	const fields = frame.schema.fields.map((field, i) => ({ ...field, values: frame.data.values[i] }));
	const container = new FlameGraphDataContainer({ length: frame.data.values[0].length, fields }, { collapsing: false });
	const seen = [], stacks = new Map();

	assert.equal(container.getUnitTitle(), "Time");
	for (const item of container.getLevels().flat()) {
		const parent = item.parents?.[0], label = container.getLabel(item.itemIndexes[0]);
		const self = item.value - item.children.reduce((sum, child) => sum + child.value, 0);

		// The root is all there is.
		stacks.set(item, !parent ? "" : parent.parents ? `${stacks.get(parent)};${label}` : label);
		assert.equal(container.getSelf(item.itemIndexes), self);
		assert.ok(!parent || (parent.start <= item.start && item.start + item.value <= parent.start + parent.value));
		if (self)
			seen.push(`${stacks.get(item)} ${self}`);
	}
	assert.deepEqual(seen.sort(), folded());
});
