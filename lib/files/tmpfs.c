/* SPDX-License-Identifier: MIT */
/*
 * Finds the tmpfs mounts of a process, opens each file system once, and walks through it. A mount
 * point is opened component by component without following symbolic links: in a container, a path
 * belongs to untrusted processes.
 */
#include <procmem/tmpfs.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "files/folder_walk.h"
#include "proc/mountinfo.h"

/** Maximum number of mounts that are read; the default of fs.mount-max is 100,000. */
enum { MOUNTS_MAX = 100000 };

/** Maximum number of different parts of one file system that are walked. */
enum { PARTS_MAX = 64 };

/** A mount of a tmpfs. */
struct candidate {
	uint64_t id, device; /* as in struct pm_mount */
	char *root, *point;  /* owned */
	size_t order;        /* index in mountinfo */
};

/** The tmpfs mounts that one process sees. */
struct candidates {
	struct candidate *items; /* owned */
	size_t count, capacity;
	char **names; /* last parts of all mount points, owned */
	size_t name_count, name_capacity;
	struct candidate *remote; /* mounts of file systems of a server; owned */
	size_t remote_count, remote_capacity;
};

static void candidates_deinit(struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++) {
		free(candidates->items[i].root);
		free(candidates->items[i].point);
	}
	for (size_t i = 0; i < candidates->name_count; i++)
		free(candidates->names[i]);
	for (size_t i = 0; i < candidates->remote_count; i++)
		free(candidates->remote[i].point);

	free(candidates->items);
	free(candidates->names);
	free(candidates->remote);
}

/** Returns whether a server must be asked for the files of a file system. */
static bool is_remote(const char *type)
{
	static const char *const types[] = {
		"fuse", "nfs", "cifs", "smb", "ceph", "afs", "autofs"
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strncmp(type, types[i], strlen(types[i])) == 0)
			return strcmp(type, "fusectl") != 0 && strcmp(type, "nfsd") != 0;
	return false;
}

/** Adds the name of a mount point. */
static int add_name(struct candidates *candidates, const char *point, struct pm_error *error)
{
	const char *slash = strrchr(point, '/');

	if (pm_array_reserve(&candidates->names, &candidates->name_capacity, candidates->name_count,
	                     1, sizeof *candidates->names, error) < 0)
		return -1;

	char *name = strdup(slash ? slash + 1 : point);
	if (!name)
		return pm_error_out_of_memory(error);
	candidates->names[candidates->name_count++] = name;
	return 0;
}

/** Adds a mount of a file system of a server. */
static int add_remote(struct candidates *candidates, const struct pm_mount *mount,
                      struct pm_error *error)
{
	if (pm_array_reserve(&candidates->remote, &candidates->remote_capacity,
	                     candidates->remote_count, 1, sizeof *candidates->remote, error) < 0)
		return -1;

	struct candidate remote = { .point = strdup(mount->point),
		                    .order = candidates->name_count };
	if (!remote.point)
		return pm_error_out_of_memory(error);
	candidates->remote[candidates->remote_count++] = remote;
	return 0;
}

static int add_candidate(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	struct candidates *candidates = context;
	bool is_tmpfs = strcmp(mount->type, "tmpfs") == 0 || strcmp(mount->type, "devtmpfs") == 0;

	if (candidates->name_count >= MOUNTS_MAX)
		return 0;
	if (add_name(candidates, mount->point, error) < 0)
		return -1;
	if (is_remote(mount->type) && strcmp(mount->point, "/") != 0)
		return add_remote(candidates, mount, error);
	if (!is_tmpfs || mount->device == 0)
		return 0;
	if (pm_array_reserve(&candidates->items, &candidates->capacity, candidates->count, 1,
	                     sizeof *candidates->items, error) < 0)
		return -1;

	struct candidate candidate = { .id = mount->id,
		                       .device = mount->device,
		                       .root = strdup(mount->root),
		                       .point = strdup(mount->point),
		                       .order = candidates->name_count };
	candidates->items[candidates->count++] = candidate;
	if (!candidate.root || !candidate.point)
		return pm_error_out_of_memory(error);

	return 0;
}

