/* SPDX-License-Identifier: MIT */
/*
 * usage: search PID PATTERN
 *
 * Prints each match of a regular expression in the memory of a process, with its address and the
 * kind of its region. Exits with status 1 if there is none, and 3 if parts of the memory could not
 * be searched.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/types.h>

#include <procmem/procmem.h>

/** Called for each match, by ascending address. */
static int print_match(void *context, const struct pm_match *match)
{
	(void)context;
	printf("%#" PRIx64 " %s ", match->address, pm_kind_name(match->region->kind));
	fwrite(match->bytes, 1, match->length, stdout);
	putchar('\n');
	return ferror(stdout);
}

int main(int argc, char **argv)
{
	struct pm_scan_totals totals;
	struct pm_error error;
	uint64_t pid;

	if (argc != 3) {
		fprintf(stderr, "usage: search PID PATTERN\n");
		return 2;
	}

	if (pm_parse_decimal(argv[1], INT32_MAX, &pid, &error) < 0 ||
	    pm_grep_process((pid_t)pid, argv[2], NULL, print_match, NULL, &totals, &error) < 0) {
		fprintf(stderr, "search: %s\n", error.text);
		return 2;
	}

	if (totals.unreadable > 0 || totals.gave_up > 0) {
		fprintf(stderr,
		        "search: %" PRIu64 " bytes could not be read, %" PRIu64 " skipped\n",
		        totals.unreadable, totals.passed);
		return 3;
	}

	return totals.hits == 0;
}
