# SPDX-License-Identifier: MIT
# usage: long_recording.py FILE SAMPLES REGIONS
#
# Makes a long recording of a short one, which has at least one sample: SAMPLES samples in steps of
# at most 5 s since the boot, and REGIONS further regions of malloc, arenas, files and the like. A tenth of these regions
# changes at each sample, in turn; every third one grows. A page of docs/RECORDING.md has the format.
import random
import sqlite3
import sys

chance = random.Random(18)
path, samples, regions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
KINDS = ["malloc", "anon", "arena", "file", "code", "shm", "jit", "stack", "heap", "data"]
PAGE, LENGTH = 4096, 64 << 20

base = sqlite3.connect(path)
base.execute("PRAGMA synchronous = OFF")
columns = [row[1] for row in base.execute("PRAGMA table_info(sample)")]
last = dict(zip(columns, base.execute("SELECT * FROM sample ORDER BY number DESC LIMIT 1").fetchone()))
text = base.execute("SELECT coalesce(max(id), 0) FROM text").fetchone()[0] + 1
base.executemany(
    "INSERT INTO text VALUES (?, ?)",
    [(text, "made up"), (text + 1, "/srv/shop/libshop.so"), (text + 2, "[made up]")],
)
first = base.execute("SELECT coalesce(max(id), 0) FROM region").fetchone()[0] + 1
for number in range(regions):
    start = 0x100000000000 + number * 2 * LENGTH
    base.execute(
        "INSERT INTO region VALUES (?, 1, NULL, ?, ?, 3, 0, 0, 0, 0, 0, 0, ?, 1, 0, 0, ?, ?, ?)",
        (first + number, start, start + LENGTH, KINDS[number % len(KINDS)], text + 1 + number % 2, text, text),
    )
rss = [chance.randrange(16, 2048) * PAGE for _ in range(regions)]
base.executemany("INSERT INTO size VALUES (?, 1, ?, 0)", [(first + i, r) for i, r in enumerate(rss)])

base_rss = last["rss"]
step_seconds = min(5, last["time"] / (samples + 1))
base.execute("DELETE FROM sample")
for sample in range(1, samples + 1):
    changed = [i for i in range(regions) if i % 10 == sample % 10]
    for i in changed:
        step = chance.choice([0, 0, 0, 1]) if i % 3 == 0 else chance.choice([-1, 0, 0, 1])
        rss[i] = min(max(rss[i] + step * PAGE, PAGE), LENGTH)
    if sample > 1:
        base.executemany("INSERT INTO size VALUES (?, ?, ?, 0)", [(first + i, sample, rss[i]) for i in changed])
    row = dict(last, number=sample, rss=base_rss + sum(rss), fresh=1)
    row["anon"] = max(row["rss"] - row["file"] - row["shmem"], 0)
    row["time"] -= (samples - sample) * step_seconds
    row["wall_ns"] -= int((samples - sample) * step_seconds * 1e9)
    base.execute(f"INSERT INTO sample VALUES ({', '.join('?' * len(columns))})", [row[c] for c in columns])
base.commit()
