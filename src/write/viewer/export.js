/*
 * What is seen, to be taken away: stacks as folded text, the table as CSV, the picture as SVG or
 * PNG, or on paper. For a picture the boxes are drawn once more, all rows and as wide as is asked
 * for, and are copied with what the style says of them: the copy looks the same without it.
 */
let paper = null; /* { wide, rows }: pixels and { low, high }, while boxes are drawn to be copied */
let savedAt = ""; /* the address of what was saved last */

/* What browsers, and people, can do with. */
const mostRows = 4096, mostBoxes = 20000, mostPixels = 1e8, mostHigh = 16000, paperWide = 1000, paperRows = 64;

/* Stacks behind @from, as the graph has them: a box that has a value of its own is a line. */
function foldedText(graph, from) {
	const { functions, kind, func, first, self, starts, row, grow } = graph;
	const nameOfBox = (box) => !func[box] && kind === aroundOne && !row[box] ? view.pivot
		: functions[func[box]].whole;
	const names = (row[from] && kind === aroundOne ? [0] : [])
		.concat(pathOf(graph, from).slice(0, -1)).map(nameOfBox);
	const lines = [], todo = [[from, names.length]];

	while (todo.length) {
		const [box, depth] = todo.pop(), below = grow(box);
		const isNamed = row[box] || kind === aroundOne;

		names.length = depth;
		if (isNamed)
			names.push(nameOfBox(box).replace(/;/g, ":").replace(/\n/g, " "));
		if (self[box] > 0 && names[0])
			lines.push(`${(starts[box] ? [...names].reverse() : names).join(";")} ${
				numbersOf(graph, box, true)}\n`);
		for (let k = below; k--;)
			todo.push([first[box] + k, depth + (isNamed ? 1 : 0)]);
	}
	return lines;
}

const wholeText = () => foldedText(makeGraph(profile, profile.trie, { kind: callersFirst }), 0);

/* The rows of the table in their order, as numbers that a program can read (RFC 4180). */
function tableText() {
	const unit = picture.factor / profile.divisor;
	const line = (cells) => `${cells.map((cell) => /[",\n\r]/.test(cell)
		? `"${cell.replace(/"/g, '""')}"` : cell).join()}\r\n`;

	sortRows();

	const { selves, totals } = sums, { countName } = picture;
	const seen = sampleSums && sampleSums.totals;

	if (profile.change)
		return changeRows().map(line);
	return [
		line(["Function", `Self (${countName})`, `Total (${countName})`, "Module", "File",
			...seen ? ["Samples"] : []]),
		...rows.map((func) => {
			const { name, module, file } = profile.functions[func];

			return line([name, selves[func] * unit, totals[func] * unit, module, file ?? "",
				...seen ? [seen[func] / profile.perSample] : []]);
		}),
	];
}

/* A copy of an element that needs neither style nor script; what is only for the pointer stays
 * here. */
function copyOf(element) {
	const copy = element.cloneNode(), { box } = element;
	const style = element.matches?.("path, rect, g") && getComputedStyle(element);

	for (const name of copy.getAttributeNames?.() ?? [])
		if (/^(class|role|tabindex|aria.*)$/.test(name) || name === "id" && !element.closest("defs"))
			copy.removeAttribute(name);
	if (style && !copy.hasAttribute("fill"))
		for (const name of ["fill", "fill-opacity", "stroke"])
			copy.setAttribute(name, style.getPropertyValue(name));
	copy.append?.(...box >= 0 ? [make("title", {}, titleOf(box))] : [],
		...[...element.childNodes].filter((one) => one !== elements.same).map(copyOf));
	return copy;
}

/* At most @most rows, from some below what is zoomed to; the root's, where nothing is. */
function rowsAround(most) {
	const { row, kind } = graph, from = row[zoom], before = from ? 8 : kind === aroundOne ? most / 2 : 0;

	return from < 0 ? { low: from + before - most + 1, high: from + before }
		: { low: from - before, high: from - before + most - 1 };
}

/* What the picture is of, a line each. */
function captions(leftOut) {
	const { title, subtitle, chips, matched } = elements;

	return [
		title.textContent, subtitle.textContent,
		[
			view.range && saysTime(),
			...[...chips.children].map((one) => one.textContent.replace(/ ×$/, "")),
			zoom && `Zoomed to ${titleOf(zoom)}`, matched.textContent,
			leftOut && `${withCommas(leftOut)} rows left out: zoom in to see them`,
		].filter(Boolean).join(" · "),
	].filter(Boolean);
}

