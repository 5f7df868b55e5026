/* SPDX-License-Identifier: MIT */
/*
 * A row of the table `site` is valid until a later row of the same stack. A list is compared with
 * the last one in the file, which another recorder may have written, and only sites that changed
 * get a row. A site that no longer exists gets a row with zeros.
 */
#include "recording/stored_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/stored_stacks.h"
#include "trace/site_list.h"

static const char *const backend_names[] = {
	[PM_TRACE_AUTO] = "", [PM_TRACE_PERF] = "perf", [PM_TRACE_PTRACE] = "ptrace"
};

/** A row of the table `site`. */
struct row {
	int64_t stack; /* ID of the stack */
	bool earlier;
	uint64_t thread, resident, mapped, calls, regions, faults;
};

/** A growing list of rows. */
struct rows {
	struct row *items;
	size_t count, capacity;
};

static int compare_places(const struct row *left, const struct row *right)
{
	if (left->stack != right->stack)
		return left->stack < right->stack ? -1 : 1;
	return (int)left->earlier - (int)right->earlier;
}

static int compare_rows(const void *left, const void *right)
{
	return compare_places(left, right);
}

static bool is_same(const struct row *left, const struct row *right)
{
	return left->thread == right->thread && left->resident == right->resident &&
	       left->mapped == right->mapped && left->calls == right->calls &&
	       left->regions == right->regions && left->faults == right->faults;
}

static int append(struct rows *rows, const struct row *row, struct pm_error *error)
{
	if (pm_array_reserve(&rows->items, &rows->capacity, rows->count, 1, sizeof *rows->items,
	                     error) < 0)
		return -1;

	rows->items[rows->count++] = *row;
	return 0;
}

/** Brings rows into the order of their stacks, and adds up those of the same stack. */
static void merge(struct rows *rows)
{
	size_t kept = 0;

	if (rows->count > 0)
		qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);

	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];

		if (kept == 0 || compare_places(&rows->items[kept - 1], row) != 0) {
			rows->items[kept++] = *row;
			continue;
		}

		struct row *last = &rows->items[kept - 1];
		if (last->thread != row->thread)
			last->thread = 0;
		last->resident += row->resident;
		last->mapped += row->mapped;
		last->calls += row->calls;
		last->regions += row->regions;
		last->faults += row->faults;
	}
	rows->count = kept;
}

/* The last row of each stack up to a sample, unless the site is gone. */
#define LAST_ROWS                                                                               \
	"FROM site WHERE sample = (SELECT max(sample) FROM site AS other WHERE other.stack = "  \
	"site.stack AND other.earlier = site.earlier AND sample <= ?) AND (resident OR mapped " \
	"OR calls OR regions OR faults)"

static struct row row_of(sqlite3_stmt *row)
{
	return (struct row){
		.stack = sqlite3_column_int64(row, 0),
		.earlier = pm_column(row, 1) != 0,
		.thread = pm_column(row, 2),
		.resident = pm_column(row, 3),
		.mapped = pm_column(row, 4),
		.calls = pm_column(row, 5),
		.regions = pm_column(row, 6),
		.faults = pm_column(row, 7),
	};
}

/** Reads the sites of a sample, without their frames. */
static int read_rows(const struct pm_database *database, uint64_t number, struct rows *rows,
                     struct pm_error *error)
{
	static const char sql[] = "SELECT stack, earlier, thread, resident, mapped, calls, "
				  "regions, faults " LAST_ROWS;
	sqlite3_stmt *statement;
	int result;

	if (pm_database_prepare(database, sql, &statement, error) < 0)
		return -1;

	pm_bind(statement, 1, number);
	while ((result = pm_statement_next(database, statement, error)) > 0) {
		const struct row row = row_of(statement);

		if (rows->count == PM_SITE_LIST_MAX)
			result = pm_error_set(error, PM_ERROR_FORMAT, 0,
			                      "%s is damaged: a sample has too many call sites",
			                      database->path);
		else
			result = append(rows, &row, error);
		if (result < 0)
			break;
	}

	sqlite3_finalize(statement);
	return result;
}

