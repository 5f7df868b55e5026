# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A Python program as the target:
#   python_start CODE       runs the code, and waits until it has ended; the process remains. Sets PYTHON_PID
#   python_stop             ends it
#   python_retains          code that frees 11,999 of 12,000 chunks of 5000 bytes, the last of which
#                           keeps malloc from returning the others to the kernel
python_retains='import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
chunks = [libc.malloc(5000) for _ in range(12000)]
for chunk in chunks: ctypes.memset(chunk, 1, 5000)
for chunk in chunks[:-1]: libc.free(chunk)'

python_start() {
	local fifo=$BATS_TEST_TMPDIR/ready
	mkfifo "$fifo"
	setpriv --pdeathsig KILL python3 -c "$1
import signal
print('ready', flush=True)
signal.pause()" >"$fifo" 3>&- &
	PYTHON_PID=$!
	timeout 60 grep -q ready "$fifo"
	rm "$fifo"
}

python_stop() {
	kill "$PYTHON_PID"
	wait "$PYTHON_PID" || true
}