/* The legend in rows below @top. Adds to @parts; returns where it ends. */
function putLegend(parts, wide, top) {
	let x = margin, y = top;

	for (const swatch of elements.legend.querySelectorAll("i")) {
		const name = fitLabel(swatch.parentNode.textContent.trim(), min(300, wide - 60));
		const width = 34 + context.measureText(name).width;

		if (x > margin && x + width > wide) {
			x = margin;
			y += 18;
		}
		parts.push(make("rect", {
			x, y, width: 11, height: 11, fill: getComputedStyle(swatch).backgroundColor,
		}), ...profile.change ? partsOfSwatch(swatch.className, x, y) : [],
			make("text", { x: x + 16, y: y + 10 }, name));
		x += width;
	}
	return x > margin ? y + 18 : top;
}

/* The current view as an <svg> of its own, @wide pixels, in the theme that is seen or @theme. */
function pictureOfView(wide, theme = view.theme, most = mostRows) {
	const { app, stage, frames } = elements;
	const { scrollTop } = stage, was = view.theme;

	paper = { wide, rows: rowsAround(most) };
	view.theme = theme;
	draw();

	/* As it is now: a style follows its element. */
	const { color, backgroundColor } = getComputedStyle(app), parts = [];
	const low = max(layout.lowest, layout.low), high = min(layout.highest, layout.high);
	const [head, ...more] = captions(layout.highest - high + low - layout.lowest);
	let top = 24;

	parts.push(make("rect", { width: "100%", height: "100%", fill: backgroundColor }),
		make("text", { x: wide / 2, y: top, "font-size": 17, "text-anchor": "middle" },
		     fitLabel(head, (wide - 2 * margin) * picture.fontSize / 17)));
	for (const line of more)
		parts.push(make("text", { x: wide / 2, y: top += 20, "text-anchor": "middle" },
			fitLabel(line, wide - 2 * margin)));
	top += 12;
	if (profile.change)
		top = putPanels(parts, top, low, high);

	/* Zoomed, there may be nothing above. */
	const empty = (view.down ? low - layout.lowest : layout.bottom - high) * picture.rowHeight;
	const graphPart = make("g", { transform: `translate(0 ${top - empty})` },
		...copyOf(frames).childNodes);
	const end = putLegend(parts, wide, top + (high - low + 1) * picture.rowHeight + 11);

	paper = null;
	view.theme = was;
	draw();
	stage.scrollTop = scrollTop;
	return make("svg", {
		width: wide, height: end + 4, viewBox: `0 0 ${wide} ${end + 4}`,
		"font-family": fact("font-family"), "font-size": picture.fontSize, fill: color,
	}, make("title", {}, head), ...parts, graphPart);
}

const viewText = () => `${new XMLSerializer().serializeToString(
	pictureOfView(layout.page || picture.wide))}\n`;

/* As sharp as the screen, as far as a canvas can be as large. */
async function viewPixels() {
	const image = make("img"), canvas = make("canvas");
	const address = URL.createObjectURL(new Blob([viewText()], { type: "image/svg+xml" }));

	image.src = address;
	await image.decode();
	URL.revokeObjectURL(address);

	const { naturalWidth: wide, naturalHeight: high } = image;
	const scale = min(devicePixelRatio, mostHigh / wide, mostHigh / high,
		sqrt(mostPixels / wide / high));

	canvas.width = floor(wide * scale);
	canvas.height = floor(high * scale);
	canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
	return [await new Promise((done) => canvas.toBlob(done))];
}

/* What can be taken away: what it is, the end of the file's name, its type, what makes it. */
const exports = [
	["Stacks of this view, folded text", ".folded", "text/plain", () => foldedText(graph, zoom)],
	["All stacks, folded text", "-all.folded", "text/plain", wholeText],
	["Table, CSV", ".csv", "text/csv", tableText],
	["Picture of this view, SVG", ".svg", "image/svg+xml", () => [viewText()]],
	["Picture of this view, PNG", ".png", "image/png", viewPixels],
];

async function saveAs(ending, type, content) {
	const name = elements.title.textContent.replace(/[^\p{L}\p{N}.+_]+/gu, "-")
		.replace(/^[-.]+|-+$/g, "").slice(0, 80) || "graph";

	try {
		URL.revokeObjectURL(savedAt);
		savedAt = URL.createObjectURL(new Blob(await content(), { type }));
		make("a", { href: savedAt, download: name + ending }).click();
		say(`Saved ${name + ending}`);
	} catch (error) {
		say(`Not saved: ${error.message || "the page does not allow it"}`);
	}
}

/* Below the button that asks for it, or wherever the key was pressed. */
function openExport() {
	const { x, y, height } = boundsOf(elements.export);

	showMenu([
		...exports.map(([says, ...how]) => [says, () => saveAs(...how)]),
		["Print this view", () => print()],
	], x, y + height);
}