/** Adds the sites of rows to a list, with their stacks. */
static int add_sites(struct pm_stored_stacks_reader *reader, const struct rows *rows,
                     struct pm_site_list *list, struct pm_error *error)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];
		struct pm_site site = {
			.before = row->earlier,
			.tid = (pid_t)row->thread,
			.resident = row->resident,
			.mapped = row->mapped,
			.calls = row->calls,
			.regions = row->regions,
			.faults = row->faults,
		};

		if (pm_stored_stacks_reader_read(reader, row->stack, &site.stack, error) < 0 ||
		    pm_site_list_add_owned(list, &site, error) < 0)
			return -1;
	}
	return 0;
}

/** Reads the sites of a sample. */
static int read_sites(const struct pm_database *database, uint64_t number,
                      struct pm_site_list *list, struct pm_error *error)
{
	struct pm_stored_stacks_reader reader;
	struct rows rows = { 0 };
	int result = pm_stored_stacks_reader_init(&reader, database, list, error);

	if (result == 0)
		result = read_rows(database, number, &rows, error);
	if (result == 0) {
		list->sites = calloc(rows.count + 1, sizeof *list->sites);
		if (!list->sites)
			result = pm_error_out_of_memory(error);
		else
			result = add_sites(&reader, &rows, list, error);
	}

	pm_stored_stacks_reader_deinit(&reader);
	free(rows.items);
	return result;
}

static enum pm_trace_backend backend_of(const char *name)
{
	return strcmp(name, backend_names[PM_TRACE_PTRACE]) == 0 ? PM_TRACE_PTRACE : PM_TRACE_PERF;
}

/**
 * Reads what the last list up to a sample has besides its sites.
 * @param found  receives the number of its sample
 * @return       1 if there is one, 0 if not, -1 on errors
 */
static int read_trace(const struct pm_database *database, uint64_t number, uint64_t *found,
                      struct pm_site_list *list, struct pm_error *error)
{
	static const char sql[] =
		"SELECT sample, first, backend, page_faults, seconds, events, lost, difference, "
		"before_start, before_now, bound FROM trace WHERE sample BETWEEN 1 AND ? ORDER BY "
		"sample DESC LIMIT 1";
	sqlite3_stmt *row;

	if (pm_database_prepare(database, sql, &row, error) < 0)
		return -1;

	pm_bind(row, 1, number);
	int result = pm_statement_next(database, row, error);
	if (result > 0) {
		*found = pm_column(row, 0);
		list->first = pm_column(row, 1);
		list->backend = backend_of(pm_column_text(row, 2));
		list->faults = pm_column(row, 3) != 0;
		list->seconds = sqlite3_column_double(row, 4);
		list->events = pm_column(row, 5);
		list->lost = pm_column(row, 6);
		list->difference = pm_column(row, 7);
		list->before_start = pm_column(row, 8);
		list->before_now = pm_column(row, 9);
		list->bound = pm_column(row, 10);
	}

	sqlite3_finalize(row);
	return result;
}

int pm_stored_sites_read(const struct pm_database *database, uint64_t number, uint64_t *found,
                         struct pm_site_list *list, struct pm_error *error)
{
	struct pm_site_list read = { 0 };
	uint64_t sample = 0;
	int result = pm_database_has_table(database, "trace", error);

	if (result > 0)
		result = read_trace(database, number, &sample, &read, error);
	if (result <= 0)
		return result;

	if (read_sites(database, sample, &read, error) < 0) {
		pm_site_list_deinit(&read);
		return -1;
	}

	pm_site_list_sort(&read);
	*found = sample;
	*list = read;
	return 1;
}

/** Writes the stacks of a list, and makes the rows of its sites. */
static int make_rows(const struct pm_database *database, const struct pm_site_list *list,
                     struct rows *rows, struct pm_error *error)
{
	struct pm_stored_stacks_writer writer;
	int result = pm_stored_stacks_writer_init(&writer, database, error);

