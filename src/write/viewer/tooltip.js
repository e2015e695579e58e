/*
 * What is said at the pointer, as soon as it is on a frame. It is for the eyes: the details and
 * the labels of frames say it to all others.
 */
let tipFor; /* the piece it is about */
let tipSize;

function fillTip({ box, count }) {
	const [first, ...others] = figuresOf(box);
	const [all, figure, ...rest] = first.split(" · ");

	elements.tip.replaceChildren(make("b", {}, middleOf(nameOf(box), 120)), ...makeLines([
		count > 1 && `${withCommas(count)} frames thinner than a pixel, the widest:`,
		join([all, figure, exactIn(box)]),
		join(rest), ...others,
	]));
}

/* Below the pointer and to its right, where there is room, else on the other side. */
function showTip() {
	const { tip, app } = elements;

	tip.hidden = !pointed || pointer.pointerType === "touch" || Boolean(opened);
	if (tip.hidden) {
		tipFor = null;
		return;
	}
	if (tipFor !== pointed) {
		tipFor = pointed;
		fillTip(pointed);
		tipSize = [tip.offsetWidth, tip.offsetHeight];
	}

	const { clientX, clientY } = pointer;
	const { x, y, width, height } = boundsOf(app);
	const beside = (at, size, room) => at + 14 + size <= room ? at + 14 : max(0, at - 14 - size);

	tip.style.translate = `${beside(clientX - x, tipSize[0], width)}px ${
		beside(clientY - y, tipSize[1], height)}px`;
}
