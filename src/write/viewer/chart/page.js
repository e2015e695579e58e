/* The page in the static picture's place, and what is heard. */
let root;
let isAlone; /* the document is the chart's */
let helpedFrom; /* what had the focus before */

const keys = [
	["ArrowLeft", "←", "what was before"], ["ArrowRight", "→", "what comes after"],
	["ArrowUp", "↑", "the caller, then the thread above"], ["ArrowDown", "↓", "what is called, then the thread below"],
	["Enter", "Enter", "zoom to the span"], ["0", "0 or Esc", "all of the time"],
	["+", "+ −", "zoom in and out"], ["[", "[ ]", "move to the left and right"],
	["o", "o", "open or close the thread"], ["/", "/", "search"], ["n", "n N", "next and previous hit"],
	["d", "d", "dark or light"], ["?", "?", "this help"],
];

function zoomToSpan({ begin, end }) {
	const room = (end - begin) / 50;

	show(begin - room, end + room);
}

const showAll = () => show(0, chart.length);

function toggleDark() {
	dark = !dark;
	elements.app.classList.toggle("dark", dark);
	draw();
}

function toggleHelp() {
	elements.help.hidden = !elements.help.hidden;
	if (elements.help.hidden) {
		helpedFrom?.focus();
	} else {
		helpedFrom = focused();
		elements.close.focus();
	}
}

const middle = () => current && current.end > shownFrom && current.begin < shownTo
	? (max(current.begin, shownFrom) + min(current.end, shownTo)) / 2 : (shownFrom + shownTo) / 2;

/* Of what is closed the heading has the focus. */
function toggleThread(span) {
	const { thread } = span;

	openThread(thread, !thread.opened);
	if (thread.opened)
		choose(span, thread, true);
	else
		thread.toggle.focus();
}

const commands = {
	"Enter": () => current && zoomToSpan(current),
	"0": showAll,
	"Escape": () => elements.help.hidden ? showAll() : toggleHelp(),
	"+": () => zoomAround(middle(), 0.5), "=": () => zoomAround(middle(), 0.5),
	"-": () => zoomAround(middle(), 2),
	"[": () => moveBy(-0.25), "]": () => moveBy(0.25),
	"o": () => current && toggleThread(current),
	"/": () => elements.search.focus(),
	"n": () => findNext(1), "N": () => findNext(-1),
	"d": toggleDark, "?": toggleHelp,
};

function press(happens) {
	const { key, target, ctrlKey, metaKey, altKey } = happens;
	const isField = target.localName === "input", isButton = target.localName === "button", { app, help } = elements;

	/* In somebody else's page keys are for what has the focus or, where nothing has, is under the pointer. */
	if (!isAlone && !app.contains(target) && !(target === document.body && app.matches(":hover")))
		return;
	/* It has one thing to go to, and hides all others. */
	if (key === "Tab" && !help.hidden) {
		happens.preventDefault();
		elements.close.focus();
	}
	if ((ctrlKey || metaKey) && key === "f" || key === "F3") {
		elements.search.focus();
		happens.preventDefault();
		return;
	}
	if (ctrlKey || metaKey || altKey)
		return;
	if (isField) {
		if (key === "Enter")
			findNext(happens.shiftKey ? -1 : 1);
		else if (key === "Escape") {
			target.value = "";
			search();
			target.blur();
		}
		return;
	}
	if (isButton && (key === "Enter" || key === " "))
		return;
	if (/^Arrow/.test(key))
		step(key);
	else if (commands[key])
		commands[key]();
	else
		return;
	happens.preventDefault();
}

function point({ target, clientX, clientY, pointerType }) {
	const { tip, app } = elements, { span, thread } = target;

	tip.hidden = !span || pointerType === "touch" || Boolean(drag?.moved);
	if (!span)
		return;
	say(span, thread);

	const [name, rest] = saysOf(span, thread), { width, height } = boundsOf(app);

	tip.replaceChildren(make("b", {}, middleOf(name, 120)), make("span", {}, rest));
	tip.style.translate = `${clientX + 14 + tip.offsetWidth <= width ? clientX + 14 : max(0, clientX - 14 - tip.offsetWidth)}px ${
		clientY + 14 + tip.offsetHeight <= height ? clientY + 14 : max(0, clientY - 14 - tip.offsetHeight)}px`;
}

/* A click chooses; on what is chosen already it zooms, as a double click does. */
function click({ target }) {
	const { span, thread } = target;

	if (!span || elements.app.dragged)
		return;
	if (!thread.opened)
		openThread(thread, true);
	else if (chosenBefore?.thread === thread && isSame(chosenBefore, span))
		zoomToSpan(span);
	else
		choose(span, thread, true);
}

