/* SPDX-License-Identifier: MIT */
/*
 * Who uses a file: targets that map and hold files in known ways, and saved trees for what the
 * machine of the test does not have. The sizes are compared with smaps of the target.
 */
#include <procmem/file_users.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <procmem/maps.h>

#include "support/target.h"
#include "support/tree.h"

#define KIB ((size_t)1024)

/** A file in a folder of its own. */
struct sample {
	char *folder;
	char *path;
};

static struct sample sample_create(size_t size)
{
	struct sample sample = { .folder = tree_create() };

	tree_write(sample.folder, "shared file", "%*s", (int)size, "");
	assert_true(asprintf(&sample.path, "%s/shared file", sample.folder) > 0);
	return sample;
}

static void sample_remove(struct sample *sample)
{
	tree_remove(sample->folder);
	free(sample->path);
}

static char *word(const char *use, const char *path)
{
	char *text;

	assert_true(asprintf(&text, "%s:%s", use, path) > 0);
	return text;
}

static struct pm_file_users read_users(const struct pm_file *files, size_t count)
{
	struct pm_file_users users = { 0 };
	struct pm_error error = { 0 };

	must(pm_file_users_read(files, count, NULL, &users, &error), &error);
	return users;
}

static struct pm_file_users users_of_path(const char *path)
{
	struct pm_file file;
	struct pm_file_state state;
	struct pm_error error = { 0 };

	must(pm_file_from_path(path, &file, &state, &error), &error);
	assert_true(state.known);
	return read_users(&file, 1);
}

/** Finds the identity of what is mapped in a region of a target. */
static struct pm_file_users users_of_region(const struct target *target, const char *name,
                                            enum pm_file_type type)
{
	uint64_t start, end;
	struct pm_process *process = open_process(target->pid);
	struct pm_regions regions;
	struct pm_file file;
	struct pm_file_state state;
	struct pm_error error = { 0 };

	target_range(target, name, &start, &end);
	pm_regions_init(&regions);
	must(pm_maps_read(process, PM_MAPS, &regions, &error), &error);
	const struct pm_region *region = pm_regions_find(&regions, start);
	assert_non_null(region);
	must(pm_file_from_region(process, region, &file, &state, &error), &error);
	assert_int_equal(file.type, type);

	struct pm_file_users users = read_users(&file, 1);
	pm_regions_deinit(&regions);
	pm_process_close(process);
	return users;
}

static const struct pm_file_user *find_user(const struct pm_file_users *users, pid_t pid)
{
	for (size_t i = 0; i < users->count; i++)
		if (users->items[i].pid == pid)
			return &users->items[i];
	return NULL;
}

/** Returns a size of smaps of the region that starts at an address, in bytes. */
static uint64_t smaps_size(pid_t pid, uint64_t address, const char *key)
{
	char path[64], start[32], *text;

	snprintf(path, sizeof path, "/proc/%d/smaps", (int)pid);
	snprintf(start, sizeof start, "%" PRIx64 "-", address);
	text = read_text(path, NULL);
	const char *at = strstr(text, start);
	assert_non_null(at);
	at = strstr(at, key);
	assert_non_null(at);
	uint64_t kilobytes = strtoull(at + strlen(key) + 1, NULL, 10);
	free(text);

	return kilobytes * KIB;
}

