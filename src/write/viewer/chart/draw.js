/*
 * Threads below each other, each with a heading that opens it and an SVG of its spans. Only what is in
 * sight is drawn; a span is a rectangle with a label, if there is room.
 */
const rowHigh = 16, folded = 50, sideways = 10, mostDrawn = 2500;
let shownFrom = 0, shownTo = 1; /* the moments at the left and right edge */
let wide = 1, dark = false, lists, current = null, fitLabel, pattern, matches, marked = 0;

const scaleNow = () => wide / (shownTo - shownFrom);
const xOf = (moment) => (moment - shownFrom) * scaleNow();

/* A span's class of the default look; what is no function has one of its own. */
function fillOf({ node, what }) {
	if (what !== sampled || node >= chart.nodes)
		return null;
	return lists[+dark][functionAt(node).look];
}

const isMatch = ({ node }) => Boolean(matches) && node < chart.nodes && pattern.test(functionAt(node).name);

const durationOf = (ns) => figuresLike(ns, "ns")(ns);

function stateOf({ what, node }) {
	if (what !== sampled || node >= chart.nodes)
		return ["on a processor", "on a processor, not sampled", "waiting", "could run, waits for a processor"][what];
	return "";
}

/* What is said of a span: its name, and the rest. */
function saysOf(span, thread) {
	const { node, begin, end, samples, count, sum } = span;
	const module = node < chart.nodes ? functionAt(node).module.split("/").pop() : "";
	const length = count > 1 ? `${withCommas(count)} spans of ${durationOf(sum)} in ${durationOf(end - begin)}, the longest: `
		: "";

	return [`${length}${nameAt(node)}`, [
		count > 1 ? "" : durationOf(end - begin),
		`from ${durationOf(begin)} to ${durationOf(end)}`,
		samples ? `${withCommas(samples)} ${samples === 1 ? "sample" : "samples"}` : "",
		stateOf(span), module, thread.name,
	].filter(Boolean).join(" · ")];
}

function makeThread(thread) {
	const svg = make("svg", { role: "tree", "aria-label": `What ${thread.name} did`, class: "spans" });
	const toggle = make("button", { type: "button", "aria-expanded": "false", click: () => openThread(thread, !thread.opened) },
		make("b", {}, thread.name), ` ${durationOf(thread.ran)} on a processor`);
	const section = make("section", {}, make("h2", {}, toggle), svg);

	assign(thread, {
		svg, toggle, section,
		boxes: makePool(svg, () => make("rect", { role: "treeitem", tabindex: -1, height: rowHigh - 1 })),
		texts: makePool(svg, () => make("text", { "aria-hidden": true })),
	});
	return section;
}

function openThread(thread, opened) {
	thread.opened = opened;
	thread.toggle.setAttribute("aria-expanded", opened);
	thread.section.classList.toggle("opened", opened);
	thread.svg.style.height = `${(opened ? max(1, thread.high) : 1) * rowHigh}px`;
	draw();
}

/* One row for what is closed: the leaf. */
function leavesOf(spans) {
	/* What lies higher covers what is below it. */
	return spans.sort((a, b) => a.depth - b.depth).map((span) => ({ ...span, depth: 0 }));
}

