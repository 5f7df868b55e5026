/* SPDX-License-Identifier: MIT */
#include <procmem/maps.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/gunzip.h"
#include "proc/access.h"
#include "proc/cached_lookup.h"
#include "proc/process.h"
#include "proc/process_handle.h"
#include "region/maps_stream.h"

static int check_source(enum pm_maps_source source, bool with_fields, const char *name,
                        struct pm_error *error)
{
	if (source == PM_SMAPS && !with_fields)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is a maps file, which has no fields such as Rss: use a "
		                    "smaps file",
		                    name);
	if (source == PM_MAPS && with_fields)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is a smaps file: use a maps file", name);
	return 0;
}

/**
 * Reads a saved stream, which must not be empty. On failure, the list is unchanged, and the text of
 * the error starts with "cannot use NAME".
 */
static int read_named(int fd, const char *name, struct pm_regions *regions, bool *with_fields,
                      struct pm_error *error)
{
	size_t before = regions->count;
	if (pm_maps_stream_read(fd, PM_MAPS_SAVED, regions, with_fields, error) < 0) {
		regions->count = before;
		return pm_error_prefix(error, "cannot use %s: ", name);
	}
	if (regions->count == before)
		return pm_error_set(error, PM_ERROR_FORMAT, 0, "cannot use %s: it is empty", name);
	return 0;
}

int pm_maps_read_fd(int fd, enum pm_maps_source source, const char *name,
                    struct pm_regions *regions, struct pm_error *error)
{
	bool with_fields;
	size_t before = regions->count;
	if (read_named(fd, name, regions, &with_fields, error) < 0)
		return -1;
	if (check_source(source, with_fields, name, error) == 0)
		return 0;

	regions->count = before;
	return -1;
}

/** Result of reading maps or smaps of a living process once. */
enum live_result {
	LIVE_FAILED = -1, /* reading failed, and `error` is filled */
	/* The process is alive, but the text was empty or incomplete, because the thread through
	 * which the file was read has just exited. */
	LIVE_INCOMPLETE,
	LIVE_DONE,
};

/** Reads maps or smaps once. The list is changed only if the result is LIVE_DONE. */
static enum live_result read_live(struct pm_process *process, enum pm_maps_source source,
                                  struct pm_regions *regions, struct pm_error *error)
{
	const char *name = source == PM_SMAPS ? "smaps" : "maps";
	size_t before = regions->count;
	int fd;
	if (pm_process_open_file(process, name, O_RDONLY, &fd, error) < 0)
		return LIVE_FAILED;

	bool with_fields = false;
	struct pm_error cause = { 0 };
	int result = pm_maps_stream_read(fd, PM_MAPS_LIVE, regions, &with_fields, &cause);
	close(fd);

	/* If the address space is released during the read, the file ends early, without an error.
	 * If the process still has its memory after the read, the text is complete. */
	if (pm_process_check(process, error) < 0)
		goto failed;
	if (result == 0 && regions->count > before) {
		if (check_source(source, with_fields, name, error) < 0)
			goto failed;
		return LIVE_DONE;
	}
	regions->count = before;
	if (result == 0 || cause.kind == PM_ERROR_GONE)
		return LIVE_INCOMPLETE;

	pm_error_set(error, cause.kind, cause.os_errno, "cannot use %s of process %d: %s", name,
	             (int)process->procfs.pid, cause.text);
	return LIVE_FAILED;
failed:
	regions->count = before;
	return LIVE_FAILED;
}

/**
 * Appends " (deleted)" to the name of a region, and tests whether a file with this path exists and
 * has the inode of the region. The server of a file system is not asked: the path of a file that is
 * mapped is in the memory of the kernel.
 * @param root  path of the link to the root directory of the target, relative to /proc/PID
 * @return      the path, owned by `regions`; NULL if there is no such file, or if out of memory
 */
static const char *whole_name(const struct pm_procfs *procfs, const char *root,
                              struct pm_regions *regions, const struct pm_region *region)
{
	char path[PATH_MAX + 16];
	struct statx status;
	int length = snprintf(path, sizeof path, "%s (deleted)", region->mapping);
	if (length < 0 || (size_t)length >= sizeof path)
		return NULL;

	int fd = pm_cached_lookup(procfs, root, path, O_NOFOLLOW);
	if (fd < 0)
		return NULL;

