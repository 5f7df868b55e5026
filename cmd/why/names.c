/* SPDX-License-Identifier: MIT */
/*
 * The kernel lists threads in the order in which they started, and descriptors by number. The last
 * ones are usually the newest.
 */
#include "why/names.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* Number of the newest things whose names are read, and size of a name in bytes. */
enum { NEWEST = 200, NAME_SIZE = 256 };

/** A name and the number of things that have it. */
struct name {
	char general[NAME_SIZE]; /* with # for each number */
	char text[NAME_SIZE];    /* as it is, or as `general` if the things have different names */
	uint64_t count;
};

/** The newest things in a directory of /proc. */
struct newest {
	char ids[NEWEST][24]; /* a ring */
	size_t listed;        /* number of things in the directory */
	struct name names[NEWEST];
	size_t count; /* number of elements of `names` */
};

/** Lists the newest entries of an open directory, which is closed. */
static void list(int fd, struct newest *newest)
{
	DIR *directory = fdopendir(fd);

	if (!directory) {
		close(fd);
		return;
	}

	for (struct dirent *entry; (entry = readdir(directory));) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(newest->ids[newest->listed++ % NEWEST], sizeof newest->ids[0], "%.20s",
		         entry->d_name);
	}
	closedir(directory);
}

/** Replaces each number of a name by `#`. */
static void generalise(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		bool digit = isdigit((unsigned char)*from);

		if (!digit)
			*to++ = *from;
		else if (to == name || to[-1] != '#')
			*to++ = '#';
	}
	*to = '\0';
}

/** Reads the name of a thread: a line. */
static ssize_t read_thread(int directory, const char *id, char *name)
{
	char path[64];

	snprintf(path, sizeof path, "%s/comm", id);
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;

	ssize_t length = read(fd, name, NAME_SIZE - 1);
	close(fd);
	return length > 0 && name[length - 1] == '\n' ? length - 1 : length;
}

static void count_name(struct newest *newest, const char *name)
{
	struct name *added = &newest->names[newest->count];

	memcpy(added->text, name, strlen(name) + 1);
	memcpy(added->general, name, strlen(name) + 1);
	generalise(added->general);
	added->count = 1;

	for (size_t i = 0; i < newest->count; i++) {
		struct name *other = &newest->names[i];

		if (strcmp(other->general, added->general) != 0)
			continue;
		if (strcmp(other->text, added->text) != 0)
			memcpy(other->text, other->general, sizeof other->text);
		other->count++;
		return;
	}

	newest->count++;
}

/** Counts the names of the newest things. */
static void count_names(int directory, bool threads, struct newest *newest)
{
	size_t known = newest->listed < NEWEST ? newest->listed : NEWEST;

	for (size_t i = 0; i < known; i++) {
		char name[NAME_SIZE];
		ssize_t length = threads ? read_thread(directory, newest->ids[i], name)
		                         : readlinkat(directory, newest->ids[i], name,
		                                      sizeof name - 1);

		if (length <= 0)
			continue;
		name[length] = '\0';
		count_name(newest, name);
	}
}

/** Adds the most frequent name of the things in a directory of the process. */
static void add(struct why_evidence *made, const struct why_observation *observation,
                const char *path, enum pm_evidence_number number)
{
	struct pm_evidence_name *into = &made->evidence.names[number];
	struct newest *newest;
	const struct name *first = NULL;
	int directory, listing;

	if (pm_process_open_file(observation->process, path, O_RDONLY | O_DIRECTORY, &directory,
	                         NULL) < 0)
		return;

	newest = alloc_array(NULL, 1, sizeof *newest);
	newest->listed = newest->count = 0;
	listing = fcntl(directory, F_DUPFD_CLOEXEC, 0);
	if (listing >= 0)
		list(listing, newest);
	count_names(directory, number == PM_EVIDENCE_THREADS, newest);
	close(directory);

	for (size_t i = 0; i < newest->count; i++) {
		into->of += newest->names[i].count;
		if (!first || newest->names[i].count > first->count)
			first = &newest->names[i];
	}
	if (first) {
		into->count = first->count;
		into->name = why_evidence_keep(made, first->text, strlen(first->text));
	}
	free(newest);
}

void why_names_add(struct why_evidence *made, const struct why_observation *observation)
{
	if (observation->source != PM_EVIDENCE_LIVE || !observation->process)
		return;
	add(made, observation, "task", PM_EVIDENCE_THREADS);
	add(made, observation, "fd", PM_EVIDENCE_DESCRIPTORS);
}
