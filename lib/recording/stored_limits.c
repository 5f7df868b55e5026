/* SPDX-License-Identifier: MIT */
/*
 * The table `headroom` has the limit of each kind with the least left: versions of procmem that do
 * not know the table `headroom_level` read one limit of each kind. The table `headroom_level` has
 * the other limits, such as those of the ancestors of a cgroup.
 */
#include "recording/stored_limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "limits/limit_source.h"

const char pm_stored_limit_insert[] =
	"INSERT OR REPLACE INTO headroom (max, used, reclaimable, source, sample, name) "
	"VALUES (?, ?, ?, ?, ?, ?)";

const char pm_stored_level_insert[] =
	"INSERT OR REPLACE INTO headroom_level (max, used, reclaimable, source, sample, name, "
	"level) VALUES (?, ?, ?, ?, ?, ?, ?)";

int pm_stored_limit_write(const struct pm_database *database, sqlite3_stmt *statement,
                          uint64_t number, size_t level, const struct pm_limit *limit,
                          int64_t source, struct pm_error *error)
{
	pm_bind(statement, 1, limit->max);
	pm_bind(statement, 2, limit->used);
	pm_bind(statement, 3, limit->reclaimable);
	pm_bind(statement, 4, (uint64_t)source);
	pm_bind(statement, 5, number);
	sqlite3_bind_text(statement, 6, pm_limit_name(limit->kind), -1, SQLITE_STATIC);
	if (level > 0)
		pm_bind(statement, 7, level);

	return pm_statement_finish(database, statement, error);
}

/** Returns the kind of limit that has a name, or PM_LIMIT_KINDS if no kind has this name. */
static enum pm_limit_kind limit_kind_of_name(const char *name)
{
	int kind = 0;

	while (kind < PM_LIMIT_KINDS && strcmp(pm_limit_name((enum pm_limit_kind)kind), name) != 0)
		kind++;
	return (enum pm_limit_kind)kind;
}

/** Returns whether a process can have several limits of a kind: one of each cgroup. */
static bool has_levels(enum pm_limit_kind kind)
{
	return kind == PM_LIMIT_CGROUP || kind == PM_LIMIT_CGROUP_WORKING_SET ||
	       kind == PM_LIMIT_CGROUP_HIGH || kind == PM_LIMIT_PIDS;
}

/** Adds the limit of a row. The number of limits of each kind stays bounded. */
static void add_row(sqlite3_stmt *statement, struct pm_headroom *headroom)
{
	struct pm_limit limit = {
		.kind = limit_kind_of_name(pm_column_text(statement, 0)),
		.max = pm_column(statement, 1),
		.used = pm_column(statement, 2),
		.reclaimable = pm_column(statement, 3),
	};

	/* Recordings do not store which values are exact; those of runtimes are not. */
	limit.approximate = pm_limit_is_of_runtime(limit.kind);

	/* Skip a limit that was added by a later version of procmem. */
	if (limit.kind == PM_LIMIT_KINDS)
		return;
	/* A damaged recording can have several limits where only one is possible. */
	if (!has_levels(limit.kind) && pm_headroom_find(headroom, limit.kind))
		return;

	snprintf(limit.source, sizeof limit.source, "%s", pm_column_text(statement, 4));
	pm_limit_insert(headroom, &limit);
}

/** Adds the limits that a query returns for a sample. */
static int add_rows(const struct pm_database *database, const char *sql, uint64_t number,
                    struct pm_headroom *headroom, struct pm_error *error)
{
	sqlite3_stmt *statement;
	int result;

	if (pm_database_prepare(database, sql, &statement, error) < 0)
		return -1;

	pm_bind(statement, 1, number);
	while ((result = pm_statement_next(database, statement, error)) > 0)
		add_row(statement, headroom);

	sqlite3_finalize(statement);
	return result;
}

int pm_stored_limits_read(const struct pm_database *database, uint64_t number,
                          struct pm_headroom *headroom, struct pm_error *error)
{
	static const struct {
		const char *table, *sql;
	} tables[] = {
		{ "headroom", "SELECT name, max, used, reclaimable, text.value FROM headroom "
		              "JOIN text ON text.id = source WHERE sample = ?" },
		{ "headroom_level",
		  "SELECT name, max, used, reclaimable, text.value FROM headroom_level "
		  "JOIN text ON text.id = source WHERE sample = ? ORDER BY name, level" },
	};
	struct pm_headroom read = { 0 };

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		int has = pm_database_has_table(database, tables[i].table, error);

		if (has < 0 ||
		    (has > 0 && add_rows(database, tables[i].sql, number, &read, error) < 0))
			return -1;
	}

	*headroom = read;
	return 0;
}
