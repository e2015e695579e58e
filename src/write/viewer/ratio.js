/*
 * Where there is a ratio of two columns, boxes are coloured by what they have in the one for each one
 * in the other. The middle of the scale is what the whole has; each side has a measure of its own.
 */
function readRatio(profile, described, add) {
	const { facts, divisor, samples, perSample } = profile;
	const fact = (name) => facts[`data-ratio${name}`];
	const numbers = (name) => fact(name).split(" ").map((one) => +one);
	const known = {
		32: () => ({ column: 0, scale: divisor, unit: facts["data-unit"] }),
		34: () => ({ column: samples, scale: perSample }),
	};

	while (described.more()) {
		const [id, , , , scale, decimals] = times(6, described.number);

		described.string();

		const unit = readString(described.string());

		known[id] = () => ({
			column: add(id, scale), unit: unit || facts["data-unit"],
			scale: unit ? 10 ** decimals : divisor,
		});
	}
	if (!fact(""))
		return null;

	const [over, under] = numbers("-columns").map((id) => known[id]());
	const [low, middle, high] = numbers("-limits");

	return {
		name: fact(""), over, under, low, middle, high,
		least: samples < 0 ? 0 : fact("-least") * perSample, isShare: fact("-share") === "1",
	};
}

/* NaN where too little is known. @sumOf: what is there in a column. */
function ratioIn({ ratio, samples }, sumOf) {
	const all = ratio ? sumOf(ratio.under.column) : 0;

	return !all || ratio.least && sumOf(samples) < ratio.least ? NaN
		: sumOf(ratio.over.column) / ratio.over.scale / (all / ratio.under.scale);
}

const ratioOf = (box) => graph.ratios[box] ??=
	ratioIn(profile, (column) => graph.weigh(box, column));

/* The step of the scale, of @count. */
function stepOfRatio({ low, middle, high }, value, count) {
	const half = (count - 1) / 2;
	const part = value < middle ? (middle - value) / (middle - low) : (value - middle) / (high - middle);

	return half + (value < middle ? -1 : 1) * floor(min(1, part) * half + 0.5);
}

/* What stands for a step in a legend, from -1 to 1. */
const ratioAt = ({ low, middle, high }, part) =>
	middle + part * (part < 0 ? middle - low : high - middle);

/* A share, a time for each, so many a second, or a number. */
function sayRatio({ isShare, over, under }, value) {
	const [time, each] = [over, under].map(({ unit }) => nanoseconds[unit]);

	if (isShare)
		return share(value, 1);
	if (time && !each)
		return figuresLike(value, over.unit)(value);

	const isRate = each && !time, count = isRate ? value * 1e9 / each : value;

	return (count < 999.5 ? toDecimals(count, !count || count >= 99.95 ? 0 : count < 9.995 ? 2 : 1)
		: figuresLike(count, "")(count).trim()) + (isRate ? " /s" : "");
}