/** A writer, a reader, one that only holds a descriptor, and one that appends. */
static void files_on_disk(void **state)
{
	struct sample sample = sample_create(64 * KIB);
	char *write_word = word("write", sample.path), *read_word = word("read", sample.path);
	char *hold_word = word("hold", sample.path), *log_word = word("log", sample.path);
	struct target writer, reader, holder, logger;

	(void)state;
	target_start(&writer, "sharer", write_word, NULL);
	target_start(&reader, "sharer", read_word, hold_word, NULL);
	target_start(&holder, "sharer", hold_word, hold_word, NULL);
	target_start(&logger, "sharer", log_word, NULL);

	struct pm_file_users users = users_of_path(sample.path);
	assert_int_equal(users.count, 4);
	const struct pm_file_user *first = &users.items[0];
	assert_int_equal(first->pid, writer.pid);
	assert_true(pm_file_user_may_write(first));
	assert_int_equal(first->perms, PM_PERM_READ | PM_PERM_WRITE | PM_PERM_SHARED);
	assert_string_equal(first->comm, "sharer");
	assert_int_equal(first->fd_count, 0);
	assert_int_equal(first->mapped, 64 * KIB);
	assert_true(first->sizes_known);
	assert_int_equal(first->rss, 64 * KIB);
	assert_int_equal(first->pss, smaps_size(writer.pid, first->address, "Pss"));
	assert_int_equal(first->pss, 32 * KIB);

	assert_int_equal(users.items[1].pid, logger.pid);
	assert_int_equal(users.items[1].fds_writable, 1);
	assert_int_equal(users.items[1].fds[0], target_fact_number(&logger, "fd log"));
	assert_true(users.items[1].fd_writable[0]);
	assert_int_equal(users.items[1].mappings, 0);
	assert_true(users.items[1].written_known);

	assert_int_equal(users.items[2].pid, reader.pid);
	assert_int_equal(users.items[2].perms, PM_PERM_READ | PM_PERM_SHARED);
	assert_int_equal(users.items[2].fd_count, 1);
	assert_int_equal(users.items[3].pid, holder.pid);
	assert_int_equal(users.items[3].fd_count, 2);
	assert_int_equal(users.items[3].fds_writable, 0);
	assert_false(users.items[3].sizes_known);
	assert_false(pm_file_user_may_write(&users.items[3]));

	pm_file_users_deinit(&users);
	target_stop(&writer);
	target_stop(&reader);
	target_stop(&holder);
	target_stop(&logger);
	free(write_word);
	free(read_word);
	free(hold_word);
	free(log_word);
	sample_remove(&sample);
}

/** The offset and the bytes written advance with what the target writes. */
static void writing_advances(void **state)
{
	struct sample sample = sample_create(1);
	char *log_word = word("log", sample.path);
	struct target logger;

	(void)state;
	target_start(&logger, "sharer", log_word, NULL);
	struct pm_file_users before = users_of_path(sample.path);
	target_tell(&logger, "append 50000");
	struct pm_file_users after = users_of_path(sample.path);

	assert_int_equal(before.count, 1);
	assert_int_equal(after.count, 1);
	assert_true(after.items[0].written - before.items[0].written >= 50000);
	/* The first write sets the offset to the end of the file. */
	assert_int_equal(after.items[0].offsets, 50001);

	pm_file_users_deinit(&before);
	pm_file_users_deinit(&after);
	target_stop(&logger);
	free(log_word);
	sample_remove(&sample);
}

/* Folders in each other whose path is longer than the kernel returns for a link, and their names.
 */
enum { DEEP_LEVELS = 24, DEEP_NAME = 200 };

/** Creates the folders, and opens a new file in the last one. */
static int deep_open(const char *folder)
{
	char name[DEEP_NAME + 1];
	int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	snprintf(name, sizeof name, "%0*d", DEEP_NAME, 0);
	for (int i = 0; i < DEEP_LEVELS; i++) {
		assert_int_equal(mkdirat(at, name, 0700), 0);
		int below = openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		assert_true(below >= 0);
		close(at);
		at = below;
	}

	int fd = openat(at, "file", O_CREAT | O_RDWR, 0600);
	assert_true(fd >= 0);
	close(at);
	return fd;
}

/** Removes the folders: the lower half is moved up, so that all paths are short enough. */
static void deep_remove(char *folder)
{
	char path[PATH_MAX], *half;
	size_t length = (size_t)snprintf(path, sizeof path, "%s", folder);

	for (int i = 0; i < DEEP_LEVELS / 2; i++)
		length += (size_t)snprintf(path + length, sizeof path - length, "/%0*d", DEEP_NAME,
		                           0);
	assert_true(length < sizeof path);
	assert_true(asprintf(&half, "%s/half", folder) > 0);
	assert_int_equal(rename(path, half), 0);

	free(half);
	tree_remove(folder);
}

