# SPDX-License-Identifier: MIT
# What fills memory around a process. Load after helper.
#
#   parent_start leaker merged 1048576   starts bash with a child, a target with these arguments;
#                                        sets PARENT and TARGET_PID, the PID of the child
#   reader_start FILE [touch]            starts a process that maps 1 GiB of FILE, and reads all its
#                                        pages with "touch"; sets TARGET_PID
#   tmpfs_mount                          mounts a tmpfs of its own, or skips the test; sets SPOOL
#   tmpfs_unmount                        call it in teardown, after targets_stop

parent_start() {
	local line child='' ready=''
	# shellcheck disable=SC2016 # the variables are those of the other bash
	program_start bash -c 'exec 4<&0; "$@" <&4 & echo "started $!"; wait' bash "$PROCMEM_TARGETS/$1" "${@:2}"
	PARENT=$TARGET_PID
	# The two lines are of two processes, so either can be the first.
	until [ -n "$child" ] && [ -n "$ready" ]; do
		IFS= read -r line <&"$TARGET_OUT"
		case $line in
		'started '*) child=${line#started } ;;
		ready) ready=yes ;;
		esac
	done
	TARGET_PID=$child
}

reader_start() {
	program_start /usr/bin/python3 "$PROCMEM_SOURCE/tests/cli/support/map_file.py" "$1" $((1 << 30)) "${@:2}"
	target_await ready >/dev/null
}

tmpfs_mount() {
	SPOOL=$BATS_TEST_TMPDIR/spool
	mkdir "$SPOOL"
	mount -t tmpfs -o size=2g none "$SPOOL" 2>/dev/null || {
		SPOOL=
		skip 'no right to mount a tmpfs'
	}
}

tmpfs_unmount() {
	[ -z "${SPOOL:-}" ] || umount -l "$SPOOL"
}
