// Whose stacks are shown: events, processes and threads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { addressOf, facts, frame, frames, graph, clickFrame, near, openBrowser } from "./page.mjs";

const threads = [
	"java-10/10;main;parse;read 300", "java-10/11;main;parse;read 100", "java-10/11;main;write 50",
	"java-20/20;main;parse 150", "gc-10/12;mark 250", "a|b-3/3;main;write 150",
].join("\n") + "\n";
const browser = openBrowser();
const { test } = browser;
const perfdata = new URL("../perfdata/build", import.meta.url).pathname;
const options = (page, id) => page.locator(`#${id} option`).allTextContents();
const valueOf = (page, selector) => page.evaluate((selector) => document.querySelector(selector).value, selector);
const chips = (page) => page.locator("#chips button").allTextContents();
const names = async (page) => (await frames(page)).map(({ name }) => name);

// What a frame weighs, as a screen reader says it.
const weightOf = ({ says }) => Number(/([\d,.]+)[^\d]*\), self/.exec(says)[1].replaceAll(",", ""));

// The value of the root, as the picture says it of every choice.
async function valuesOf(page, id) {
	const values = new Map();

	for (const value of await page.evaluate((id) => [...document.querySelectorAll(`#${id} option`)]
		.map((one) => one.value), id)) {
		await page.selectOption(`#${id}`, value);
		values.set(value, weightOf((await frames(page))[0]));
	}
	await page.selectOption(`#${id}`, "");
	return values;
}

test("threads can be shown one by one, and are the whole together", { always: true }, async () => {
	const page = await browser.open(graph(threads));

	assert.deepEqual(await options(page, "thread-choice"), [
		"All 5 threads", "java-10/10 (30.0%)", "gc-10/12 (25.0%)", "a|b-3/3 (15.0%)", "java-10/11 (15.0%)",
		"java-20/20 (15.0%)", "Merge threads by name", "Merge threads by process", "Merge all threads",
	]);

	const values = await valuesOf(page, "thread-choice");
	const sum = [...values].filter(([step]) => step.startsWith("g:")).reduce((sum, [, value]) => sum + value, 0);

	assert.equal(values.get(""), 1000);
	assert.equal(sum, 1000);
	for (const [step, value] of values)
		assert.equal(value, step.startsWith("g:") ? value : 1000, step);
	await page.selectOption("#thread-choice", "g:^a\\|b-3/3$");
	assert.deepEqual((await names(page)).sort(), ["all", "a|b-3/3", "main", "write"]);
});

test("a choice is a step: in the chips, in the link, and it can be taken away", { always: true }, async () => {
	const page = await browser.open(graph(threads));

	await page.selectOption("#thread-choice", "g:^gc-10/12$");
	assert.deepEqual(await chips(page), ["Only ^gc-10/12$ ×"]);
	assert.deepEqual((await names(page)).sort(), ["all", "gc-10/12", "mark"]);

	const { hash } = new URL(await addressOf(page));

	await browser.open(graph(threads), hash);
	assert.equal(await valueOf(page, "#thread-choice"), "g:^gc-10/12$");
	assert.deepEqual((await names(page)).sort(), ["all", "gc-10/12", "mark"]);
	await page.selectOption("#thread-choice", "g:^java-20/20$");
	assert.deepEqual(await chips(page), ["Only ^java-20/20$ ×"]);
	await page.click("#chips button");
	assert.equal(await valueOf(page, "#thread-choice"), "");
	assert.equal((await facts(page)).nodes, 18);
});

test("the zoom goes along to the same functions of another thread, and of all", async () => {
	const page = await browser.open(graph(threads));

	await page.selectOption("#thread-choice", "g:^java-10/10$");
	await clickFrame(page, "parse");
	assert.equal(weightOf(await frame(page, "parse")), 300);
	await page.selectOption("#thread-choice", "g:^java-10/11$");
	near((await frame(page, "parse")).width, 1180);
	await page.mouse.move(5, 590);
	assert.equal(weightOf((await frame(page, "parse"))), 100);
	assert.equal(weightOf((await frame(page, "java-10/11"))), 150);
	await page.selectOption("#thread-choice", "j:threads");
	near((await frame(page, "parse")).width, 1180);
	assert.equal(weightOf((await frame(page, "parse"))), 550);
	await page.selectOption("#thread-choice", "j:threads by name");
	assert.equal(weightOf((await frame(page, "parse"))), 550);
	await page.selectOption("#thread-choice", "g:^gc-10/12$");
	assert.equal(await frame(page, "parse"), undefined);
	near((await frame(page, "mark")).width, 1180);
});

