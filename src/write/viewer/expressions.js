/*
 * What one searches for: a regular expression on the names of functions. With "module:",
 * "file:" or "kind:" in front on those, with "!" in front what does not fit.
 */

const escapeSigns = (string) => string.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/* A test of a string, or a SyntaxError. @cases: "" heeds case where the expression has a
 * capital letter or is for the whole of a name, "c" always, "i" never. */
function makeTest(string, { plain, cases }) {
	const source = plain ? escapeSigns(string) : string;
	const heeds = cases ? cases === "c" : /\p{Lu}|^\^.*\$$/u.test(source.replace(/\\./g, ""));
	const flags = heeds ? "" : "i";
	let expression;

	/* A letter is one sign, of whatever script; what is strict about that is not asked for. */
	try {
		expression = new RegExp(source, `u${flags}`);
	} catch {
		expression = new RegExp(source, flags);
	}
	return (one) => expression.test(one);
}

/* By function 1 where it fits. The root, function 0, never does. */
function markFunctions({ functions }, string, options) {
	const [, not, field, rest] = /^(!?)(module:|file:|kind:)?([^]*)$/.exec(string);
	const test = makeTest(rest, options);
	const known = new Map();

	return Uint8Array.from(functions, (its, func) => {
		const { name, module, file = "", unnamed } = its;
		const one = !field ? name : field[0] === "m" ? module : field[0] === "f" ? file
			: unnamed ? "no symbol" : kinds[kindOf(its)];

		if (!known.has(one))
			known.set(one, test(one) === !not);
		return func && string && known.get(one);
	});
}

/* The expression for exactly this. */
const exactly = (string, field = "") => `${field}^${escapeSigns(string)}$`;

/* By node 1 where it or a caller is marked. */
function markBelow({ count, funcs, parents }, marks) {
	const inside = octets(count);

	for (let i = 1; i < count; i++)
		inside[i] = marks[funcs[i]] | inside[parents[i]];
	return inside;
}
