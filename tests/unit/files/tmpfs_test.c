/* SPDX-License-Identifier: MIT */
/*
 * The files in tmpfs. Each test has a tmpfs of its own in a mount namespace of its own, and its
 * root directory is that of a saved process, so nothing else of the machine is in the results.
 * Sizes are compared with those of statfs(2) and stat(2).
 */
#include <procmem/tmpfs_rows.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"
#include "support/tree.h"

enum { KIB = 1024, PAGE = 4096 };

/** A tmpfs, and a process that sees nothing else. */
struct scene {
	char *tree;       /* saved tree with proc/12 */
	char mount[4096]; /* where the tmpfs is mounted */
	struct pm_process *process;
};

/** Enters a mount namespace in which mounts can be made, once. */
static void enter_namespace(void)
{
	static bool entered;

	if (!entered &&
	    (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0))
		skip_because("no right to mount: %s", strerror(errno));
	entered = true;
}

/** Mounts a tmpfs of 64 MiB as /mnt of the saved process. */
static int make_scene(void **state)
{
	struct scene *scene = calloc(1, sizeof *scene);
	scene->tree = tree_create();
	*state = scene;
	return 0;
}

/** Copies lines, with each @ replaced by a device. */
static void replace_devices(const char *lines, const char *device, char *text, size_t size)
{
	size_t length = 0;
	for (; *lines && length + strlen(device) < size; lines++)
		if (*lines == '@')
			length += (size_t)snprintf(text + length, size - length, "%s", device);
		else
			text[length++] = *lines;
	text[length] = '\0';
}

/**
 * Mounts the tmpfs, and opens the process.
 * @param lines  further lines of mountinfo; each @ is replaced by the device
 */
static void open_scene(struct scene *scene, const char *lines)
{
	struct stat root;
	char device[32], text[4096], link[4096], *sys;

	enter_namespace();
	tree_write(scene->tree, "root/mnt/marker", "below the mount\n");
	snprintf(scene->mount, sizeof scene->mount, "%s/root/mnt", scene->tree);
	assert_int_equal(mount("procmem_test", scene->mount, "tmpfs", 0, "size=64m"), 0);
	assert_int_equal(stat(scene->mount, &root), 0);

	snprintf(device, sizeof device, "%u:%u", major(root.st_dev), minor(root.st_dev));
	tree_add_process(scene->tree, 12, "test", "VmRSS:\t8 kB\n");
	replace_devices(lines, device, text, sizeof text);
	tree_write(scene->tree, "proc/12/mountinfo",
	           "30 1 8:1 / / rw - ext4 /dev/vda rw\n"
	           "31 30 %s / /mnt rw shared:5 - tmpfs none rw\n%s",
	           device, text);
	snprintf(link, sizeof link, "%s/root", scene->tree);
	tree_link(scene->tree, "proc/12/root", link);
	scene->process = tree_open_process(scene->tree, 12, &sys);
	free(sys);
}

static int remove_scene(void **state)
{
	struct scene *scene = *state;

	pm_process_close(scene->process);
	if (*scene->mount)
		umount2(scene->mount, MNT_DETACH);
	tree_remove(scene->tree);
	free(scene);
	return 0;
}

static char *path_of(const struct scene *scene, const char *name)
{
	char *path;
	assert_true(asprintf(&path, "%s/%s", scene->mount, name) > 0);
	return path;
}

static void make_folder(const struct scene *scene, const char *name, mode_t mode)
{
	char *path = path_of(scene, name);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chmod(path, mode), 0);
	free(path);
}

/** Appends bytes to a file. */
static void append(const struct scene *scene, const char *name, size_t size)
{
	char *path = path_of(scene, name), *bytes = calloc(1, size + 1);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	free(bytes);
	free(path);
}

static struct pm_tmpfs read_files(const struct scene *scene, const struct pm_tmpfs_options *options)
{
	struct pm_tmpfs tmpfs;
	struct pm_error error = { 0 };
	must(pm_tmpfs_read(scene->process, options, &tmpfs, &error), &error);
	return tmpfs;
}

static uint64_t used_bytes(const struct scene *scene)
{
	struct statfs usage;
	assert_int_equal(statfs(scene->mount, &usage), 0);
	return (usage.f_blocks - usage.f_bfree) * (uint64_t)usage.f_bsize;
}

