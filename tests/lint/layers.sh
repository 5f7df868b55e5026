#!/bin/sh
# SPDX-License-Identifier: MIT
# Files include only files of their own layer and of lower layers, in lib/ and in cmd/, and cmd/
# includes only <procmem/...> of lib/. Folders of commands do not include one another, except watch
# and shell, which are above them. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"

# Prints `FILE:LINE: message` for each violation; awk exits with 1 if there is one.
# shellcheck disable=SC2016 # the dollars are those of awk
find lib cmd -path lib/package -prune -o -name '*.[ch]' -print | sort | xargs awk '
BEGIN {
	count = split("base proc region reader files symbols heap runtimes kinds limits family pressure stack graph " \
		"trace sample stale recording growth scan content dump findings", order, " ")
	for (i = 1; i <= count; i++)
		lib_level[order[i]] = i
	top = count + 1
	count = split("base cli view html target COMMAND why watch TABLE shell MAIN", order, " ")
	for (i = 1; i <= count; i++)
		cmd_level[order[i]] = i

	# A public header belongs to the layer of the source with its name. One without a source can
	# include everything.
	while (("find lib -name \"*.c\"" | getline source) > 0) {
		split(source, folder, "/")
		sub(/.*\//, "", source)
		sub(/\.c$/, "", source)
		header_level[source] = lib_level[folder[2]]
	}
	header_level["procmem"] = top
}

function complain(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	failed = 1
}

# The layer of a path below cmd/.
function level_in_cmd(path, part, n) {
	n = split(path, part, "/")
	if (n == 1)
		return cmd_level[path ~ /^main\./ ? "MAIN" : "TABLE"]
	return cmd_level[part[1] in cmd_level ? part[1] : "COMMAND"]
}

FNR == 1 {
	split(FILENAME, part, "/")
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.[ch]$/, "", name)
	in_cmd = part[1] == "cmd"
	public = part[2] == "include"
	folder_name = part[2]
	if (in_cmd)
		own = level_in_cmd(substr(FILENAME, 5))
	else if (public)
		own = name in header_level ? header_level[name] : top
	else
		own = lib_level[part[2]]
	if (!own)
		complain("its folder has no layer: add it to tests/lint/layers.sh")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	split(quoted[2], path, "/")
	if (public)
		complain("a public header may include <...> only")
	else if (in_cmd) {
		if (system("test -f cmd/" quoted[2]) != 0)
			complain("cmd/ may include only <procmem/...> of lib/")
		else if (level_in_cmd(quoted[2]) > own)
			complain("includes upwards: " quoted[2])
		else if (own == cmd_level["COMMAND"] && level_in_cmd(quoted[2]) == own &&
			path[1] != folder_name)
			complain("includes another command: " quoted[2])
	} else if (!(path[1] in lib_level))
		complain("no layer is known for " quoted[2] ": add it to tests/lint/layers.sh")
	else if (lib_level[path[1]] > own)
		complain("includes upwards: " quoted[2])
}

/^[ \t]*#[ \t]*include[ \t]*<procmem\// {
	header = $0
	sub(/.*<procmem\//, "", header)
	sub(/\.h>.*/, "", header)
	if (!in_cmd && header in header_level && header_level[header] > own)
		complain("includes upwards: <procmem/" header ".h>")
}

END { exit failed }'
