/* SPDX-License-Identifier: MIT */
/*
 * The list of files comes from the regions of the process and from its descriptors. One pass
 * through /proc finds the other users of all of them. A file without a name is listed even if it
 * has none: no directory shows its memory.
 */
#include "who/files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/maps.h>
#include <procmem/number.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/report.h"
#include "base/utf8.h"
#include "target/file_users.h"
#include "target/json_parts.h"
#include "view/table.h"
#include "who/print.h"
#include "who/subject.h"

/* Maximum number of different files, number of files that are shown without --all, and indentation
 * of continuation lines in columns. */
enum { FILES_MAX = 4096, SHOWN = 20, INDENT = 2 };

/* Minimum width of the column NAME, in terminal columns. */
enum { NAME_MIN = 12 };

enum { ALLOCATED, RSS, PERMS, ADDRESS, FDS, OTHERS, WRITERS, NAME, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	{ .title = "ALLOC", .right = true },
	{ .title = "RSS", .right = true },
	{ .title = "PERMS" },
	{ .title = "ADDRESS", .right = true },
	{ .title = "FDS", .right = true },
	{ .title = "OTHERS", .right = true },
	{ .title = "WRITERS", .right = true },
	{ .title = "NAME" },
};

/** A file that the process maps or holds. */
struct entry {
	struct pm_file file;
	struct pm_file_state state;
	char *name;        /* owned */
	bool shared;       /* mapped shared, or held */
	unsigned perms;    /* of a mapping, a shared one if there is one */
	uint64_t address;  /* of that mapping; 0 if there is none */
	uint64_t rss;      /* of all mappings, with huge pages */
	size_t fds;        /* number of descriptors */
	size_t first_user; /* index in `users` */
	size_t user_count; /* number of users, with the process itself */
	size_t others;     /* number of users, without the process itself */
	size_t writers;    /* number of others that may write */
};

/** The files of a process. */
struct listing {
	const struct who_options *options;
	struct pm_process *process;
	struct pm_process_info info;
	struct entry *entries;
	size_t count;
	size_t left_out;        /* number of mappings and descriptors of further files */
	size_t common;          /* number of entries that other processes use, too */
	uint64_t unnamed_bytes; /* allocated bytes of the entries without a name and other users */
	struct pm_file_users users;
	struct pm_regions regions; /* owns the names of the identities */
	size_t room;               /* width of the column NAME, in terminal columns */
};

/** Finds an entry, or adds one if there is room. */
static struct entry *entry_of(struct listing *listing, const struct pm_file *file,
                              const struct pm_file_state *state, const char *name)
{
	for (size_t i = listing->count; i-- > 0;)
		if (pm_file_equal(&listing->entries[i].file, file))
			return &listing->entries[i];
	if (listing->count == FILES_MAX) {
		listing->left_out++;
		return NULL;
	}

	struct entry *entry = &listing->entries[listing->count++];
	*entry = (struct entry){ .file = *file, .state = *state, .name = alloc_string(name) };
	entry->file.name = entry->name;
	return entry;
}

/** Finds the entry of the file that is mapped in a region; NULL if there is none. */
static struct entry *entry_of_region(struct listing *listing, const struct pm_region *region)
{
	struct pm_file_state state;
	struct pm_file file;

	if (pm_file_from_region(listing->process, region, &file, &state, NULL) < 0)
		return NULL;
	return entry_of(listing, &file, &state, region->mapping);
}

/** Tests whether two regions map the same file: regions of one file share the text of its name. */
static bool same_file(const struct pm_region *one, const struct pm_region *other)
{
	return one->inode != 0 && one->inode == other->inode && one->mapping == other->mapping &&
	       one->device_major == other->device_major && one->device_minor == other->device_minor;
}

static void add_region(struct entry *entry, const struct pm_region *region)
{
	bool shared = (region->perms & PM_PERM_SHARED) != 0;

	if (entry->address == 0 || (shared && !entry->shared)) {
		entry->address = region->start;
		entry->perms = region->perms;
	}
	entry->shared |= shared;
	entry->rss += region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SHARED_HUGETLB] +
	              region->bytes[PM_SIZE_PRIVATE_HUGETLB];
}

/** Adds a descriptor, unless it is that of a device, a pipe or a socket. */
static void add_descriptor(struct listing *listing, const char *number)
{
	struct pm_file_state state;
	struct pm_file file;
	char path[288], name[4096];

	snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)listing->info.pid, number);
	if (pm_file_from_path(path, &file, &state, NULL) < 0 || file.type == PM_FILE_DEVICE ||
	    file.type == PM_FILE_KERNEL)
		return;
	/* A path of 4 KiB or more cannot be read: the link itself is the name. */
	ssize_t length = readlink(path, name, sizeof name - 1);
	if (length < 0 && errno != ENAMETOOLONG)
		return;

	name[length > 0 ? length : 0] = '\0';
	struct entry *entry = entry_of(listing, &file, &state, length > 0 ? name : path);
	if (entry) {
		entry->fds++;
		entry->shared = true;
	}
}

