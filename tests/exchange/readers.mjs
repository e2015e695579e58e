// Readers of what flamefold export writes, by the rules of each format and not by our writers: each checks
// the file and prints it as folded text, so that it can be compared with what fold prints.
//
//	node readers.mjs FORMAT FILE		on standard output
//	node readers.mjs FORMAT FILE...		of several, each into FILE.read
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import path from "node:path";

let file, bytes, folded; // that are read now
const require = createRequire(path.resolve(process.env.NODE_PATH ?? ".", "x.js"));

function check(condition, why) {
	if (!condition) {
		console.error(`${file}: ${why}`);
		process.exit(1);
	}
}

// Weights as they are written, since JavaScript rounds those above 2^53.
const parse = (text) =>
	JSON.parse(text.replace(/(?<=[\[,:]\s*)(\d{16,})(?=\s*[,\]}])/g, '"$1"'));
const number = (value) => (typeof value === "string" ? BigInt(value) : value);
const big = (value) => BigInt(value);

function add(stack, weight) {
	const line = stack.join(";");
	const before = folded.get(line);
	if (typeof weight === "bigint" || typeof before === "bigint") folded.set(line, BigInt(before ?? 0) + BigInt(weight));
	else folded.set(line, Math.round(((before ?? 0) + weight) * 1e9) / 1e9);
}
function lines() {
	const lines = [...folded].filter(([, weight]) => weight != 0).map(([stack, weight]) => `${stack} ${weight}`);
	return lines.sort().map((line) => line + "\n").join("");
}

// What npm brought may not be here.
function library(name) {
	try {
		return require(name);
	} catch {
		return null;
	}
}

