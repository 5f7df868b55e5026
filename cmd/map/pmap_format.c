/* SPDX-License-Identifier: MIT */
/*
 * The text of `pmap -x` (procps 4.0.2), for scripts that read it. Sizes are in KiB; a file is
 * called by its base name, everything else `[ anon ]`, even the brk heap, but for the mapping that
 * the first thread's stack began in and SysV shared memory.
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
 * Adds a name; a byte that is not printable ASCII becomes '?', and a newline is written as the
 * kernel writes it.
 */
static void put_name(struct text *line, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n')
			text_string(line, "\\012");
		else
			text_char(line, (char)(*name >= 0x20 && *name < 0x7f ? *name : '?'));
	}
}

/**
 * Whether a region is SysV shared memory: a file /SYSV followed by its key on the kernel's own
 * mount. Its inode is the segment's ID.
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
		/* The end counts too: pmap compares with <=. */
		bool stack = stack_start >= region->start && stack_start <= region->end;
		text_string(line, stack ? "  [ stack ]" : "  [ anon ]");
		return;
	}

	const char *deleted = region->deleted ? " (deleted)" : "";
	put_name(line, slash[1] || *deleted ? slash + 1 : slash);
	text_string(line, deleted);
}

static void put_region(struct text *line, const struct pm_region *region, uint64_t stack_start,
                       struct pmap_total *total)
{
	uint64_t size = pm_region_size(region) >> 10, rss = region->bytes[PM_SIZE_RSS] >> 10,
		 dirty = pm_region_dirty(region) >> 10;
	unsigned perms = region->perms;

	text_hex(line, region->start, PMAP_ADDRESS_DIGITS);
	text_char(line, ' ');
	put_right(line, size);
	put_right(line, rss);
	put_right(line, dirty);
	text_char(line, perms & PM_PERM_READ ? 'r' : '-');
	text_char(line, perms & PM_PERM_WRITE ? 'w' : '-');
	text_char(line, perms & PM_PERM_EXEC ? 'x' : '-');

	text_char(line, perms & PM_PERM_SHARED ? 's' : '-');
	text_string(line, "- ");
	put_mapping(line, region, stack_start);
	text_char(line, '\n');
	total->size += size;
	total->rss += rss;
	total->dirty += dirty;
}

/**
 * Adds a command as libproc2 4.0.2 cleans it: blanks for newlines; in a UTF-8 locale '?' for
 * controls, and once a byte is no UTF-8 for it and all further non-ASCII ones; in other locales '.'
 * for controls and '?' for all non-ASCII. Controls of Latin-1 are '?' as in later versions.
 */
static void put_cleaned(struct text *line, const char *command, bool utf8)
{
	size_t length = strlen(command), count;
	uint32_t code;
	for (size_t at = 0; at < length; at += count) {
		char byte = command[at];

		count = utf8 ? utf8_decode(command + at, length - at, &code) : 1;
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

/** Adds the line with the command line, or with "[name]" where there is none. */
static void put_command(struct text *line, const struct loaded *loaded)
{
	setlocale(LC_CTYPE, "");
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0, none = *loaded->command == '\0';
	text_format(line, "%d:   %s", (int)loaded->info.pid, none ? "[" : "");
	put_cleaned(line, none ? loaded->info.comm : loaded->command, utf8);
	text_string(line, none ? "]\n" : "\n");
}

/** Adds the sums; the label is as wide as an address. */
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
