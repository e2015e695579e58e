/*
 * What can be done to the stacks before they are drawn. A step is a letter and, for most of
 * them, a search expression: marks[func] says which functions it means. See rebuild().
 */
const transforms = {
	k: ["Only stacks with", ({ inside }) => ({ weighs: (i) => inside[i] })],
	x: ["No stacks with", ({ inside }) => ({ weighs: (i) => !inside[i] })],
	f: ["Stacks from", ({ inside, funcs, parents }) => ({
		starts: (i) => inside[i] && !inside[parents[i]],
		place: (i) => inside[i] ? funcs[i] : -1,
		weighs: (i) => inside[i],
	})],
	h: ["Hide", ({ funcs, marks }) => ({
		place: (i) => marks[funcs[i]] ? -1 : funcs[i],
	})],
	m: ["One box for", ({ funcs, marks }, profile) => ({
		place: (i, to, made) => {
			const func = funcs[i];
			const box = marks[func] && profile.functions[func].module
				? moduleBox(profile, func) : func;

			return box !== func && made.funcs[to] === box ? -1 : box;
		},
	})],
	r: ["Recursion folded", ({ funcs }) => ({
		place: (i, to, made) => funcs[i] === made.funcs[to] ? -1 : funcs[i],
	})],
	w: ["Wrappers folded", ({ funcs, parents, ends, sums: [sum] }) => ({
		place: (i, to, made) => {
			/* What is beside it, and it alone, stays above the one it goes into. */
			const up = parents[i];
			const folds = up &&
				sum[ends[i]] - sum[i] >= 0.99 * (sum[ends[up]] - sum[up]);

			made.folded[to] += folds;
			return folds ? -1 : funcs[i];
		},
	})],
	g: ["Only", (...of) => keepGroup(...of)],
	j: ["Merged", (...of) => mergeGroups(...of)],
};

/* @step: a letter, a colon and an expression. */
function doStep(profile, trie, step, options) {
	if (!transforms[step[0]])
		throw new Error(`'${middleOf(step, 60)}' is not a step`);

	const marks = markFunctions(profile, step.slice(2), options);

	return rebuild(profile, trie, transforms[step[0]][1](
		{ ...trie, marks, inside: markBelow(trie, marks) }, profile, step));
}

/* The function that stands for all functions of the module of @func: "[libc.so.6]". */
function moduleBox(profile, func) {
	const { functions, boxes } = profile;
	const { module } = functions[func];

	if (!boxes.has(module))
		boxes.set(module, functions.push({
			...functions[func], name: `[${module}]`, whole: `[${module}]`, file: "",
		}) - 1);
	return boxes.get(module);
}