/** All files are counted once, and their sum is what the file system uses. */
static void sums_are_those_of_the_file_system(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	make_folder(scene, "spool", 0755);
	make_folder(scene, "spool/deep", 0755);
	append(scene, "spool/one", 100 * KIB);
	append(scene, "spool/deep/two", 1);
	append(scene, "top", 10 * KIB);
	append(scene, "empty", 0);

	/* A second name, a sparse file, a FIFO without a writer, and a link that leads out. */
	char *one = path_of(scene, "spool/one"), *link_name = path_of(scene, "spool/deep/again");
	char *sparse = path_of(scene, "sparse"), *fifo = path_of(scene, "fifo");
	char *out = path_of(scene, "out");
	assert_int_equal(link(one, link_name), 0);
	append(scene, "sparse", 1);
	assert_int_equal(truncate(sparse, 50L << 20), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("/", out), 0);

	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	assert_int_equal(tmpfs.mount_count, 1);
	assert_string_equal(tmpfs.mounts[0].point, "/mnt");
	assert_int_equal(tmpfs.mounts[0].cause, 0);
	assert_int_equal(tmpfs.mounts[0].size_max, 64 << 20);
	assert_int_equal(tmpfs.mounts[0].used, used_bytes(scene));
	assert_int_equal(tmpfs.all_bytes, used_bytes(scene));
	assert_int_equal(tmpfs.all_bytes, 100 * KIB + PAGE + 12 * KIB + PAGE);
	/* one, two, top, empty, sparse, fifo, out */
	assert_int_equal(tmpfs.all_files, 7);
	assert_int_equal(tmpfs.folder_count, 3);
	assert_int_equal(tmpfs.unreadable, 0);
	assert_int_equal(tmpfs.bound, PM_TMPFS_COMPLETE);
	assert_int_equal(tmpfs.files[0].bytes, 100 * KIB);

	char *path = pm_tmpfs_path(&tmpfs, tmpfs.files[0].folder, tmpfs.files[0].name);
	assert_true(strcmp(path, "/mnt/spool/one") == 0 ||
	            strcmp(path, "/mnt/spool/deep/again") == 0);
	free(path);
	pm_tmpfs_deinit(&tmpfs);
	free(one);
	free(link_name);
	free(sparse);
	free(fifo);
	free(out);
}

/** A file system with several mount points is walked once. */
static void mounts_of_the_same_device_count_once(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "32 30 @ / /second rw - tmpfs none rw\n"
	                  "33 30 @ /spool /third rw - tmpfs none rw\n");
	append(scene, "file", 8 * KIB);

	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	assert_int_equal(tmpfs.mount_count, 1);
	assert_int_equal(tmpfs.mounts[0].others, 2);
	assert_int_equal(tmpfs.all_bytes, 8 * KIB);
	pm_tmpfs_deinit(&tmpfs);
}

/** Another file system below the mount is not entered, and one above it is reported. */
static void other_file_systems_are_not_entered(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	make_folder(scene, "inner", 0755);
	append(scene, "file", 8 * KIB);
	char *inner = path_of(scene, "inner");
	assert_int_equal(mount("procmem_inner", inner, "tmpfs", 0, "size=1m"), 0);
	append(scene, "inner/file", 100 * KIB);

	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	assert_int_equal(tmpfs.all_bytes, 8 * KIB);
	pm_tmpfs_deinit(&tmpfs);
	assert_int_equal(umount(inner), 0);

	assert_int_equal(mount("procmem_over", scene->mount, "tmpfs", 0, "size=1m"), 0);
	tmpfs = read_files(scene, NULL);
	assert_int_equal(tmpfs.mount_count, 1);
	assert_int_equal(tmpfs.mounts[0].cause, EXDEV);
	assert_int_equal(tmpfs.unreadable, 1);
	assert_int_equal(tmpfs.all_files, 0);
	pm_tmpfs_deinit(&tmpfs);
	assert_int_equal(umount(scene->mount), 0);
	free(inner);
}

/** Mounts a FUSE whose server does not answer: no process reads from its descriptor. */
static void mount_dead(const char *point, int server)
{
	char options[128];

	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", server);
	assert_int_equal(mount("procmem_dead", point, "fuse", 0, options), 0);
}

/** A server that does not answer does not block the walk. The alarm ends the test if it does. */
static void dead_servers_are_not_asked(void **state)
{
	struct scene *scene = *state;
	int server = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (server < 0)
		skip_because("no /dev/fuse: %s", strerror(errno));

	open_scene(scene, "32 31 0:99 / /mnt/inner rw - fuse dead rw\n"
	                  "33 32 0:98 / /mnt/inner/below rw - tmpfs none rw\n");
	make_folder(scene, "inner", 0755);
	append(scene, "file", 8 * KIB);
	char *inner = path_of(scene, "inner");
	mount_dead(inner, server);

	alarm(60);
	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	alarm(0);
	assert_int_equal(tmpfs.all_bytes, 8 * KIB);
	assert_int_equal(tmpfs.mount_count, 2);
	assert_int_equal(tmpfs.mounts[0].cause + tmpfs.mounts[1].cause, EREMOTE);
	pm_tmpfs_deinit(&tmpfs);

	close(server);
	assert_int_equal(umount2(inner, MNT_DETACH), 0);
	free(inner);
}