/** A child that inherits a descriptor is found although the link cannot be read. */
static void deep_paths(void **state)
{
	char *folder = tree_create(), link[64], name[PATH_MAX];
	int fd = deep_open(folder), ends[2];

	(void)state;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	assert_int_equal(readlink(link, name, sizeof name), -1);
	assert_int_equal(errno, ENAMETOOLONG);

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ends[1]);
		_exit(read(ends[0], name, 1) < 0);
	}

	struct pm_file_users users = users_of_path(link);
	assert_int_equal(users.count, 1);
	assert_int_equal(users.items[0].pid, child);
	assert_int_equal(users.items[0].fd_count, 1);
	assert_int_equal(users.items[0].fds[0], fd);
	pm_file_users_deinit(&users);

	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(fd);
	deep_remove(folder);
}

/** A mapping stays when the file is deleted; a new file with the name is another one. */
static void deleted_files(void **state)
{
	struct sample sample = sample_create(16 * KIB);
	char *read_word = word("read", sample.path);
	struct target old, new;

	(void)state;
	target_start(&old, "sharer", read_word, NULL);
	assert_int_equal(unlink(sample.path), 0);
	tree_write(sample.folder, "shared file", "%*s", 16 * 1024, "");
	target_start(&new, "sharer", read_word, NULL);

	struct pm_file_users users = users_of_region(&old, "read", PM_FILE_REGULAR);
	assert_int_equal(users.count, 1);
	assert_int_equal(users.items[0].pid, old.pid);
	pm_file_users_deinit(&users);

	users = users_of_path(sample.path);
	assert_int_equal(users.count, 1);
	assert_int_equal(users.items[0].pid, new.pid);
	pm_file_users_deinit(&users);

	target_stop(&old);
	target_stop(&new);
	free(read_word);
	sample_remove(&sample);
}

/** Memory without a file that a child inherits: both use it, and the type is known. */
static void shared_with_a_child(void **state)
{
	static const struct {
		const char *use, *name;
		enum pm_file_type type;
	} sorts[] = {
		{ "memfd:65536", "memfd", PM_FILE_MEMFD },
		{ "sysv:65536", "sysv", PM_FILE_SYSV },
		{ "posix:65536", "posix", PM_FILE_TMPFS },
		{ "anonymous:65536", "anonymous", PM_FILE_SHARED_ANONYMOUS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
		struct target target;

		target_start(&target, "sharer", sorts[i].use, "child", NULL);
		pid_t child = (pid_t)target_fact_number(&target, "child");
		struct pm_file_users users = users_of_region(&target, sorts[i].name, sorts[i].type);

		assert_int_equal(users.count, 2);
		const struct pm_file_user *own = find_user(&users, target.pid);
		const struct pm_file_user *inherited = find_user(&users, child);
		assert_non_null(own);
		assert_non_null(inherited);
		assert_true(pm_file_user_may_write(inherited));
		assert_int_equal(own->rss, 65536);
		assert_int_equal(own->pss, smaps_size(target.pid, own->address, "Pss"));
		assert_int_equal(inherited->mapped, 65536);
		assert_int_equal(own->fd_count, sorts[i].type == PM_FILE_MEMFD);
		assert_int_equal(inherited->fd_count, own->fd_count);

		pm_file_users_deinit(&users);
		target_stop(&target);
	}
}

/** The descriptor of a memfd leads to all that map it. */
static void memfd_by_its_link(void **state)
{
	struct target maker, user;
	char link[64];

	(void)state;
	target_start(&maker, "sharer", "memfd:32768", NULL);
	snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)maker.pid,
	         (int)target_fact_number(&maker, "fd memfd"));
	char *read_word = word("read", link);
	target_start(&user, "sharer", read_word, NULL);

	struct pm_file_users users = users_of_path(link);
	assert_int_equal(users.count, 2);
	assert_int_equal(users.items[0].pid, maker.pid);
	assert_int_equal(users.items[1].pid, user.pid);
	pm_file_users_deinit(&users);

	target_stop(&maker);
	target_stop(&user);
	free(read_word);
}