static void add_regions(struct listing *listing)
{
	struct entry *entry = NULL;

	for (size_t i = 0; i < listing->regions.count && !*interrupt_flag(); i++) {
		const struct pm_region *region = &listing->regions.items[i];

		/* Without an entry, entry_of_region() counts the region. */
		if (!entry || !same_file(region, region - 1))
			entry = entry_of_region(listing, region);
		if (entry)
			add_region(entry, region);
	}
}

static void add_descriptors(struct listing *listing)
{
	char path[32];
	struct dirent *entry;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)listing->info.pid);
	DIR *folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)) && !*interrupt_flag())
		if (entry->d_name[0] != '.')
			add_descriptor(listing, entry->d_name);
	closedir(folder);
}

/** Reads the files, and their users. */
static int read_listing(struct listing *listing, struct pm_error *error)
{
	const struct pm_file_users_options options = { .no_sizes = true,
		                                       .cancel = interrupt_catch() };

	if (pm_process_read_info(listing->process, &listing->info, error) < 0 ||
	    pm_maps_read(listing->process, PM_SMAPS, &listing->regions, error) < 0)
		return -1;
	listing->entries = alloc_array(NULL, FILES_MAX, sizeof *listing->entries);
	add_regions(listing);
	add_descriptors(listing);
	/* Otherwise the descriptors can be those of another process with the same PID. */
	if (pm_process_check(listing->process, error) < 0)
		return -1;

	struct pm_file *files = alloc_array(NULL, listing->count + 1, sizeof *files);
	for (size_t i = 0; i < listing->count; i++)
		files[i] = listing->entries[i].file;
	int result = pm_file_users_read(files, listing->count, &options, &listing->users, error);
	free(files);
	return result;
}

/** Assigns the users to the files. */
static void count_users(struct listing *listing)
{
	for (size_t i = 0; i < listing->users.count; i++) {
		const struct pm_file_user *user = &listing->users.items[i];
		struct entry *entry = &listing->entries[user->file];

		if (entry->user_count++ == 0)
			entry->first_user = i;
		if (user->pid == listing->info.pid)
			continue;
		entry->others++;
		entry->writers += pm_file_user_may_write(user);
	}
}

/** Tests whether no directory shows the file, and no other process is known to use it. */
static bool is_unnamed_alone(const struct entry *entry)
{
	return entry->others == 0 && entry->state.known && entry->state.deleted &&
	       entry->file.type != PM_FILE_DEVICE;
}

/** Returns what is resident in the process, or else what is allocated. */
static uint64_t size_of(const struct entry *entry)
{
	if (is_unnamed_alone(entry))
		return pm_max(entry->rss, entry->state.allocated);
	return entry->address ? entry->rss : entry->state.allocated;
}

/** Orders by size. */
static int compare(const void *one, const void *other)
{
	const struct entry *a = one, *b = other;
	uint64_t a_size = size_of(a), b_size = size_of(b);

	if (a_size != b_size)
		return (a_size < b_size) - (a_size > b_size);
	return strcmp(a->name, b->name);
}

/**
 * Removes the files that have a name and that no other process uses and, without --all, those that
 * are only mapped privately.
 * @return number of removed files that are only mapped privately
 */
static size_t keep_common(struct listing *listing)
{
	size_t kept = 0, private = 0;

	for (size_t i = 0; i < listing->count; i++) {
		struct entry *entry = &listing->entries[i];
		bool wanted = entry->shared || listing->options->all;
		bool unnamed = is_unnamed_alone(entry);

		private += entry->others > 0 && !wanted;
		if (!wanted || (entry->others == 0 && !unnamed)) {
			free(entry->name);
			continue;
		}
		listing->common += !unnamed;
		listing->unnamed_bytes += unnamed ? entry->state.allocated : 0;
		listing->entries[kept++] = *entry;
	}

	listing->count = kept;
	if (kept > 1)
		qsort(listing->entries, kept, sizeof *listing->entries, compare);
	return private;
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct listing *listing = context;
	const struct entry *entry = &listing->entries[row];
	char perms[PM_PERMS_TEXT_SIZE];

	if (!entry->address && (column == RSS || column == PERMS || column == ADDRESS)) {
		text_char(text, '-');
		return;
	}

	switch (column) {
	case ALLOCATED:
		if (entry->state.known)
			text_size_as(text, entry->state.allocated, listing->options->output.bytes);
		else
			text_char(text, '?');
		break;
	case RSS:
		text_size_as(text, entry->rss, listing->options->output.bytes);
		break;
	case PERMS:
		pm_format_perms(entry->perms, perms);
		text_string(text, perms);
		break;

	case ADDRESS:
		text_format(text, "%" PRIx64, entry->address);
		break;
	case FDS:
		text_decimal(text, entry->fds);
		break;

	case OTHERS:
		text_decimal(text, entry->others);
		break;
	case WRITERS:
		text_decimal(text, entry->writers);
		break;
	default:
		utf8_escape_end(text, entry->name, strlen(entry->name), listing->room);
	}
}

