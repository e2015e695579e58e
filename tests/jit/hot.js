// Three quarters of the time in hot(), the rest in warm(); says its pid.
'use strict';

function hot(n)
{
	let s = 0;

	for (let i = 0; i < n; i++)
		s = (s * 31 + i) | 0;
	return s;
}

function warm(n)
{
	let s = 0;

	for (let i = 0; i < n; i++)
		s = (s ^ (i * 7)) | 0;
	return s;
}

// Milliseconds on a processor, so that it does not matter what else runs.
function worked()
{
	const usage = process.cpuUsage();

	return (usage.user + usage.system) / 1000;
}

function run(f, ms)
{
	const until = worked() + ms;
	let s = 0;

	while (worked() < until)
		s += f(200000);
	return s;
}

function main()
{
	let s = 0;

	for (let k = 0; k < 5; k++) {
		s += run(hot, 150);
		s += run(warm, 50);
	}
	return s;
}

main();
console.log(process.pid);
