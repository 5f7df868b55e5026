/* SPDX-License-Identifier: MIT */
/*
 * Finds shared memory through the processes that use it. Files of memfd, System V segments and
 * shared anonymous memory are in a tmpfs that the kernel mounts for itself (docs/KERNEL.md). Its
 * device number is that of a memfd of this process.
 */
#include <procmem/shared_objects.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/lines.h"
#include "base/minmax.h"
#include "files/file.h"
#include "files/inode_set.h"
#include "files/sysv_segments.h"
#include "proc/command.h"
#include "proc/memory_file.h"
#include "proc/procfs.h"
#include "reader/cancel.h"
#include "region/maps_line.h"

enum {
	OBJECTS_MAX = 20000,  /**< maximum number of objects */
	STEPS_MAX = 200000,   /**< maximum number of descriptors and mappings that are examined */
	SECONDS_MAX = 2,      /**< maximum time */
	CHECK_INTERVAL = 128, /**< number of steps between two checks of the time */
	SYSV_TEXT_MAX =
		1 << 24,  /**< maximum size of sysvipc/shm; there are at most 32,768 segments */
	BLOCK_SIZE = 512, /**< unit of stx_blocks (statx(2)) */
};

/** Identifiers of segments can be equal to inode numbers of the same device. */
static const uint64_t sysv_mark = UINT64_C(1) << 63;

static const char *const kind_names[PM_SHARED_KINDS] = {
	[PM_SHARED_MEMFD] = "memfd", [PM_SHARED_ANON] = "shared_anon",
	[PM_SHARED_SYSV] = "sysv",   [PM_SHARED_DELETED] = "deleted",
	[PM_SHARED_FILE] = "file",   [PM_SHARED_OTHER] = "other",
};

/** State of a search. */
struct search {
	struct pm_shared_objects found;
	size_t capacity;           /* allocated elements of `found` */
	struct pm_inode_set known; /* index in `found` of each object */
	struct pm_inode_set files; /* the largest files; the value is their index */
	const struct pm_tmpfs *tmpfs;
	uint64_t internal; /* device of the kernel's own tmpfs; 0 if unknown */
	uint64_t steps, deadline_ns;
	const volatile sig_atomic_t *cancel;
};

/** How a process uses an object. */
struct use {
	const struct pm_procfs *procfs;
	const char *comm;
	bool open;
};

/** What is known about an object when it is found. */
struct sighting {
	struct pm_inode_key key;
	const char *name; /* as in maps or in the link of a descriptor */
	uint64_t bytes;
	bool at_most;
};

/** Finds the kind of an object of the kernel's own tmpfs by the name that the kernel gives it. */
static enum pm_shared_kind kind_of(const char *name)
{
	switch (pm_file_type_of_name(name, true)) {
	case PM_FILE_MEMFD:
		return PM_SHARED_MEMFD;
	case PM_FILE_SHARED_ANONYMOUS:
		return PM_SHARED_ANON;
	case PM_FILE_SYSV:
		return PM_SHARED_SYSV;
	default:
		return PM_SHARED_OTHER;
	}
}

/** Makes the name of an object from its name in /proc. */
static char *make_name(enum pm_shared_kind kind, const char *name)
{
	static const char suffix[] = " (deleted)";
	size_t length = strlen(name), cut = sizeof suffix - 1;
	char *result;

	if (length > cut && strcmp(name + length - cut, suffix) == 0)
		length -= cut;
	switch (kind) {
	case PM_SHARED_MEMFD:
		return strndup(name + strlen("/memfd:"), length - strlen("/memfd:"));
	case PM_SHARED_ANON:
		return strdup("");
	case PM_SHARED_SYSV:
		if (asprintf(&result, "0x%.*s", 8, name + strlen("/SYSV")) < 0)
			return NULL;
		return result;
	default:
		return strndup(name, length);
	}
}

static bool is_mount(const struct pm_tmpfs *tmpfs, uint64_t device)
{
	for (size_t i = 0; tmpfs && i < tmpfs->mount_count; i++)
		if (tmpfs->mounts[i].device == device)
			return true;
	return false;
}

/**
 * Returns the index of an object, which is added if necessary.
 * @return the index; SIZE_MAX if there are too many objects, or on error; `*result` is then 0 or -1
 */
static size_t find_object(struct search *search, const struct sighting *sighting,
                          enum pm_shared_kind kind, int *result, struct pm_error *error)
{
	struct pm_shared_objects *found = &search->found;
	struct pm_inode_key key = sighting->key;