/** A directory and a file that are shown at a second place of the same tmpfs count once. */
static void bind_mounts_count_once(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "32 31 @ /from /mnt/to rw - tmpfs none rw\n"
	                  "33 31 @ /file /mnt/covered rw - tmpfs none rw\n");
	make_folder(scene, "from", 0755);
	make_folder(scene, "to", 0755);
	append(scene, "from/data", 100 * KIB);
	append(scene, "file", 8 * KIB);
	append(scene, "covered", 0);
	char *from = path_of(scene, "from"), *to = path_of(scene, "to");
	char *file = path_of(scene, "file"), *covered = path_of(scene, "covered");
	assert_int_equal(mount(from, to, NULL, MS_BIND, NULL), 0);
	assert_int_equal(mount(file, covered, NULL, MS_BIND, NULL), 0);

	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	assert_int_equal(tmpfs.all_bytes, 108 * KIB);
	assert_int_equal(tmpfs.all_files, 2);
	pm_tmpfs_deinit(&tmpfs);

	assert_int_equal(umount(to), 0);
	assert_int_equal(umount(covered), 0);
	free(from);
	free(to);
	free(file);
	free(covered);
}

/** A path that leads through a symbolic link is not opened: it could lead out of the root. */
static void symbolic_links_in_mount_points_are_refused(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	char line[8192];
	struct stat root;
	assert_int_equal(stat(scene->mount, &root), 0);
	tree_link(scene->tree, "root/link", scene->mount);
	snprintf(line, sizeof line, "40 30 %u:%u / /link rw - tmpfs none rw\n", major(root.st_dev),
	         minor(root.st_dev));
	tree_write(scene->tree, "proc/12/mountinfo", "%s", line);
	append(scene, "file", 8 * KIB);

	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	assert_int_equal(tmpfs.mount_count, 1);
	assert_true(tmpfs.mounts[0].cause == ELOOP || tmpfs.mounts[0].cause == ENOTDIR);
	assert_int_equal(tmpfs.all_bytes, 0);
	pm_tmpfs_deinit(&tmpfs);
}

/** Directories without permissions are counted and named. Root is not refused, so it gives up root.
 */
static void unreadable_directories_are_counted(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	make_folder(scene, "listed", 0755);
	make_folder(scene, "entered", 0755);
	append(scene, "listed/file", 8 * KIB);
	append(scene, "entered/file", 8 * KIB);
	append(scene, "file", 4 * KIB);
	char *listed = path_of(scene, "listed"), *entered = path_of(scene, "entered");
	assert_int_equal(chmod(listed, 0744), 0);
	assert_int_equal(chmod(entered, 0711), 0);
	assert_int_equal(chmod(scene->tree, 0755), 0);

	assert_int_equal(seteuid(65534), 0);
	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(tmpfs.all_bytes, 4 * KIB);
	assert_int_equal(tmpfs.unreadable, 2);
	size_t unknown = 0;
	for (size_t i = 0; i < tmpfs.folder_count; i++) {
		assert_int_equal(tmpfs.folders[i].cause, *tmpfs.folders[i].name ? EACCES : 0);
		unknown += tmpfs.folders[i].unknown;
	}
	assert_int_equal(unknown, 1);
	pm_tmpfs_deinit(&tmpfs);
	free(listed);
	free(entered);
}

