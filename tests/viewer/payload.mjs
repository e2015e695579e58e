// The payload in a picture, as Documentation/svg-format.md has it: bytes as base91, and those that a picture has.
import { inflateSync } from "node:zlib";

const digits = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter((one) => !"&<>".includes(one));

export function encoded(bytes) {
	const text = [];
	let bits = 0, count = 0;

	function put(number) {
		text.push(digits[number % 91]);
		if (count > 6)
			text.push(digits[Math.floor(number / 91)]);
		bits >>= 13;
		count -= 13;
	}

	for (const byte of bytes) {
		bits |= byte << count;
		count += 8;
		if (count >= 13)
			put(bits & 8191);
	}
	if (count > 0)
		put(bits);
	return text.join("");
}

export function decoded(text) {
	const values = text.replace(/\s/g, "").split("").map((one) => digits.indexOf(one));
	const bytes = [];
	let bits = 0, count = 0;

	for (let i = 0; i < values.length; i += 2) {
		bits |= values[i] + 91 * (values[i + 1] ?? 0) << count;
		for (count += 13; count >= 8; count -= 8, bits >>= 8)
			bytes.push(bits & 255);
	}
	return Buffer.from(bytes).subarray(0, Math.floor(values.length * 13 / 16));
}

// Of a picture's text: { facts: the attributes of the header, payload }.
export function found(svg) {
	const [, head, body] = /<metadata id="flamefold-data"([^>]*)>(.*?)<\/metadata>/s.exec(svg);
	const facts = Object.fromEntries([...head.matchAll(/(data-[a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
	const packed = decoded(body.replace(/<[^>]*>/g, ""));

	return { facts, payload: facts["data-packing"] === "zlib" ? inflateSync(packed) : packed };
}

// A picture with other data, which is not packed.
export function withPayload(svg, payload) {
	return svg.replace(/<data>.*<\/data>/s, () => `<data>${encoded(payload)}</data>`)
		.replace(/data-packing="\w+"/, `data-packing="none"`);
}
