# Where the tree of the tests is, and the command they test: load here
# shellcheck shell=bash

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
flamefold=$(cd "$root" && realpath "${FLAMEFOLD:-build/flamefold}")