const readers = {
	d3() {
		const tree = parse(bytes.toString("utf8"));
		const open = [[tree, []]];
		check(tree.name === "root", "no root");
		while (open.length) {
			const [node, stack] = open.pop();
			const below = (node.children ?? []).reduce((sum, child) => sum + Number(child.value), 0);
			const self = Number(node.value) - below;
			check(self >= -1e-6 || Number(node.value) > 2 ** 53, "children weigh more than their parent");
			check(node.value > 2 ** 53 || Math.abs(self - Number(node.self ?? 0)) < 1e-6, "self is not what remains");
			if (node.self) add(stack, number(node.self));
			for (const child of node.children ?? []) open.push([child, [...stack, child.name]]);
		}
	},
	json() {
		const document = parse(bytes.toString("utf8"));
		check(document.format === "flamefold tree" && document.version === 1, "not a tree");
		const open = [[document.root, []]];
		while (open.length) {
			const [node, stack] = open.pop();
			if (node.self) add(stack, number(node.self));
			check(["process", "user", "kernel", "jit", "inlined", undefined].includes(node.kind), `kind ${node.kind}`);
			for (const child of node.children ?? []) open.push([child, [...stack, child.name]]);
		}
	},
	speedscope() {
		const document = parse(bytes.toString("utf8"));
		let Ajv;
		try {
			Ajv = require("ajv");
		} catch {}
		if (Ajv && Number(document.profiles[0].endValue) <= 2 ** 53) {
			const schema = JSON.parse(readFileSync(require.resolve("speedscope/dist/release/file-format-schema.json")));
			const ajv = new (Ajv.default ?? Ajv)({ strict: false });
			check(ajv.validate(schema, JSON.parse(bytes.toString("utf8"))), ajv.errorsText());
		}
		const frames = document.shared.frames;
		document.profiles.forEach((profile, i) => {
			check(profile.type === "sampled", profile.type);
			check(["none", "nanoseconds", "bytes"].includes(profile.unit), profile.unit);
			check(profile.samples.length === profile.weights.length, "as many weights as samples");
			profile.samples.forEach((stack, k) => {
				check(stack.every((f) => frames[f]), "a frame that is not there");
				// The first one is of all; the others are its parts.
				if (i === 0) add(stack.map((f) => frames[f].name), number(profile.weights[k]));
			});
			const sum = profile.weights.reduce((s, w) => s + Number(w), 0);
			check(Math.abs(sum - Number(profile.endValue)) <= 1e-9 * sum, "weights do not add up to the end");
		});
		if (document.profiles.length > 1) {
			const parts = document.profiles.slice(1).reduce((s, p) => s + Number(p.endValue), 0);
			check(Math.abs(parts - Number(document.profiles[0].endValue)) <= 1e-9 * parts, "parts are not all");
		}
	},
	grafana() {
		const frame = parse(bytes.toString("utf8"));
		const names = frame.schema.fields.map((field) => field.name);
		check(names.join() === "level,value,self,label", `fields ${names}`);
		const [level, value, self, label] = frame.data.values;
		const texts = frame.schema.fields[3].config.type.enum.text;
		check(level.length === value.length && level.length === self.length && level.length === label.length, "lengths");
		check(level[0] === 0 && texts[label[0]] === "total", "no root");
		const stack = [];
		level.forEach((depth, i) => {
			check(i === 0 || (depth >= 1 && depth <= level[i - 1] + 1), "a level is left out");
			stack.length = depth;
			stack[depth] = texts[label[i]];
			check(stack[depth] !== undefined, "a label that is not there");
			if (self[i]) add(stack.slice(1), number(self[i]));
		});
	},
	flamebearer() {
		const { version, flamebearer, metadata } = parse(bytes.toString("utf8"));
		check(version === 1 && metadata.format === "single", "version");
		check(flamebearer.names.length >= 1 && flamebearer.levels.length >= 1, "empty");
		let above = null, most = 0n;
		for (const level of flamebearer.levels) {
			check(level.length % 4 === 0, "not four numbers a bar");
			const bars = [];
			let x = 0n;
			for (let i = 0; i < level.length; i += 4) {
				const integer = (v) => (Number.isInteger(v) || typeof v === "string" ? big(v) : big(Math.round(v * 1e6)));
				const start = x + integer(level[i]);
				const bar = { start, end: start + integer(level[i + 1]), self: level[i + 2], stack: [] };
				const name = flamebearer.names[level[i + 3]];
				check(name !== undefined, "a name that is not there");
				if (above) {
					const parent = above.find((b) => b.start <= start && bar.end <= b.end && b.end > start);
					check(parent, "a bar that stands on nothing");
					bar.stack = [...parent.stack, name];
				}
				if (bar.self) add(bar.stack, number(bar.self));
				if (integer(bar.self) > most) most = integer(bar.self);
				x = bar.end;
				bars.push(bar);
			}
			above = bars;
		}
	},
	chrome() {
		const trace = parse(bytes.toString("utf8"));
		check(Array.isArray(trace.traceEvents) && trace.traceEvents.length && trace.traceEvents.every((e) => e.ph === "M"), "traceEvents has to be there");
		const stackOf = (id) => {
			const stack = [];
			for (let at = id; at; at = trace.stackFrames[at].parent) {
				check(trace.stackFrames[at], "a frame that is not there");
				stack.push(trace.stackFrames[at].name);
			}
			return stack.reverse();
		};
		// As speedscope weighs them: by the time to the next sample of the thread.
		const threads = new Map();
		for (const sample of trace.samples) {
			const key = `${sample.pid}:${sample.tid}`;
			check(sample.sf > 0, "frame 0 is none");
			if (!threads.has(key)) threads.set(key, []);
			threads.get(key).push(sample);
		}
		for (const samples of threads.values())
			samples.forEach((sample, i) => {
				const next = samples[i + 1];
				if (!next) {
					check(stackOf(sample.sf).join() === "(end)", "no end");
					return;
				}
				check(Number(next.ts) >= Number(sample.ts), "time runs back");
				add(stackOf(sample.sf), number(sample.weight));
				const gap = Number(next.ts) - Number(sample.ts);
				const unit = Number(sample.weight) / gap;
				check(Number(sample.weight) > 2 ** 40 || [1, 1000].some((u) => Math.abs(unit / u - 1) < 1e-3), `gap ${gap} of ${sample.weight}`);
			});
	},
	firefox() {
		const profile = parse(bytes.toString("utf8"));
		const { shared, meta } = profile;
		check(meta.preprocessedProfileVersion === 66, "version");
		check(meta.categories.some((c) => c.color === "grey"), "no default category");
		for (const [name, table] of Object.entries(shared)) {
			if (name === "stringArray") continue;
			for (const [column, values] of Object.entries(table))
				check(column === "length" || values.length === table.length, `${name}.${column}: ${values.length} of ${table.length}`);
		}
		const stackOf = (row) => {
			const stack = [];
			for (let at = row; ; ) {
				const offset = shared.stackTable.prefixOffset[at];
				const frame = shared.stackTable.frame[at];
				const func = shared.frameTable.func[frame];
				check(offset <= at && func < shared.funcTable.length, "a row that is not there");
				check(meta.categories[shared.frameTable.category[frame]], "a category that is not there");
				const resource = shared.funcTable.resource[func];
				check(resource === -1 || profile.libs[shared.resourceTable.lib[resource]], "a library that is not there");
				const symbol = shared.frameTable.nativeSymbol[frame];
				const host = symbol === null ? null : shared.stringArray[shared.nativeSymbols.name[symbol]];
				stack.push([shared.stringArray[shared.funcTable.name[func]], shared.frameTable.inlineDepth[frame], host]);
				if (!offset) break;
				at -= offset;
			}
			stack.reverse();
			// What was inlined stands behind its function, one deeper.
			stack.forEach(([, depth], i) => check(depth === 0 || depth === stack[i - 1][1] + 1, "inline depth"));
			stack.forEach(([name, depth, host], i) => {
				check(host === null || host === (depth ? stack[i - depth][0] : name), "the symbol of another function");
			});
			return stack.map(([name]) => name);
		};
		check(profile.threads.length >= 1, "no thread");
		for (const thread of profile.threads) {
			const { length, stack, weight, weightType, timeDeltas } = thread.samples;
			check(typeof thread.pid === "string" && typeof thread.tid === "number", "pid is a string");
			check(stack.length === length && weight.length === length && timeDeltas.length === length, "columns of samples");
			check(["samples", "tracing-ms", "bytes"].includes(weightType), weightType);
			const own = thread.name === "all" ? [] : [thread.name];
			const suffix = /-\d+(\/\d+)?$/;
			for (let i = 0; i < length; i++) {
				const exact = weightType === "tracing-ms" ? Math.round(Number(weight[i]) * 1e6) : number(weight[i]);
				add([...own, ...(stack[i] === null ? [] : stackOf(stack[i]))], exact);
			}
		}
	},
	csv() {
		const rows = [];
		let fields = [], text = "", quoted = false;
		const source = bytes.toString("utf8");
		for (let i = 0; i < source.length; i++) {
			const c = source[i];
			if (quoted && c === '"' && source[i + 1] === '"') text += source[++i];
			else if (c === '"') quoted = !quoted;
			else if (!quoted && (c === "," || c === "\r")) {
				fields.push(text);
				text = "";
				if (c === "\r") {
					check(source[++i] === "\n", "no CR LF");
					rows.push(fields);
					fields = [];
				}
			} else text += c;
		}
		check(rows.shift().join() === "function,module,file,line,self,total,self_percent,total_percent", "head");
		for (const row of rows) {
			check(row.length === 8, `${row.length} fields`);
			add([row[0]], Number(row[4]));
		}
	},
	// Lists of frames and values as `go tool pprof -raw` prints them are read by tests/cli/export.bats; this
	// reads the bytes by themselves, with the field numbers of profile.proto.
	pprof() {
		check(bytes[0] === 0x1f && bytes[1] === 0x8b && bytes.readUInt32LE(4) === 0 && bytes[9] === 255, "gzip with a time");
		const profile = decode(gunzipSync(bytes));
		const strings = (profile[6] ?? []).map((b) => utf8(b));
		check(strings[0] === "", "string 0");
		const one = (message, field) => (message[field] ?? [0n])[0];
		const functions = new Map(), locations = new Map(), mappings = new Set();
		for (const raw of profile[3] ?? []) mappings.add(one(decode(raw), 1));
		for (const raw of profile[5] ?? []) {
			const f = decode(raw);
			check(!functions.has(one(f, 1)) && one(f, 1) > 0n, "a function twice");
			functions.set(one(f, 1), strings[Number(one(f, 2))]);
		}
		for (const raw of profile[4] ?? []) {
			const l = decode(raw);
			check(!locations.has(one(l, 1)) && one(l, 1) > 0n, "a location twice");
			check(!one(l, 2) || mappings.has(one(l, 2)), "a mapping that is not there");
			locations.set(one(l, 1), (l[4] ?? []).map((line) => functions.get(one(decode(line), 1))));
		}
		const types = profile[1].length, stacks = [];
		for (const raw of profile[2] ?? []) {
			const s = decode(raw);
			const ids = packed(s[1]), values = packed(s[2]);
			check(values.length === types, `${values.length} values of ${types}`);
			const stack = ids.flatMap((id) => {
				check(locations.has(id), "a location that is not there");
				return locations.get(id);
			}).reverse();
			stacks.push([stack.join(";"), ...values].join(" "));
			for (const label of s[3] ?? []) {
				const l = decode(label);
				if (strings[Number(one(l, 1))] === "comm") stack.unshift(strings[Number(one(l, 2))]);
			}
			add(stack, values[types - 1]);
		}
		// A reader that somebody else has written says the same.
		const read = library("pprof-format")?.Profile.decode(gunzipSync(bytes));
		const names = new Map(read?.function.map((f) => [big(f.id), read.stringTable.strings[Number(f.name)]]));
		const lines = new Map(read?.location.map((l) => [big(l.id), l.line.map((line) => names.get(big(line.functionId)))]));
		for (const [i, sample] of read?.sample.entries() ?? []) {
			const stack = sample.locationId.flatMap((id) => lines.get(big(id))).reverse();
			check([stack.join(";"), ...sample.value].join(" ") === stacks[i], `pprof-format reads sample ${i} otherwise`);
		}
		check(!read || read.sample.length === stacks.length, "pprof-format does not read all samples");
	},
	// Field numbers of opentelemetry-proto 1.11.0, profiles/v1development/profiles.proto.
	otlp() {
		const data = decode(bytes);
		const one = (message, field) => (message[field] ?? [0n])[0];
		const dictionary = decode(data[2][0]);
		const table = (n) => (dictionary[n] ?? []).map((raw) => decode(raw));
		const strings = dictionary[5].map((b) => utf8(b));
		const [mappings, locations, functions, links, attributes, stacks] = [1, 2, 3, 4, 6, 7].map(table);
		check(strings[0] === "" && new Set(strings).size === strings.length, "strings");
		for (const [name, t] of Object.entries({ mappings, locations, functions, links, attributes, stacks }))
			check(t.length >= 1 && Object.keys(t[0]).filter((k) => t[0][k].some((v) => v !== 0n)).length === 0, `${name}: entry 0`);
		const attribute = (i) => {
			const a = attributes[Number(i)], any = decode(a[2][0]);
			return [strings[Number(one(a, 1))], any[1] ? utf8(any[1][0]) : any[3] ? any[3][0] : 0n];
		};
		for (const m of mappings) for (const i of packed(m[5])) check(attribute(i)[0] === "process.executable.build_id.gnu", "of a mapping");
		for (const raw of data[1])
			for (const scope of decode(raw)[2])
				for (const [n, rawProfile] of decode(scope)[2].entries()) {
					const profile = decode(rawProfile), type = decode(profile[1][0]);
					const seen = new Set();
					const last = n === decode(scope)[2].length - 1;
					check(strings[Number(one(type, 1))] && strings[Number(one(type, 2))], "no type");
					for (const rawSample of profile[2] ?? []) {
						const s = decode(rawSample);
						const key = `${one(s, 1)}/${packed(s[2])}`;
						check(!seen.has(key), "two equal samples");
						seen.add(key);
						const stack = packed(stacks[Number(one(s, 1))][1]).flatMap((l) =>
							(locations[Number(l)][3] ?? []).map((line) => strings[Number(one(functions[Number(one(decode(line), 1))], 1))])).reverse();
						for (const i of packed(s[2])) if (attribute(i)[0] === "thread.name") stack.unshift(attribute(i)[1]);
						const values = packed(s[4]);
						check(values.length === 1, "one value");
						if (last) add(stack, values[0]);
					}
				}
	},
};

