# SPDX-License-Identifier: MIT
# usage: positioned.py write|read FILE
#
# write: each line on stdin writes one more MiB to the file by pwrite(2), which leaves the offset of
# the descriptor as it is, and is answered with "done" and the line.
# read: maps the first GiB of the file shared and writable, and reads what was written.
# Both print "ready" first. The writer exits at the end of its stdin.
import mmap
import os
import sys
import time

STEP = 1 << 20
file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o600)
os.ftruncate(file, 1 << 30)

if sys.argv[1] == "write":
    part = b"x" * STEP
    end = 0
    print("ready", flush=True)
    for line in sys.stdin:
        if end < 1 << 30:
            end += os.pwrite(file, part, end)
        print("done " + line.rstrip("\n"), flush=True)
else:
    view = mmap.mmap(file, 1 << 30)
    at = 0
    print("ready", flush=True)
    while True:
        while at < os.fstat(file).st_blocks * 512:
            view[at]
            at += mmap.PAGESIZE
        time.sleep(0.01)
