/* SPDX-License-Identifier: MIT */
/*
 * The builtin command `x`: reads the bytes as other commands do, without making the process grow,
 * and prints them up to the first one that cannot be read.
 */
#include "shell/x_command.h"

#include <inttypes.h>
#include <stdlib.h>

#include <procmem/file_reader.h>
#include <procmem/number.h>
#include <procmem/symbols.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/report.h"
#include "base/utf8.h"
#include "shell/examine.h"
#include "target/memory.h"
#include "target/region_text.h"

/* Maximum number of bytes that x shows. */
enum { BYTES_MAX = 1024 * 1024 };

/* Number of bytes that are read for a string: the 200 bytes that are shown, the rest of a character
 * that begins within them and ends after them, and the NUL. */
enum { STRING_ROOM = 208 };

/** The memory that is printed. */
struct view {
	struct memory memory;
	struct selection selection;
	struct pm_symbols *symbols; /* symbols of the target, used only to show addresses, otherwise
	                               NULL; owned */
	char *bytes;                /* the bytes up to the first unreadable one; owned */
	size_t size;                /* number of bytes */
	struct text why; /* why reading ended before the last selected byte; empty if all bytes were
	                    read */
};

/** Parses "ADDR", followed by any number of "+N" and "-N"; N is decimal or 0x... @return 0 or -1 */
static int parse_place(const char *word, uint64_t *address, struct pm_error *error)
{
	size_t length = strcspn(word, "+-");
	char number[32];

	for (char sign = '\0'; length > 0 && length < sizeof number; length = strcspn(word, "+-")) {
		uint64_t value;
		int parsed;

		memcpy(number, word, length);
		number[length] = '\0';
		if (sign == '\0' || strncmp(number, "0x", 2) == 0)
			parsed = pm_parse_address(number, &value, error);
		else
			parsed = pm_parse_size(number, &value, error);
		if (parsed < 0)
			return -1;

		if (sign == '\0')
			*address = value;
		else if (sign == '+')
			*address += value;
		else
			*address -= value;

		word += length;
		if (*word == '\0')
			return 0;
		sign = *word++;
	}

	return pm_error_set(
		error, PM_ERROR_USAGE, 0,
		"'%.40s' is not an address; write an address such as 0x7f3a08000000, #3 or #3+16",
		word);
}

/**
 * Adds the bytes of a segment.
 *
 * @param bytes       the bytes of the segment in the buffer of the unit; advanced to the bytes of
 *                    the next segment
 * @param unreadable  first address in the unit that could not be read; UINT64_MAX if all bytes were
 *                    read
 * @return            false if the segment could not be read completely
 */
static bool add_segment(struct view *view, const struct pm_segment *segment, const char **bytes,
                        uint64_t unreadable)
{
	size_t size = (size_t)(segment->end - segment->start);

	if (segment->wanted) {
		size_t readable = pm_min_size(excess_size(unreadable, segment->start), size);

		memcpy(view->bytes + view->size, *bytes, readable);
		view->size += readable;
		*bytes += size;
		return readable == size;
	}

	if (segment->type == PM_SEGMENT_HOLE) {
		memset(view->bytes + view->size, 0, size);
		view->size += size;
		return true;
	}

	text_format(&view->why, "0x%" PRIx64 " cannot be read: %s", segment->start, segment->why);
	return false;
}

/** The first unreadable byte of a unit. */
struct first_unreadable {
	struct text *why; /* receives the reason */
	uint64_t address; /* its address; UINT64_MAX if all bytes were read */
};

static void note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct first_unreadable *first = context;

	if (first->address == UINT64_MAX) {
		first->address = range->start;
		text_format(first->why, "0x%" PRIx64 " cannot be read: %s", range->start,
		            range->why);
	}
}