function utf8(b) {
	const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(b);
	return text;
}

// A message of protocol buffers: lists of values by field, numbers as BigInt.
function decode(b) {
	const fields = {};
	let at = 0;
	const varint = () => {
		let value = 0n, shift = 0n;
		for (;;) {
			check(at < b.length && shift < 70n, "a varint that does not end");
			const byte = b[at++];
			value |= BigInt(byte & 0x7f) << shift;
			shift += 7n;
			if (byte < 0x80) return value;
		}
	};
	while (at < b.length) {
		const tag = Number(varint()), field = tag >> 3;
		let value;
		if ((tag & 7) === 0) value = varint();
		else if ((tag & 7) === 1) (value = b.readBigUInt64LE(at)), (at += 8);
		else {
			check((tag & 7) === 2, "wire type");
			const size = Number(varint());
			check(at + size <= b.length, "a field longer than its message");
			value = b.subarray(at, at + size);
			at += size;
		}
		(fields[field] ??= []).push(value);
	}
	return fields;
}

function packed(chunks) {
	const values = [];
	for (const chunk of chunks ?? []) {
		if (typeof chunk === "bigint") {
			values.push(chunk);
			continue;
		}
		let value = 0n, shift = 0n;
		for (const byte of chunk) {
			value |= BigInt(byte & 0x7f) << shift;
			shift += 7n;
			if (byte < 0x80) {
				values.push(value);
				value = shift = 0n;
			}
		}
	}
	return values;
}

const words = process.argv.slice(2);
for (let i = 0; i < words.length; i += 2) {
	file = words[i + 1];
	bytes = readFileSync(file);
	folded = new Map();
	check(readers[words[i]], `no reader of ${words[i]}`);
	readers[words[i]]();
	if (words.length === 2) process.stdout.write(lines());
	else writeFileSync(`${file}.read`, lines());
}
