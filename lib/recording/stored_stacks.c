/* SPDX-License-Identifier: MIT */
/*
 * A stack is stored as a JSON array of the IDs of its frames, so that SQL can join them. The reader
 * reads all frames of the file first.
 */
#include "recording/stored_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "region/texts.h"

/* Bounds for damaged files: frames in the file, and frames of all stacks of a sample. */
static const size_t frames_max = (size_t)1 << 20;
static const size_t stack_frames_max = (size_t)1 << 24;

static const char *const source_names[] = {
	[PM_FRAME_UNNAMED] = "", [PM_FRAME_SYMBOL] = "symbol", [PM_FRAME_INLINED] = "inlined",
	[PM_FRAME_JIT] = "jit",  [PM_FRAME_KERNEL] = "marker",
};

enum { SOURCES = sizeof source_names / sizeof *source_names };

/** Copies a text of the file into a list; "" becomes NULL. Returns false if out of memory. */
static bool copy_text(struct pm_site_list *list, sqlite3_stmt *row, int column, const char **text)
{
	const char *value = pm_column_text(row, column);

	*text = NULL;
	if (*value == '\0')
		return true;

	*text = pm_texts_add(&list->texts, value, strlen(value));
	return *text != NULL;
}

/** Returns the source that has a name. A source of a later version is read as a symbol. */
static enum pm_frame_source source_of(const char *name)
{
	for (int source = 0; source < SOURCES; source++)
		if (strcmp(source_names[source], name) == 0)
			return (enum pm_frame_source)source;
	return PM_FRAME_SYMBOL;
}

static int read_frame(struct pm_stored_stacks_reader *reader, struct pm_site_list *list,
                      sqlite3_stmt *row, struct pm_error *error)
{
	struct pm_frame frame = {
		.module_address = pm_column(row, 3),
		.address = pm_column(row, 4),
		.line = (unsigned)pm_column(row, 6),
		.source = source_of(pm_column_text(row, 7)),
	};

	if (!copy_text(list, row, 1, &frame.function) || !copy_text(list, row, 2, &frame.module) ||
	    !copy_text(list, row, 5, &frame.file))
		return pm_error_out_of_memory(error);
	if (pm_array_reserve(&reader->ids, &reader->id_capacity, reader->count, 1,
	                     sizeof *reader->ids, error) < 0 ||
	    pm_array_reserve(&reader->frames, &reader->capacity, reader->count, 1,
	                     sizeof *reader->frames, error) < 0)
		return -1;

	reader->ids[reader->count] = sqlite3_column_int64(row, 0);
	reader->frames[reader->count++] = frame;
	return 0;
}

static int report_damage(const struct pm_database *database, const char *what,
                         struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is damaged: %s", database->path, what);
}

static int read_frames(struct pm_stored_stacks_reader *reader, struct pm_site_list *list,
                       struct pm_error *error)
{
	static const char sql[] = "SELECT id, function, module, module_address, address, file, "
				  "line, source FROM frame ORDER BY id";
	sqlite3_stmt *rows;
	int result;

	if (pm_database_prepare(reader->database, sql, &rows, error) < 0)
		return -1;

	while ((result = pm_statement_next(reader->database, rows, error)) > 0) {
		if (reader->count == frames_max)
			result = report_damage(reader->database, "it has too many frames of stacks",
			                       error);
		else
			result = read_frame(reader, list, rows, error);
		if (result < 0)
			break;
	}

	sqlite3_finalize(rows);
	return result;
}

