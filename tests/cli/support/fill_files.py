# SPDX-License-Identifier: MIT
# usage: fill_files.py FOLDER
#
# Uses memory of the kernel that no process and no content of a file explains: each line on its stdin
# creates 1000 more files without content in FOLDER, until there are 200000, and is answered with
# "done" and the line. Prints "ready" first, and exits at the end of its stdin.
import os
import sys

FILES = 1000
count = 0
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(FILES if count < 200000 else 0):
        os.close(os.open(f"{sys.argv[1]}/{count}", os.O_CREAT | os.O_WRONLY))
        count += 1
    print("done " + line.rstrip("\n"), flush=True)
