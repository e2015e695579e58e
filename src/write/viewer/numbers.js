/*
 * Numbers as people read them. Figures of one line have one unit and as many decimals: those
 * that the largest of them needs. Exact numbers and shares in attributes are as flamegraph.pl
 * prints them.
 */

/* To the nearest, halves to the even one; with commas. */
function withCommas(count) {
	const low = floor(count);
	const rounded = count - low === 0.5 ? low + low % 2 : round(count);

	return String(rounded).replace(/\B(?=(\d{3})+$)/g, ",");
}

const manyOf = (count, what) => `${withCommas(count)} ${what}${count === 1 ? "" : "s"}`;

/* toFixed() takes halves away from 0. Only multiples of 1/8, or of 1/4 for one digit, are any. */
function percent(part, whole, digits = 2) {
	const share = whole ? 100 * part / whole : 0;
	const down = abs(share) * 2 ** (digits + 1) % 4 === 1 ? 1e-9 * share : 0;

	return `${(share - down).toFixed(digits)}%`;
}

/* With so many decimals; what is something does not become nothing. */
const toDecimals = (value, decimals) => {
	const least = 10 ** -decimals;

	return value && abs(value) < least / 2 ? `<${least}`
		: decimals ? value.toFixed(decimals) : withCommas(value);
};

function share(part, whole) {
	const all = whole ? 100 * part / whole : 0;

	return `${toDecimals(all, all % 100 ? 1 : 0)} %`;
}

/* Of a time, a size or a count: what the larger units are, and from how many of the first one
 * on they are used; nanoseconds in those units of time that a count may be given in. */
const times10 = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"], [3.6e12, "h", 1e13]];
const nanoseconds = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };
const sizes = ["bytes", "KiB", "MiB", "GiB", "TiB"].map((unit, k) => [1024 ** k, unit]);
const knownCounts = {};
const countsOf = (name) => knownCounts[name] ??= ["", "k ", "M ", "G ", "T "].map((unit, k) =>
	[1000 ** k, unit + name, k === 1 ? 1e4 : 0]);

/* A function that writes values of that name as they fit to one of @most. */
function figuresLike(most, name) {
	const factor = nanoseconds[name] ?? 1;
	const units = nanoseconds[name] ? times10 : name === "bytes" ? sizes : countsOf(name);
	const [unit, label] = units.findLast(([unit, , from]) =>
		abs(most * factor) >= (from || 0.9995 * unit)) ?? units[0];
	const size = abs(most * factor / unit);
	const precise = nanoseconds[name] ? 2 : 1;
	const decimals = unit === 1 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : precise;

	return (value) => {
		const string = toDecimals(value * factor / unit, decimals);

		return `${string} ${string === "1" && label === "samples" ? "sample" : label}`;
	};
}

/* A name of at most @most letters, cut in the middle. */
const middleOf = (name, most) => name.length <= most ? name
	: `${name.slice(0, most * 0.6).replace(/[\ud800-\udbff]$/, "")}…${
		name.slice(-most * 0.4).replace(/^[\udc00-\udfff]/, "")}`;
