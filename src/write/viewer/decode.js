/* The data in the file -> the profile. Documentation/svg-format.md says what is where. */

/* Base91. The bytes that a pair of characters makes are one or two, and two are written: that is faster than to
 * ask, and characters of the string are faster to come by than those of a copy from an encoder. */
function fromText(letters) {
	const made = octets(letters.length);
	let end = 0, bits = 0, count = 0, digits = 0, first = 0;

	for (let i = 0; i < letters.length; i++) {
		const code = letters.charCodeAt(i);
		const digit = code - 33 - (code > 38) - (code > 60) - (code > 62);

		/* White space means nothing. */
		if (digit < 0)
			continue;
		if (digits++ % 2) {
			bits |= first + 91 * digit << count;
			count += 13;
			made[end] = bits;
			made[end + 1] = bits >> 8;
			end += count >> 3;
			bits >>= count & 24;
			count &= 7;
		}
		first = digit;
	}
	made[end] = bits | first << count;
	return made.subarray(0, digits * 13 / 16);
}

async function unpack(letters, packing) {
	const bytes = fromText(letters);

	return packing === "none" ? bytes : octets(await new Response(
		new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")))
		.arrayBuffer());
}

function makeReader(bytes = octets()) {
	let at = 0;

	return {
		at: () => at,
		from(offset) {
			at = offset;
			return this;
		},
		more: () => at < bytes.length,
		byte: () => bytes[at++],
		number() {
			let sum = 0, unit = 1, byte;

			do {
				byte = bytes[at++];
				sum += (byte & 127) * unit;
				unit *= 128;
			} while (byte > 127);
			return sum;
		},
		slice(count) {
			at += count;
			return bytes.subarray(at - count, at);
		},
		/* Up to the next NUL. */
		string() {
			const count = bytes.indexOf(0, at) - at;

			return this.slice(count + 1).subarray(0, count);
		},
	};
}

function readColumns(payload) {
	const reader = makeReader(payload);
	const sizes = times(reader.number(), () => [reader.number(), reader.number()]);
	const columns = new Map(sizes.map(([id, count]) => [id, reader.slice(count)]));

	return (id) => makeReader(columns.get(id));
}

const decoder = new TextDecoder();

/* What would change how a text is laid out, or does not show at all, is replaced; but not what
 * joins letters of scripts that join, or pictures: see can_join() of the writer. */
const joining = "[\\u0600-\\u061b\\u061d-\\u109f\\u1780-\\u1cff\\u2190-\\u2bff\\ua800-\\uabff" +
	"\\ufb50-\\ufdff\\ufe0f\\ufe70-\\ufefe\\u{11000}-\\u{11fff}\\u{1f000}-\\u{1faff}]";
const unseen = new RegExp(`(${joining}[\\u200c\\u200d])|[\\0-\\x1f\\x7f-\\x9f\\u061c` +
	"\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]", "gu");

/* Nearly all strings are plain: what is looked for in the others takes long. */
const toShow = (string) => /[^ -~]/.test(string)
	? string.replace(unseen, (_, joined = "\ufffd") => joined) : string;
const readString = (bytes) => toShow(decoder.decode(bytes));

/* All are put together, each with a NUL behind it, and decoded at once: a call of the decoder takes
 * longer than what it does for a name. */
function readNames(starts, rests, count) {
	let all = octets(1 << 16), last = 0, end = 0;

	for (let i = 0; i < count; i++) {
		const shared = starts.number(), rest = rests.string();
		const next = end + shared + rest.length + 1;

		if (next > all.length) {
			const larger = octets(2 * next);

			larger.set(all);
			all = larger;
		}
		all.copyWithin(end, last, last + shared);
		all.set(rest, end + shared);
		last = end;
		end = next;
	}

	const names = decoder.decode(all.subarray(0, end)).split("\0");

	names.pop();
	return names.map(toShow);
}

/* --srcline has it behind a colon, V8 behind a blank and with a column. */
const fileIn = (name) => isNaN(name.at(-1)) ? null
	: / (\S+:\d+:\d+)$|:([^:]+:\d+)$/.exec(name)?.slice(1).join("");

const gap = 4, inlined = 5;
const unnamedLook = 1; /* the class of what has no symbol */
const kinds = ["", "user", "kernel", "JIT", "gap", "inlined", "waker"];

/* In folded text all that does not look like text is code. */
const kindOf = ({ kind, look }) => kind || (look && 1);

/* Function 0 is the root. */
function readFunctions(column, [nameCount, moduleCount, count]) {
	const names = readNames(column(2), column(3), nameCount);
	const moduleColumn = column(4);
	const modules = times(moduleCount, () => readString(moduleColumn.string()));
	const [name, module, kind, level, look, colour, fileColumn, file, line] =
		[5, 6, 7, 8, 9, 10, 17, 18, 19].map(column);
	const files = [];
	const functions = [{ name: "all", whole: "all", module: "", kind: 0, level: 256, look: 0 }];
	let at = 0;

	while (fileColumn.more())
		files.push(readString(fileColumn.string()));
	while (functions.length <= count) {
		const bits = kind.byte();
		const whole = names[at += name.number()];
		const place = file.more() && files[file.number() - 1];
		const where = line.more() && line.number();
		const [end, mark] = bits & 7 ? [] : /_\[([kjiw])\]$/.exec(whole) ?? [];

		functions.push({
			whole, /* with its mark, as folded text has it */
			name: mark ? whole.slice(0, -end.length) : whole,
			module: modules[module.number()],
			kind: bits & 16 ? inlined : mark ? "  kj iw".indexOf(mark) : bits & 7,
			unnamed: bits & 8,
			level: level.byte(),
			look: look.more() ? look.byte() : 0,
			colour: colour.more() && [colour.byte(), colour.byte(), colour.byte()],
			file: fileIn(whole) ?? (place ? `${place}:${where}` : ""),
		});
	}
	/* Folded text says it by the name only, which the writer has looked at. */
	for (const one of functions)
		one.unnamed ||= one.look === unnamedLook;
	return functions;
}

/* The callers of the nodes, and which of them are leaves. */
function readShape(runs, ups, nodes, leaves) {
	const parents = integers(nodes), isLeaf = octets(nodes);
	let node = 0, parent = 0;

	while (leaves--) {
		for (let n = runs.number(); n >= 0; n--) {
			parents[++node] = parent;
			parent = node;
		}
		isLeaf[node] = 1;
		for (let n = leaves ? ups.number() : -1; n >= 0; n--)
			parent = parents[parent];
	}
	return [parents, isLeaf];
}

/* (length) => the next index into a list of that length. Of lists of 2 to 8 a byte has as many as
 * fit, as digits of a number to that base; those of others are for themselves. */
function makeIndexes(column) {
	const longer = column(14);
	const short = times(9, (length) => ({ ...column(40 + length), rest: 0, scale: 256 }));

	return (length) => {
		const one = short[length];

		if (!one)
			return longer.number();
		if (length < 2)
			return 0;
		if (one.scale * length > 256) {
			one.rest = one.byte();
			one.scale = 1;
		}

		const index = one.rest % length;

		one.rest = (one.rest - index) / length | 0;
		one.scale *= length;
		return index;
	};
}

function readNodeFunctions(column, parents, functions) {
	const funcs = integers(parents.length);
	const callees = functions.map(() => []);
	const ranked = [...functions.keys()].sort((a, b) =>
		functions[b].level - functions[a].level || a - b).slice(1);
	const [runs, low, high] = [13, 15, 16].map(column);
	const indexIn = makeIndexes(column);

	for (let node = 1, isNew = false; node < funcs.length; isNew = !isNew)
		for (let n = runs.number(); n > 0; n--, node++) {
			const list = callees[funcs[parents[node]]];

			if (isNew)
				list.push(ranked[low.byte() + 256 * high.number()]);
			funcs[node] = isNew ? list.at(-1) : list[indexIn(list.length)];
		}
	return funcs;
}

/* By node: of its value, what is there because the code told it, and no chain. */
function readInferred(pairs, unit) {
	const inferred = new Map();

	for (let node = 0; pairs.more();) {
		node += pairs.number();
		inferred.set(node, pairs.number() * unit);
	}
	return inferred;
}

/*
 * @payload: what was packed; @facts: the attributes of the header. Column 0 of the trie is
 * the value, in units of 1 / divisor; `samples` and `before` are columns, or -1. A sample
 * weighs `perSample` in its column.
 */
function readProfile(payload, facts) {
	const column = readColumns(payload);
	const counts = column(1);
	const numbers = times(8, counts.number);
	const [, , , nodes, leaves, unit, decimals, samples] = numbers;
	const functions = readFunctions(column, numbers);
	const [parents, isLeaf] = readShape(column(11), column(12), nodes, leaves);
	const funcs = readNodeFunctions(column, parents, functions);
	const weights = [];
	const add = (id, scale) => {
		const [inner, leaf] = [column(id + 1), column(id)];
		const weight = reals(nodes);

		for (let i = 0; i < nodes; i++)
			weight[i] = (isLeaf[i] ? leaf : inner).number() * scale;
		return weights.push(weight) - 1;
	};

	add(32, unit);

	const sampled = samples > 1 ? add(34, 1) : samples - 1;
	const before = column(36).more() ? add(36, unit) : -1;
	const change = +facts["data-scale"] && before >= 0
		? readChange(facts, weights, before, column(50), column(51)) : null;
	const profile = {
		functions, facts,
		divisor: 10 ** decimals,
		samples: sampled,
		perSample: samples === 1 ? unit : 1,
		before, change,
		inOrder: facts["data-chart"] === "1",
		boxes: new Map(),
	};

	profile.ratio = readRatio(profile, column(49), add);
	/* The largest change; flamegraph.pl's colours begin with 1. */
	profile.most = change ? 1 : weights[before]?.reduce((most, was, i) =>
		max(most, abs(weights[0][i] - was)), profile.divisor);
	profile.trie = makeTrie(funcs, parents, weights, readInferred(column(39), unit));
	/* Before steps: they say where nodes went. */
	profile.heat = column(52).more() ? readTime(column, weights[0], parents) : null;
	profile.flat = withoutGaps(profile, profile.trie);
	return profile;
}

const withoutGaps = (profile, trie) => profile.functions.some(({ kind }) => kind === gap)
	? rebuild(profile, trie, {
		place: (i) => profile.functions[trie.funcs[i]].kind === gap ? -1 : trie.funcs[i],
	}) : trie;
