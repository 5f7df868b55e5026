# SPDX-License-Identifier: MIT
# usage: holder.py FILE...
#
# Contains the bytes of files, each in a region of its own (shared, so that it does not merge with
# others). Prints "region N START-END" for each, then "ready". Exits at the end of its stdin.
import ctypes
import mmap
import os
import sys

held = []
for number, name in enumerate(sys.argv[1:]):
    size = max(1, os.stat(name).st_size)
    memory = mmap.mmap(-1, size)
    # Read directly into the region: the process has no other copy of the bytes.
    with open(name, "rb", 0) as file:
        file.readinto(memory)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    print("region %d %x-%x" % (number, start, start + (size + 4095) // 4096 * 4096))
    held.append(memory)
print("ready", flush=True)
sys.stdin.read()
