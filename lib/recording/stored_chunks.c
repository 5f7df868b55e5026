/* SPDX-License-Identifier: MIT */
/*
 * A row of the table `chunk_count` is valid until a later row of the same class. A histogram is
 * compared with the last one in the file, which another recorder may have written, and only classes
 * that changed get a row. A class that no longer exists gets a row with the count 0.
 */
#include "recording/stored_chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "heap/histogram.h"

/* The last row of each class up to a sample. */
static const char select_sql[] =
	"SELECT size, content, word, name, count, bytes, missed, example, text, varies, cut FROM "
	"chunk_class JOIN chunk_count ON class = id AND sample = (SELECT max(sample) FROM "
	"chunk_count WHERE class = id AND sample <= ?) WHERE count != 0";

/** The statements that write a histogram. */
struct writing {
	sqlite3_stmt *total;
	sqlite3_stmt *class;
	sqlite3_stmt *count;
};

/** Returns the content that has a name. A content of a later version is read as data. */
static uint8_t content_of(const char *name)
{
	for (int content = 0; content < PM_CONTENT_COUNT; content++)
		if (strcmp(pm_content_name((enum pm_content)content), name) == 0)
			return (uint8_t)content;
	return PM_CONTENT_DATA;
}

static struct pm_histogram_class class_of_row(sqlite3_stmt *row)
{
	return (struct pm_histogram_class){
		.size = pm_column(row, 0),
		.content = content_of(pm_column_text(row, 1)),
		.word = (uint8_t)pm_column(row, 2),
		.name = pm_column_text(row, 3),
		.count = pm_column(row, 4),
		.bytes = pm_column(row, 5),
		.missed = pm_column(row, 6),
		.example = pm_column(row, 7),
		.text = pm_column_text(row, 8),
		.text_varies = pm_column(row, 9) != 0,
		.text_cut = pm_column(row, 10) != 0,
	};
}

/** Reads the classes of a sample. */
static int read_classes(const struct pm_database *database, uint64_t number,
                        struct pm_histogram *histogram, struct pm_error *error)
{
	sqlite3_stmt *rows;
	size_t capacity = 0;
	int result;

	if (pm_database_prepare(database, select_sql, &rows, error) < 0)
		return -1;

	pm_bind(rows, 1, number);
	while ((result = pm_statement_next(database, rows, error)) > 0) {
		const struct pm_histogram_class class = class_of_row(rows);

		if (histogram->class_count == PM_HISTOGRAM_CLASSES_MAX)
			result = pm_error_set(error, PM_ERROR_FORMAT, 0,
			                      "%s is damaged: a sample has too many classes of "
			                      "chunks",
			                      database->path);
		else
			result = pm_array_reserve(&histogram->classes, &capacity,
			                          histogram->class_count, 1,
			                          sizeof *histogram->classes, error);
		if (result < 0 || pm_histogram_add(histogram, &class, error) < 0) {
			result = -1;
			break;
		}
	}

	sqlite3_finalize(rows);
	if (result == 0)
		pm_histogram_sort(histogram);
	return result;
}

/**
 * Reads the sums of the last histogram up to a sample.
 * @param found  receives the number of its sample
 * @return       1 if there is one, 0 if not, -1 on errors
 */
static int read_total(const struct pm_database *database, uint64_t number, uint64_t *found,
                      struct pm_histogram *histogram, struct pm_error *error)
{
	static const char sql[] =
		"SELECT allocator, complete, count, bytes, bound, sample FROM "
		"chunk_total WHERE sample BETWEEN 1 AND ? ORDER BY sample DESC LIMIT "
		"1";
	sqlite3_stmt *row;

	if (pm_database_prepare(database, sql, &row, error) < 0)
		return -1;

	pm_bind(row, 1, number);
	int result = pm_statement_next(database, row, error);
	if (result > 0) {
		snprintf(histogram->allocator, sizeof histogram->allocator, "%s",
		         pm_column_text(row, 0));
		histogram->complete = pm_column(row, 1) != 0;
		histogram->count = pm_column(row, 2);
		histogram->bytes = pm_column(row, 3);
		histogram->bound = pm_column(row, 4);
		*found = pm_column(row, 5);
	}

	sqlite3_finalize(row);
	return result;
}

int pm_stored_chunks_read(const struct pm_database *database, uint64_t number, uint64_t *found,
                          struct pm_histogram *histogram, struct pm_error *error)
{
	struct pm_histogram read = { 0 };
	uint64_t sample = 0;
	int result = pm_database_has_table(database, "chunk_total", error);

	if (result > 0)
		result = read_total(database, number, &sample, &read, error);
	if (result <= 0)
		return result;

	if (read_classes(database, sample, &read, error) < 0) {
		pm_histogram_deinit(&read);
		return -1;
	}

	*found = sample;
	*histogram = read;
	return 1;
}

/** Reads the last histogram in the file. */
static int read_last(const struct pm_database *database, struct pm_histogram *last,
                     struct pm_error *error)
{
	static const char sql[] = "SELECT max(sample) FROM chunk_total";
	sqlite3_stmt *row;

