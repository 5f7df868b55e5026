/* SPDX-License-Identifier: MIT */
/* The limits that were recorded with a sample. */
#include "recording/open_recording.h"

#include <stdio.h>
#include <string.h>

/**
 * The kind that a name means.
 * @return PM_LIMIT_KINDS for none
 */
static enum pm_limit_kind kind_of_name(const char *name)
{
	int kind = 0;
	while (kind < PM_LIMIT_KINDS && strcmp(pm_limit_name((enum pm_limit_kind)kind), name) != 0)
		kind++;
	return (enum pm_limit_kind)kind;
}

static struct pm_limit limit_of_row(sqlite3_stmt *statement, enum pm_limit_kind kind)
{
	struct pm_limit limit = {
		.kind = kind,
		.counts = kind == PM_LIMIT_MAPPINGS || kind == PM_LIMIT_PIDS ||
		          kind == PM_LIMIT_THREADS,
		.max = pm_column(statement, 1),
		.used = pm_column(statement, 2),
		.reclaimable = pm_column(statement, 3),
	};

	snprintf(limit.source, sizeof limit.source, "%s", pm_column_text(statement, 4));
	return limit;
}

/**
 * Reads the rows of a sample.
 * @param limits gets each at the place of its kind
 * @param known which of them are there
 */
static int read_rows(struct pm_recording *recording, uint64_t number, struct pm_limit *limits,
                     bool *known, struct pm_error *error)
{
	static const char sql[] = "SELECT name, max, used, reclaimable, text.value FROM headroom "
				  "JOIN text ON text.id = source WHERE sample = ?";
	sqlite3_stmt *statement;
	int result;

	if (pm_database_prepare(&recording->database, sql, &statement, error) < 0)
		return -1;

	pm_bind(statement, 1, number);
	while ((result = pm_statement_next(&recording->database, statement, error)) > 0) {
		enum pm_limit_kind kind = kind_of_name(pm_column_text(statement, 0));
		/* A later version may have more of them. */
		if (kind == PM_LIMIT_KINDS)
			continue;
		limits[kind] = limit_of_row(statement, kind);
		known[kind] = true;
	}

	sqlite3_finalize(statement);
	return result;
}

int pm_recording_read_headroom(struct pm_recording *recording, uint64_t number,
                               struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_headroom read = { 0 };
	struct pm_limit limits[PM_LIMIT_KINDS];
	bool known[PM_LIMIT_KINDS] = { false };
	int has = pm_database_has_table(&recording->database, "headroom", error);

	if (has < 0 || (has > 0 && read_rows(recording, number, limits, known, error) < 0))
		return -1;

	for (int kind = 0; kind < PM_LIMIT_KINDS; kind++)
		if (known[kind])
			read.limits[read.count++] = limits[kind];

	*headroom = read;
	return 0;
}