/** Segments of two IPC namespaces can have the same ID. */
static void ipc_namespaces(void **state)
{
	struct target one, other;
	char path[64];

	(void)state;
	if (geteuid() != 0)
		skip_because("creating an IPC namespace needs root");
	target_start(&one, "sharer", "sysv-hold:65536", NULL);
	target_start(&other, "sharer", "sysv-hold:65536", NULL);
	snprintf(path, sizeof path, "/proc/%d/ns/ipc", (int)one.pid);

	assert_string_equal(target_fact(&one, "shmid"), target_fact(&other, "shmid"));
	struct pm_file_users users = users_of_region(&one, "sysv", PM_FILE_SYSV);
	assert_int_equal(users.count, 1);
	assert_int_equal(users.items[0].pid, one.pid);

	pm_file_users_deinit(&users);
	target_stop(&one);
	target_stop(&other);
}

/** One pass for several files, of which one has no user. */
static void several_files(void **state)
{
	struct sample samples[3] = { sample_create(4096), sample_create(4096),
		                     sample_create(4096) };
	char *words[2] = { word("read", samples[0].path), word("write", samples[2].path) };
	struct pm_file files[3];
	struct target target;
	struct pm_error error = { 0 };

	(void)state;
	target_start(&target, "sharer", words[0], words[1], words[1], NULL);
	for (size_t i = 0; i < 3; i++)
		must(pm_file_from_path(samples[i].path, &files[i], NULL, &error), &error);
	assert_false(pm_file_equal(&files[0], &files[1]));
	assert_true(pm_file_equal(&files[0], &files[0]));

	struct pm_file_users users = read_users(files, 3);
	assert_int_equal(users.count, 2);
	assert_int_equal(users.items[0].file, 0);
	assert_int_equal(users.items[1].file, 2);
	assert_int_equal(users.items[1].mappings, 2);
	pm_file_users_deinit(&users);

	target_stop(&target);
	for (size_t i = 0; i < 3; i++)
		sample_remove(&samples[i]);
	free(words[0]);
	free(words[1]);
}

