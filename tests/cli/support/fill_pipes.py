# SPDX-License-Identifier: MIT
# usage: fill_pipes.py
#
# Uses memory of the kernel that is not memory of a process: each line on its stdin fills one more
# pipe of 1 MiB, until there are 400, and is answered with "done" and the line. Prints "ready" first,
# and exits at the end of its stdin.
import fcntl
import os
import resource
import sys

SIZE = 1 << 20
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, max(1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
part = bytes(SIZE)
pipes = []
print("ready", flush=True)
for line in sys.stdin:
    if len(pipes) < 400:
        pipes.append(os.pipe())
        fcntl.fcntl(pipes[-1][1], 1031, SIZE)  # F_SETPIPE_SZ
        os.write(pipes[-1][1], part)
    print("done " + line.rstrip("\n"), flush=True)
