// truth: true
// run: exec node --perf-basic-prof --max-inlined-bytecode-size=0 $SRC
// truth stacks: true
// run stacks: exec node --perf-basic-prof --interpreted-frames-native-stack --max-inlined-bytecode-size=0 $SRC
const fs = require("fs");
const times = new Map();
let sink = 0;

function leaf(n) {
	let s = n | 0;
	for (let i = 0; i < n; i++)
		s = (Math.imul(s, 31) + (i ^ s)) | 0;
	return s;
}

function work(n) {
	return leaf(n) + 1;
}

function other(n) {
	return work(n) + 1;
}

class Shape {
	draw(n) {
		return other(n) + 1;
	}
}

function now() {
	const t = process.cpuUsage();
	return (t.user + t.system) * 1000;
}

function measured(stack, f, n) {
	const begin = now();
	sink += f(n);
	times.set(stack, (times.get(stack) || 0) + now() - begin);
}

const shape = new Shape();
const draws = (n) => shape.draw(n);
for (let i = 0; i < 30000; i++) {
	measured("warm", work, 10);
	measured("warm", draws, 10);
}
times.clear();
for (const end = now() + 1e9; now() < end;) {
	measured("*measured *;*work *;*leaf *", work, 8000000);
	measured("*measured *;*draws *;*draw *;*other *;*work *;*leaf *", draws, 8000000);
}
fs.writeFileSync(process.env.TRUTH, `# ${process.pid}\n` + [...times].map(([stack, ns]) => `${stack} ${Math.round(ns)}\n`).join(""));
