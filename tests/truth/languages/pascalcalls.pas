{ truth O2 (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && cp $SRC pascalcalls.pas && fpc -O2 -Xs- -v0 -o$BIN pascalcalls.pas >/dev/null }
{ truth O1: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && cp $SRC pascalcalls.pas && fpc -O1 -Xs- -v0 -o$BIN pascalcalls.pas >/dev/null }
{ truth g (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && cp $SRC pascalcalls.pas && fpc -O2 -g -Xs- -v0 -o$BIN pascalcalls.pas >/dev/null }
program pascalcalls;
{$linklib c}
{$L truth.o}
procedure truth_start; cdecl; external;
procedure truth_stop(stack: pchar); cdecl; external;
function truth_go_on: longint; cdecl; external;

var
  sink: int64;

procedure leaf(n: int64);
var
  i: int64;
begin
  for i := 1 to n do
    sink := sink + i;
end;

procedure outer(n: int64);
begin
  leaf(n);
  sink := 1;
end;

procedure deeper(n: int64);
begin
  outer(n);
  sink := 2;
end;

const
  n = 6000000;
begin
  while truth_go_on <> 0 do
  begin
    truth_start;
    outer(n);
    truth_stop('main|PASCALMAIN;P$PASCALCALLS_$$_OUTER$INT64;P$PASCALCALLS_$$_LEAF$INT64');
    truth_start;
    deeper(n);
    truth_stop('main|PASCALMAIN;P$PASCALCALLS_$$_DEEPER$INT64;P$PASCALCALLS_$$_OUTER$INT64;P$PASCALCALLS_$$_LEAF$INT64');
  end;
end.
