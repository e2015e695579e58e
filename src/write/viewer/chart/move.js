/* Zoom in time, from span to span by keys, search, and the address that keeps it. */
const least = 10; /* ns that can fill the page */

function show(from, to, replace) {
	const length = min(chart.length, max(to - from, least));

	shownFrom = max(0, min(from, chart.length - length));
	shownTo = shownFrom + length;
	draw();
	saveAddress();
}

/* A document without an address of its own has nothing to save it in, and browsers refuse what comes too often. */
function saveAddress() {
	try {
		history.replaceState(null, "", addressNow());
	} catch {}
}

function addressNow() {
	const parts = [];

	if (shownFrom || shownTo !== chart.length)
		parts.push(`t=${round(shownFrom)},${round(shownTo)}`);
	if (elements.search.value)
		parts.push(`s=${encodeURIComponent(elements.search.value)}`);
	return `#${parts.join("&")}`;
}

function restore() {
	const facts = new URLSearchParams(location.hash.slice(1));
	const [from, to] = (facts.get("t") ?? "").split(",").map(Number), sought = facts.get("s") ?? "";

	/* What has no "=" is a place in somebody else's page. */
	if (/^#[^=]+$/.test(location.hash))
		return;
	if (elements.search.value !== sought) {
		elements.search.value = sought;
		search();
	}
	if (to > from)
		show(from, to);
	else if (shownFrom || shownTo !== chart.length)
		showAll();
}

const zoomAround = (at, by) => show(at - (at - shownFrom) * by, at + (shownTo - at) * by);
const moveBy = (part) => show(shownFrom + part * (shownTo - shownFrom), shownTo + part * (shownTo - shownFrom));
const momentUnder = (clientX) => shownFrom +
	(clientX - boundsOf(elements.threads).x - sideways) / scaleNow();

function turnWheel(turn) {
	const { ctrlKey, metaKey, shiftKey, deltaX, deltaY, clientX } = turn;
	const across = shiftKey ? deltaX || deltaY : deltaX;

	if (ctrlKey || metaKey)
		zoomAround(momentUnder(clientX), Math.exp(deltaY / 300));
	else if (across && abs(across) >= abs(shiftKey ? 0 : deltaY))
		moveBy(across / wide);
	else
		return;
	turn.preventDefault();
}

/* A drag moves; on the ruler it chooses what is shown. A few pixels are a click still. */
let drag = null, chosenBefore = null;

function startDrag(happens, chooses) {
	/* What is pressed gets the focus, and is chosen by that. */
	chosenBefore = current;
	if (happens.button || happens.pointerType === "touch" && !chooses)
		return;
	drag = { x: happens.clientX, from: shownFrom, to: shownTo, at: momentUnder(happens.clientX), chooses, moved: false };
}

function goOnDragging({ clientX, buttons, pointerId, currentTarget }) {
	if (!drag || buttons !== 1 || !drag.moved && abs(clientX - drag.x) < 5)
		return;
	if (!drag.moved)
		currentTarget.setPointerCapture(pointerId);
	drag.moved = true;
	if (!drag.chooses) {
		const by = (drag.x - clientX) / wide * (drag.to - drag.from);

		show(drag.from + by, drag.to + by);
		return;
	}

	const { chosen } = elements, now = momentUnder(clientX);

	chosen.hidden = false;
	chosen.style.left = `${sideways + xOf(min(now, drag.at))}px`;
	chosen.style.width = `${abs(now - drag.at) * scaleNow()}px`;
	drag.until = now;
}

function endDrag() {
	const was = drag;

	drag = null;
	elements.chosen.hidden = true;
	if (was?.chooses && was.moved)
		show(min(was.at, was.until), max(was.at, was.until));
	/* The click that follows a drag is none. */
	if (was?.moved)
		setTimeout(() => { elements.app.dragged = false; });
	elements.app.dragged = was?.moved;
}

const isSame = (a, b) => a.node === b.node && a.depth === b.depth && a.begin === b.begin;

const boxOf = (span, thread) => thread.boxes.all.find((rect) => rect.isConnected && isSame(rect.span, span));

function say(span, thread) {
	const [name, rest] = saysOf(span, thread);

	elements.details.replaceChildren(make("b", {}, middleOf(name, 200)), make("span", {}, rest));
}

/* A span is where the keys are. */
function choose(span, thread, focus) {
	current = { ...span, thread };
	say(span, thread);
	if (!focus)
		return;
	drawNow();

	const box = boxOf(span, thread);

	if (box) {
		describe(box);
		box.focus();
	}
}

/* Into sight: the thread opened, the moment within the page. */
function reach(span, thread) {
	const { section } = thread;

	if (section.hidden)
		unfold();
	if (!thread.opened)
		openThread(thread, true);
	if (span.end <= shownFrom || span.begin >= shownTo) {
		const half = (shownTo - shownFrom) / 2, middle = (span.begin + span.end) / 2;

		show(middle - half, middle + half);
	}
	section.scrollIntoView({ block: "nearest" });
	choose(span, thread, true);
}

/* Of one thread: up is the caller, down what it calls, left and right what was before and after. */
function step(key) {
	if (!current) {
		const thread = chart.threads[0];

		drawNow();
		if (thread?.spans?.length)
			choose(thread.spans[0], thread, true);
		return;
	}

	const { thread } = current, spans = thread.spans ?? [];
	const at = current, row = spans.filter(({ depth }) => depth === at.depth);
	const inside = (a, b) => a.begin >= b.begin && a.end <= b.end;
	const next = {
		"ArrowUp": () => spans.find((one) => one.depth === at.depth - 1 && inside(at, one)),
		"ArrowDown": () => spans.find((one) => one.depth === at.depth + 1 && inside(one, at)),
		"ArrowLeft": () => row.findLast(({ end }) => end <= at.begin),
		"ArrowRight": () => row.find(({ begin }) => begin >= at.end),
	}[key]();

	if (next)
		choose(next, thread, true);
	else if (key === "ArrowUp" || key === "ArrowDown")
		stepThread(thread, key === "ArrowUp" ? -1 : 1);
	else
		moveBy(key === "ArrowLeft" ? -0.25 : 0.25);
}

function stepThread(thread, by) {
	for (let k = thread.index + by; chart.threads[k] && !chart.threads[k].section.hidden; k += by) {
		const other = chart.threads[k];

		other.section.scrollIntoView({ block: "nearest" });
		drawNow();

		const near = other.spans?.find(({ depth, end }) => depth === 0 && end > current.begin) ?? other.spans?.[0];

		if (near) {
			choose(near, other, true);
			return;
		}
	}
}

/* Small letters find both; what is no expression is text. */
function patternOf(string) {
	const flags = string === string.toLowerCase() ? "iu" : "u";

	try {
		return new RegExp(string, flags);
	} catch {
		return new RegExp(string.replace(/[^\w\s]/g, "\\$&"), flags);
	}
}

/* By node: is it, or what has called it, a hit? Then all of a run's time is. */
function search() {
	const string = elements.search.value, { parent, func, nodes, time, hits, steps } = chart;
	let found = 0, all = 0, count = 0;

	matches = null;
	if (string) {
		pattern = patternOf(string);
		matches = octets(nodes);

		const hit = chart.functions.map(({ name }, k) => k > 0 && pattern.test(name));

		for (let i = 1; i < nodes; i++)
			matches[i] = hit[func[i]] && (parent[i] || chart.level[i]) ? 1 : matches[parent[i]];
	}
	for (let i = 0; i < nodes && matches; i++) {
		all += time[i];
		if (matches[i]) {
			found += time[i];
			count += hits[i];
		}
	}

	/* What is not read yet is not added up: comes again when it is. */
	const isWhole = matches && !steps.length;

	elements.matched.textContent = isWhole ? `${durationOf(found)}, ${share(found, all)} of the time on processors`
		: matches ? "Adding up…" : "";
	root.setAttribute("data-match", isWhole ? `${count},${found}` : "");
	elements.after.disabled = elements.before.disabled = !isWhole || !count;
	saveAddress();
	draw();
}

/* The next run that is a hit, from the current span on, thread by thread. */
function findNext(by) {
	const { threads, parent, func, steps } = chart;
	const start = current ? current.thread.index : 0;

	for (let k = 0; matches && !steps.length && k <= threads.length; k++) {
		const thread = threads[(start + k * by + threads.length * (k + 1)) % threads.length];
		const { node, count } = thread.runs;
		let i = by > 0 ? -1 : count;

		if (k === 0 && current)
			i = firstRun(thread, by > 0 ? current.end : current.begin) - (by > 0);
		for (i += by; i >= 0 && i < count; i += by)
			if (matches[node[i]]) {
				let up = node[i];

				while (!pattern.test(chart.functions[func[up]].name))
					up = parent[up];
				reachRun(thread, i, up);
				return;
			}
	}
}

/* The span of a frame that a run is in. */
function reachRun(thread, run, node) {
	const { begin, end } = thread.runs, depth = chart.level[node] - 1;

	if (thread.section.hidden)
		unfold();
	if (!thread.opened)
		openThread(thread, true);
	if (end[run] <= shownFrom || begin[run] >= shownTo || end[run] - begin[run] < 2 / scaleNow()) {
		const half = max((end[run] - begin[run]) * 20, least), middle = (begin[run] + end[run]) / 2;

		show(middle - half, middle + half);
	}
	thread.section.scrollIntoView({ block: "nearest" });
	drawNow();

	const span = thread.spans.find((one) => one.node === node && one.depth === depth && one.count === 1 &&
		one.begin <= begin[run] && one.end >= end[run]);

	if (span)
		choose(span, thread, true);
}
