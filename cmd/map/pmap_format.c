/* SPDX-License-Identifier: MIT */
/*
 * The text of `pmap -x` (procps 4.0.2), for scripts that parse it. Sizes are in KiB. A mapped file
 * is shown by its base name. All other memory, even the brk heap, is `[ anon ]`, with two
 * exceptions: the mapping in which the stack of the first thread began, and SysV shared memory.
 */
#include "map/pmap_format.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "base/utf8.h"

enum { PMAP_ADDRESS_DIGITS = 16, PMAP_SIZE_WIDTH = 7 };

/** Sums of all regions, in KiB. */
struct pmap_total {
	uint64_t size, rss, dirty;
};

static void put_right(struct text *line, uint64_t number)
{
	struct text digits = { 0 };
	text_decimal(&digits, number);
	if (digits.length < PMAP_SIZE_WIDTH)
		text_fill(line, ' ', PMAP_SIZE_WIDTH - digits.length);
	text_bytes(line, digits.bytes, digits.length);
	text_char(line, ' ');
	text_deinit(&digits);
}

/**
 * Adds a file name. Bytes that are not printable ASCII become '?'. A newline is written as in maps
 * (\012).
 */
static void put_name(struct text *line, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n')
			text_string(line, "\\012");
		else if (*name >= 0x20 && *name < 0x7f)
			text_char(line, *name);
		else
			text_char(line, '?');
	}
}

/**
 * Returns whether a region is SysV shared memory: a file named /SYSV and its key, on a mount
 * internal to the kernel. Its inode is the ID of the segment.
 */
static bool is_sysv(const struct pm_region *region)
{
	return region->device_major == 0 && region->deleted &&
	       strncmp(region->mapping, "/SYSV", 5) == 0;
}

static void put_mapping(struct text *line, const struct pm_region *region, uint64_t stack_start)
{
	const char *slash = strrchr(region->mapping, '/');

	if (is_sysv(region)) {
		text_format(line, "  [ shmid=0x%llx ]", (unsigned long long)region->inode);
		return;
	}

	if (!slash) {
		/* Include the end address, because pmap compares with <=. */
		bool stack = stack_start >= region->start && stack_start <= region->end;
		text_string(line, stack ? "  [ stack ]" : "  [ anon ]");
		return;
	}

	if (slash[1] || region->deleted)
		slash++;
	put_name(line, slash);
	if (region->deleted)
		text_string(line, " (deleted)");
}

/** Adds permissions. There is no letter for private mappings. */
static void put_perms(struct text *line, unsigned perms)
{
	char text[] = "----- ";

	if (perms & PM_PERM_READ)
		text[0] = 'r';
	if (perms & PM_PERM_WRITE)
		text[1] = 'w';
	if (perms & PM_PERM_EXEC)
		text[2] = 'x';
	if (perms & PM_PERM_SHARED)
		text[3] = 's';

	text_string(line, text);
}

static void put_region(struct text *line, const struct pm_region *region, uint64_t stack_start,
                       struct pmap_total *total)
{
	uint64_t size = pm_region_size(region) >> 10;
	uint64_t rss = region->bytes[PM_SIZE_RSS] >> 10, dirty = pm_region_dirty(region) >> 10;

	text_hex(line, region->start, PMAP_ADDRESS_DIGITS);
	text_char(line, ' ');
	put_right(line, size);
	put_right(line, rss);
	put_right(line, dirty);
	put_perms(line, region->perms);
	put_mapping(line, region, stack_start);
	text_char(line, '\n');
	total->size += size;
	total->rss += rss;
	total->dirty += dirty;
}

/**
 * Adds a command as libproc2 4.0.2 cleans it: newlines become spaces. In a UTF-8 locale, control
 * characters become '?'; from the first invalid byte on, each non-ASCII byte becomes '?', too. In
 * other locales, control characters become '.', and each non-ASCII byte becomes '?'. Control
 * characters of Latin-1 become '?' as in later versions of libproc2.
 */
static void put_cleaned(struct text *line, const char *command, bool utf8)
{
	size_t length = strlen(command), count;
	uint32_t code;
	for (size_t at = 0; at < length; at += count) {
		char byte = command[at];

		count = 1;
		if (utf8)
			count = utf8_decode(command + at, length - at, &code);

		bool kept = byte >= 0x20 && byte < 0x7f;
		if (count == 0) {
			utf8 = false;
			count = 1;
		}

		if (kept || (count > 1 && code > 0x9f))
			text_bytes(line, command + at, count);
		else if (byte == '\n')
			text_char(line, ' ');
		else
			text_fill(line, utf8 || (unsigned char)byte >= 0x80 ? '?' : '.', count);
	}
}

/**
 * Adds a line with the PID and the command line, or "[name]" if the process has no command line.
 */
static void put_command(struct text *line, const struct loaded *loaded)
{
	setlocale(LC_CTYPE, "");
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	text_format(line, "%d:   ", (int)loaded->info.pid);
	if (*loaded->command) {
		put_cleaned(line, loaded->command, utf8);
	} else {
		text_char(line, '[');
		put_cleaned(line, loaded->info.comm, utf8);
		text_char(line, ']');
	}
	text_char(line, '\n');
}

/** Adds the sums. The label has the width of an address. */
static void put_total(struct text *line, const struct pmap_total *total)
{
	text_string(line, "---------------- ------- ------- ------- \n"
	                  "total kB         ");
	put_right(line, total->size);
	put_right(line, total->rss);
	put_right(line, total->dirty);
	line->bytes[line->length - 1] = '\n';
}

void map_pmap_format_print(const struct loaded *loaded, const struct list *list, bool header,
                           struct out *out)
{
	struct text line = { 0 };
	struct pmap_total total = { 0 };

	if (header) {
		put_command(&line, loaded);
		text_string(&line, "Address           Kbytes     RSS   Dirty Mode  Mapping\n");
	}

	for (size_t i = 0; i < list->count && !out_failed(out); i++) {
		put_region(&line, list->items[i], loaded->info.start_stack, &total);
		out_text(out, &line);
		text_clear(&line);
	}

	if (header)
		put_total(&line, &total);
	out_text(out, &line);
	text_deinit(&line);
}