	for (size_t i = 0; result == 0 && i < list->count; i++) {
		const struct pm_site *site = &list->sites[i];
		struct row row = {
			.earlier = site->before,
			.thread = (uint64_t)site->tid,
			.resident = site->resident,
			.mapped = site->mapped,
			.calls = site->calls,
			.regions = site->regions,
			.faults = site->faults,
		};

		result = pm_stored_stacks_writer_write(&writer, &site->stack, &row.stack, error);
		if (result == 0)
			result = append(rows, &row, error);
	}

	pm_stored_stacks_writer_deinit(&writer);
	merge(rows);
	return result;
}

static int write_row(const struct pm_database *database, sqlite3_stmt *statement, uint64_t number,
                     const struct row *row, struct pm_error *error)
{
	const uint64_t values[] = { number,     row->thread,  row->resident, row->mapped,
		                    row->calls, row->regions, row->faults };

	sqlite3_bind_int64(statement, 1, row->stack);
	pm_bind(statement, 2, row->earlier);
	for (int i = 0; i < (int)(sizeof values / sizeof *values); i++)
		pm_bind(statement, 3 + i, values[i]);
	return pm_statement_finish(database, statement, error);
}

/** Writes the rows that differ from the last ones. Both are in the order of their stacks. */
static int write_changes(const struct pm_database *database, uint64_t number,
                         const struct rows *last, const struct rows *rows, struct pm_error *error)
{
	static const char sql[] = "INSERT OR REPLACE INTO site (stack, earlier, sample, thread, "
				  "resident, mapped, calls, regions, faults) VALUES (?, ?, ?, ?, "
				  "?, ?, ?, ?, ?)";
	sqlite3_stmt *statement;
	int result = pm_database_prepare(database, sql, &statement, error);
	size_t i = 0, at = 0;

	while (result == 0 && (i < rows->count || at < last->count)) {
		const struct row *row = i < rows->count ? &rows->items[i] : NULL;
		const struct row *was = at < last->count ? &last->items[at] : NULL;
		int order = row ? -1 : 1;

		if (row && was)
			order = compare_places(row, was);
		i += order <= 0;
		at += order >= 0;

		if (order > 0) {
			const struct row gone = { .stack = was->stack, .earlier = was->earlier };
			result = write_row(database, statement, number, &gone, error);
		} else if (order < 0 || !is_same(row, was)) {
			result = write_row(database, statement, number, row, error);
		}
	}

	sqlite3_finalize(statement);
	return result;
}

static int write_trace(const struct pm_database *database, uint64_t number,
                       const struct pm_site_list *list, struct pm_error *error)
{
	static const char sql[] = "INSERT OR REPLACE INTO trace (sample, first, backend, "
				  "page_faults, events, lost, difference, before_start, "
				  "before_now, bound, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
				  "?, ?)";
	const uint64_t values[] = { list->faults,     list->events,       list->lost,
		                    list->difference, list->before_start, list->before_now,
		                    list->bound };
	sqlite3_stmt *statement;

	if (pm_database_prepare(database, sql, &statement, error) < 0)
		return -1;

	pm_bind(statement, 1, number);
	pm_bind(statement, 2, list->first == 0 ? number : list->first);
	sqlite3_bind_text(statement, 3, backend_names[list->backend], -1, SQLITE_STATIC);
	for (int i = 0; i < (int)(sizeof values / sizeof *values); i++)
		pm_bind(statement, 4 + i, values[i]);
	sqlite3_bind_double(statement, 11, list->seconds);

	int result = pm_statement_finish(database, statement, error);
	sqlite3_finalize(statement);
	return result;
}

int pm_stored_sites_write(const struct pm_database *database, uint64_t number,
                          const struct pm_site_list *list, struct pm_error *error)
{
	struct rows last = { 0 }, rows = { 0 };
	int result = read_rows(database, number, &last, error);

	if (result == 0)
		result = make_rows(database, list, &rows, error);
	if (result == 0) {
		merge(&last);
		result = write_changes(database, number, &last, &rows, error);
	}
	if (result == 0)
		result = write_trace(database, number, list, error);

	free(last.items);
	free(rows.items);
	return result;
}
