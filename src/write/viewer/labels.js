/*
 * Labels that fit their boxes. The width of a text is the sum of the widths of its
 * letters, each measured once: asking the document for the length of every label would
 * make it lay out everything again and again.
 */

const letterWidths = new Map();
let ruler;

function makeRuler() {
	const style = getComputedStyle(root);
	const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");

	ruler = canvas.getContext("2d");
	ruler.font = `${style.fontSize} ${style.fontFamily}`;
}

function letterWidth(letter) {
	if (!letterWidths.has(letter))
		letterWidths.set(letter, ruler.measureText(letter).width);
	return letterWidths.get(letter);
}

function textWidth(text) {
	let width = 0;

	for (const letter of text)
		width += letterWidth(letter);
	return width;
}

/* The longest beginning of @text that fits, with two dots where something is missing. */
function fitText(text, room) {
	const dots = 2 * letterWidth(".");
	let width = 0;
	let fits = 0; /* this much of the text fits together with the dots */
	let at = 0;

	for (const letter of text) {
		width += letterWidth(letter);
		at += letter.length;
		if (width > room)
			return fits ? `${text.slice(0, fits)}..` : "";
		if (width + dots <= room)
			fits = at;
	}
	return text;
}

function fontSize() {
	return parseFloat(getComputedStyle(root).fontSize);
}

/* The label of a box that is @width wide now. */
function fitLabel(frame, width) {
	const least = 2 * fontSize() * Number(root.dataset.fontwidth);
	const room = width - 3;

	frame.label.textContent = room < least ? "" : fitText(frame.name, room);
}

/* The writer counted letters; where they are wider than usual, less of them fit. */
function startLabels() {
	makeRuler();
	for (const frame of frames)
		if (frame.label.textContent &&
		    textWidth(frame.label.textContent) > frame.width - 3)
			fitLabel(frame, frame.width);
}
