% truth: cp $SRC erlcalls.erl && erlc erlcalls.erl
% run: exec erl +JPperf true +S 1 -noshell -noinput -s erlcalls run
-module(erlcalls).
-export([run/0]).

leaf(0, S) -> S;
leaf(N, S) -> leaf(N - 1, (S * 31 + N) band 65535).

work(N) -> leaf(N, 1) + 1.

other(N) -> work(N) + 1.

now_ns() -> {T, _} = statistics(runtime), T * 1000000.

loop(End, A, B) ->
	T0 = now_ns(),
	work(6000000),
	T1 = now_ns(),
	other(6000000),
	T2 = now_ns(),
	case T2 < End of
		true -> loop(End, A + T1 - T0, B + T2 - T1);
		false ->
			{ok, F} = file:open(os:getenv("TRUTH"), [write]),
			io:format(F, "# ~s~n", [os:getpid()]),
			io:format(F, "erlcalls:run/0|$erlcalls:run/0;erlcalls:loop/3|$erlcalls:loop/3;erlcalls:work/1|$erlcalls:work/1;erlcalls:leaf/2|$erlcalls:leaf/2 ~b~n", [A + T1 - T0]),
			io:format(F, "erlcalls:run/0|$erlcalls:run/0;erlcalls:loop/3|$erlcalls:loop/3;erlcalls:other/1|$erlcalls:other/1;erlcalls:work/1|$erlcalls:work/1;erlcalls:leaf/2|$erlcalls:leaf/2 ~b~n", [B + T2 - T1]),
			file:close(F),
			0
	end.

run() ->
	loop(now_ns() + 1000000000, 0, 0),
	init:stop().
