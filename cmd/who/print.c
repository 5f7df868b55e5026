/* SPDX-License-Identifier: MIT */
#include "who/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/file_users.h"
#include "target/json_parts.h"
#include "view/command_line.h"
#include "view/table.h"

/* Number of users that are shown without --all, and that the first line names. */
enum { SHOWN = 20, NAMED = 3 };

/* Indentation of continuation lines, in columns. */
enum { INDENT = 2 };

enum { PID, PERMS, PSS, RSS, FDS, WRITES, COMMAND, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	{ .title = "PID", .right = true },
	{ .title = "PERMS" },
	{ .title = "PSS", .right = true },
	{ .title = "RSS", .right = true },
	{ .title = "FDS" },
	{ .title = "WRITES" },
	{ .title = "COMMAND" },
};

/** The data of the table. */
struct view {
	const struct who_report *report;
	char **commands; /* command lines of the rows; NULL if not known */
	size_t room;     /* width of the last column, in columns */
};

static void put_size(const struct who_report *report, uint64_t size, struct text *text)
{
	text_size_as(text, size, report->options->output.bytes);
}

static void end_line(struct text *line, struct out *out)
{
	text_char(line, '\n');
	out_wrapped(out, line, INDENT);
	text_clear(line);
}

static bool is_likely(const struct who_report *report, size_t index)
{
	return report->growth && report->growth->evidence[index].likely;
}

/** Adds whether and how a user can write, or did. */
static void put_writes(const struct who_report *report, size_t index, struct text *text)
{
	if (is_likely(report, index))
		text_string(text, "likely");
	else if (pm_file_user_may_write(&report->users->items[index]))
		text_string(text, "may");
	else if (report->users->items[index].fds_doubtful)
		text_string(text, "?");
	else
		text_char(text, '-');
}

static void put_command(const struct view *view, size_t row, struct text *text)
{
	const struct pm_file_user *user = &view->report->users->items[row];

	if (view->commands[row] && *view->commands[row])
		command_line_put(text, view->commands[row], view->room);
	else
		utf8_escape(text, user->comm, strlen(user->comm));
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct view *view = context;
	const struct pm_file_user *user = &view->report->users->items[row];
	char perms[PM_PERMS_TEXT_SIZE] = "-";

	switch (column) {
	case PID:
		text_format(text, "%d", (int)user->pid);
		break;
	case PERMS:
		if (user->mappings > 0)
			pm_format_perms(user->perms, perms);
		text_string(text, perms);
		break;

	case PSS:
	case RSS:
		if (user->sizes_known)
			put_size(view->report,
			         (column == PSS ? user->pss : user->rss) + user->hugetlb, text);
		else
			text_string(text, user->mappings > 0 ? "?" : "-");
		break;

	case FDS:
		if (user->fd_count > 0)
			file_users_put_fds(text, user);
		else
			text_char(text, '-');
		break;
	case WRITES:
		put_writes(view->report, row, text);
		break;
	default:
		put_command(view, row, text);
	}
}

static void print_table(const struct who_report *report, size_t shown, struct out *out)
{
	struct view view = { .report = report, .commands = calloc(shown + 1, sizeof(char *)) };
	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = shown,
		.titles = true,
		.open_end = true,
		.context = &view,
		.cell = cell,
	};
	size_t widths[COLUMNS];
	if (!view.commands)
		return;

	for (size_t i = 0; i < shown; i++)
		view.commands[i] = file_users_command(&report->users->items[i]);
	table_measure(&table, widths);
	view.room = SIZE_MAX;
	if (out->width != SIZE_MAX)
		view.room = pm_max_size(COMMAND_LINE_MIN,
		                        out->width -
		                                pm_min_size(out->width,
		                                            table_offset(&table, widths, COMMAND)));
	table_print(&table, widths, out);

	for (size_t i = 0; i < shown; i++)
		free(view.commands[i]);
	free(view.commands);
}

static void put_amount(struct text *text, const char *words, uint64_t amount, bool bytes)
{
	text_string(text, words);
	if (amount == 0)
		text_char(text, '0');
	else
		text_size_as(text, amount, bytes);
}