/** Bounds end the walk, and the result says so. The cancel flag ends it with an error. */
static void bounds_are_reported(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	for (int i = 0; i < 20; i++) {
		char name[16];
		snprintf(name, sizeof name, "%d", i);
		append(scene, name, 1);
	}

	struct pm_tmpfs tmpfs = read_files(scene, &(struct pm_tmpfs_options){ .entries_max = 7 });
	assert_int_equal(tmpfs.bound, PM_TMPFS_BOUND_ENTRIES);
	assert_int_equal(tmpfs.all_files, 7);
	pm_tmpfs_deinit(&tmpfs);
	tmpfs = read_files(scene, &(struct pm_tmpfs_options){ .seconds_max = 1e-9 });
	assert_int_equal(tmpfs.bound, PM_TMPFS_BOUND_SECONDS);
	pm_tmpfs_deinit(&tmpfs);

	static const volatile sig_atomic_t cancel = 1;
	struct pm_error error = { 0 };
	assert_int_equal(pm_tmpfs_read(scene->process,
	                               &(struct pm_tmpfs_options){ .cancel = &cancel }, &tmpfs,
	                               &error),
	                 -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
}

/** Directories below the last level are not read, and the result says so. */
static void depth_is_bounded(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	int fd = open(scene->mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(mkdirat(fd, "d", 0755), 0);
		int next = openat(fd, "d", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = next;
		assert_true(fd >= 0);
	}
	close(fd);

	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	assert_int_equal(tmpfs.bound, PM_TMPFS_BOUND_DEPTH);
	assert_in_range(tmpfs.folder_count, 129, 130);
	char *path = pm_tmpfs_path(&tmpfs, tmpfs.folder_count - 1, NULL);
	assert_int_equal(strlen(path), strlen("/mnt/") + 2 * (tmpfs.folder_count - 1));
	free(path);
	pm_tmpfs_deinit(&tmpfs);
}

/** Finds a row. @return NULL if there is none */
static const struct pm_tmpfs_row *find_row(const struct pm_tmpfs_rows *rows, const char *path)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->items[i].path, path) == 0)
			return &rows->items[i];
	return NULL;
}

/** Small directories belong to the row of their parent, and rows can be added. */
static void rows_are_the_large_directories(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	make_folder(scene, "spool", 0755);
	make_folder(scene, "cache", 0755);
	for (int i = 0; i < 50; i++) {
		char name[32];
		snprintf(name, sizeof name, "spool/%d", i);
		make_folder(scene, name, 0755);
		snprintf(name, sizeof name, "spool/%d/file", i);
		append(scene, name, 8 * KIB);
	}
	append(scene, "cache/file", 400 * KIB);
	append(scene, "small", 1);

	struct pm_tmpfs tmpfs = read_files(scene, NULL);
	struct pm_tmpfs_rows rows;
	struct pm_error error = { 0 };
	must(pm_tmpfs_rows_find(&tmpfs, NULL, &rows, &error), &error);
	assert_int_equal(rows.count, 3);
	assert_int_equal(find_row(&rows, "/mnt/spool/")->bytes, 400 * KIB);
	assert_int_equal(find_row(&rows, "/mnt/spool/")->files, 50);
	assert_int_equal(find_row(&rows, "/mnt/cache/")->bytes, 400 * KIB);
	assert_int_equal(find_row(&rows, "/mnt/")->files, 1);
	assert_false(rows.items[0].rate_known);

	uint64_t sum = 0;
	for (size_t i = 0; i < rows.count; i++)
		sum += rows.items[i].bytes;
	assert_int_equal(sum, tmpfs.all_bytes);
	pm_tmpfs_rows_deinit(&rows);
	pm_tmpfs_deinit(&tmpfs);
}

/** Growth is the difference of two walks. What was deleted counts for the directory above. */
static void rows_have_rates(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	make_folder(scene, "spool", 0755);
	make_folder(scene, "gone", 0755);
	make_folder(scene, "still", 0755);
	append(scene, "spool/file", 40 * KIB);
	append(scene, "gone/file", 80 * KIB);
	append(scene, "still/file", 4000 * KIB);

	struct pm_tmpfs before = read_files(scene, NULL);
	append(scene, "spool/more", 120 * KIB);
	char *file = path_of(scene, "gone/file"), *folder = path_of(scene, "gone");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(folder), 0);
	struct pm_tmpfs now = read_files(scene, NULL);

	/* The time between the walks is not tested, but set. */
	now.time = before.time + 10;
	struct pm_tmpfs_rows rows;
	struct pm_error error = { 0 };
	must(pm_tmpfs_rows_find(&now, &before, &rows, &error), &error);
	assert_string_equal(rows.items[0].path, "/mnt/spool/");
	assert_true(rows.items[0].rate_known);
	assert_true(fabs(rows.items[0].rate - 12 * KIB) < 1);
	assert_true(find_row(&rows, "/mnt/still/")->rate == 0);
	assert_true(fabs(find_row(&rows, "/mnt/")->rate + 8 * KIB) < 1);
	pm_tmpfs_rows_deinit(&rows);
	pm_tmpfs_deinit(&before);
	pm_tmpfs_deinit(&now);
	free(file);
	free(folder);
}

/** Finds the rows of two walks that are ten seconds apart. */
static struct pm_tmpfs_rows rows_of(const struct pm_tmpfs *before, struct pm_tmpfs *now)
{
	struct pm_tmpfs_rows rows;
	struct pm_error error = { 0 };

