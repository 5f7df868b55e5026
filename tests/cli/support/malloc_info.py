# SPDX-License-Identifier: MIT
# usage: malloc_info.py XML JSON
#
# Compares the output of `procmem heap --json` with the last text of malloc_info(3) in a file, to the
# byte. Prints each difference, and exits with 1 if there is one.
import json
import re
import sys
from xml.etree import ElementTree


def expected_arena(heap):
    """The figures of one arena. Its free chunks include the top. The sizes in malloc_info have the
    flag PREV_INUSE, except those of the top and of fast chunks."""
    fast = heap.find("total[@type='fast']")
    rest = heap.find("total[@type='rest']")
    system = int(heap.find("system[@type='current']").get("size"))
    unused = int(rest.get("size")) - (int(rest.get("count")) - 1)
    return {
        "system": system,
        "free and top": unused,
        "the rest": system - unused,
        "fast": int(fast.get("size")),
    }


def found_arena(arena):
    return {
        "system": arena["system"],
        "free and top": arena["free"] + arena["top"],
        "the rest": arena["in_use"] + arena["cached"] + arena["overhead"],
    }


def compare(what, found, expected):
    if found == expected:
        return 0
    print("%s: procmem %s, malloc_info %s" % (what, found, expected))
    return 1


def main():
    with open(sys.argv[1]) as file:
        text = re.findall("<malloc .*?</malloc>", file.read(), re.DOTALL)[-1]
    with open(sys.argv[2]) as file:
        printed = json.load(file)
    root = ElementTree.fromstring(text)
    heaps, arenas = root.findall("heap"), printed["arenas"]

    wrong = compare("complete", printed["complete"], True)
    wrong += compare("arenas", len(arenas), len(heaps))
    wrong += compare("system", printed["total"]["system"],
                     int(root.find("system[@type='current']").get("size")))
    for number, (arena, heap) in enumerate(zip(arenas, heaps)):
        expected = expected_arena(heap)
        if arena["cached"] < expected["fast"]:
            wrong += compare("cached chunks of arena %d" % number, arena["cached"], expected["fast"])
        for what, found in found_arena(arena).items():
            wrong += compare("arena %d: %s" % (number, what), found, expected[what])

    # malloc_info counts the mapped chunks of the process after its last arena.
    mapped = root.find("total[@type='mmap']")
    wrong += compare("mapped chunks", printed["mmapped"]["count"], int(mapped.get("count")))
    wrong += compare("bytes of mapped chunks", printed["mmapped"]["bytes"], int(mapped.get("size")))
    print("%d arenas with %d bytes, and %d mapped chunks with %d bytes" % (len(arenas),
          printed["total"]["system"], printed["mmapped"]["count"], printed["mmapped"]["bytes"]))
    return 1 if wrong else 0


sys.exit(main())