void who_print_put_file(struct text *text, const struct pm_file *file,
                        const struct pm_file_state *state, bool bytes)
{
	text_string(text, pm_file_type_words(file->type));
	if (file->type == PM_FILE_SYSV)
		text_format(text, " (shmid %" PRIu64 ")", file->inode);
	if (!state->known) {
		text_string(text, ", length not known");
	} else if (file->type != PM_FILE_DEVICE) {
		put_amount(text, ", length ", state->length, bytes);
		put_amount(text, ", allocated ", state->allocated, bytes);
	}

	if (state->known && state->deleted && !who_subject_never_had_name(file))
		text_string(text, ", deleted");
}

/** Adds the name of the file and, with --for, its growth. */
static void put_file(const struct who_report *report, struct text *line)
{
	const struct who_growth *growth = report->growth;

	who_subject_put_name(report->subject, line);
	if (growth && growth->known && (growth->length != 0 || growth->allocated != 0)) {
		text_string(line, " (");
		delta_put_rate(line, who_growth_rate(growth));
		text_char(line, ')');
	}
}

/** Adds a change of a size. */
static void put_change(const struct who_report *report, int64_t change, struct text *line)
{
	if (change == 0)
		text_char(line, '0');
	else
		delta_put_bytes(line, change, report->options->output.bytes);
}

/**
 * Adds the processes that wrote about as much as the file grew, although none of its users did.
 * @return whether there are any
 */
static bool put_passing(const struct who_report *report, struct text *line)
{
	const struct who_growth *growth = report->growth;

	if (!growth || growth->passing_count == 0)
		return false;
	for (size_t i = 0; i < growth->passing_count; i++) {
		text_string(line, i == 0 ? "; likely written by " : " or ");
		text_format(line, "%d ", (int)growth->passing[i].pid);
		utf8_escape(line, growth->passing[i].comm, strlen(growth->passing[i].comm));
	}
	text_string(line, ", which wrote about as many bytes");
	return true;
}

/** Prints the answer if no user was found. */
static void print_no_user(const struct who_report *report, struct text *line, struct out *out)
{
	size_t unreadable = report->users->unreadable;

	text_string(line, unreadable > 0 ? "no process that could be examined uses "
	                                 : "no process uses ");
	put_file(report, line);
	if (!put_passing(report, line) && unreadable > 0)
		text_format(line, "; %zu could not", unreadable);
	end_line(line, out);
}

/** Prints the answer: who may write, or who probably does. */
static void print_answer(const struct who_report *report, struct text *line, struct out *out)
{
	const struct pm_file_users *users = report->users;
	bool likely = report->growth && report->growth->likely > 0;
	size_t total = users->count + users->left_out, writers = 0;

	/* As root, a process that could not be read is an exception, which the last line names. */
	if (users->unreadable > 0 && geteuid() != 0)
		text_string(line, "at least ");
	if (total == 1)
		text_string(line, "1 process uses ");
	else
		text_format(line, "%zu processes use ", total);
	put_file(report, line);

	if (put_passing(report, line)) {
		end_line(line, out);
		return;
	}

	for (size_t i = 0; i < users->count; i++) {
		const struct pm_file_user *user = &users->items[i];
		if (likely ? !is_likely(report, i) : !pm_file_user_may_write(user))
			continue;
		if (++writers > NAMED)
			continue;
		if (writers == 1)
			text_string(line, likely ? "; likely written by " : "; may write: ");
		else
			text_string(line, ", ");
		text_format(line, "%d ", (int)user->pid);
		utf8_escape(line, user->comm, strlen(user->comm));
	}

	if (writers > NAMED)
		text_format(line, " and %zu more", writers - NAMED);
	if (writers == 0)
		text_string(line, "; none of them can write to it");
	end_line(line, out);
}

/** Adds that no user wrote to the file, and why it can have grown. */
static void put_no_writer(const struct who_report *report, struct text *line)
{
	size_t unreadable = report->users->unreadable;

	if (unreadable == 0)
		text_string(line, "; no process that has it open now seems to write it: a program "
		                  "may open it only for a moment");
	else
		text_format(line,
		            "; no process that could be examined seems to write it: the writer "
		            "may be one of the %zu that could not, or open it only for a moment",
		            unreadable);
}

