/* The line below the graph: the frame under the pointer, or the one with the focus. */

/* Of a name that is too long the end is left out, not the figures behind it. */
function describe(frame) {
	const figures = frame.title.slice(frame.name.length);
	const room = Number(root.getAttribute("width")) - 3 * padding -
		     textWidth(element("matched").textContent + figures);

	return fitText(`${root.dataset.nametype} ${frame.name}`, room) + figures;
}

function showDetails(frame) {
	element("details").textContent = frame ? describe(frame) : " ";
}

function startDetails() {
	const over = (event) => showDetails(frameOf(event.target));
	const out = () => showDetails(null);

	element("frames").addEventListener("mouseover", over);
	element("frames").addEventListener("mouseout", out);
	element("frames").addEventListener("focusin", over);
	element("frames").addEventListener("focusout", out);
}