static int compare_ids(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/** Finds a frame by its ID. Returns NULL if the file does not have it. */
static const struct pm_frame *find_frame(const struct pm_stored_stacks_reader *reader, int64_t id)
{
	const int64_t *found = NULL;

	if (reader->count > 0)
		found = bsearch(&id, reader->ids, reader->count, sizeof *reader->ids, compare_ids);
	return found ? &reader->frames[found - reader->ids] : NULL;
}

/**
 * Parses the frames of a stack, such as "[3,1,2]", into `reader->stack`.
 *
 * @param count  receives the number of frames
 * @return       false if the text is not a list of frames that exist
 */
static bool parse_stack(struct pm_stored_stacks_reader *reader, const char *text, size_t *count)
{
	*count = 0;
	if (*text++ != '[')
		return false;

	while (*text >= '0' && *text <= '9') {
		char *end;
		long long id = strtoll(text, &end, 10);
		const struct pm_frame *frame = find_frame(reader, id);

		if (!frame || *count == PM_SITE_FRAMES_MAX || (*end != ',' && *end != ']'))
			return false;
		reader->stack[(*count)++] = *frame;
		text = end + (*end == ',');
	}
	return strcmp(text, "]") == 0;
}

int pm_stored_stacks_reader_init(struct pm_stored_stacks_reader *reader,
                                 const struct pm_database *database, struct pm_site_list *list,
                                 struct pm_error *error)
{
	*reader = (struct pm_stored_stacks_reader){ .database = database };
	reader->stack = calloc(PM_SITE_FRAMES_MAX, sizeof *reader->stack);
	if (!reader->stack)
		return pm_error_out_of_memory(error);
	if (pm_database_prepare(database, "SELECT frames, cut FROM stack WHERE id = ?",
	                        &reader->find, error) < 0)
		return -1;

	return read_frames(reader, list, error);
}

int pm_stored_stacks_reader_read(struct pm_stored_stacks_reader *reader, int64_t id,
                                 struct pm_stack *stack, struct pm_error *error)
{
	size_t count = 0;
	bool valid = false;

	sqlite3_bind_int64(reader->find, 1, id);
	int result = pm_statement_next(reader->database, reader->find, error);
	if (result > 0) {
		valid = parse_stack(reader, pm_column_text(reader->find, 0), &count);
		stack->cut = pm_column(reader->find, 1) != 0;
	}
	sqlite3_reset(reader->find);

	if (result < 0)
		return -1;
	reader->total += count;
	if (!valid || reader->total > stack_frames_max)
		return report_damage(reader->database, "a stack of a call site cannot be read",
		                     error);

	stack->frames = reader->stack;
	stack->count = count;
	return 0;
}

void pm_stored_stacks_reader_deinit(struct pm_stored_stacks_reader *reader)
{
	sqlite3_finalize(reader->find);
	free(reader->ids);
	free(reader->frames);
	free(reader->stack);
}

enum { ID_DIGITS_MAX = 20 };

int pm_stored_stacks_writer_init(struct pm_stored_stacks_writer *writer,
                                 const struct pm_database *database, struct pm_error *error)
{
	static const char find_frame[] =
		"SELECT id FROM frame WHERE function = ? AND module = ? AND module_address = ? AND "
		"address = ? AND file = ? AND line = ? AND source = ?";
	static const char add_frame[] =
		"INSERT INTO frame (function, module, module_address, address, file, line, source) "
		"VALUES (?, ?, ?, ?, ?, ?, ?)";
	static const char find_stack[] = "SELECT id FROM stack WHERE frames = ? AND cut = ?";
	static const char add_stack[] = "INSERT INTO stack (frames, cut) VALUES (?, ?)";

	*writer = (struct pm_stored_stacks_writer){ .database = database };
	writer->text = malloc(PM_SITE_FRAMES_MAX * (ID_DIGITS_MAX + 1) + 3);
	if (!writer->text)
		return pm_error_out_of_memory(error);

	if (pm_database_prepare(database, find_frame, &writer->find_frame, error) < 0 ||
	    pm_database_prepare(database, add_frame, &writer->add_frame, error) < 0 ||
	    pm_database_prepare(database, find_stack, &writer->find_stack, error) < 0)
		return -1;
	return pm_database_prepare(database, add_stack, &writer->add_stack, error);
}

void pm_stored_stacks_writer_deinit(struct pm_stored_stacks_writer *writer)
{
	sqlite3_finalize(writer->find_frame);
	sqlite3_finalize(writer->add_frame);
	sqlite3_finalize(writer->find_stack);
	sqlite3_finalize(writer->add_stack);
	free(writer->text);
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
	sqlite3_bind_text(statement, column, text ? text : "", -1, SQLITE_STATIC);
}

static void bind_frame(sqlite3_stmt *statement, const struct pm_frame *frame)
{
	bind_text(statement, 1, frame->function);
	bind_text(statement, 2, frame->module);
	pm_bind(statement, 3, frame->module_address);
	pm_bind(statement, 4, frame->address);
	bind_text(statement, 5, frame->file);
	pm_bind(statement, 6, frame->line);
	bind_text(statement, 7, source_names[frame->source]);
}

/**
 * Finds the ID of a row, or adds the row.
 *
 * @param find  finds the ID; bound
 * @param add   adds the row; bound
 * @param id    receives the ID
 */
static int find_or_add(const struct pm_database *database, sqlite3_stmt *find, sqlite3_stmt *add,
                       int64_t *id, struct pm_error *error)
{
	int result = pm_statement_next(database, find, error);

	if (result > 0)
		*id = sqlite3_column_int64(find, 0);
	sqlite3_reset(find);
	if (result != 0)
		return result < 0 ? -1 : 0;

	if (pm_statement_finish(database, add, error) < 0)
		return -1;
	*id = sqlite3_last_insert_rowid(database->handle);
	return 0;
}

int pm_stored_stacks_writer_write(struct pm_stored_stacks_writer *writer,
                                  const struct pm_stack *stack, int64_t *id, struct pm_error *error)
{
	size_t length = 0;

	writer->text[length++] = '[';
	for (size_t i = 0; i < stack->count; i++) {
		int64_t frame = 0;

		bind_frame(writer->find_frame, &stack->frames[i]);
		bind_frame(writer->add_frame, &stack->frames[i]);
		if (find_or_add(writer->database, writer->find_frame, writer->add_frame, &frame,
		                error) < 0)
			return -1;
		length += (size_t)snprintf(writer->text + length, ID_DIGITS_MAX + 2, "%s%lld",
		                           i > 0 ? "," : "", (long long)frame);
	}
	writer->text[length++] = ']';
	writer->text[length] = '\0';

	bind_text(writer->find_stack, 1, writer->text);
	pm_bind(writer->find_stack, 2, stack->cut);
	bind_text(writer->add_stack, 1, writer->text);
	pm_bind(writer->add_stack, 2, stack->cut);
	return find_or_add(writer->database, writer->find_stack, writer->add_stack, id, error);
}