/** Reads the selected bytes up to the first unreadable one. */
static int read_bytes(struct view *view, struct pm_error *error)
{
	struct memory *memory = &view->memory;
	const struct pm_plan_options options = { .pages = &memory->pages,
		                                 .files = memory->files.ops != NULL,
		                                 .holes = pm_file_reader_holes(&memory->files),
		                                 .cancel = memory->cancel };
	struct pm_plan *plan;

	if (pm_plan_open(&memory->loaded.regions, memory->ranges, memory->count, &options, &plan,
	                 error) < 0)
		return -1;

	struct pm_unit *unit = alloc_array(NULL, 1, sizeof *unit);
	char *buffer = alloc_array(NULL, PM_UNIT_SIZE, 1);
	int more = 0;
	bool continues = true;

	view->bytes = alloc_array(NULL, (size_t)memory_size(memory), 1);
	while (continues && (more = pm_plan_next(plan, unit, error)) > 0) {
		struct first_unreadable first = { &view->why, UINT64_MAX };
		const struct pm_unit_source source = { .target = &memory->reader,
			                               .files = &memory->files,
			                               .unreadable = note_unreadable,
			                               .context = &first };
		const char *bytes = buffer;

		more = pm_unit_read(&source, unit, buffer, error);
		continues = more == 0;
		for (size_t i = 0; i < unit->count && continues; i++)
			continues = add_segment(view, &unit->segments[i], &bytes, first.address);
	}

	free(buffer);
	free(unit);
	pm_plan_close(plan);

	return more < 0 ? -1 : 0;
}

/** Opens the symbols of the target. @return 0 or -1 */
static int open_symbols(struct view *view, struct pm_error *error)
{
	const struct pm_regions *regions = &view->memory.loaded.regions;

	if (view->memory.core)
		return pm_symbols_open_core(view->memory.core, NULL, regions, &view->symbols,
		                            error);
	return pm_symbols_open(view->memory.target.process, regions, &view->symbols, error);
}

/** Selects and reads the bytes of the values. @return 0 or -1 */
static int open_view(struct view *view, const struct shell *shell, const struct examine *examine,
                     uint64_t address, struct pm_error *error)
{
	size_t each = examine->format == 's' ? STRING_ROOM : examine->size;
	uint64_t size = examine->count < BYTES_MAX / each ? examine->count * each : BYTES_MAX;
	bool has_symbols = examine->format == 'a';
	const struct memory_options options = { .files = shell->target.process != NULL,
		                                .needs = has_symbols ? REGION_NEEDS_KINDS : 0 };
	struct text word = { 0 };

	size = pm_min_size(size, UINT64_MAX - address);
	text_format(&word, "0x%" PRIx64 "+%" PRIu64, address, pm_max_size(size, 1));
	text_terminate(&word);

	char *words[] = { word.bytes };
	int opened = selection_init(&view->selection, error);

	if (opened == 0)
		opened = selection_add_words(&view->selection, words, 1, error);
	text_deinit(&word);
	if (opened < 0)
		return -1;

	view->memory.cancel = interrupt_catch();
	if (memory_open(&view->memory, shell->word, &view->selection, &options, error) <= 0 ||
	    read_bytes(view, error) < 0)
		return -1;
	return has_symbols ? open_symbols(view, error) : 0;
}

static void close_view(struct view *view)
{
	pm_symbols_close(view->symbols);
	memory_close(&view->memory);
	selection_deinit(&view->selection);
	text_deinit(&view->why);
	free(view->bytes);
}

/** Adds the symbol and the region to which an address in memory points. */
static void put_pointed(const struct view *view, const void *bytes, unsigned size,
                        struct text *line)
{
	uint64_t value = 0;
	struct pm_symbol symbol = { 0 };

	memcpy(&value, bytes, size);
	if (view->symbols && pm_symbols_find(view->symbols, value, &symbol, NULL) > 0) {
		text_string(line, " <");
		utf8_escape(line, symbol.name, strlen(symbol.name));
		if (symbol.offset > 0)
			text_format(line, "+%" PRIu64, symbol.offset);
		text_char(line, '>');
	}

	const struct pm_region *region = pm_regions_find(&view->memory.loaded.regions, value);
	if (!region)
		return;

	struct text mapping = { 0 };

