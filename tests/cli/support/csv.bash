# SPDX-License-Identifier: MIT
# Reads --csv. `load support/csv` after support/helper.

require python3

# columns NAME...: reads CSV from stdin with a parser that is not ours, checks that each row has the
# fields of the first line, and prints some columns, separated by |.
columns() {
	python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin, strict=True))
assert all(None not in row and None not in row.values() for row in rows), rows
for row in rows:
    print("|".join(row[name] for name in sys.argv[1:]))
' "$@"
}
