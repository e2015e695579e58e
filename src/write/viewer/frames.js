/*
 * The frames of the picture, read once. They are in preorder, so what is below a frame
 * follows it:
 *
 *	all  main  a  b  c        frames[2] is a: parent 1, and frames 3 up to,
 *	  0     1  2  3  4        but not including, `end` are below it
 */

const root = document.currentScript.closest("svg");
const padding = 10;
const frames = [];

function element(id) {
	return root.getElementById(id);
}

/* "name (N samples, P%)": what the name is without the figures behind it. */
function nameOf(title) {
	return title.replace(/ \([^(]*\)$/, "");
}

function readFrame(g, index) {
	const rect = g.querySelector("rect");
	const title = g.querySelector("title").textContent;

	g.tabIndex = 0;
	return {
		g, rect, title, index,
		name: nameOf(title),
		label: g.querySelector("text"),
		fill: rect.getAttribute("fill"),
		/* As text, too: links to a zoomed graph hold these. */
		left: rect.getAttribute("x"),
		top: rect.getAttribute("y"),
		x: Number(rect.getAttribute("x")),
		width: Number(rect.getAttribute("width")),
		y: Number(rect.getAttribute("y")),
		shown: null, /* width now; null while zoom hides it */
		parent: -1,
		end: index + 1,
	};
}

/* The rows tell who is whose parent. */
function linkFrames() {
	const down = root.dataset.inverted === "1" ? 1 : -1;
	const path = [];

	for (const frame of frames) {
		while (path.length && (path.at(-1).y - frame.y) * down >= 0)
			path.pop();
		if (path.length)
			frame.parent = path.at(-1).index;
		path.push(frame);
	}
	for (let i = frames.length - 1; i > 0; i--) {
		const parent = frames[frames[i].parent];

		if (parent)
			parent.end = Math.max(parent.end, frames[i].end);
	}
}

function readFrames() {
	for (const g of element("frames").children) {
		frames.push(readFrame(g, frames.length));
		frames.at(-1).shown = frames.at(-1).width;
	}
	linkFrames();
}

const frameOfGroup = new Map();

/* The frame that something in the document belongs to, or undefined. */
function frameOf(node) {
	if (frameOfGroup.size === 0)
		for (const frame of frames)
			frameOfGroup.set(frame.g, frame);
	for (; node && node !== root; node = node.parentNode)
		if (frameOfGroup.has(node))
			return frameOfGroup.get(node);
	return undefined;
}
