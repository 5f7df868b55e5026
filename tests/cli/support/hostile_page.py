# SPDX-License-Identifier: MIT
# usage: hostile_page.py FOLDER ARGUMENT...
#
# Everything that a report can show of this process would be a script of a page if it were not
# escaped: its name, its command line (the caller passes hostile arguments), the name of a mapped
# file, the names of threads, and the texts in its memory. With `pass SECONDS` it grows by 2 MiB
# for each second, in one piece, and answers `done`.
import mmap
import os
import sys
import threading

SCRIPT = "</script><img src=x: onerror=hacked=1><script>hacked=1</script>"
folder = os.path.join(sys.argv[1], SCRIPT.split("/")[0])
os.makedirs(folder)
path = os.path.join(folder, "script><script>hacked=1<" + "\u202e" + "\n\x1b[31m")
with open(path, "wb") as file:
    file.truncate(1 << 20)
with open(path, "r+b") as file:
    mapping = mmap.mmap(file.fileno(), 1 << 20)
    for at in range(0, 1 << 20, 4096):
        mapping[at : at + len(SCRIPT)] = SCRIPT.encode()


def name_thread(name):
    with open("/proc/thread-self/comm", "wb") as file:
        file.write(name)


running = threading.Event()


def work():
    name_thread(b"<b onclick=1>\xff")
    running.set()
    threading.Event().wait()


threading.Thread(target=work, daemon=True).start()
running.wait()
with open("/proc/self/comm", "wb") as file:
    file.write(b"<script>hacked")
print("ready", flush=True)

kept = []
for line in sys.stdin:
    seconds = int(line.split()[1])
    block = mmap.mmap(-1, 2 * seconds << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, len(block), 4096):
        text = f"{SCRIPT} {at}".encode()
        block[at : at + len(text)] = text
    kept.append(block)
    print("done", line, end="", flush=True)
