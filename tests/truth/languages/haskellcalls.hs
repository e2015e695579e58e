-- truth (nofp): gcc -O2 -I$HERE -c -o truth.o $HERE/truth.c && cp $SRC Main.hs && ghc -v0 -O1 -g -o $BIN Main.hs truth.o
-- Haskell's own stack, from which debug information leads back to that of C: the root is there or not;
-- what stands between is the runtime's, and the continuations that the compiler made.
{-# LANGUAGE ForeignFunctionInterface #-}
module Main where

import Data.Bits
import Foreign.C
import Control.Monad

foreign import ccall unsafe "truth_start" truthStart :: IO ()
foreign import ccall unsafe "truth_stop" truthStop :: CString -> IO ()
foreign import ccall unsafe "truth_go_on" truthGoOn :: IO CInt
foreign import ccall unsafe "truth_spin" truthSpin :: CULong -> IO ()

leaf :: Int -> Int -> Int
leaf 0 s = s
leaf i s = leaf (i - 1) (s * 31 `xor` i)
{-# NOINLINE leaf #-}

main :: IO ()
main = do
  haskell <- newCString "~main;...;Main_*leaf*_info"
  c <- newCString "~main;...;truth_spin"
  let loop :: Int -> IO ()
      loop k = do
        truthStart
        when (leaf (10000000 + k) 1 == 42) $ putStrLn "42"
        truthStop haskell
        truthStart
        truthSpin 20000000
        truthStop c
        more <- truthGoOn
        when (more /= 0) $ loop (k + 1)
  loop 0