	*result = 0;
	if (kind == PM_SHARED_SYSV)
		key.device |= sysv_mark;
	size_t index = pm_inode_set_find(&search->known, key);
	if (index != SIZE_MAX)
		return index;
	if (found->count >= OBJECTS_MAX) {
		found->incomplete = true;
		return SIZE_MAX;
	}

	*result = -1;
	if (pm_array_reserve(&found->items, &search->capacity, found->count, 1,
	                     sizeof *found->items, error) < 0 ||
	    pm_inode_set_add(&search->known, key, found->count, error) < 0)
		return SIZE_MAX;

	struct pm_shared_object *object = &found->items[found->count];
	*object = (struct pm_shared_object){ .kind = kind,
		                             .device = sighting->key.device,
		                             .inode = sighting->key.inode,
		                             .bytes = sighting->bytes,
		                             .at_most = sighting->at_most };
	object->name = make_name(kind, sighting->name);
	if (!object->name) {
		pm_error_out_of_memory(error);
		return SIZE_MAX;
	}

	*result = 0;
	return found->count++;
}

static void add_user(struct pm_shared_object *object, const struct use *use)
{
	size_t kept = pm_min_size(object->user_count, PM_SHARED_USERS_KEPT);
	struct pm_shared_user *user = NULL;

	for (size_t i = 0; i < kept && !user; i++)
		if (object->users[i].pid == use->procfs->pid)
			user = &object->users[i];

	if (!user && object->last_user == use->procfs->pid)
		return;
	if (!user) {
		object->last_user = use->procfs->pid;
		object->user_count++;
		if (kept == PM_SHARED_USERS_KEPT)
			return;
		user = &object->users[kept];
		user->pid = use->procfs->pid;
		snprintf(user->comm, sizeof user->comm, "%s", use->comm);
	}

	if (use->open)
		user->open = true;
	else
		user->mapped = true;
}

/** Adds an object that a process uses. */
static int add_use(struct search *search, const struct sighting *sighting, bool linked,
                   const struct use *use, struct pm_error *error)
{
	enum pm_shared_kind kind = PM_SHARED_DELETED;
	int result;

	if (linked)
		kind = PM_SHARED_FILE;
	else if (sighting->key.device == search->internal)
		kind = kind_of(sighting->name);

	size_t index = find_object(search, sighting, kind, &result, error);
	if (index == SIZE_MAX)
		return result;

	/* An exact size replaces that of a mapping. */
	struct pm_shared_object *object = &search->found.items[index];
	if (object->at_most && (!sighting->at_most || sighting->bytes > object->bytes)) {
		object->bytes = sighting->bytes;
		object->at_most = sighting->at_most;
	}
	add_user(object, use);
	return 0;
}

/**
 * Checks the bounds before a descriptor or a mapping is examined.
 * @return 1 to continue, 0 if a bound is reached, -1 if the caller has cancelled
 */
static int check_bounds(struct search *search, struct pm_error *error)
{
	if (search->steps++ % CHECK_INTERVAL == 0) {
		if (pm_check_cancel(search->cancel, error) < 0)
			return -1;
		if (pm_clock_ns(CLOCK_MONOTONIC) >= search->deadline_ns)
			search->steps = STEPS_MAX;
	}
	if (search->steps < STEPS_MAX)
		return 1;

	search->found.incomplete = true;
	return 0;
}

/** Returns whether the file with this key is one of the largest files. */
static bool is_large_file(const struct search *search, struct pm_inode_key key)
{
	return pm_inode_set_find(&search->files, key) != SIZE_MAX;
}

/**
 * Examines a link of /proc to a file, without opening the file.
 *
 * @param fd     descriptor of the directory with the link
 * @param name   name of the link
 * @param key    receives which file it is
 * @param file   receives the attributes
 * @return       false if it is not a regular file, or cannot be examined
 */
static bool examine(int fd, const char *name, struct pm_inode_key *key, struct statx *file)
{
	if (pm_file_status_read(fd, name, 0, file) < 0 || !S_ISREG(file->stx_mode))
		return false;

	key->device = makedev(file->stx_dev_major, file->stx_dev_minor);
	key->inode = file->stx_ino;
	return true;
}

/** Adds the object of a descriptor, if it is one. */
static int add_descriptor(struct search *search, int fd, const char *number, struct use *use,
                          struct pm_error *error)
{
	struct sighting sighting = { 0 };
	struct statx file;
	char name[PATH_MAX];

	if (!examine(fd, number, &sighting.key, &file))
		return 0;

	bool internal = sighting.key.device == search->internal && search->internal != 0;
	bool linked = !internal && file.stx_nlink > 0;
	if (!internal && !is_mount(search->tmpfs, sighting.key.device))
		return 0;
	if (linked && !is_large_file(search, sighting.key))
		return 0;

