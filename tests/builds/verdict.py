#!/usr/bin/env python3
"""verdict.py TABLE CHANGED: does the table (JSON) of a difference name what objdump says has changed?

Of all that has grown the most has to be in functions of CHANGED, and so has the largest of it. What a
processor's caches make of it may be elsewhere, so not all has to be."""
import json
import sys

table = json.load(open(sys.argv[1]))
changed = set(open(sys.argv[2]).read().split())
grown = [row for row in table["rows"] if row["delta"] > 0 and row["kind"] in ("changed", "new")]
right = [row for row in grown if row["symbol"] in changed]
for row in table["rows"]:
    print(f'{row["kind"]:8} {100 * row["delta"]:+7.2f}  {row["symbol"]}'
          + ("" if row["delta"] <= 0 or row in right else "  (its code is the same)"))
assert grown, "nothing has grown"
largest = max(grown, key=lambda row: row["delta"])
assert largest in right, f"{largest['symbol']} has grown most, and its code is the same"
share = sum(row["delta"] for row in right) / sum(row["delta"] for row in grown)
assert share >= 0.8, f"{share:.0%} of what has grown is in functions whose code differs"
print(f"{share:.0%} of what has grown is in functions whose code differs")