	int result = statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status);
	close(fd);
	if (result < 0 || status.stx_ino != region->inode)
		return NULL;

	return pm_regions_text(regions, path, (size_t)length);
}

/**
 * Restores the names of existing files that really end in " (deleted)". The kernel also appends
 * these characters to the name of a mapped file that was unlinked, and the parser has removed them
 * in both cases. This function looks up the name with the suffix in the root directory of the
 * process. If a file with the same inode exists, the region receives the name with the suffix and
 * is no longer marked as deleted.
 * @param first  index of the first region to check
 */
static void restore_names(struct pm_process *process, struct pm_regions *regions, size_t first)
{
	/* Adjacent regions that map the same file share the text of its name, so comparing pointers
	 * is sufficient to look up each name only once. */
	const char *looked_up = NULL;
	char root[48] = "";
	const char *name = NULL;
	uint64_t inode = 0;

	for (size_t i = first; i < regions->count; i++) {
		struct pm_region *region = &regions->items[i];
		if (!region->deleted || region->mapping[0] != '/')
			continue;

		/* A dead first thread has no root directory, so another thread is used. */
		if (root[0] == '\0')
			snprintf(root, sizeof root, "task/%d/root",
			         (int)pm_process_memory_thread(process));

		if (region->mapping != looked_up || region->inode != inode) {
			looked_up = region->mapping;
			inode = region->inode;
			name = whole_name(&process->procfs, root, regions, region);
		}

		if (name) {
			region->mapping = name;
			region->deleted = false;
		}
	}
}

/**
 * Tests whether maps shows a name in the same way as another one: with `\012` in place of newlines.
 * @param parsed  a name in which the parser has replaced each `\012` by a newline
 */
static bool looks_like(const char *name, const char *parsed)
{
	static const char escape[] = "\\012";
	enum { ESCAPE_LENGTH = sizeof escape - 1 };

	for (; *parsed != '\0'; parsed++) {
		if (*parsed == '\n' && strncmp(name, escape, ESCAPE_LENGTH) == 0)
			name += ESCAPE_LENGTH;
		else if (*name == *parsed)
			name++;
		else
			return false;
	}

	return *name == '\0';
}

/**
 * Reads the name of a mapped file from its link in map_files/.
 * @return the name, owned by `regions`; NULL if the link cannot be read or belongs to another file,
 *         or if out of memory
 */
static const char *linked_name(const struct pm_procfs *procfs, struct pm_regions *regions,
                               const struct pm_region *region)
{
	static const char suffix[] = " (deleted)";
	enum { SUFFIX_LENGTH = sizeof suffix - 1 };
	char link[64], name[PATH_MAX + SUFFIX_LENGTH];

	snprintf(link, sizeof link, "map_files/%" PRIx64 "-%" PRIx64, region->start, region->end);
	ssize_t length = readlinkat(procfs->fd, link, name, sizeof name);
	if (region->deleted)
		length -= SUFFIX_LENGTH;
	if (length <= 0 || (size_t)length >= sizeof name)
		return NULL;

	name[length] = '\0';
	if (!looks_like(name, region->mapping))
		return NULL;
	return pm_regions_text(regions, name, (size_t)length);
}

/**
 * Restores the names of files that contain the four characters `\012`. maps shows a newline in the
 * same way, and the parser has replaced the characters in both cases.
 * @param first  index of the first region to check
 */
static void restore_escapes(struct pm_process *process, struct pm_regions *regions, size_t first)
{
	/* As in restore_names(), each name is looked up only once. */
	const char *looked_up = NULL, *name = NULL;
	uint64_t inode = 0;

	for (size_t i = first; i < regions->count; i++) {
		struct pm_region *region = &regions->items[i];
		if (region->inode == 0 || !strchr(region->mapping, '\n'))
			continue;

		if (region->mapping != looked_up || region->inode != inode) {
			looked_up = region->mapping;
			inode = region->inode;
			name = linked_name(&process->procfs, regions, region);
		}

		if (name)
			region->mapping = name;
	}
}

