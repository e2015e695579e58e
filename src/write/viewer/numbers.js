/* Numbers as flamegraph.pl prints them. */

/* To the nearest, halves to the even one; with commas. */
function withCommas(count) {
	const low = floor(count);
	const rounded = count - low === 0.5 ? low + low % 2 : round(count);

	return String(rounded).replace(/\B(?=(\d{3})+$)/g, ",");
}

/* toFixed() takes halves away from 0. Only multiples of 1/8, or of 1/4 for one digit, are any. */
function percent(part, whole, digits = 2) {
	const share = whole ? 100 * part / whole : 0;
	const down = abs(share) * 2 ** (digits + 1) % 4 === 1 ? 1e-9 * share : 0;

	return `${(share - down).toFixed(digits)}%`;
}
