# SPDX-License-Identifier: MIT
# usage: kill_traces.py PID COUNTER ROUNDS
#
# Starts a trace of a process by each backend, kills both by SIGKILL, and checks that their child
# processes end and that the target runs on without a tracer. Repeats this with other delays: in
# every second round, the delay begins when both traces have attached, else when they start. COUNTER
# is the address of a number that the target increments.
import os
import subprocess
import sys
import time

# Seconds between the delays of two rounds, and number of different delays.
STEP = 0.006
STEPS = 50
PAUSE = 0.002


def start(pid, backend):
    """Starts a trace in a session of its own."""
    return subprocess.Popen(
        [os.environ["PROCMEM_BIN"], "trace", "-v", "--backend", backend, str(pid)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def await_attached(trace):
    """Waits until a trace records, or has ended. Returns the reason of a refusal."""
    last = ""
    for line in trace.stderr:
        if ": attached to " in line:
            return None
        last = line
    return last


def sessions():
    """Returns the sessions of all processes."""
    found = set()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                found.add(int(file.read().rpartition(")")[2].split()[3]))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def end(traces):
    """Kills traces, and waits until their child processes have ended."""
    for trace in traces:
        trace.kill()
    for trace in traces:
        trace.wait()
        trace.stderr.close()
    pids = {trace.pid for trace in traces}
    while pids & sessions():
        time.sleep(PAUSE)


def check_free(pid):
    """Checks that no thread of a process is traced or stopped."""
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as file:
                fields = dict(line.rstrip("\n").split(":\t", 1) for line in file)
        except (FileNotFoundError, ProcessLookupError):
            # A thread can exit at any time.
            continue
        if fields["TracerPid"] != "0" or fields["State"][0] in "Tt":
            sys.exit(f"thread {task}: State {fields['State']}, TracerPid {fields['TracerPid']}")


def check_running(memory, counter):
    """Waits until the target has incremented its number 10 times."""

    def turns():
        return int.from_bytes(os.pread(memory, 8, counter), "little")

    before = turns()
    while turns() < before + 10:
        time.sleep(PAUSE)


def main(pid, counter, rounds):
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    attached = {"perf": 0, "ptrace": 0}
    refusals = set()
    for i in range(rounds):
        traces = [start(pid, backend) for backend in attached]
        if i % 2 == 1:
            for backend, trace in zip(attached, traces):
                refusal = await_attached(trace)
                attached[backend] += refusal is None
                refusals.add(refusal)
        time.sleep(STEP * (i * STEPS // rounds))
        end(traces)
        check_free(pid)
        check_running(memory, counter)

    print("attached:", attached)
    if attached["ptrace"] == 0:
        sys.exit(f"no trace by ptrace has attached: {refusals - {None}}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2], 16), int(sys.argv[3]))
