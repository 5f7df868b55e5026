# SPDX-License-Identifier: MIT
# usage: python_objects.py FOLDER COUNT
#
# Creates objects, and writes what it has: FOLDER/objects has a line with the number and the name for
# each type (counted by the garbage collector's own lists), FOLDER/stats has the statistics of
# pymalloc. Allocates nothing after the statistics, prints "ready", and waits for a signal.
import collections
import functools
import gc
import os
import signal
import sys

folder, count = sys.argv[1], int(sys.argv[2])
gc.disable()


class Session:
    def __init__(self, number):
        self.number = number


class Slotted:
    __slots__ = ("number", "__weakref__")

    def __init__(self, number):
        self.number = number


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


class Pair(tuple):
    pass


class Größe(list):
    pass


keep = [
    [Session(i) for i in range(count)],
    [Slotted(i) for i in range(count)],
    [WithMeta() for i in range(count)],
    [Pair((i, i)) for i in range(count)],
    [Größe([i]) for i in range(count)],
    [[i] for i in range(count)],
    [{i} for i in range(count // 10)],
    [{i: None} for i in range(count)],
    ["a text %d" % i for i in range(count)],
    [b"some bytes %d" % i for i in range(count)],
    [i + 0.5 for i in range(count)],
    [i + 1000000 for i in range(count)],
    ["x" * 600 for i in range(count // 10)],
]
# Objects that do not exist any more. Their blocks can still contain what they were.
for i in range(0, count, 2):
    keep[0][i] = keep[5][i] = None

# Dicts, strings, bytes and numbers are not in the lists of the garbage collector.
numbers = collections.Counter(type(thing).__name__ for thing in gc.get_objects())
with open(folder + "/objects", "w") as file:
    for name in ("Session", "Slotted", "WithMeta", "Pair", "Größe", "list", "set"):
        print(numbers[name], name, file=file)
with open(folder + "/others", "w") as file:
    for name, thing in (("dict", keep[7]), ("str", keep[8]), ("bytes", keep[9]),
                        ("float", keep[10])):
        print(len(thing), name, file=file)
    # Numbers up to 256 exist once, and are not in a block.
    thing = {id(thing) for thing in gc.get_referents(*(
        other for other in gc.get_objects() if type(other) in (Pair, Größe, list, set)),
        *keep[7], *keep[1], *(vars(other) for other in keep[0] if other))
        if type(thing) is int and thing > 256}
    print(len(thing), "int", file=file)
del numbers, file, name, thing

sys.stderr.flush()
os.dup2(os.open(folder + "/stats", os.O_WRONLY | os.O_CREAT, 0o600), 2)
statistics, report, wait = sys._debugmallocstats, functools.partial(os.write, 1, b"ready\n"), signal.pause
report_nothing = functools.partial(os.write, 1, b"")
report_nothing()
statistics()
report()
wait()
