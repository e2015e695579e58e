/*
 * Colours: [red, green, blue]. What is written on one is black or white, whichever can be
 * read better: that always has a contrast of 4.5.
 */
const pink = [230, 0, 230];

function inkOn(colour) {
	const [r, g, b] = colour.map((c) =>
		c > 10 ? ((c / 255 + 0.055) / 1.055) ** 2.4 : c / 3294);

	return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

const mix = (one, other, share) => one.map((c, i) => round(c + (other[i] - c) * share));

/* From "#rrggbb #rrggbb". */
const readColours = (string) => string.match(/\w{6}/g).map((one) =>
	[16, 8, 0].map((shift) => parseInt(one, 16) >> shift & 255));

/* Of the shades of a colour the one in the middle. */
const middleShade = (look, [first, count]) =>
	look < first ? look : look - (look - first) % count + (count >> 1);

/* flamegraph.pl's colours of a difference: red for more, blue for less. */
function colourOfChange(delta, most) {
	const rest = max(0, floor(210 * (most - abs(delta)) / most));

	return delta ? delta > 0 ? [255, rest, rest] : [rest, rest, 255] : [255, 255, 255];
}

/* From a slate to red, both as light as all fills of their theme. */
const cold = [[128, 141, 159], [102, 115, 131]], hot = [[230, 52, 41], [206, 43, 33]];

/*
 * A function's colour. @list: those of the classes; @kinds: the class of each kind; @shades: the
 * first class that has shades, and how many; @thin: no shades; @share: what heat shows, in 16
 * steps; @delta: a change of at most @most, or none; @tested: what noise explains is 0.
 */
function colourOf({ name, kind, unnamed, look, colour }, meaning,
		  { list, kinds, shades, dark, thin, share, delta, most, tested, ratio }) {
	if (/Self|Value/.test(meaning))
		return mix(cold[+dark], hot[+dark], round(16 * sqrt(share)) / 16);
	if (meaning === "Ratio")
		return list[isNaN(ratio) ? unnamedLook
			: picture.ratios[0] + stepOfRatio(profile.ratio, ratio, picture.ratios[1])];
	if (meaning === "Palette")
		return mix(isNaN(delta) || /^--?$/.test(name) ? colour
			: (tested ? colourOfDifference : colourOfChange)(delta, most),
			   [0, 0, 0], dark ? 0.4 : 0);

	/* Names go by the twelve hues of modules in all their shades. */
	const its = meaning === "Name" ? shades[0] + parseInt(stepTo(name), 36) % (12 * shades[1])
		: meaning !== "Kind" ? look
		: unnamed ? look : kinds[kindOf({ kind, look })];

	return list[thin || meaning === "Kind" ? middleShade(its, shades) : its];
}