	if (pm_file_link_read(fd, number, name) < 0)
		return 0;
	sighting.name = name;
	sighting.bytes = file.stx_blocks * BLOCK_SIZE;
	use->open = true;

	return add_use(search, &sighting, linked, use, error);
}

/** Adds the objects of the descriptors of a process. */
static int add_descriptors(struct search *search, struct use *use, bool *readable,
                           struct pm_error *error)
{
	int fd = pm_procfs_open_file(use->procfs, "fd", O_RDONLY | O_DIRECTORY);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	if (!directory) {
		int cause = errno;
		if (fd >= 0)
			close(fd);
		*readable = *readable && cause != EACCES && cause != EPERM;
		return pm_errno_is_ours(cause) ? pm_error_no_resources(cause, error) : 0;
	}

	int result = 1;
	struct dirent *entry;
	while (result > 0 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		result = check_bounds(search, error);
		if (result > 0 && add_descriptor(search, fd, entry->d_name, use, error) < 0)
			result = -1;
	}

	closedir(directory);
	return result < 0 ? -1 : 0;
}

/** Adds the object of a mapping, if it is one. */
static int add_mapping(struct search *search, const struct pm_region *region, struct use *use,
                       struct pm_error *error)
{
	struct sighting sighting = {
		.key = { makedev(region->device_major, region->device_minor), region->inode },
		.name = region->mapping,
		.bytes = region->end - region->start,
		.at_most = true,
	};
	struct pm_inode_key key;
	struct statx file;
	char link[64];

	bool internal = sighting.key.device == search->internal && search->internal != 0;
	if (region->inode == 0 || (!internal && !is_mount(search->tmpfs, sighting.key.device)))
		return 0;
	bool linked = !internal && !region->deleted;
	if (linked && !is_large_file(search, sighting.key))
		return 0;

	snprintf(link, sizeof link, "map_files/%" PRIx64 "-%" PRIx64, region->start, region->end);
	if (examine(use->procfs->fd, link, &key, &file) && key.device == sighting.key.device &&
	    key.inode == sighting.key.inode) {
		sighting.bytes = file.stx_blocks * BLOCK_SIZE;
		sighting.at_most = false;
	}
	use->open = false;

	return add_use(search, &sighting, linked, use, error);
}

/** Adds the objects that a process maps. */
static int add_mappings(struct search *search, struct use *use, bool *readable,
                        struct pm_error *error)
{
	struct pm_lines lines;
	struct pm_error ended = { 0 };
	char *line;
	size_t length;
	int fd = pm_memory_file_open(use->procfs, "maps", O_RDONLY);
	if (fd < 0) {
		*readable = *readable && errno != EACCES && errno != EPERM;
		return pm_errno_is_ours(errno) ? pm_error_no_resources(errno, error) : 0;
	}

	/* An error of reading means that the process has ended. */
	int result = pm_lines_init(&lines, fd, error);
	bool more = result == 0;
	while (more && pm_lines_next(&lines, &line, &length, &ended) > 0) {
		struct pm_region region;
		if (!pm_maps_line_parse(line, length, &region) || region.inode == 0)
			continue;
		result = check_bounds(search, error);
		more = result > 0;
		if (more && add_mapping(search, &region, use, error) < 0)
			result = -1;
		more = more && result >= 0;
	}

	pm_lines_deinit(&lines);
	close(fd);
	return result < 0 ? -1 : 0;
}

/** Returns whether a process is in another IPC namespace; false also if it is not known. */
static bool has_other_ipc(const struct pm_procfs *procfs, const char *own)
{
	char link[64];
	ssize_t length = readlinkat(procfs->fd, "ns/ipc", link, sizeof link - 1);
	if (length <= 0 || *own == '\0')
		return false;

	link[length] = '\0';
	return strcmp(link, own) != 0;
}

/** Adds the objects of one process. */
static int add_process(struct search *search, const char *proc_root, pid_t pid, const char *own_ipc,
                       struct pm_error *error)
{
	char comm[PM_COMM_SIZE] = "";
	struct pm_procfs procfs;
	bool readable = true;

	if (pm_procfs_open(&procfs, proc_root, pid) < 0)
		return pm_errno_is_ours(errno) ? pm_error_no_resources(errno, error) : 0;

	struct use use = { .procfs = &procfs, .comm = comm };
	pm_comm_read(&procfs, "comm", comm);
	int result = add_descriptors(search, &use, &readable, error);
	if (result == 0)
		result = add_mappings(search, &use, &readable, error);

	search->found.processes++;
	search->found.unreadable += !readable;
	search->found.other_ipc += has_other_ipc(&procfs, own_ipc);
	pm_procfs_close(&procfs);
	return result;
}

