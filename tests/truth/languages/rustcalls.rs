// truth fp: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && rustc -O -C force-frame-pointers=yes -C link-arg=truth.o -o $BIN $SRC
// truth O (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && rustc -O -g -C link-arg=truth.o -o $BIN $SRC
// truth v0: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && rustc -O -C symbol-mangling-version=v0 -C force-frame-pointers=yes -C link-arg=truth.o -o $BIN $SRC
// truth debug (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && rustc -g -C link-arg=truth.o -o $BIN $SRC
use std::ffi::CString;
use std::hint::black_box;

extern "C" {
    fn truth_start();
    fn truth_stop(stack: *const std::os::raw::c_char);
    fn truth_go_on() -> i32;
}

#[inline(never)]
fn leaf(n: u64) -> u64 {
    let mut i = n;
    while i > 0 {
        i = black_box(i - 1);
    }
    i
}

trait Shape {
    fn draw(&self, n: u64) -> u64;
}

struct Circle;
struct Square;

impl Shape for Circle {
    #[inline(never)]
    fn draw(&self, n: u64) -> u64 {
        leaf(n) + 1
    }
}

impl Shape for Square {
    #[inline(never)]
    fn draw(&self, n: u64) -> u64 {
        leaf(n) + 2
    }
}

#[inline(never)]
fn draws(s: &dyn Shape, n: u64) -> u64 {
    s.draw(n) + 1
}

#[inline(never)]
fn generic<T: Fn(u64) -> u64>(f: T, n: u64) -> u64 {
    black_box(f(black_box(n))) + 3
}

fn measured(stack: &'static str, f: impl Fn() -> u64) {
    let name = Box::leak(Box::new(CString::new(stack).unwrap()));
    unsafe { truth_start() };
    black_box(f());
    unsafe { truth_stop(name.as_ptr()) };
}

fn main() {
    let n = 4000000;
    while unsafe { truth_go_on() } != 0 {
        measured("rustcalls*::main;...;rustcalls*::draws;<rustcalls*Circle as rustcalls*Shape>::draw;rustcalls*::leaf;...", || draws(black_box(&Circle), n));
        measured("rustcalls*::main;...;rustcalls*::draws;<rustcalls*Square as rustcalls*Shape>::draw;rustcalls*::leaf;...", || draws(black_box(&Square), n));
        measured("rustcalls*::main;...;rustcalls*::generic*;...;rustcalls*::leaf;...", || generic(leaf, n));
    }
}