/** Orders mounts by file system; those that show the largest part of it are first. */
static int compare_candidates(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	size_t a_length = strlen(a->root), b_length = strlen(b->root);

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/** Returns whether a directory is the same as another directory, or below it. */
static bool is_below(const char *folder, const char *above)
{
	size_t length = strlen(above);

	if (strcmp(above, "/") == 0)
		return true;
	return strncmp(folder, above, length) == 0 &&
	       (folder[length] == '/' || folder[length] == '\0');
}

/** From where the mount points of the process are opened. */
struct view {
	int root; /* root directory of the process, or of this process if `own` is set */
	const struct candidates *all; /* all mounts of the process */
	int cause;             /* errno if the root of the process could not be opened, or 0 */
	struct candidates own; /* if the root could not be opened: the mounts of this process */
};

static bool has_mount(const struct candidates *candidates, uint64_t id)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (candidates->items[i].id == id)
			return true;
	return false;
}

/**
 * Opens a directory below another one, without following symbolic links.
 * @return an O_PATH descriptor, or -1 with errno set
 */
static int open_path(int root, const char *path)
{
	enum { OPEN_PART = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
	int fd = openat(root, ".", OPEN_PART);
	const char *at = path + strspn(path, "/");

	while (fd >= 0 && *at != '\0') {
		char name[NAME_MAX + 1];
		size_t length = strcspn(at, "/");
		if (length >= sizeof name) {
			close(fd);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, at, length);
		name[length] = '\0';
		at += length;
		at += strspn(at, "/");

		/* mountinfo shows resolved paths; `..` would lead out of the root directory. */
		int next = -1, cause = ENOENT;
		if (strcmp(name, "..") != 0) {
			next = openat(fd, name, OPEN_PART);
			cause = errno;
		}
		close(fd);
		fd = next;
		errno = cause;
	}

	return fd;
}

/**
 * Returns why a mount point cannot be opened without asking a server: EREMOTE if a directory above
 * it is on that server, EXDEV if the file system of the server is mounted over it; 0 otherwise.
 */
static int find_remote(const struct candidates *all, const struct candidate *candidate)
{
	for (size_t i = 0; i < all->remote_count; i++) {
		const struct candidate *remote = &all->remote[i];

		if (strcmp(candidate->point, remote->point) != 0) {
			if (is_below(candidate->point, remote->point))
				return EREMOTE;
		} else if (remote->order > candidate->order) {
			return EXDEV;
		}
	}

	return 0;
}

/**
 * Opens a mount point.
 * @return an O_PATH descriptor, or -1 with errno set: EXDEV if another file system is above it,
 *         EREMOTE if its path leads through a file system whose server may not answer
 */
static int open_mount(const struct view *view, const struct candidate *candidate)
{
	struct stat opened;

	if (view->cause != 0 && !has_mount(&view->own, candidate->id)) {
		errno = view->cause;
		return -1;
	}

	int cause = find_remote(view->all, candidate);
	if (cause != 0) {
		errno = cause;
		return -1;
	}

	int fd = open_path(view->root, candidate->point);
	if (fd < 0)
		return -1;
	if (fstat(fd, &opened) == 0 && opened.st_dev == candidate->device)
		return fd;

	close(fd);
	errno = EXDEV;
	return -1;
}

/** Reads the limits and the usage of the file system. They stay 0 if statfs(2) fails. */
static void read_limits(struct pm_tmpfs_mount *mount, int fd)
{
	struct statfs usage;
	if (fstatfs(fd, &usage) < 0)
		return;

	uint64_t block = (uint64_t)usage.f_bsize;
	if (usage.f_blocks > 0 && usage.f_blocks >= usage.f_bfree) {
		mount->size_max = usage.f_blocks * block;
		mount->used = (usage.f_blocks - usage.f_bfree) * block;
	}
	if (usage.f_files > 0 && usage.f_files >= usage.f_ffree) {
		mount->inodes_max = usage.f_files;
		mount->inodes_used = usage.f_files - usage.f_ffree;
	}
}

/** State while the mounts of a process are walked. */
struct reading {
	struct pm_tmpfs tmpfs;
	size_t capacity; /* allocated elements of tmpfs.mounts */
	struct pm_folder_walk walk;
	struct view view;
};

/**
 * Adds a mount, and walks through it if it could be opened.
 *
 * @param reading    receives the mount
 * @param candidate  the mount
 * @param fd         descriptor of the mount point, which is closed; or -1
 * @param cause      errno if it could not be opened, or 0
 * @param error      PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return           0 or -1
 */
static int add_mount(struct reading *reading, const struct candidate *candidate, int fd, int cause,
                     struct pm_error *error)
{
	struct pm_tmpfs *tmpfs = &reading->tmpfs;
	struct pm_tmpfs_mount mount = { .device = candidate->device,
		                        .cause = cause,
		                        .root = SIZE_MAX };
	int result = -1;

	mount.point = strdup(candidate->point);
	if (!mount.point || pm_array_reserve(&tmpfs->mounts, &reading->capacity, tmpfs->mount_count,
	                                     1, sizeof *tmpfs->mounts, error) < 0) {
		free(mount.point);
		pm_error_out_of_memory(error);
	} else {
		if (fd >= 0)
			read_limits(&mount, fd);
		else
			tmpfs->unreadable++;
		tmpfs->mounts[tmpfs->mount_count++] = mount;
		result = 0;
	}

	if (result == 0 && fd >= 0)
		result = pm_folder_walk_add(&reading->walk, tmpfs->mount_count - 1, fd, error);
	if (fd >= 0)
		close(fd);

	return result;
}

/** The directories of one file system that were walked. */
struct parts {
	const char *roots[PARTS_MAX];
	size_t count;
};

static bool is_walked(const struct parts *parts, const char *root)
{
	for (size_t i = 0; i < parts->count; i++)
		if (is_below(root, parts->roots[i]))
			return true;
	return false;
}

/**
 * Adds the mounts of one file system. A mount that shows a part that was walked already is only
 * counted.
 *
 * @param reading  receives the mounts
 * @param items    the mounts, with the largest parts first
 * @param count    number of mounts, at least 1
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
static int add_device(struct reading *reading, const struct candidate *items, size_t count,
                      struct pm_error *error)
{
	size_t first = reading->tmpfs.mount_count, others = 0;
	struct parts parts = { 0 };
	int cause = 0;

	for (size_t i = 0; i < count; i++) {
		if (parts.count == PARTS_MAX || is_walked(&parts, items[i].root)) {
			others++;
			continue;
		}

		int fd = open_mount(&reading->view, &items[i]);
		if (fd < 0) {
			cause = i == 0 ? errno : cause;
			continue;
		}
		if (add_mount(reading, &items[i], fd, 0, error) < 0)
			return -1;
		parts.roots[parts.count++] = items[i].root;
	}

	if (parts.count == 0)
		return add_mount(reading, &items[0], -1, cause, error);

	reading->tmpfs.mounts[first].others = others;
	return 0;
}

/** Adds the mounts of all file systems. */
static int add_devices(struct reading *reading, struct candidates *candidates,
                       struct pm_error *error)
{
	if (candidates->count > 0)
		qsort(candidates->items, candidates->count, sizeof *candidates->items,
		      compare_candidates);

	for (size_t i = 0, end; i < candidates->count; i = end) {
		for (end = i + 1; end < candidates->count; end++)
			if (candidates->items[end].device != candidates->items[i].device)
				break;
		if (add_device(reading, candidates->items + i, end - i, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Opens the directory from which the mount points of a process are opened.
 *
 * @param process  the process
 * @param view     filled; release it with view_close()
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int view_open(struct pm_process *process, struct view *view, struct pm_error *error)
{
	struct pm_error cause = { 0 };

	*view = (struct view){ .root = -1 };
	if (pm_process_open_file(process, "root", O_PATH | O_DIRECTORY, &view->root, &cause) == 0)
		return 0;
	if (cause.kind != PM_ERROR_ACCESS && cause.kind != PM_ERROR_NOT_FOUND) {
		if (error)
			*error = cause;
		return -1;
	}

	view->cause = cause.os_errno ? cause.os_errno : EACCES;
	view->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return pm_mounts_visit(pm_process_root(process), add_candidate, &view->own, error);
}

static void view_close(struct view *view)
{
	candidates_deinit(&view->own);
	if (view->root >= 0)
		close(view->root);
}

/** Walks through the mounts. Everything that the reading owns but the result is released. */
static int read_mounts(struct reading *reading, struct pm_process *process,
                       struct candidates *candidates, const struct pm_tmpfs_options *options,
                       struct pm_error *error)
{
	int result = pm_folder_walk_init(&reading->walk, options, &reading->tmpfs, error);

	if (result == 0) {
		pm_folder_walk_set_mounts(&reading->walk, candidates->names,
		                          candidates->name_count);
		result = view_open(process, &reading->view, error);
	}
	reading->view.all = candidates;
	if (result == 0)
		result = add_devices(reading, candidates, error);
	pm_folder_walk_sum(&reading->tmpfs);

	view_close(&reading->view);
	pm_folder_walk_deinit(&reading->walk);
	return result;
}

int pm_tmpfs_read(struct pm_process *process, const struct pm_tmpfs_options *options,
                  struct pm_tmpfs *tmpfs, struct pm_error *error)
{
	static const struct pm_tmpfs_options defaults = { 0 };
	struct candidates candidates = { 0 };
	struct reading reading = { .view = { .root = -1 } };
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);
	int fd;

	if (pm_process_open_file(process, "mountinfo", O_RDONLY, &fd, error) < 0)
		return -1;

	reading.tmpfs.files = calloc(PM_TMPFS_FILES_KEPT, sizeof *reading.tmpfs.files);
	int result = reading.tmpfs.files ? 0 : pm_error_out_of_memory(error);
	if (result == 0)
		result = pm_mounts_visit_file(fd, add_candidate, &candidates, error);
	close(fd);

	if (result == 0)
		result = read_mounts(&reading, process, &candidates, options ? options : &defaults,
		                     error);
	candidates_deinit(&candidates);
	if (result < 0) {
		pm_tmpfs_deinit(&reading.tmpfs);
		return -1;
	}

	reading.tmpfs.time = (double)begin / PM_NS_PER_SECOND;
	reading.tmpfs.seconds = (double)(pm_clock_ns(CLOCK_MONOTONIC) - begin) / PM_NS_PER_SECOND;
	*tmpfs = reading.tmpfs;
	return 0;
}

char *pm_tmpfs_path(const struct pm_tmpfs *tmpfs, size_t folder, const char *name)
{
	const struct pm_tmpfs_folder *folders = tmpfs->folders;
	const char *point = tmpfs->mounts[folders[folder].mount].point;
	size_t point_length = strcmp(point, "/") == 0 ? 0 : strlen(point);
	size_t name_length = name ? strlen(name) : 0, length = point_length + 1 + name_length;

	for (size_t i = folder; folders[i].parent != i; i = folders[i].parent)
		length += strlen(folders[i].name) + 1;

	char *path = malloc(length + 1);
	if (!path)
		return NULL;

	/* The path is written from its end. */
	path[length] = '\0';
	length -= name_length;
	memcpy(path + length, name ? name : "", name_length);
	for (size_t i = folder; folders[i].parent != i; i = folders[i].parent) {
		size_t part = strlen(folders[i].name);
		path[--length] = '/';
		length -= part;
		memcpy(path + length, folders[i].name, part);
	}
	path[--length] = '/';
	memcpy(path, point, point_length);

	return path;
}

void pm_tmpfs_deinit(struct pm_tmpfs *tmpfs)
{
	for (size_t i = 0; i < tmpfs->mount_count; i++)
		free(tmpfs->mounts[i].point);
	for (size_t i = 0; i < tmpfs->folder_count; i++)
		free(tmpfs->folders[i].name);
	for (size_t i = 0; i < tmpfs->file_count; i++)
		free(tmpfs->files[i].name);

	free(tmpfs->mounts);
	free(tmpfs->folders);
	free(tmpfs->files);
	*tmpfs = (struct pm_tmpfs){ 0 };
}
