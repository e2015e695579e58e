/* The search field, and what it found. */

let problem = ""; /* why what is in the field is no expression */
let foundAt = -1; /* the number of the hit that was gone to */

/* What is searched for when that is in the field: "" where it is no expression. */
function putInField(string, choices) {
	elements.search.value = string;
	problem = "";
	try {
		makeTest(string, choices);
	} catch (error) {
		problem = error.message;
	}
	return problem ? "" : string;
}

function searchFor(string, choices) {
	choose({ ...choices, sought: putInField(string, { ...view, ...choices }) }, true);
	say(elements.matched.textContent, true);
}

/* Steps, and what one merges around, are regular expressions. */
const searched = () => view.plain ? escapeSigns(view.sought) : view.sought;

function changeCase() {
	searchFor(elements.search.value, { cases: { "": "i", i: "c", c: "" }[view.cases] });
}

function showMatched() {
	const lines = problem || !found ? [problem] : [
		join([
			`Matched: ${profile.change ? saysSides(changeOfHits()) : `${share(found.weight, whole())} ${ofWhole()}`}`,
			`${foundAt < 0 ? "" : `${foundAt + 1} of `}${manyOf(found.hits, "frame")}`,
			!profile.change && `self ${share(found.self, whole())}`,
		]),
		zoom && (!profile.change || view.side) && `${share(hitsInBox(graph, zoom, found), graph.total[zoom])} of the zoom (${
			middleOf(nameOf(zoom), 60)})`,
	];

	elements.matched.replaceChildren(...makeLines(lines));
	update(elements.search, { "aria-invalid": Boolean(problem) });
}

/* What a thin box is shown in: the nearest one below it that has 3 % of the width now. */
function contextOf(box) {
	while (graph.row[box] && graph.total[box] < 0.03 * graph.total[zoom])
		box = above(box);
	return box;
}

/* To the next hit, or with -1 to the one before. */
function goToHit(step) {
	const { marks = [], before, hits } = found || {};
	const drawn = graph.kind !== callersFirst &&
		layout.boxes.filter(({ box }) => marks[graph.func[box]]);
	const count = drawn ? drawn.length : hits;

	if (!count)
		return;
	foundAt = (max(foundAt, step < 0 ? 0 : -1) + step + count) % count;

	const box = drawn ? drawn[foundAt].box : boxOfNode(graph,
		firstThat(graph.trie.count, (i) => foundAt < before[i + 1]));

	if (!isInZoom(box) || graph.total[box] * layout.scale < 2 * thinBox) {
		zoom = contextOf(box);
		slice = null;
		saveLink();
	}
	goTo(box);
	say(`${foundAt + 1} of ${count}: ${titleOf(current)}`, true);
}
