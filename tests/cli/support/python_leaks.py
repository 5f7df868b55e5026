# SPDX-License-Identifier: MIT
# usage: python_leaks.py kept|cache|blocks|ring RATE
#
# Makes RATE objects of the class Invoice per second. With `kept` all stay; with `cache` only the last
# 1000 do. With `blocks`, it makes blocks of 256 KiB, outside of the heap of objects, and all stay; with
# `ring`, only the last 20 do. Answers `tell` with "made NUMBER".
import collections
import sys
import threading
import time


class Invoice:
    def __init__(self, number):
        self.number = number


rate = int(sys.argv[2])
kept = collections.deque(maxlen={"cache": 1000, "ring": 20}.get(sys.argv[1]))
make = Invoice if sys.argv[1] in ("kept", "cache") else lambda number: bytearray(b"x" * (256 << 10))
made = 0


def obey():
    for line in sys.stdin:
        if line == "tell\n":
            print("made", made, flush=True)


threading.Thread(target=obey, daemon=True).start()
began = time.monotonic()
print("ready", flush=True)
while True:
    while made < rate * (time.monotonic() - began):
        kept.append(make(made))
        made += 1
    time.sleep(0.05)
