# SPDX-License-Identifier: MIT
# usage: python_grows.py objects|malloc
#
# Adds objects to a dict, or chunks of malloc that are lost, until it is killed.
import ctypes
import sys
import time


class Session:
    def __init__(self):
        self.user = None


malloc = ctypes.CDLL(None).malloc
cache = {}
number = 0
print("ready", flush=True)
while True:
    if sys.argv[1] == "malloc":
        malloc(1000)
    else:
        cache[number] = Session()
        number += 1
    time.sleep(0.0002)
