#!/bin/sh
# SPDX-License-Identifier: MIT
# Includes go down only: base < proc < region < reader < kinds < scan < cmd, and cmd sees nothing of lib but <procmem/...>. Run by ctest.
set -eu
cd "$PROCMEM_SOURCE"

# Prints `FILE:LINE: message` for each breach; awk exits 1 if there was one.
# shellcheck disable=SC2016 # the dollars are those of awk
find lib cmd -name '*.[ch]' | sort | xargs awk '
BEGIN {
	count = split("base proc region reader kinds scan cmd", order, " ")
	for (i = 1; i <= count; i++)
		level[order[i]] = i
	# Folders of the same level as one of those.
	level["sample"] = level["limits"] = level["symbols"] = level["kinds"]
	level["dump"] = level["growth"] = level["recording"] = level["stop"] = level["scan"]
	# A public header belongs to the layer that has the code of its name; one without such code is not bound.
	while (("find lib -name \"*.c\"" | getline source) > 0) {
		split(source, folder, "/")
		sub(/.*\//, "", source)
		sub(/\.c$/, "", source)
		level_of[source] = level[folder[2]]
	}
	level_of["procmem"] = level["cmd"]
}

function complain(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	failed = 1
}

# The layer of the file: of its folder, for a public header of its name.
FNR == 1 {
	n = split(FILENAME, part, "/")
	name = part[n]
	sub(/\.[ch]$/, "", name)
	public = part[2] == "include"
	if (part[1] == "cmd")
		own = level["cmd"]
	else if (public)
		own = name in level_of ? level_of[name] : level["cmd"]
	else
		own = level[part[2]]
	if (!own)
		complain("no layer is known for its folder: add it to tests/lint/layers.sh")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	n = split(quoted[2], path, "/")
	if (public)
		complain("a public header may include <...> only")
	else if (part[1] == "cmd") {
		if (n > 1 || system("test -f cmd/" quoted[2]) != 0)
			complain("cmd sees nothing of lib but <procmem/...>")
	} else if (!(path[1] in level))
		complain("no layer is known for " quoted[2] ": add it to tests/lint/layers.sh")
	else if (level[path[1]] > own)
		complain("includes upwards: " quoted[2])
}

/^[ \t]*#[ \t]*include[ \t]*<procmem\// {
	header = $0
	sub(/.*<procmem\//, "", header)
	sub(/\.h>.*/, "", header)
	if (level_of[header] > own)
		complain("includes upwards: <procmem/" header ".h>")
}

END { exit failed }'
