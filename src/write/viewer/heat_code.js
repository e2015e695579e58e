/*
 * Which leaves have something in which cell: src/tree/heat_code.c says how it is coded, and this is its reader,
 * number for number.
 */
const logitMost = 2047;

/* A chance is of 65536; a logit is the logarithm of its odds, times 256. */
function makeLogits() {
	const chances = integers(2 * logitMost + 1), logits = [];

	for (let i = 0, power = 2 ** 24; i <= logitMost; i++) {
		chances[logitMost + i] = 2 ** 40 / (2 ** 24 + power);
		chances[logitMost - i] = 65536 - chances[logitMost + i];
		power = floor(power * 16711808 / 2 ** 24);
	}
	for (let i = -logitMost; i <= logitMost; i++)
		while (logits.length <= chances[logitMost + i] >> 4)
			logits.push(i);
	while (logits.length < 4096)
		logits.push(logitMost);
	return [chances, logits];
}

/* (chance) => a bit. */
function makeArithmetic({ byte }) {
	/* Numbers of an array are not boxed. */
	const state = integers(2);

	state[0] = -1;
	for (let k = 0; k < 4; k++)
		state[1] = state[1] << 8 | byte();
	return (chance) => {
		const part = (state[0] >>> 16) * chance, bit = state[1] < part;

		if (!bit)
			state[1] -= part;
		state[0] = bit ? part : state[0] - part;
		while (state[0] < 2 ** 24) {
			state[0] <<= 8;
			state[1] = state[1] << 8 | byte();
		}
		return bit;
	};
}

/* By leaf: how many it has, and how deep is what separates it from the one before; @found(cell, leaf, count)
 * is called for each pair, by cell, then leaf. Not @counted: each counts as one. */
function readPairs(reader, cells, counts, fences, counted, found) {
	const [chances, logits] = makeLogits(), next = makeArithmetic(reader);
	const before = [0], places = 2 * counts.length;
	const rest = reals(places), right = integers(places), seen = integers(places), usual = integers(places);
	const last = octets(2 * places), trust = reals(2 * 12 * 3).fill(22000);
	let planted = 0, cell = 0;

	/* Of @count questions: the chance of a yes, and by how many answers. */
	const makeForecasts = (count) => ({ chances: integers(count), answers: octets(count) });
	const own = makeForecasts(2 * places), alike = makeForecasts(2048), sizes = makeForecasts(1024);
	const bits = makeForecasts(2048);
	const logitOf = ({ chances, answers }, i, first) => answers[i] ? logits[chances[i] >> 4] : first;
	const learn = ({ chances, answers }, i, first, answer, steady = 200) => {
		const was = answers[i] ? chances[i] : first;

		chances[i] = was + (((answer ? 65535 : 0) - was) / (answers[i] + 2) | 0);
		answers[i] += answers[i] < steady;
	};
	const askOne = (forecasts, i) => {
		const { chances, answers } = forecasts;
		const answer = next(answers[i] ? max(64, min(chances[i], 65472)) : 32768);

		learn(forecasts, i, 32768, answer);
		return answer;
	};

	/* @what: 0 which side, 1 both of them. */
	const askSplit = (place, what, share) => {
		const chance = share < 1 / 2048 ? 32 : share > 2047 / 2048 ? 65504 : floor(share * 65536);
		const a = logits[chance >> 4], k = 2 * place + what, then = last[k] || 1;
		const i = (what * 64 + then) * 16 + (a + 2048 >> 8), b = logitOf(own, k, a), c = logitOf(alike, i, a);
		const at = (what * 12 + min(32 - Math.clz32(cell + 1 - seen[place]), 11)) * 3;
		const sum = floor((trust[at] * a + trust[at + 1] * b + trust[at + 2] * c) / 65536);
		const mixed = chances[logitMost + max(-logitMost, min(logitMost, sum))], answer = next(mixed);

		const error = (answer ? 65536 : 0) - mixed;

		trust[at] += floor((a * error + 32768) / 65536);
		trust[at + 1] += floor((b * error + 32768) / 65536);
		trust[at + 2] += floor((c * error + 32768) / 65536);
		learn(own, k, chance, answer, 18);
		learn(alike, i, chance, answer);
		last[k] = (then < 32 ? then << 1 : 32 | then << 1 & 31) | answer;
		return answer;
	};

	const askCount = (place) => {
		let size = 0, count = 1;

		if (!seen[place])
			usual[place] = (31 - Math.clz32(max(1, min(rest[place] / (cells - cell), 32767)))) * 1024;

		const by = min(usual[place] >> 7, 31) * 32;

		while (2 ** (size + 1) <= rest[place] && askOne(sizes, by + min(size, 31)))
			size++;
		for (let k = size; k > 0; k--)
			count = 2 * count + (count < 64 ? askOne(bits, 2 * by + count) : next(32768));
		usual[place] += (size * 1024 - usual[place]) / 4 | 0;
		return count;
	};

	/* The first leaf behind @from before which there is so much. */
	const firstWith = (from, until, sum) => from + 1 + firstThat(until - from - 2, (k) => before[from + 1 + k] >= sum);

	const placeOfSplit = (from, until) => {
		const start = before[from], end = before[until], all = end - start;
		const uneven = (at) => abs(end - 2 * before[at] + start);
		let at = firstWith(from, until, start + floor((all + 1) / 2)), best = at, isFound;

		if (at > from + 1 && uneven(at - 1) <= uneven(at))
			best--;
		at = firstWith(from, until, start + floor((all + 3) / 4));
		for (; at < until && 4 * (end - before[at]) >= all; at++)
			if (4 * (before[at] - start) >= all) {
				const less = fences[at] - fences[best] || uneven(at) - uneven(best);

				if (!isFound || less < 0)
					best = at;
				isFound = true;
			}
		return best;
	};

	const plant = (from, until) => {
		const place = planted++;

		rest[place] = before[until] - before[from];
		if (until - from > 1) {
			const middle = placeOfSplit(from, until);

			plant(from, middle);
			right[place] = planted;
			plant(middle, until);
		}
	};

	const visit = (place, leaf) => {
		const side = right[place];
		let sum = 0;

		if (side) {
			const l = rest[place + 1], r = rest[side], left = cells - cell;
			let isLeft = l > 0, isRight = r > 0;

			if (isLeft && isRight && !askSplit(place, 1, 1 / (1 + left / l + left / r))) {
				isLeft = askSplit(place, 0, l / (l + r));
				isRight = !isLeft;
			}
			if (isLeft)
				sum += visit(place + 1, leaf);
			if (isRight)
				sum += visit(side, leaf + (side - place) / 2);
		} else {
			sum = counted ? askCount(place) : 1;
			found(cell, leaf, sum);
		}
		rest[place] -= sum;
		seen[place] = cell + 1;
		return sum;
	};

	for (const count of counts)
		before.push(before.at(-1) + count);
	plant(0, counts.length);
	for (; cell < cells; cell++)
		visit(0, 0);
}