static void what_cannot_be_mapped(void **state)
{
	struct pm_file file;
	struct pm_error error = { 0 };

	(void)state;
	assert_int_equal(pm_file_from_path("/", &file, NULL, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_int_equal(pm_file_from_path("/nonexistent/file", &file, NULL, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
}

static void cancelled(void **state)
{
	volatile sig_atomic_t flag = 1;
	const struct pm_file_users_options options = { .cancel = &flag };
	struct pm_file file;
	struct pm_file_users users;
	struct pm_error error = { 0 };

	(void)state;
	must(pm_file_from_path("/proc/self/exe", &file, NULL, &error), &error);
	assert_int_equal(pm_file_users_read(&file, 1, &options, &users, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
}

/** Processes that map files with one inode number on a device that is not that of stat(2). */
static void write_processes(const char *root)
{
	tree_add_process(root, 12, "same", "VmRSS:\t1 kB\n");
	tree_write(root, "proc/12/comm", "same\n");
	tree_write(root, "proc/12/maps", "10000-20000 r--s 00000000 00:30 4711 /data/file\n");
	tree_link(root, "proc/12/fd/0", "/dev/null");
	tree_add_process(root, 13, "other", "VmRSS:\t1 kB\n");
	tree_write(root, "proc/13/comm", "other\n");
	tree_write(root, "proc/13/maps", "10000-20000 rw-s 00000000 00:30 4711 /data/other\n");
	tree_link(root, "proc/13/fd/0", "/dev/null");
	tree_add_process(root, 14, "exact", "VmRSS:\t1 kB\n");
	tree_write(root, "proc/14/comm", "exact\n");
	tree_write(root, "proc/14/maps",
	           "10000-20000 rw-p 00000000 00:63 4711 /data/renamed\n"
	           "20000-30000 r--s 00000000 00:63 4711 /data/renamed\n"
	           "30000-40000 rw-s 00000000 00:63 4712 /data/renamed\n");
	tree_link(root, "proc/14/fd/0", "/dev/null");
}

/*
 * A saved tree: in btrfs, maps shows another device than stat(2). Where map_files cannot be read,
 * the name decides, and the result says so.
 */
static void devices_that_differ(void **state)
{
	char *root = tree_create(), *proc;
	const struct pm_file file = {
		.inode = 4711,
		.device = makedev(0, 99),
		.map_device = PM_DEVICE_UNKNOWN,
		.name = "/data/file",
	};
	struct pm_file_users_options options = { 0 };
	struct pm_file_users users;
	struct pm_error error = { 0 };

	(void)state;
	assert_true(asprintf(&proc, "%s/proc", root) > 0);
	options.proc_root = proc;
	write_processes(root);

	must(pm_file_users_read(&file, 1, &options, &users, &error), &error);
	assert_int_equal(users.processes, 3);
	assert_int_equal(users.unreadable, 0);
	assert_int_equal(users.count, 2);
	assert_int_equal(users.items[0].pid, 12);
	assert_true(users.items[0].by_name);
	assert_false(users.items[0].sizes_known);
	assert_int_equal(users.items[1].pid, 14);
	assert_false(users.items[1].by_name);
	assert_int_equal(users.items[1].mappings, 2);
	/* A shared mapping counts for the permissions, not a private one. */
	assert_int_equal(users.items[1].perms, PM_PERM_READ | PM_PERM_SHARED);

	pm_file_users_deinit(&users);

	/* The device in maps is that of all subvolumes, so it does not replace the name. */
	struct pm_file mapped = file;
	mapped.map_device = makedev(0, 0x30);
	must(pm_file_users_read(&mapped, 1, &options, &users, &error), &error);
	assert_null(find_user(&users, 13));
	assert_non_null(find_user(&users, 12));
	pm_file_users_deinit(&users);

	/* Without st_dev, it is all that is known. */
	mapped.device = PM_DEVICE_UNKNOWN;
	must(pm_file_users_read(&mapped, 1, &options, &users, &error), &error);
	assert_non_null(find_user(&users, 13));
	assert_null(find_user(&users, 14));
	pm_file_users_deinit(&users);

	tree_remove(root);
	free(proc);
}

/** A process without access is counted and named. */
static void refused(void **state)
{
	struct sample sample = sample_create(4096);
	char *read_word = word("read", sample.path);
	struct target target;
	struct pm_file file;
	struct pm_file_users users = { 0 };
	struct pm_error error = { 0 };

	(void)state;
	if (geteuid() != 0)
		skip_because("becoming another user needs root");
	target_start(&target, "sharer", read_word, NULL);
	must(pm_file_from_path(sample.path, &file, NULL, &error), &error);

	assert_int_equal(seteuid(65534), 0);
	int result = pm_file_users_read(&file, 1, NULL, &users, &error);
	assert_int_equal(seteuid(0), 0);
	must(result, &error);
	assert_int_equal(users.count, 0);
	assert_true(users.unreadable >= 1);
	assert_true(users.refused_count >= 1);
	assert_int_equal(users.refused[0].reason.kind, PM_ERROR_ACCESS);
	assert_true(users.refused[0].comm[0] != '\0');

	pm_file_users_deinit(&users);
	target_stop(&target);
	free(read_word);
	sample_remove(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_on_disk),     cmocka_unit_test(writing_advances),
		cmocka_unit_test(deleted_files),     cmocka_unit_test(shared_with_a_child),
		cmocka_unit_test(memfd_by_its_link), cmocka_unit_test(ipc_namespaces),
		cmocka_unit_test(several_files),     cmocka_unit_test(what_cannot_be_mapped),
		cmocka_unit_test(cancelled),         cmocka_unit_test(devices_that_differ),
		cmocka_unit_test(refused),           cmocka_unit_test(deep_paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
