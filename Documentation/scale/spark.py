#!/usr/bin/env python3
"""spark-submit spark.py LIST DIR OUT.ff: merges the recordings that LIST names, a line each. DIR, and spark-part
beside this file, are seen by all workers. Spark's pipe is of lines, so paths go in, and paths come out."""
import os
import subprocess
import sys

from pyspark import SparkContext

names, directory, out = sys.argv[1:]
part = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spark-part")
with open(names, encoding="utf-8") as f:
    paths = sorted(set(f.read().split("\n")) - {""})
spark = SparkContext(appName="flamefold")
parts = spark.parallelize(paths, -(-len(paths) // 500)).pipe(f"{part} {directory}", checkCode=True).collect()
done = subprocess.run(["flamefold", "merge", "-q", "-f", "-", "-o", out], input="\n".join(parts), text=True, check=False)
spark.stop()
sys.exit(done.returncode)