	now->time = before->time + 10;
	must(pm_tmpfs_rows_find(now, before, &rows, &error), &error);
	return rows;
}

/** A bound that ends a walk hides only the rates of the directories that it did not read. */
static void bounds_keep_other_rates(void **state)
{
	enum { FILES = 20, IN_SECOND = 2 + FILES + 5 };
	static const struct pm_tmpfs_options bounded = { .entries_max = IN_SECOND };
	struct scene *scene = *state;
	open_scene(scene, "");
	make_folder(scene, "one", 0755);
	make_folder(scene, "two", 0755);
	for (int i = 0; i < 2 * FILES; i++) {
		char name[32];
		snprintf(name, sizeof name, "%s/%d", i % 2 ? "one" : "two", i);
		append(scene, name, 4 * KIB);
	}

	struct pm_tmpfs whole = read_files(scene, NULL), cut = read_files(scene, &bounded);
	assert_int_equal(cut.bound, PM_TMPFS_BOUND_ENTRIES);
	assert_int_equal(cut.folder_count, 3);
	bool order = strcmp(whole.folders[1].name, "one") == 0;
	const char *first = order ? "/mnt/one/" : "/mnt/two/";
	const char *second = order ? "/mnt/two/" : "/mnt/one/";

	append(scene, "one/0", 40 * KIB);
	append(scene, "two/1", 40 * KIB);
	struct pm_tmpfs now = read_files(scene, NULL);
	struct pm_tmpfs_rows rows = rows_of(&cut, &now);
	assert_true(find_row(&rows, first)->rate_known);
	assert_true(fabs(find_row(&rows, first)->rate - 4 * KIB) < 1);
	assert_false(find_row(&rows, second)->rate_known);
	assert_true(find_row(&rows, second)->rate == 0);
	assert_int_equal(find_row(&rows, second)->bytes, (FILES * 4 + 40) * KIB);
	pm_tmpfs_rows_deinit(&rows);

	struct pm_tmpfs last = read_files(scene, &(struct pm_tmpfs_options){ .entries_max = 30 });
	rows = rows_of(&whole, &last);
	assert_true(find_row(&rows, first)->rate_known);
	assert_true(fabs(find_row(&rows, first)->rate - 4 * KIB) < 1);
	assert_false(find_row(&rows, second)->rate_known);
	pm_tmpfs_rows_deinit(&rows);

	pm_tmpfs_deinit(&whole);
	pm_tmpfs_deinit(&cut);
	pm_tmpfs_deinit(&now);
	pm_tmpfs_deinit(&last);
}

/** A directory below one that was cut may have been there before. */
static void new_directories_need_a_whole_parent(void **state)
{
	struct scene *scene = *state;
	open_scene(scene, "");
	make_folder(scene, "one", 0755);
	append(scene, "one/file", 40 * KIB);

	struct pm_tmpfs before = read_files(scene, NULL);
	struct pm_tmpfs cut = read_files(scene, &(struct pm_tmpfs_options){ .entries_max = 1 });
	assert_true(cut.folders[1].cut);
	make_folder(scene, "one/new", 0755);
	append(scene, "one/new/file", 40 * KIB);

	struct pm_tmpfs now = read_files(scene, NULL);
	struct pm_tmpfs_rows rows = rows_of(&before, &now);
	assert_true(fabs(find_row(&rows, "/mnt/one/new/")->rate - 4 * KIB) < 1);
	pm_tmpfs_rows_deinit(&rows);
	rows = rows_of(&cut, &now);
	assert_false(find_row(&rows, "/mnt/one/new/")->rate_known);
	pm_tmpfs_rows_deinit(&rows);

	pm_tmpfs_deinit(&before);
	pm_tmpfs_deinit(&cut);
	pm_tmpfs_deinit(&now);
}

int main(void)
{
#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, make_scene, remove_scene)
	const struct CMUnitTest tests[] = {
		SCENE_TEST(sums_are_those_of_the_file_system),
		SCENE_TEST(mounts_of_the_same_device_count_once),
		SCENE_TEST(other_file_systems_are_not_entered),
		SCENE_TEST(dead_servers_are_not_asked),
		SCENE_TEST(bind_mounts_count_once),
		SCENE_TEST(symbolic_links_in_mount_points_are_refused),
		SCENE_TEST(unreadable_directories_are_counted),
		SCENE_TEST(bounds_are_reported),
		SCENE_TEST(depth_is_bounded),
		SCENE_TEST(rows_are_the_large_directories),
		SCENE_TEST(rows_have_rates),
		SCENE_TEST(bounds_keep_other_rates),
		SCENE_TEST(new_directories_need_a_whole_parent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