test("threads become processes, names, or nobody's", async () => {
	const page = await browser.open(graph(threads));
	const onRoot = async () => (await frames(page)).filter(({ level }) => level === 2)
		.map((one) => `${one.name} ${weightOf(one)}`).sort();

	await page.selectOption("#thread-choice", "j:threads by process");
	assert.deepEqual(await onRoot(), ["a|b-3 150", "gc-10 250", "java-10 450", "java-20 150"]);
	await page.selectOption("#thread-choice", "j:threads by name");
	assert.deepEqual(await onRoot(), ["a|b 150", "gc 250", "java 600"]);
	await page.selectOption("#thread-choice", "j:threads");
	assert.deepEqual(await onRoot(), ["main 750", "mark 250"]);
	assert.deepEqual(await chips(page), ["Merged threads ×"]);
});

test("other steps stay, and come after", async () => {
	const page = await browser.open(graph(threads), "#t=k:%5Eread%24&t=h:%5Eparse%24");

	await page.selectOption("#thread-choice", "g:^java-10/11$");
	assert.deepEqual(await chips(page), ["Only ^java-10/11$ ×", "Only stacks with ^read$ ×", "Hide ^parse$ ×"]);
	assert.deepEqual((await names(page)).sort(), ["all", "java-10/11", "main", "read"]);
	assert.equal(weightOf((await frame(page, "read"))), 100);
});

test("where there is one process, or nothing says whose stacks they are, there is no list", async () => {
	for (const text of ["main;a 1\nidle 2\n", "java-1/1;a 1\njava-1/1;b 2\n"]) {
		const page = await browser.open(graph(text));

		assert.equal(await page.locator("[id$=-choice]").count(), 0, text);
	}
});

// A recording of two processes and two events, of which a pattern wants both.
function recorded(...options) {
	const text = `
attr name=probe:read sample_type=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm_exec ids=1
attr name=probe:write sample_type=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm_exec ids=2
comm pid=1 name=one exec time=1
comm pid=2 name=two exec time=1
mmap2 pid=1 start=0x1000 len=0x1000 name=/bin/x time=2
mmap2 pid=2 start=0x1000 len=0x1000 name=/bin/x time=2
sample pid=1 time=3 id=1 ip=0x1234 period=10 chain=U,0x1234,0x1500
sample pid=1 time=4 id=2 ip=0x1234 period=20 chain=U,0x1234,0x1500
sample pid=2 time=5 id=1 ip=0x1234 period=30 chain=U,0x1234,0x1500
sample pid=2 time=6 id=2 ip=0x1834 period=40 chain=U,0x1834
`;
	const data = execFileSync(perfdata, [], { input: text });

	return execFileSync(process.env.FLAMEFOLD, ["graph", ...options, "-"],
			    { input: data, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "ignore"] }).toString();
}

test("a recording has its processes to choose from", { always: true }, async () => {
	const page = await browser.open(recorded("--event=probe:read"));

	assert.deepEqual(await options(page, "process-choice"),
			 ["All 2 processes", "two (75.0%)", "one (25.0%)", "Merge all processes"]);
	assert.deepEqual([...(await valuesOf(page, "process-choice")).values()], [40, 30, 10, 40]);
});

test("events of a pattern, and processes below them, are chosen each by itself", async () => {
	const page = await browser.open(recorded("--event=probe:*"));

	assert.deepEqual(await options(page, "event-choice"),
			 ["All 2 events", "probe:write (60.0%)", "probe:read (40.0%)", "Merge all events"]);
	assert.deepEqual([...(await valuesOf(page, "event-choice")).values()], [100, 60, 40, 100]);
	assert.deepEqual([...(await valuesOf(page, "process-choice")).values()], [100, 70, 30, 100]);
	await page.selectOption("#process-choice", "g:^two$");
	await page.selectOption("#event-choice", "g:^probe:write$");
	assert.equal(weightOf((await frames(page))[0]), 40);
	await page.selectOption("#event-choice", "j:events");
	await page.selectOption("#process-choice", "j:processes");
	assert.deepEqual(await chips(page), ["Merged processes ×", "Merged events ×"]);
	assert.deepEqual((await names(page)).filter((name) => /one|two|probe/.test(name)), []);
	assert.equal(weightOf((await frames(page))[0]), 100);
});

test("nothing of all this is an error or a request", () => browser.quiet());
