# SPDX-License-Identifier: MIT
# usage: search.py PID PATTERN
#
# Prints the expected output of `procmem grep -ob`, "ADDRESS LENGTH" for each match, without code of
# procmem: with `re` of Python, over the bytes in /proc/PID/mem of pages that are present according
# to /proc/PID/pagemap.
import os
import re
import struct
import sys

PAGE = os.sysconf("SC_PAGESIZE")
PRESENT_OR_SWAPPED = 3 << 62


def regions(pid):
    """Yields start, end, and the values that show whether a region continues the previous one."""
    with open(f"/proc/{pid}/maps", "rb") as maps:
        for line in maps:
            fields = line.rstrip(b"\n").split(None, 5)
            start, end = (int(word, 16) for word in fields[0].split(b"-"))
            name = fields[5] if len(fields) > 5 else b""
            if name[:5] not in (b"[vvar", b"[vsys"):
                yield start, end, name, int(fields[2], 16), int(fields[4])


def runs(pid):
    """Yields the bytes of present pages, joined if they are adjacent in the same object."""
    with open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        address, joined, before = 0, bytearray(), None
        for start, end, name, offset, inode in regions(pid):
            continues = before == (start, name, offset if inode else 0, inode)
            before = (end, name, offset + end - start if inode else 0, inode)
            pagemap.seek(start // PAGE * 8)
            states = pagemap.read((end - start) // PAGE * 8)
            for page, (state,) in zip(range(start, end, PAGE), struct.iter_unpack("Q", states)):
                if not state & PRESENT_OR_SWAPPED:
                    continue
                if page != address + len(joined) or (page == start and not continues):
                    yield address, joined
                    address, joined = page, bytearray()
                memory.seek(page)
                joined += memory.read(PAGE)
        yield address, joined


pattern = re.compile(sys.argv[2].encode(), re.ASCII)
for address, joined in runs(int(sys.argv[1])):
    for match in pattern.finditer(joined):
        print("%x %d" % (address + match.start(), match.end() - match.start()))
