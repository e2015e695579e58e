/* Numbers as flamegraph.pl prints them. */

/* To the nearest, halves to the even one; with commas. */
function withCommas(value) {
	const low = floor(value);
	const rounded = value - low === 0.5 ? low + low % 2 : round(value);

	return String(rounded).replace(/\B(?=(\d{3})+$)/g, ",");
}

const percent = (part, whole, digits = 2) => `${(whole ? 100 * part / whole : 0).toFixed(digits)}%`;