/** Prints how the file grew. */
static void print_growth(const struct who_report *report, struct text *line, struct out *out)
{
	const struct who_growth *growth = report->growth;
	double rate = who_growth_rate(growth);

	if (growth->replaced) {
		text_format(line,
		            "during the %.1f s, the file was removed or replaced: its growth is "
		            "not known",
		            growth->seconds);
	} else if (!growth->known) {
		text_string(line, "its growth is not known, because its length cannot be read");
	} else if (growth->length == 0 && growth->allocated == 0) {
		text_format(line, "it did not grow in %.1f s", growth->seconds);
	} else {
		text_format(line, "in %.1f s, its length changed by ", growth->seconds);
		put_change(report, growth->length, line);
		text_string(line, ", its allocated size by ");
		put_change(report, growth->allocated, line);
		text_string(line, ": ");
		delta_put_rate(line, rate);
		text_format(line, "; it grew in %zu of %zu intervals", growth->grew,
		            growth->intervals);

		if (growth->likely == 0)
			put_no_writer(report, line);
	}
	end_line(line, out);
}

/** Prints what the table cannot show about the file or its users. */
static void print_remarks(const struct who_report *report, struct text *line, struct out *out)
{
	bool by_name = false;

	for (size_t i = 0; i < report->users->count; i++)
		by_name |= report->users->items[i].by_name;
	if (by_name) {
		text_string(line,
		            "the devices of this file system cannot be compared without root: "
		            "users were recognised by name and inode number");
		end_line(line, out);
	}
	if (report->subject->file.type == PM_FILE_DEVICE) {
		text_string(line, "it is a device: processes that map it do not necessarily share "
		                  "memory, the driver decides what each mapping shows");
		end_line(line, out);
	}
}

void who_print_missing(const struct pm_file_users *users, bool verbose, struct out *out)
{
	struct text line = { 0 };

	if (users->left_out > 0) {
		text_format(&line, "%" PRIu64 " further users were not stored", users->left_out);
		end_line(&line, out);
	}
	if (users->unreadable > 0) {
		file_users_put_refused(&line, users, verbose || geteuid() != 0);
		end_line(&line, out);
	}
	text_deinit(&line);
}

void who_print_text(const struct who_report *report, struct out *out)
{
	size_t count = report->users->count, shown = count;
	struct text line = { 0 };

	if (!report->options->all)
		shown = pm_min_size(count, SHOWN);
	if (count == 0) {
		print_no_user(report, &line, out);
	} else {
		print_answer(report, &line, out);
	}

	who_print_put_file(&line, &report->subject->file, &report->subject->state,
	                   report->options->output.bytes);
	end_line(&line, out);
	if (report->growth)
		print_growth(report, &line, out);
	print_remarks(report, &line, out);

	if (shown > 0)
		print_table(report, shown, out);
	if (count > shown) {
		text_format(&line, "and %zu more: -a shows all", count - shown);
		end_line(&line, out);
	}
	who_print_missing(report->users, report->options->output.verbose, out);
	text_deinit(&line);
}

static void put_growth_json(struct json *json, const struct who_growth *growth)
{
	json_open(json, "watched", '{');
	json_put(json, "seconds", json_real(growth->seconds));
	if (growth->known) {
		json_put(json, "length_change", json_integer(growth->length));
		json_put(json, "allocated_change", json_integer(growth->allocated));
		json_put(json, "rate", json_real(who_growth_rate(growth)));
	}

	json_open(json, "passing_writers", '[');
	for (size_t i = 0; i < growth->passing_count; i++) {
		json_open(json, NULL, '{');
		json_put(json, "pid", json_number((uint64_t)growth->passing[i].pid));
		json_put(json, "name", json_text(growth->passing[i].comm));
		json_put(json, "wchar", json_number(growth->passing[i].bytes));
		json_shut(json, '}');
	}
	json_shut(json, ']');

	json_shut(json, '}');
}

void who_print_json(const struct who_report *report, struct out *out)
{
	const struct pm_file_users *users = report->users;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "time", json_now());
	who_subject_put_json(&json, &report->subject->file, &report->subject->state);
	if (report->growth)
		put_growth_json(&json, report->growth);

	json_open(&json, "users", '[');
	for (size_t i = 0; i < users->count; i++) {
		json_open(&json, NULL, '{');
		file_users_put_json(&json, &users->items[i]);
		if (report->growth)
			json_put(&json, "likely_writer", json_boolean(is_likely(report, i)));
		json_shut(&json, '}');
	}
	json_shut(&json, ']');

	json_put(&json, "left_out", json_number(users->left_out));
	json_put(&json, "unreadable", json_number(users->unreadable));
	json_shut(&json, '}');
	out_string(out, "\n");
}