	if (pm_database_prepare(database, sql, &row, error) < 0)
		return -1;

	int result = pm_statement_next(database, row, error);
	bool any = result > 0 && sqlite3_column_type(row, 0) != SQLITE_NULL;
	uint64_t number = any ? pm_column(row, 0) : 0;
	sqlite3_finalize(row);
	if (!any)
		return result < 0 ? -1 : 0;

	return read_classes(database, number, last, error);
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
	sqlite3_bind_text(statement, column, text, -1, SQLITE_STATIC);
}

/** Writes the key of a class, unless the file has it. */
static int write_key(const struct pm_database *database, sqlite3_stmt *statement,
                     const struct pm_histogram_class *class, struct pm_error *error)
{
	pm_bind(statement, 1, class->size);
	bind_text(statement, 2, pm_content_name((enum pm_content) class->content));
	pm_bind(statement, 3, class->word);
	bind_text(statement, 4, class->name);
	return pm_statement_finish(database, statement, error);
}

/**
 * Writes a class that changed.
 * @param key    has the key of the class
 * @param class  the class; NULL if it no longer exists
 */
static int write_class(const struct pm_database *database, const struct writing *writing,
                       uint64_t number, const struct pm_histogram_class *key,
                       const struct pm_histogram_class *class, struct pm_error *error)
{
	static const struct pm_histogram_class none = { .text = "" };
	sqlite3_stmt *statement = writing->count;

	if (write_key(database, writing->class, key, error) < 0)
		return -1;
	if (!class)
		class = &none;

	pm_bind(statement, 1, key->size);
	bind_text(statement, 2, pm_content_name((enum pm_content)key->content));
	pm_bind(statement, 3, key->word);
	bind_text(statement, 4, key->name);

	pm_bind(statement, 5, number);
	pm_bind(statement, 6, class->count);
	pm_bind(statement, 7, class->bytes);
	pm_bind(statement, 8, class->missed);
	pm_bind(statement, 9, class->example);
	bind_text(statement, 10, class->text);
	pm_bind(statement, 11, class->text_varies);
	pm_bind(statement, 12, class->text_cut);
	return pm_statement_finish(database, statement, error);
}

static int write_total(const struct pm_database *database, sqlite3_stmt *statement, uint64_t number,
                       const struct pm_histogram *histogram, struct pm_error *error)
{
	pm_bind(statement, 1, number);
	bind_text(statement, 2, histogram->allocator);
	pm_bind(statement, 3, histogram->complete);
	pm_bind(statement, 4, histogram->count);
	pm_bind(statement, 5, histogram->bytes);
	pm_bind(statement, 6, histogram->bound);
	return pm_statement_finish(database, statement, error);
}

static int write_all(const struct pm_database *database, const struct writing *writing,
                     uint64_t number, const struct pm_histogram *histogram,
                     const struct pm_histogram *last, struct pm_error *error)
{
	struct pm_histogram_change *changes;
	size_t count;

	if (pm_histogram_compare(last, histogram, &changes, &count, error) < 0)
		return -1;

	int result = write_total(database, writing->total, number, histogram, error);
	for (size_t i = 0; result == 0 && i < count; i++) {
		const struct pm_histogram_change *change = &changes[i];
		const struct pm_histogram_class *key = change->after;
		if (!key)
			key = change->before;
		result = write_class(database, writing, number, key, change->after, error);
	}

	free(changes);
	return result;
}

int pm_stored_chunks_write(const struct pm_database *database, uint64_t number,
                           const struct pm_histogram *histogram, struct pm_error *error)
{
	static const char total_sql[] =
		"INSERT OR REPLACE INTO chunk_total (sample, allocator, complete, count, bytes, "
		"bound) VALUES (?, ?, ?, ?, ?, ?)";
	static const char class_sql[] =
		"INSERT OR IGNORE INTO chunk_class (size, content, word, name) VALUES (?, ?, ?, ?)";
	static const char count_sql[] =
		"INSERT OR REPLACE INTO chunk_count (class, sample, count, bytes, missed, example, "
		"text, varies, cut) SELECT id, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM chunk_class "
		"WHERE size = ?1 AND content = ?2 AND word = ?3 AND name = ?4";
	struct pm_histogram last = { 0 };
	struct writing writing = { 0 };
	int result = read_last(database, &last, error);

	if (result == 0 && (pm_database_prepare(database, total_sql, &writing.total, error) < 0 ||
	                    pm_database_prepare(database, class_sql, &writing.class, error) < 0 ||
	                    pm_database_prepare(database, count_sql, &writing.count, error) < 0))
		result = -1;
	if (result == 0)
		result = write_all(database, &writing, number, histogram, &last, error);

	sqlite3_finalize(writing.total);
	sqlite3_finalize(writing.class);
	sqlite3_finalize(writing.count);
	pm_histogram_deinit(&last);
	return result;
}
