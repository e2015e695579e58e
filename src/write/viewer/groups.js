/*
 * Whose stacks are shown. Below the root are frames that stand for an event, where a pattern
 * asked for several, or for what threads do, [on-CPU], and for a process or thread. What one chooses of them are steps as others
 * are, but they come first: g keeps the stacks of one of them, j merges those of many.
 */
const mostGroups = 200; /* in a list; the heaviest */
const ids = [/\/\d+$/, /-\d+(\/\d+)?$/]; /* of comm-PID/TID: what parts threads, and processes */

/* The level of a node: 1 are those on the root; 0: deeper than groups are. */
const levelOf = (parents, i, levels) => !i ? 0 : !parents[i] ? 1
	: levels > 1 && !parents[parents[i]] ? 2 : 0;

/* { says, all, names } of every level: what it is, values by the name of who is on it, and names
 * that boxes of it can have. */
function findLevels({ functions, facts, flat: { count, funcs, parents, ends, sums: [sum] } }) {
	const [, start] = /^([^*?[]*)[*?[]/.exec(facts["data-event"] ?? "") ?? [];
	const levels = [new Map(), new Map()];

	for (let i = 1; i < count; i = parents[i] ? ends[i] : i + 1) {
		const all = levels[levelOf(parents, i, 2) - 1];
		const name = functions[funcs[i]].name;

		all.set(name, (all.get(name) ?? 0) + sum[ends[i]] - sum[i]);
	}

	const [first, second] = levels.map((all) => [...all.keys()]);
	const has = (names, expression) => names[0] && names.every((name) => expression.test(name));
	const below = (all, names) => {
		const says = has(names, ids[0]) ? "thread" : has(names, ids[1]) || facts["data-event"]
			? "process" : "";

		return says && { says, all };
	};
	/* What a pattern of events stands for is above the processes, and so is what threads do. */
	const upper = start != null && first.every((name) => name.startsWith(start)) ? "event"
		: first[1] && has(first, /^\[.*\]$/) ? "state" : "";
	const found = upper ? [{ says: upper, all: levels[0] }, below(levels[1], second)]
		: [below(levels[0], first)];

	return found.filter(Boolean).map((level) => ({
		...level,
		names: new Set([...level.all.keys()].flatMap((name) =>
			[name, ...ids.map((end) => name.replace(end, ""))])),
	}));
}

const plural = (says) => says === "process" ? "processes" : `${says}s`;

/* The steps that a level can be taken with: [step, what it is called]. */
function choicesOf({ says, all }) {
	const sum = [...all.values()].reduce((sum, one) => sum + one, 0);
	const names = [...all].sort(([, a], [, b]) => b - a).slice(0, mostGroups);
	const merged = [[`j:${plural(says)}`, `Merge all ${plural(says)}`]];

	if (says === "thread")
		merged.unshift(["j:threads by process", "Merge threads by process"]);
	if ([...all.keys()].some((name) => ids[1].test(name)))
		merged.unshift([`j:${plural(says)} by name`, `Merge ${plural(says)} by name`]);
	return [
		...names.map(([name, weight]) =>
			[`g:${exactly(name)}`, `${name} (${percent(weight, sum, 1)})`]),
		...merged,
	];
}

/* The other stacks weigh nothing. */
function keepGroup({ marks, funcs, parents, count }, { levels }) {
	const inside = octets(count);

	for (let i = 1; i < count; i++)
		inside[i] = inside[parents[i]] ||
			levelOf(parents, i, levels.length) && marks[funcs[i]];
	return { weighs: (i) => inside[i] };
}

/* @step: "j:threads by process". Frames of the level become one, or none at all. */
function mergeGroups({ funcs, parents }, profile, step) {
	const [what, how] = step.slice(2).split(" by ");
	const level = 1 + profile.levels.findIndex(({ says }) => plural(says) === what);
	const end = how && ids[how === "name" ? 1 : 0];

	return {
		place: (i) => !level || levelOf(parents, i, profile.levels.length) !== level ? funcs[i]
			: end ? groupBox(profile, funcs[i], end) : -1,
	};
}

/* The function that stands for all whose names are the same without @end. */
function groupBox({ functions, boxes }, func, end) {
	const name = functions[func].name.replace(end, "");
	const key = `/${name}`;

	if (!boxes.has(key))
		boxes.set(key, functions.push({ ...functions[func], name, whole: name }) - 1);
	return boxes.get(key);
}

/* Steps of groups come first, and what merges the deeper level before what merges the other: each
 * finds the levels where they were. */
function groupsFirst(steps) {
	const rank = (step) => step[0] === "g" ? 0 : step[0] !== "j" ? 3
		: /^j:(event|state)s$/.test(step) ? 2 : 1;

	return [...steps].sort((a, b) => rank(a) - rank(b));
}

const makeGroups = () => profile.levels.filter(({ all }) => all.size > 1).map((level) => {
	const { says, all } = level;

	return level.list = makeChoice(`${says}-choice`, `Which ${says} is shown`, [
		["", `All ${withCommas(all.size)} ${plural(says)}`], ...choicesOf(level),
	], (step) => choose({
		steps: groupsFirst([...view.steps.filter((one) => !isOfLevel(level, one)),
			...step ? [step] : []]),
	}));
});

const isOfLevel = ({ says, all }, step) => step.startsWith(`j:${plural(says)}`) ||
	[...all.keys()].some((name) => step === `g:${exactly(name)}`);

function showGroups() {
	for (const level of profile.levels)
		if (level.list)
			level.list.value = view.steps.find((step) => isOfLevel(level, step)) ?? "";
}

/* Does a box stand for an event, a process or a thread? */
const isGroup = ({ row, func, functions }, box) => row[box] <= profile.levels.length &&
	profile.levels.some(({ names }) => names.has(functions[func[box]].name));

/* The box of @next that is the same place as @box of @graph: whoever runs it, where that is not
 * there. */
function samePlace(graph, box, next) {
	const { box: there, moved } = boxOfLink(next, linkTo(graph, box));
	const names = pathOf(graph, box).filter((one) => !isGroup(graph, one))
		.map((one) => nameIn(graph, one));
	const begins = moved && names[0] && next.kind === callersFirst ? [0] : [];

	for (const begin of begins)
		begins.push(...boxesIn(next, begin).filter((one) => isGroup(next, one)));
	for (const begin of begins.sort((a, b) => next.total[b] - next.total[a])) {
		const same = names.reduce((at, name) => boxesIn(next, at).find((one) =>
			nameIn(next, one) === name) ?? NaN, begin);

		if (same)
			return same;
	}
	return there;
}