function drawThread(thread, most) {
	const least = 1 / scaleNow();
	let spans = spansOf(thread, shownFrom, shownTo, least);

	/* More than browsers show at once: wider ones. */
	for (let more = 1.25; spans.length > most && more < 32; more *= 1.25)
		spans = joinMore(spans, more * least);
	if (!thread.opened)
		spans = leavesOf(spans);
	else
		spans.sort((a, b) => a.depth - b.depth || a.begin - b.begin);
	thread.spans = spans;

	let labels = 0, k = 0;

	for (const span of spans) {
		const left = max(xOf(span.begin), -2), right = min(xOf(span.end), wide + 2);
		const rect = thread.boxes.get(k++), y = span.depth * rowHigh;
		const colour = fillOf(span), match = isMatch(span);
		const here = current && current.thread === thread && isSame(current, span);

		rect.span = span;
		rect.thread = thread;
		update(rect, {
			x: left, y, width: max(right - left - (right - left > 3 ? 0.5 : 0), 0.6),
			class: `${match ? "match " : ""}${span.count > 1 ? "narrow " : ""}w${span.node < chart.nodes || span.what ? span.what : 1}`,
			fill: colour ? `rgb(${colour})` : "none",
			tabindex: here || k === 1 && current?.thread !== thread ? 0 : -1,
		});
		if (thread.opened && right - left > 30 && span.count === 1) {
			const label = fitLabel(nameAt(span.node), min(right, wide) - max(left, 0) - 6);

			if (label) {
				const text = thread.texts.get(labels++);

				update(text, { x: max(left, 0) + 3, y: y + 12, class: match ? "match" : `t${colour ? 0 : span.what || 1}` });
				if (text.textContent !== label)
					text.textContent = label;
			}
		}
	}
	thread.boxes.trim(k);
	thread.texts.trim(labels);
	/* Labels lie over boxes, those of boxes that were made later, too. */
	for (let i = 0; i < labels; i++)
		if (thread.texts.all[i].nextSibling?.localName === "rect")
			thread.svg.append(thread.texts.all[i]);
}

/* Who hears and does not see: what has the focus says it at once, where there are many all others soon after. */
function describe(rect) {
	const { span, thread } = rect;

	update(rect, { "aria-label": saysOf(span, thread).join(", "), "aria-level": span.depth + 1 });
}

/* Boxes are used again for other spans: the focus stays with its span, or with none. */
function keepFocus() {
	const box = current && boxOf(current, current.thread);

	if (box)
		box.focus({ preventScroll: true });
	else
		focused()?.blur();
}

let describing;

function describeAll() {
	const drawn = chart.threads.flatMap(({ boxes }) => boxes.all.filter((rect) => rect.isConnected));

	clearTimeout(describing);
	if (drawn.length > 500)
		describing = setTimeout(() => drawn.forEach(describe), 200);
	else
		drawn.forEach(describe);
}

/* 1, 2 or 5 times a power of 10: some 100 pixels. */
function drawRuler() {
	const { ruler } = elements, rough = 110 / scaleNow(), power = 10 ** floor(Math.log10(rough));
	const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
	const figures = figuresLike(max(shownTo, step), "ns");
	let n = 0;

	ruler.replaceChildren();
	for (let at = ceil(shownFrom / step) * step; at <= shownTo && n < 60; at += step, n++) {
		const x = xOf(at), label = shownTo - shownFrom < shownTo / 50
			? `+${durationOf(at - floor(shownFrom / step / 10) * step * 10)}` : figures(at);

		ruler.append(make("path", { d: `M${x} 14V22` }),
			     make("text", { x: min(max(x, 2), wide - 40), y: 11 }, label));
	}
	update(ruler, { viewBox: `0 0 ${wide} 22` });
}

let planned = false;

/* Once a frame, however much has changed. */
function draw() {
	if (planned)
		return;
	planned = true;
	requestAnimationFrame(() => {
		planned = false;
		drawNow();
	});
}

function drawNow() {
	const before = performance.now(), { stage } = elements, { top, bottom } = boundsOf(stage);

	const hadFocus = Boolean(focused()?.span);

	chart.stale = false;
	wide = max(50, elements.threads.clientWidth - 2 * sideways);
	drawRuler();

	const seen = chart.threads.filter(({ section }) => {
		const box = !section.hidden && boundsOf(section);

		return box && box.bottom > top - 100 && box.top < bottom + 100;
	});

	for (const thread of seen)
		drawThread(thread, max(200, mostDrawn / seen.length));
	if (hadFocus)
		keepFocus();
	describeAll();
	root.setAttribute("data-window", `${shownFrom},${shownTo}`);
	root.setAttribute("data-drawn", document.querySelectorAll("#app .spans rect").length);
	elements.unzoom.disabled = shownFrom === 0 && shownTo === chart.length;
	root.setAttribute("data-ms", round(performance.now() - before));
}
