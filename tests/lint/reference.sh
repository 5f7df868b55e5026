#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public function, parameter, field and constant is documented: doxygen reports no missing
# documentation. Run by ctest.
set -eu
command -v doxygen >/dev/null || {
	echo 'doxygen is not installed: sh docs/setup.sh test installs it'
	exit 1
}
cd "$PROCMEM_SOURCE"
PROCMEM_REFERENCE=$PROCMEM_BUILD/docs/reference
mkdir -p "$PROCMEM_REFERENCE"
export PROCMEM_REFERENCE
doxygen docs/Doxyfile

# doxygen does not check that the comment of a handle says what several threads may do with it. The
# comment must contain the word `thread`.
awk '
/^\/\*\*/ { comment = "" }
{ comment = comment $0 }
/^struct [a-z_]*;$/ && tolower(comment) !~ /thread/ {
	print FILENAME ":" FNR ": " $2 " does not say what several threads may do with it"
	failed = 1
}
END { exit failed }' lib/include/procmem/*.h

# libprocmem(3) names every header.
for header in lib/include/procmem/*.h; do
	grep -qF "${header##*/}" docs/man/libprocmem.3.scd || {
		echo "docs/man/libprocmem.3.scd lacks ${header##*/}"
		exit 1
	}
done

# libprocmem(3) also names every handle, with the rules for threads. Texts and batches are parts of
# other objects.
sed -n 's/^struct \(pm_[a-z_]*\);$/\1/p' lib/include/procmem/*.h |
	sort -u | while read -r handle; do
	case $handle in
	pm_texts | pm_scan_batch) continue ;;
	esac
	grep -qF "*$handle*" docs/man/libprocmem.3.scd || {
		echo "docs/man/libprocmem.3.scd lacks $handle"
		exit 1
	}
done
