// truth fp: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && gdc -O2 -fno-inline -fno-omit-frame-pointer -o $BIN $SRC truth.o
// truth O2 (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && gdc -O2 -fno-inline -o $BIN $SRC truth.o
module dcalls;
import core.volatile;

extern (C) void truth_start();
extern (C) void truth_stop(const(char)* stack);
extern (C) int truth_go_on();

__gshared uint sink;

void leaf(ulong n)
{
    foreach (i; 0 .. n)
        volatileStore(&sink, cast(uint) i);
}

class Shape
{
    void draw(ulong n)
    {
        leaf(n);
        volatileStore(&sink, 1);
    }
}

void outer(Shape s, ulong n)
{
    s.draw(n);
    volatileStore(&sink, 2);
}

void generic(T)(T n)
{
    leaf(n);
    volatileStore(&sink, 3);
}

void main()
{
    auto s = new Shape;
    while (truth_go_on())
    {
        truth_start();
        outer(s, 15_000_000);
        truth_stop("D main|_Dmain;dcalls.outer|_D6dcalls5outer*;dcalls.Shape.draw|_D6dcalls5Shape4draw*;dcalls.leaf|_D6dcalls4leaf*");
        truth_start();
        generic!ulong(15_000_000);
        truth_stop("D main|_Dmain;dcalls.generic*|_D6dcalls*generic*;dcalls.leaf|_D6dcalls4leaf*");
    }
}
