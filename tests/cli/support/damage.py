# SPDX-License-Identifier: MIT
# usage: damage.py SEED FILE OUTPUT [FIRST]
#
# Copies a file with damage that the seed decides: bytes and whole words changed, pieces swapped, or the end cut off; within its FIRST
# bytes.
import random
import sys

chance = random.Random(int(sys.argv[1]))
with open(sys.argv[2], "rb") as file:
    data = bytearray(file.read())
first = min(len(data), int(sys.argv[4]) if len(sys.argv) > 4 else len(data))
WORDS = [b"\0" * 8, b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\0" * 7 + b"\x80", b"\x7f" + b"\xff" * 7, b"\1" + b"\0" * 7]
for _ in range(chance.choice([1, 2, 8, 64])):
    at = chance.randrange(min(first, len(data)))
    way = chance.randrange(4)
    if way == 0:
        data[at] = chance.randrange(256)
    elif way == 1:
        word = chance.choice(WORDS)[: chance.choice([2, 4, 8])]
        data[at : at + len(word)] = word[: len(data) - at]
    elif way == 2:
        other, length = chance.randrange(min(first, len(data))), chance.randrange(1, 64)
        data[at : at + length] = data[other : other + length][: len(data) - at]
    else:
        data[at : at + chance.randrange(1, 16)] = b""
if chance.randrange(4) == 0:
    del data[chance.randrange(len(data)) :]
with open(sys.argv[3], "wb") as file:
    file.write(data)
