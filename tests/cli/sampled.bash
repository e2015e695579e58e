# What the tests share that sample programs as they run: load sampled
# shellcheck shell=bash

# What is sampled is a draw, in which everything has a part that the machine does at that moment. Such a
# test has failed when it fails twice; a first failure is reported, too, and counted by itself.
export BATS_TEST_RETRIES=1
