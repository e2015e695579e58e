/* Search: frames whose name or title fits a regular expression are highlighted. */

const highlight = "rgb(230,0,230)";
let term = ""; /* "": no search */
let ignoreCase = false;

/* null, and a word about it, where the expression is none. */
function compile(text) {
	try {
		return new RegExp(text, ignoreCase ? "i" : "");
	} catch (error) {
		showMatched(`Not a regular expression: ${text}`);
		return null;
	}
}

function showMatched(text) {
	element("matched").textContent = text || " ";
	element("matched").classList.toggle("hide", !text);
}

function matches(frame, expression) {
	return expression.test(frame.name) || expression.test(frame.title);
}

/*
 * The share of the picture that matches: of frames above each other only the widest one
 * counts, and what zoom hides counts not at all.
 */
function mark(expression) {
	let sum = 0;
	let all = 0;
	let counted = -1; /* frames before this one are above one that was counted */

	for (const frame of frames) {
		const hit = expression !== null && matches(frame, expression);

		frame.rect.setAttribute("fill", hit ? highlight : frame.fill);
		if (frame.shown === null)
			continue;
		all = Math.max(all, frame.shown);
		if (hit && frame.index >= counted) {
			sum += frame.shown;
			counted = frame.end;
		}
	}
	return all ? Math.min(100, 100 * sum / all) : 0;
}

/* Again after a zoom: other frames are in the picture. */
function updateSearch() {
	const expression = term ? compile(term) : null;
	const percent = mark(expression);

	element("search").textContent = term ? "Reset Search" : "Search";
	element("search").classList.toggle("show", term !== "");
	if (expression)
		showMatched(`Matched: ${percent === 100 ? 100 : percent.toFixed(1)}%`);
	else if (!term)
		showMatched("");
}

function search(text) {
	term = text;
	updateSearch();
	saveState({ s: term });
}

function toggleSearch() {
	if (term) {
		search("");
		return;
	}
	const text = prompt("Enter a search term (regexp allowed, eg: ^ext4_)" +
			    (ignoreCase ? ", ignoring case" : "") +
			    "\nPress Ctrl-i to toggle case sensitivity", "");

	if (text)
		search(text);
}

function toggleIgnoreCase() {
	ignoreCase = !ignoreCase;
	element("ignorecase").classList.toggle("show", ignoreCase);
	updateSearch();
}
