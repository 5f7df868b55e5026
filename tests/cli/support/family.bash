# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A process with children, for tests of --children and --cgroup. Loaded after helper.

# Starts a process with two children, which end with it. All three share 12 MiB, and each child has a
# text of its own. Sets FAMILY to their PIDs, the parent first.
start_family() {
	require python3
	program_start python3 -u -c '
import mmap, os, sys, ctypes
shared = mmap.mmap(-1, 12 << 20)
for at in range(0, len(shared), 4096):
	shared[at] = 1
pids = [os.getpid()]
for name in "first", "second":
	told, tell = os.pipe()
	pid = os.fork()
	if pid == 0:
		ctypes.CDLL(None).prctl(1, 9)
		sum(shared[at] for at in range(0, len(shared), 4096))
		own = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		own[:40] = ("text of the %s child" % name).encode().ljust(40, b"!")
		os.write(tell, b".")
		sys.stdin.read()
	os.read(told, 1)
	pids.append(pid)
print("family", *pids)
sys.stdin.read()'
	local line
	line=$(target_await family)
	read -ra FAMILY <<<"${line#family }"
	[ "${#FAMILY[@]}" -eq 3 ]
}

# Waits until a process has called exec and sleeps: until then, its memory changes.
# @param 1 its PID, @param 2 the name of the program
await_asleep() {
	local name state
	until [[ $name == "$2" && $state == S ]]; do
		kill -0 "$1"
		read -r name <"/proc/$1/comm"
		state=$(sed -n 's/^State:[[:blank:]]*\(.\).*/\1/p' "/proc/$1/status")
	done
}

# Starts a shell with children that do not grow, and a leaker that obeys target_tell. The leaker has a
# child of its own, which cleans up after it. @param 1 number of the other children, 2 if not given
# Sets PARENT, CHILD (the leaker), REST and OTHER (two of the others).
start_tree() {
	spawn setpriv --pdeathsig KILL bash -c "
		trap 'kill \$(jobs -p) 2>/dev/null' TERM EXIT
		for ((i = 0; i < ${1:-2}; i++)); do sleep 1000 & done
		'$PROCMEM_TARGETS/leaker' merged 1048576 stepped <&0 &
		echo children \$(jobs -p)
		wait"
	PARENT=$TARGET_PID CHILD=
	# The shell and the leaker print at the same time.
	local line words sleepers ready=
	while [ -z "$ready" ] || [ -z "$CHILD" ]; do
		line=$(target_await '')
		read -ra words <<<"$line"
		case $line in
		children*)
			CHILD=${words[-1]} REST=${words[1]} OTHER=${words[2]}
			sleepers=("${words[@]:1:${#words[@]}-2}")
			# They do not end with the shell.
			TARGETS+=("${words[@]:1}")
			;;
		*ready*) ready=1 ;;
		esac
	done

	for line in "${sleepers[@]}"; do await_asleep "$line" sleep; done
	await_asleep "$PARENT" bash
}

# The processes of a family in the order of their PIDs.
sorted_family() {
	printf '%s\n' "${FAMILY[@]}" | sort -n
}

# Starts a process of root, HIDDEN, and one of nobody, TARGET_PID, which have the same name, NAME.
start_hidden() {
	[ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
	local pid
	NAME=pmfam$$
	spawn setpriv --pdeathsig KILL bash -c "exec -a $NAME sleep 1000"
	HIDDEN=$TARGET_PID
	spawn setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --pdeathsig KILL bash -c "exec -a $NAME sleep 1000"
	for pid in "$HIDDEN" "$TARGET_PID"; do
		until [[ "$(tr '\0' ' ' <"/proc/$pid/cmdline")" == "$NAME "* ]]; do :; done
	done
}