int pm_maps_read(struct pm_process *process, enum pm_maps_source source, struct pm_regions *regions,
                 struct pm_error *error)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	size_t before = regions->count;
	enum live_result result = LIVE_INCOMPLETE;

	for (int tries = 0; tries < PM_TRIES_MAX && result == LIVE_INCOMPLETE; tries++) {
		/* Wait before a retry. An exiting first thread has lost its memory some time before
		 * its state is reported as dead, and pm_process_open_file() uses another thread
		 * only once the state is dead. A kernel thread or zombie has no memory, so do not
		 * retry. */
		if (tries > 0 && (process->kernel_thread || process->was_dead))
			break;
		if (tries > 0)
			nanosleep(&pause, NULL);
		result = read_live(process, source, regions, error);
	}

	if (result == LIVE_INCOMPLETE)
		return pm_access_explain(process->procfs.root, process->procfs.pid,
		                         "read the maps of", 0, error);
	if (result == LIVE_FAILED)
		return -1;

	/* The lookup of the other names needs the right characters, so restore these first. */
	restore_escapes(process, regions, before);
	restore_names(process, regions, before);
	return 0;
}

/**
 * Opens a saved file. If the path is a directory, opens smaps in this directory, or maps if there
 * is no smaps.
 * @return a descriptor, or -1 with `error` filled
 */
static int open_saved(const char *path, struct pm_error *error)
{
	static const char *const names[] = { "smaps", "smaps.gz", "maps", "maps.gz" };
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0) {
		int cause = errno;
		if (fd >= 0)
			close(fd);
		return pm_error_set(error, cause == ENOENT ? PM_ERROR_NOT_FOUND : PM_ERROR_IO,
		                    cause, "cannot open %s: %s", path, strerror(cause));
	}

	if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode))
		return fd;

	int inner = -1;
	for (size_t i = 0; S_ISDIR(status.st_mode) && inner < 0 && i < sizeof names / sizeof *names;
	     i++)
		inner = openat(fd, names[i], O_RDONLY | O_CLOEXEC);

	close(fd);
	if (inner >= 0)
		return inner;

	if (S_ISDIR(status.st_mode))
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "the directory %s contains neither smaps nor maps", path);

	return pm_error_set(error, PM_ERROR_FORMAT, 0, "%s is neither a file nor a directory",
	                    path);
}

/**
 * Maximum size of a decompressed file: the smaps of as many regions as the kernel allows by default
 * (65,530) has less than 64 MiB. A small file of untrusted origin must not use up the memory.
 */
static const uint64_t plain_max = UINT64_C(512) << 20;

/**
 * Replaces a file by its decompressed content, if it is compressed.
 * @param fd     the file; closed, also on failure, if it is replaced
 * @return       0 or -1
 */
static int decompress(int *fd, const char *path, struct pm_error *error)
{
	enum pm_compression format = pm_gunzip_format(*fd);
	int result = -1, plain = -1;

	if (format == PM_COMPRESSION_NONE)
		return 0;

	if (format != PM_COMPRESSION_GZIP)
		pm_error_set(
			error, PM_ERROR_FORMAT, 0,
			"is compressed, but not with gzip: decompress it first, with 'zstd -d', "
			"'xz -d' or 'lz4 -d'; 'coredumpctl dump -o core PID' does this for a "
			"core file of systemd-coredump");
	else
		result = pm_gunzip(*fd, plain_max, &plain, error);
	close(*fd);
	*fd = plain;
	if (result < 0)
		pm_error_prefix(error, "cannot use %s: it ", path);
	return result;
}

/**
 * Waits until a pipe has data, or its writer has closed it. A named pipe that was opened without
 * waiting has no writer yet, and would read as empty.
 * @return 0 or -1
 */
static int await_data(int fd, const char *path, struct pm_error *error)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	if (poll(&wait, 1, -1) >= 0)
		return 0;

	return pm_error_set(error, PM_ERROR_IO, errno, "waiting for the writer of %s failed: %s",
	                    path, strerror(errno));
}

int pm_maps_read_saved(const char *path, struct pm_regions *regions, enum pm_maps_source *source,
                       struct pm_error *error)
{
	int fd = open_saved(path, error);
	if (fd < 0)
		return -1;
	if (decompress(&fd, path, error) < 0)
		return -1;

	/* A pipe can be read only once, from this descriptor: no other function may open it.
	 * The file was opened with O_NONBLOCK. Remove this flag, so that reading from a pipe waits
	 * for its writer. */
	int flags = fcntl(fd, F_GETFL);
	if (flags >= 0)
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);

	bool with_fields;
	int result = await_data(fd, path, error);
	if (result == 0)
		result = read_named(fd, path, regions, &with_fields, error);
	close(fd);
	if (result == 0)
		*source = with_fields ? PM_SMAPS : PM_MAPS;
	return result;
}
