# SPDX-License-Identifier: MIT
# Growth that is known. Load after helper.
#
# Recordings take no time: the target grows on command, and its samples then receive times that are
# one second apart.
#
#   target_start leaker merged 2097152 stepped
#   record_seconds FILE 26        records TARGET_PID at the start and after each of 26 seconds;
#                                 further arguments IN:OUT are descriptors of targets that grow, too
#
# Targets that grow by the clock report their growth:
#
#   log_growth leaked FILE        logs the time and the number in the answer to `tell`
#   log_rate FILE                 prints the rate between the first and the last line, per second

record_seconds() {
	local file=$1 seconds=$2 i
	procmem snap -q -o "$file" "$TARGET_PID"
	for ((i = 0; i < seconds; i++)); do
		pass_second "${@:3}"
		procmem snap -q -o "$file" "$TARGET_PID"
	done
	pace_samples "$file"
}

# Lets a second pass for TARGET_PID and for targets with these descriptors: IN:OUT.
pass_second() {
	local pair
	target_tell 'pass 1'
	for pair; do
		TARGET_IN=${pair%:*} TARGET_OUT=${pair#*:} target_tell 'pass 1'
	done
}

# Changes the times of all samples but the last. What all processes of the machine use becomes
# constant: within such a short time, other programs would seem to use it up in no time.
pace_samples() {
	require sqlite3
	sqlite3 "$1" "
		UPDATE sample SET
			time = last.time - (last.number - sample.number),
			wall_ns = last.wall_ns - (last.number - sample.number) * 1000000000
		FROM (SELECT number, time, wall_ns FROM sample ORDER BY number DESC LIMIT 1) AS last;
		UPDATE headroom SET used = last.used, reclaimable = last.reclaimable
		FROM (SELECT name, used, reclaimable, max(sample) FROM headroom GROUP BY name) AS last
		WHERE headroom.name = last.name AND last.name IN ('system', 'threads', 'pid_max')"
}

log_growth() {
	local line
	printf 'tell\n' >&"$TARGET_IN"
	line=$(target_await "$1")
	printf '%s %s\n' "$EPOCHREALTIME" "${line##* }" >>"$2"
}

log_rate() {
	awk 'NR == 1 { time = $1; number = $2 } END { printf "%.0f", ($2 - number) / ($1 - time) }' "$1"
}
