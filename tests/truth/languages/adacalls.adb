-- truth fp: gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && cp $SRC adacalls.adb && gnatmake -q -O2 -fno-inline -fno-ipa-cp -fno-omit-frame-pointer adacalls.adb -o $BIN -largs truth.o
-- truth O2 (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && cp $SRC adacalls.adb && gnatmake -q -O2 -fno-inline -fno-ipa-cp adacalls.adb -o $BIN -largs truth.o
with Interfaces.C; use Interfaces.C;

procedure Adacalls is
   procedure Truth_Start with Import, Convention => C, External_Name => "truth_start";
   procedure Truth_Stop (Stack : char_array) with Import, Convention => C, External_Name => "truth_stop";
   function Truth_Go_On return int with Import, Convention => C, External_Name => "truth_go_on";

   Sink : Integer := 0;
   pragma Volatile (Sink);
   First  : constant char_array := To_C ("_ada_adacalls;adacalls__outer*;adacalls__leaf*");
   Second : constant char_array := To_C ("_ada_adacalls;adacalls__deeper*;adacalls__outer*;adacalls__leaf*");
   Third  : constant char_array := To_C ("_ada_adacalls;adacalls__handles*;adacalls__leaf*");

   procedure Leaf (N : Integer) is
   begin
      for I in 1 .. N loop
         Sink := I;
      end loop;
   end Leaf;

   procedure Outer (N : Integer) is
   begin
      Leaf (N);
      Sink := 1;
   end Outer;

   procedure Deeper (N : Integer) is
   begin
      Outer (N);
      Sink := 2;
   end Deeper;

   procedure Handles (N : Integer) is
   begin
      Leaf (N);
      if Sink = N then
         raise Constraint_Error;
      end if;
   exception
      when Constraint_Error =>
         Leaf (N);
         Sink := 3;
   end Handles;

   N : constant Integer := 20_000_000;
begin
   while Truth_Go_On /= 0 loop
      Truth_Start;
      Outer (N);
      Truth_Stop (First);
      Truth_Start;
      Deeper (N);
      Truth_Stop (Second);
      Truth_Start;
      Handles (N);
      Truth_Stop (Third);
   end loop;
end Adacalls;