/** Adds the first line: the number of common files, and of those without a name. */
static void put_answer(const struct listing *listing, struct text *line)
{
	size_t unnamed = listing->count - listing->common;

	text_format(line, "%d ", (int)listing->info.pid);
	utf8_escape(line, listing->info.comm, strlen(listing->info.comm));
	if (listing->common == 0)
		text_string(line, " has no file or shared memory");
	else
		text_format(line, " has %zu file%s or shared memory", listing->common,
		            text_plural(listing->common));
	text_string(line, " in common with other processes");

	if (unnamed > 0) {
		text_string(line, listing->common == 0 ? ", but " : ", and ");
		if (listing->unnamed_bytes == 0)
			text_char(line, '0');
		else
			text_size_as(line, listing->unnamed_bytes, listing->options->output.bytes);
		text_format(line, " in %zu deleted file%s or memfd that only it uses", unnamed,
		            text_plural(unnamed));
	}
	text_char(line, '\n');
}

static void print_text(struct listing *listing, size_t private, struct out *out)
{
	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = listing->options->all ? listing->count : pm_min_size(listing->count, SHOWN),
		.titles = true,
		.open_end = true,
		.context = listing,
		.cell = cell,
	};
	size_t widths[COLUMNS];
	struct text line = { 0 };

	put_answer(listing, &line);
	out_wrapped(out, &line, INDENT);

	if (table.rows > 0) {
		table_measure(&table, widths);
		if (out->width != SIZE_MAX)
			listing->room = pm_max_size(
				NAME_MIN,
				excess_size(out->width, table_offset(&table, widths, NAME)));
		table_print(&table, widths, out);
	}

	if (listing->count > table.rows)
		out_wrapped_format(out, INDENT, "and %zu more: -a shows all\n",
		                   listing->count - table.rows);
	if (private > 0)
		out_wrapped_format(out, INDENT,
		                   "not counted: %zu that it only maps privately, such as "
		                   "libraries; -a shows them\n",
		                   private);
	if (listing->left_out > 0)
		out_wrapped_format(out, INDENT,
		                   "%zu mappings and descriptors of further files were not "
		                   "examined\n",
		                   listing->left_out);
	who_print_missing(&listing->users, listing->options->output.verbose, out);
	text_deinit(&line);
}

static void put_entry_json(const struct listing *listing, const struct entry *entry,
                           struct json *json)
{
	char perms[PM_PERMS_TEXT_SIZE];

	json_open(json, NULL, '{');
	who_subject_put_json(json, &entry->file, &entry->state);
	if (entry->address) {
		pm_format_perms(entry->perms, perms);
		json_put(json, "start", json_address(entry->address));
		json_put(json, "perms", json_text(perms));
		json_put(json, "rss", json_number(entry->rss));
	}
	json_put(json, "fd_count", json_number(entry->fds));

	json_open(json, "users", '[');
	for (size_t i = 0; i < entry->user_count; i++) {
		const struct pm_file_user *user = &listing->users.items[entry->first_user + i];
		if (user->pid == listing->info.pid)
			continue;
		json_open(json, NULL, '{');
		file_users_put_json(json, user);
		json_shut(json, '}');
	}
	json_shut(json, ']');
	json_shut(json, '}');
}

/** Writes a list of the entries without a name and other users, or of all others. */
static void put_entries_json(const struct listing *listing, const char *key, bool unnamed,
                             struct json *json)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < listing->count; i++)
		if (is_unnamed_alone(&listing->entries[i]) == unnamed)
			put_entry_json(listing, &listing->entries[i], json);
	json_shut(json, ']');
}

static void print_json(const struct listing *listing, struct out *out)
{
	struct json json = { .out = out };
	char *command = NULL;

	if (pm_process_read_command(listing->process, &command, NULL) < 0)
		command = NULL;
	json_open(&json, NULL, '{');
	json_parts_process(&json, listing->info.pid, listing->info.comm, command);
	json_put(&json, "time", json_now());
	free(command);

	put_entries_json(listing, "common_files", false, &json);
	put_entries_json(listing, "unnamed_files", true, &json);
	json_put(&json, "left_out", json_number(listing->users.left_out + listing->left_out));
	json_put(&json, "unreadable", json_number(listing->users.unreadable));
	json_shut(&json, '}');
	out_string(out, "\n");
}

int who_files_report(const struct target *target, const struct who_options *options,
                     struct out *out, struct pm_error *error)
{
	struct listing listing = { .options = options,
		                   .process = target->process,
		                   .room = SIZE_MAX };

	pm_regions_init(&listing.regions);
	int result = read_listing(&listing, error);
	if (result == 0) {
		count_users(&listing);
		size_t private = keep_common(&listing);
		result = listing.count > 0;
		if (options->output.json)
			print_json(&listing, out);
		else
			print_text(&listing, private, out);
		if (options->output.verbose && !options->output.quiet)
			report_note("number of processes that were examined: %zu",
			            listing.users.processes);
	}

	for (size_t i = 0; i < listing.count; i++)
		free(listing.entries[i].name);
	free(listing.entries);
	pm_file_users_deinit(&listing.users);
	pm_regions_deinit(&listing.regions);
	return result;
}
