(* truth (nofp): cp $SRC calls.ml && ocamlopt -O3 -inline 0 -o $BIN calls.ml 2>/dev/null *)
(* truth g (nofp): cp $SRC calls.ml && ocamlopt -g -inline 0 -o $BIN calls.ml *)
let[@inline never] leaf n =
  let s = ref 0 in
  for i = 1 to n do s := !s lxor (i * !s) done;
  !s

let[@inline never] outer n = leaf n + 1

let[@inline never] other n = outer n + 1

let rec down depth n = if depth = 0 then leaf n else 1 + down (depth - 1) n

let times = Hashtbl.create 8

let[@inline never] run () =
  let begin_ = Sys.time () in
  let last = ref begin_ in
  let add stack =
    let now = Sys.time () in
    let before = try Hashtbl.find times stack with Not_found -> 0. in
    Hashtbl.replace times stack (before +. now -. !last);
    last := now in
  while !last -. begin_ < 1.0 do
    ignore (Sys.opaque_identity (other 8000000));
    add "camlCalls__run_*|Calls.run_*;camlCalls__other_*|Calls.other_*;camlCalls__outer_*|Calls.outer_*;camlCalls__leaf_*|Calls.leaf_*";
    ignore (Sys.opaque_identity (outer 8000000));
    add "camlCalls__run_*|Calls.run_*;camlCalls__outer_*|Calls.outer_*;camlCalls__leaf_*|Calls.leaf_*";
    ignore (Sys.opaque_identity (down 20 8000000));
    add "camlCalls__run_*|Calls.run_*;camlCalls__down_*|Calls.down_* x20;camlCalls__leaf_*|Calls.leaf_*"
  done

let () =
  run ();
  let f = open_out (Sys.getenv "TRUTH") in
  Hashtbl.iter (fun stack s -> Printf.fprintf f "%s %.0f\n" stack (s *. 1e9)) times;
  close_out f