/** Adds the System V segments of the own IPC namespace. Nothing is added if there is no file. */
static int add_segments(struct search *search, const char *proc_root, struct pm_error *error)
{
	struct pm_sysv_segment segment;
	char *path, *text;
	if (asprintf(&path, "%s/sysvipc/shm", proc_root) < 0)
		return pm_error_out_of_memory(error);

	int fd = open(path, O_RDONLY | O_CLOEXEC), result = 0;
	free(path);
	if (fd < 0)
		return 0;
	int failed = pm_read_all(fd, SYSV_TEXT_MAX, &text, NULL, NULL);
	close(fd);
	if (failed < 0)
		return 0;

	const char *at = text;
	while (result == 0 && pm_sysv_segments_next(&at, &segment)) {
		char name[32];
		struct sighting sighting = { .key = { search->internal, segment.id },
			                     .name = name,
			                     .bytes = segment.bytes };
		snprintf(name, sizeof name, "/SYSV%08" PRIx32, (uint32_t)segment.key);
		size_t index = find_object(search, &sighting, PM_SHARED_SYSV, &result, error);
		if (index != SIZE_MAX)
			search->found.items[index].attachments = segment.attached;
	}

	free(text);
	return result;
}

/** Finds the device of the kernel's own tmpfs. Returns 0 if memfd_create(2) is not available. */
static uint64_t find_internal(void)
{
	struct stat file;
	int fd = memfd_create("procmem", MFD_CLOEXEC);
	if (fd < 0)
		return 0;

	uint64_t device = fstat(fd, &file) == 0 ? file.st_dev : 0;
	close(fd);
	return device;
}

static int add_large_files(struct search *search, struct pm_error *error)
{
	const struct pm_tmpfs *tmpfs = search->tmpfs;

	for (size_t i = 0; tmpfs && i < tmpfs->file_count; i++) {
		size_t mount = tmpfs->folders[tmpfs->files[i].folder].mount;
		struct pm_inode_key key = { tmpfs->mounts[mount].device, tmpfs->files[i].inode };
		if (pm_inode_set_add(&search->files, key, i, error) < 0)
			return -1;
	}

	return 0;
}

static int compare_objects(const void *one, const void *other)
{
	const struct pm_shared_object *a = one, *b = other;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->inode > b->inode) - (a->inode < b->inode);
}

/** Sorts the objects, and adds up their sizes. */
static void finish(struct pm_shared_objects *found)
{
	if (found->count > 0)
		qsort(found->items, found->count, sizeof *found->items, compare_objects);

	for (size_t i = 0; i < found->count; i++) {
		const struct pm_shared_object *object = &found->items[i];
		bool of_others = object->user_count == 0 && object->attachments > 0;

		if (object->kind == PM_SHARED_FILE || of_others)
			continue;
		if (__builtin_add_overflow(found->bytes, object->bytes, &found->bytes))
			found->bytes = UINT64_MAX;
	}
}

int pm_shared_objects_read(const char *proc_root, const pid_t *pids, size_t count,
                           const struct pm_tmpfs *tmpfs, const volatile sig_atomic_t *cancel,
                           struct pm_shared_objects *objects, struct pm_error *error)
{
	const char *root = proc_root ? proc_root : "/proc";
	uint64_t limit = (uint64_t)SECONDS_MAX * PM_NS_PER_SECOND;
	struct search search = { .tmpfs = tmpfs,
		                 .cancel = cancel,
		                 .internal = find_internal(),
		                 .deadline_ns = pm_clock_ns(CLOCK_MONOTONIC) + limit };
	char own_ipc[64] = "";
	ssize_t length = readlink("/proc/self/ns/ipc", own_ipc, sizeof own_ipc - 1);

	own_ipc[length > 0 ? length : 0] = '\0';
	int result = add_large_files(&search, error);
	if (result == 0)
		result = add_segments(&search, root, error);
	for (size_t i = 0; result == 0 && i < count; i++)
		result = add_process(&search, root, pids[i], own_ipc, error);

	pm_inode_set_deinit(&search.known);
	pm_inode_set_deinit(&search.files);
	if (result < 0) {
		pm_shared_objects_deinit(&search.found);
		return -1;
	}

	finish(&search.found);
	*objects = search.found;
	return 0;
}

const char *pm_shared_objects_kind(enum pm_shared_kind kind)
{
	return kind_names[kind];
}

void pm_shared_objects_deinit(struct pm_shared_objects *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		free(objects->items[i].name);
	free(objects->items);
	*objects = (struct pm_shared_objects){ 0 };
}
