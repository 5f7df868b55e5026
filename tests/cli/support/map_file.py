# SPDX-License-Identifier: MIT
# usage: map_file.py FILE LENGTH
#
# Maps the first LENGTH bytes of a file, which may be shorter, with MAP_SHARED and for reading, and
# does not touch them. Prints "ready", and exits at the end of its stdin.
import ctypes
import os
import sys

PROT_READ, MAP_SHARED = 1, 1

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)

descriptor = os.open(sys.argv[1], os.O_RDONLY)
if libc.mmap(None, int(sys.argv[2]), PROT_READ, MAP_SHARED, descriptor, 0) == ctypes.c_void_p(-1).value:
    sys.exit(os.strerror(ctypes.get_errno()))
os.close(descriptor)
print("ready", flush=True)
sys.stdin.read()
