# SPDX-License-Identifier: MIT
# usage: map_file.py FILE LENGTH [touch]
#
# Maps the first LENGTH bytes of a file, which may be shorter, with MAP_SHARED and for reading. With
# "touch", it reads each page of the file as soon as the file has it; without, it does not touch them.
# Prints "ready", and exits at the end of its stdin.
import ctypes
import os
import select
import sys

PROT_READ, MAP_SHARED = 1, 1

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)

descriptor = os.open(sys.argv[1], os.O_RDONLY)
start = libc.mmap(None, int(sys.argv[2]), PROT_READ, MAP_SHARED, descriptor, 0)
if start == ctypes.c_void_p(-1).value:
    sys.exit(os.strerror(ctypes.get_errno()))
print("ready", flush=True)

touched = 0
while sys.argv[3:] == ["touch"] and not select.select([sys.stdin], [], [], 0.01)[0]:
    length = min(os.fstat(descriptor).st_size, int(sys.argv[2]))
    for touched in range(touched, length, 4096):
        ctypes.string_at(start + touched, 1)

os.close(descriptor)
sys.stdin.read()