function unfold() {
	elements.folded.hidden = true;
	chart.threads.forEach(({ section }) => { section.hidden = false; });
	draw();
}

const legendOf = (what, text) => make("span", {}, make("i", { class: what }), text);

/* What a function's colour stands for. Text has none, nor have functions whose colour is of their name (svg-format.md). */
function groupOf({ module, unnamed, kind, look }) {
	const file = module.replace(/.*\//, ""), isFlame = look >= 198;

	return unnamed ? "no symbol" : kind === 3 ? "JIT" : kind === 2 ? file.replace(/^\[kernel.*/, "") || "kernel"
		: isFlame ? "" : file;
}

/* Entries of those with most nodes: who has most time is not known before all runs are read. No colour twice. */
function coloursOf() {
	const groups = new Map(), entries = new Map();

	for (const of of chart.func) {
		const one = chart.functions[of], name = groupOf(one), group = groups.get(name) ?? { name, one, nodes: 0 };

		group.nodes++;
		/* What was inlined is paler. */
		if (group.one.kind === inlined)
			group.one = one;
		if (name)
			groups.set(name, group);
	}
	for (const { name, one } of [...groups.values()].sort((a, b) => b.nodes - a.nodes)) {
		const colour = lists[0][one.look].join();

		if (entries.size < 8 && !entries.has(colour))
			entries.set(colour, name);
	}
	return entries;
}

function makeLegend() {
	const has = chart.threads.reduce((all, { kinds: some }) => all | some, 0);

	return make("div", { id: "legend" },
		...[...coloursOf()].map(([colour, text]) => {
			const one = legendOf("", text);

			one.firstChild.style.background = `rgb(${colour})`;
			return one;
		}),
		...[[waiting, "waiting"], [runnable, "could run, waits for a processor"], [unsampled, "on a processor, not sampled"]]
			.filter(([what]) => has >> what & 1).map(([what, text]) => legendOf(`w${what}`, text)),
		...chart.cell ? [make("span", {}, `Within ${durationOf(chart.cell)} spans are in the order of their names`)] : []);
}

function makePage() {
	const title = root.querySelector("#title").textContent;
	const { threads } = chart, more = threads.length - folded;
	const input = make("input", { id: "search", type: "search", placeholder: "Search", "aria-label": "Search names of functions",
		autocomplete: "off", spellcheck: "false", input: search });

	return make("div", { id: "app", pointermove: point, pointerleave: point },
		make("header", {}, make("h1", {}, title),
		     make("div", { id: "controls" },
			  makeButton("All", "Show all of the time (0)", showAll, { id: "unzoom" }),
			  makeButton("−", "Zoom out", commands["-"]), makeButton("+", "Zoom in", commands["+"]),
			  makeButton("◐", "Dark or light", toggleDark), makeButton("?", "Help", toggleHelp)),
		     make("div", { id: "find" }, input,
			  makeButton("‹", "Previous hit", () => findNext(-1), { id: "before", disabled: "" }),
			  makeButton("›", "Next hit", () => findNext(1), { id: "after", disabled: "" }),
			  make("span", { id: "matched", role: "status" }))),
		make("div", { id: "time", pointerdown: (happens) => startDrag(happens, true), pointermove: goOnDragging,
			      pointerup: endDrag, pointercancel: endDrag },
		     make("svg", { id: "ruler", "aria-hidden": true }), make("div", { id: "chosen", hidden: "" })),
		make("div", { id: "stage", role: "main", scroll: draw },
		     make("div", { id: "threads", click, pointerdown: (happens) => startDrag(happens, false), pointermove: goOnDragging,
				   pointerup: endDrag, pointercancel: endDrag },
			  ...threads.map(makeThread)),
		     make("button", { id: "folded", type: "button", click: unfold }, `${withCommas(max(0, more))} more threads, with less processor time`)),
		make("footer", {}, make("div", { id: "details", "aria-live": "polite" }, "Point at a span, or press an arrow key"), makeLegend()),
		make("div", { id: "tip", "aria-hidden": true, hidden: "" }),
		make("div", { id: "help", role: "dialog", "aria-modal": true, "aria-label": "Help", hidden: "" },
		     makeButton("Close", "Close help", toggleHelp, { id: "close" }), make("h2", {}, "Keys"),
		     make("dl", {}, ...keys.flatMap(([, shows, says]) => [make("dt", {}, make("kbd", {}, shows)), make("dd", {}, says)])),
		     make("p", {}, "With Ctrl the wheel zooms, with Shift it moves. A drag on the ruler chooses what is shown. A click on a span chooses it, another one zooms.")));
}

const pause = () => new Promise((done) => { setTimeout(done); });

/* Until what is asked for stands in the document, or all of that has been read. */
const arrival = (isThere) => new Promise((done) => {
	const look = () => {
		if (document.readyState === "loading" && !isThere())
			return;
		watch.disconnect();
		done();
	};
	const watch = new MutationObserver(look);

	watch.observe(root, { childList: true, subtree: true });
	document.addEventListener("DOMContentLoaded", look);
	look();
});

/* Hands on the payload, which stands behind the script, in its pieces: one is whole when another one is behind it.
 * Once something is to be seen the browser reads the others first, and then there is time for it to draw that, and
 * for keys. */
async function handOn(holder, take) {
	const pieces = () => holder.querySelectorAll("data");

	for (let k = 0; ; k++) {
		await arrival(() => !chart && pieces().length > k + 1);
		if (k === pieces().length)
			return;
		if (chart)
			await pause();
		await take(fromText(pieces()[k].textContent));
	}
}

/* The payload, as it comes. */
async function receive(arrives) {
	const find = () => root.querySelector("#flamefold-data");

	await arrival(find);

	const holder = find(), bytes = octets(+holder.getAttribute("data-bytes"));
	let have = 0;

	function add(piece) {
		bytes.set(piece, have);
		have += piece.length;
		arrives(bytes, have);
	}

	if (holder.getAttribute("data-packing") === "none") {
		await handOn(holder, add);
		return bytes;
	}

	const { readable, writable } = new DecompressionStream("deflate");
	const reader = readable.getReader(), writer = writable.getWriter();
	const write = async () => {
		await handOn(holder, (piece) => writer.write(piece));
		await writer.close();
	};

	/* What is wrong with them the reader is told, too. */
	write().catch(() => {});
	for (let next = await reader.read(); !next.done; next = await reader.read())
		add(next.value);
	return bytes;
}

/* A few milliseconds of what is still to be read, and again. */
function readOn() {
	const { steps } = chart, until = performance.now() + 8;

	while (steps.length && performance.now() < until)
		steps.shift()();
	if (steps.length) {
		setTimeout(readOn);
		return;
	}
	if (matches)
		search();
	root.setAttribute("data-whole", round(performance.now()));
}

async function start() {
	const bytes = await receive((some, have) => {
		if (chart || have < 4096 || have < firstPart(some))
			return;
		readChart(some);
		open();
	});

	if (!chart) {
		readChart(bytes);
		chart.arrived = true;
		chart.steps.splice(0).forEach((step) => step());
		open();
	}
	chart.arrived = true;
	chart.better();
	readOn();
}

/* What is there already, in place of the static picture. */
function open() {
	const system = matchMedia("(prefers-color-scheme:dark)"), scheme = root.getAttribute("data-scheme");

	chart.better = () => chart.stale && draw();
	lists = ["data-light", "data-dark"].map((name) => root.getAttribute(name).split(" ").map((colour) =>
		[1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16))));
	dark = scheme ? scheme === "dark" : system.matches;
	shownTo = chart.length;

	const context = make("canvas", {}).getContext("2d");

	context.font = "12px Verdana, DejaVu Sans, sans-serif";
	fitLabel = makeLabels((string) => context.measureText(string).width);

	const page = makePage();

	isAlone = root === document.documentElement;
	[...root.children].filter((one) => !one.matches("title, desc, metadata, style, script")).forEach((one) => one.remove());
	root.removeAttribute("viewBox");
	root.setAttribute("width", "100%");
	root.setAttribute("height", isAlone ? "100%" : +root.getAttribute("height") + 150);
	root.append(make("foreignObject", { width: "100%", height: "100%" }, page));
	page.classList.toggle("dark", dark);

	const { threads } = chart;
	let high = 0;

	threads.forEach((thread, k) => {
		thread.section.hidden = k >= folded;
		openThread(thread, k === 0 || high < 700);
		high += thread.opened ? thread.high * rowHigh + 26 : 0;
	});
	elements.folded.hidden = threads.length <= folded;
	page.addEventListener("wheel", turnWheel, { passive: false });
	page.addEventListener("focusin", ({ target: { span, thread } }) => span && choose(span, thread, false));
	page.addEventListener("dblclick", ({ target: { span } }) => span && zoomToSpan(span));
	addEventListener("keydown", press);
	addEventListener("hashchange", restore);
	system.addEventListener("change", ({ matches: isDark }) => isDark !== dark && !scheme && toggleDark());
	new ResizeObserver(draw).observe(elements.stage);
	restore();
	drawNow();
	root.setAttribute("data-nodes", chart.nodes);
	root.setAttribute("data-ready", round(performance.now()));
}

if (typeof document === "object") {
	root = document.currentScript.closest("svg");
	start().catch((error) => {
		document.querySelector("#details").textContent =
			`${elements.app ? "What is finer than this cannot be read" : "This is the static picture"}: ${error.message}`;
	});
}