	region_text_mapping(region, true, &mapping);
	text_format(line, "  %s", pm_kind_name((enum pm_kind)region->kind));
	if (mapping.length > 0)
		text_char(line, ' ');
	utf8_escape(line, mapping.bytes, mapping.length);
	text_deinit(&mapping);
}

/** Adds one value. @return its number of bytes; 0 if it could not be read */
static size_t put_value(const struct view *view, const struct examine *examine, size_t at,
                        struct text *line)
{
	if (examine->format == 's')
		return shell_examine_put_string(view->bytes + at, view->size - at, line);
	if (view->size - at < examine->size)
		return 0;

	shell_examine_put_value(examine, view->bytes + at, line);
	if (examine->format == 'a')
		put_pointed(view, view->bytes + at, examine->size, line);
	return examine->size;
}

/** Starts a line with an address. */
static void put_address(struct text *lines, uint64_t address)
{
	if (lines->length > 0)
		text_char(lines, '\n');
	text_format(lines, "0x%" PRIx64 ":", address);
}

/** Prints the values. @return exit status */
static enum status print_values(const struct view *view, struct examine *examine, uint64_t address,
                                struct out *out)
{
	size_t at = 0, per_line = shell_examine_per_line(examine);
	struct text line = { 0 };
	bool complete = true;

	for (size_t i = 0; i < examine->count && complete; i++) {
		struct text value = { 0 };
		size_t used = put_value(view, examine, at, &value);

		complete = used > 0;
		if (complete && i % per_line == 0)
			put_address(&line, address + at);
		if (complete)
			text_char(&line, '\t');
		text_bytes(&line, value.bytes, value.length);
		text_deinit(&value);
		at += used;
	}

	if (line.length > 0)
		text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);
	examine->next = address + at;
	if (complete)
		return STATUS_OK;

	if (view->why.length > 0)
		report_error("x: %s", view->why.bytes);
	else
		report_error("x: stopped at the limit of 1 MiB; use 'x' without operands to "
		             "continue, or 'dump', which has no limit");

	return STATUS_ERROR;
}

static enum status examine(struct shell *shell, const struct examine *wanted, const char *word,
                           struct out *out)
{
	struct view view = { 0 };
	struct pm_error error;
	uint64_t address = wanted->next;

	if (word && parse_place(word, &address, &error) < 0)
		return report_failure(&error);
	if (!word && address == 0) {
		report_error("'x' needs an address (x/16gx 0x7f3a08000000) or the number of a hit "
		             "(x #3)");
		return STATUS_ERROR;
	}

	*shell->examine = *wanted;
	int opened = open_view(&view, shell, wanted, address, &error);
	text_terminate(&view.why);

	enum status status = STATUS_ERROR;

	if (opened < 0)
		report_failure(&error);
	else
		status = print_values(&view, shell->examine, address, out);

	close_view(&view);
	return status;
}

enum status shell_x_command_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	static const struct examine first = { .format = 'x', .size = 4, .count = 1 };
	struct pm_error error;

	if (!shell->word) {
		report_error("x: nothing is attached; use 'attach TARGET' with a PID, a process "
		             "name or a file");
		return STATUS_ERROR;
	}

	if (!shell->examine) {
		shell->examine = alloc_array(NULL, 1, sizeof *shell->examine);
		*shell->examine = first;
	}

	struct examine wanted = *shell->examine;
	const char *format = "";
	int place = 1;

	/* The format follows the name directly, or as a separate word, as in gdb. */
	if (argv[0][1] == '/') {
		format = argv[0] + 2;
	} else if (argc > 1 && argv[1][0] == '/') {
		format = argv[1] + 1;
		place = 2;
	}

	if (argc > place + 1) {
		report_error("unexpected operand '%s'; usage: x[/FORMAT] [ADDRESS], such as "
		             "x/16gx #3 (16 values of size g in format x)",
		             argv[place + 1]);
		return STATUS_ERROR;
	}

	/* Without operands, x prints the same number of values again. */
	bool again = argc == 1 && *format == '\0';
	if (!again && shell_examine_parse(&wanted, format, &error) < 0)
		return report_failure(&error);

	return examine(shell, &wanted, place < argc ? argv[place] : NULL, out);
}
