/* SPDX-License-Identifier: MIT */
/* Core files that procmem writes, checked with gdb and elfutils. */
#include <procmem/core.h>
#include <procmem/core_dump.h>

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/look.h"
#include "support/markers.h"
#include "support/tree.h"

/** A core file of a target, in its own folder. */
struct dump {
	struct target target;
	struct look look;
	char *folder;
	char core[4200];
	char program[4300];
	struct pm_dump_result result;
};

static void start(struct dump *dump, const char *program, const char *argument)
{
	*dump = (struct dump){ .folder = tree_create() };
	target_start(&dump->target, program, argument, NULL);
	look_open(&dump->look, dump->target.pid);
	snprintf(dump->core, sizeof dump->core, "%s/core", dump->folder);

	/* The first thread may be dead, and then has no program. */
	struct pm_thread *threads;
	size_t count;
	char link[64];
	assert_int_equal(pm_process_read_threads(dump->look.process, 0, &threads, &count, NULL), 0);
	snprintf(link, sizeof link, "/proc/%d/exe", (int)threads[count - 1].tid);
	free(threads);

	ssize_t length = readlink(link, dump->program, sizeof dump->program - 1);
	assert_true(length > 0);
}

static void end(struct dump *dump)
{
	look_close(&dump->look);
	target_stop(&dump->target);
	tree_remove(dump->folder);
}

static int write_core(struct dump *dump, const struct pm_core_options *options, bool files,
                      struct pm_error *error)
{
	const struct pm_dump_source source = {
		.process = dump->look.process,
		.regions = &dump->look.regions,
		.pages = &dump->look.pages,
		.reader = &dump->look.memory,
		.files = files ? &dump->look.files : NULL,
	};
	int fd = open(dump->core, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	int result = pm_dump_core(&source, options, fd, &dump->result, error);
	close(fd);

	return result;
}

static void expect_core(struct dump *dump, const struct pm_core_options *options, bool files)
{
	struct pm_error error;
	if (write_core(dump, options, files, &error) < 0)
		fail_msg("%s", error.text);
}

/**
 * Returns the complete output of a running program, which exits.
 * @return the caller frees it
 */
static char *output_of(struct target *program)
{
	char *text = NULL;
	size_t length = 0;
	FILE *collected = open_memstream(&text, &length);
	assert_non_null(collected);

	int byte;
	while ((byte = fgetc(program->from)) != EOF)
		fputc(byte, collected);

	fclose(collected);
	target_stop(program);

	return text;
}

static void expect_words(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no '%s' in: %s", words, text);
}

/** Returns the output of gdb for a file of commands. */
static char *ask_gdb(const struct dump *dump, const char *commands)
{
	struct target gdb;
	char path[4300];
	tree_write(dump->folder, "commands",
	           "set pagination off\nset print elements 100\nset print repeats unlimited\n%s",
	           commands);
	snprintf(path, sizeof path, "%s/commands", dump->folder);
	program_start(&gdb, "gdb", "-q", "-nx", "-batch", "-x", path, dump->program, dump->core,
	              NULL);

	return output_of(&gdb);
}

static void gdb_finds_all_markers(void **state)
{
	(void)state;
	struct dump dump;
	struct markers markers;
	start(&dump, "markers", "small");
	markers_take(&markers, &dump.target, "marker");
	expect_core(&dump, NULL, false);

	char *commands = calloc(markers.count, 40);
	assert_non_null(commands);

	size_t length = 0;
	for (size_t i = 0; i < markers.count; i++)
		length += (size_t)sprintf(commands + length, "x/s 0x%llx\n",
		                          (unsigned long long)markers.items[i].address);

	char *answer = ask_gdb(&dump, commands);
	for (size_t i = 0; i < markers.count; i++)
		expect_words(answer, markers.items[i].text);

	/* One thread, and the complete vdso. */
	const char *thread = strstr(answer, "[New LWP");
	assert_non_null(thread);
	assert_null(strstr(thread + 1, "[New LWP"));
	assert_null(strstr(answer, "system-supplied"));
	free(answer);
	free(commands);
	markers_drop(&markers);

	end(&dump);
}

/**
 * Untouched pages of files are not in the core file unless requested: gdb would read them from the
 * files.
 */
static void untouched_files_are_absent_or_whole(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip_because("map_files of deleted files needs CAP_CHECKPOINT_RESTORE");

	struct dump dump;
	struct markers markers;
	start(&dump, "markers", "small");
	markers_take(&markers, &dump.target, "file_marker");

	for (int whole = 0; whole < 2; whole++) {
		struct pm_core *core;

		expect_core(&dump, NULL, whole);
		assert_int_equal(pm_core_open(dump.core, &core, NULL), 0);

		struct pm_reader reader = pm_core_reader(core);
		for (size_t i = 0; i < markers.count; i++) {
			char bytes[MARKER_TEXT];
			size_t done;
			assert_int_equal(pm_reader_read(&reader, markers.items[i].address, bytes,
			                                sizeof bytes, &done, NULL),
			                 0);
			assert_int_equal(done, whole ? sizeof bytes : 0);
			markers_feed(&markers, markers.items[i].address, bytes, done);
		}

		pm_core_close(core);
	}

	markers_expect_all(&markers);
	markers_drop(&markers);
	end(&dump);
}

#ifndef SYS_pause
#define SYS_pause SYS_ppoll /* newer processors have no pause(2): pause(3) uses this */
#endif

/**
 * Waits until a thread is in a system call.
 * @param words  the start of proc_pid_syscall(5) then
 */
static void await_call(pid_t tid, const char *words)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/syscall", (int)tid);
	for (bool there = false; !there; sched_yield()) {
		char *text = read_text(path, NULL);
		there = strncmp(text, words, strlen(words)) == 0;
		free(text);
	}
}

/**
 * Waits until the first thread reads its input: then registers and stack are consistent, although
 * the stack is copied after the stop.
 */
static void await_reading(pid_t pid)
{
	char words[16];
	snprintf(words, sizeof words, "%d 0x0 ", SYS_read);
	await_call(pid, words);
}

/** Waits until all other threads sleep. */
static void await_sleep(struct pm_process *process)
{
	char words[16];
	struct pm_thread *threads;
	size_t count;

	snprintf(words, sizeof words, "%d ", SYS_pause);
	assert_int_equal(pm_process_read_threads(process, 0, &threads, &count, NULL), 0);
	for (size_t i = 1; i < count; i++)
		await_call(threads[i].tid, words);

	free(threads);
}

static void gdb_shows_threads_and_stacks(void **state)
{
	(void)state;
	struct dump dump;
	start(&dump, "busy", "3");
	await_reading(dump.target.pid);

	const struct pm_core_options options = { .stop_for_registers = true };
	expect_core(&dump, &options, false);
	assert_true(dump.result.stopped > 0);
	target_tell(&dump.target, "ping");

	char *answer = ask_gdb(&dump, "info threads\nthread apply all bt\ninfo proc mappings\ninfo "
	                              "auxv\np $_siginfo.si_signo\n");
	expect_words(answer, "Thread 1");

	char lwp[32];
	snprintf(lwp, sizeof lwp, "LWP %d", (int)dump.target.pid);
	expect_words(answer, lwp);
	expect_words(answer, " main (");
	expect_words(answer, "target_obey");

	size_t sleepers = 0;
	for (const char *at = answer; (at = strstr(at, "in sleep_on")); at++)
		sleepers++;

	assert_int_equal(sleepers, 3);
	expect_words(answer, "/libc");
	expect_words(answer, "AT_SYSINFO_EHDR");
	free(answer);
	end(&dump);
}

/**
 * During a stop of the caller the dump does not stop the target itself, and does not end the stop.
 */
static void stop_of_the_caller_is_used(void **state)
{
	(void)state;
	struct dump dump;
	struct pm_error error;
	start(&dump, "busy", "3");

	struct pm_core_options options = { .stop_for_registers = true };
	assert_int_equal(pm_stop_begin(dump.look.process, NULL, &options.stop, &error), 0);
	expect_core(&dump, &options, false);
	assert_int_equal(dump.result.stopped, 0);

	char text[64], *status;
	snprintf(text, sizeof text, "/proc/%d/status", (int)dump.target.pid);
	status = read_text(text, NULL);
	expect_words(status, "State:\tt");
	free(status);
	pm_stop_end(options.stop);
	target_tell(&dump.target, "ping");

	char *answer = ask_gdb(&dump, "bt\n");
	expect_words(answer, " main (");
	free(answer);
	end(&dump);
}

/** Without a stop, a sleeping thread is shown where it sleeps. */
static void sleeping_threads_are_seen_without_a_stop(void **state)
{
	(void)state;
	struct dump dump;
	start(&dump, "busy", "1");
	await_sleep(dump.look.process);
	expect_core(&dump, NULL, false);

	char *answer = ask_gdb(&dump, "thread apply all x/i $pc\n");
	expect_words(answer, "pause");
	free(answer);
	end(&dump);
}

static void elfutils_read_the_notes(void **state)
{
	(void)state;
	struct dump dump;
	struct target readelf;
	start(&dump, "markers", "small");

	const struct pm_core_options options = { .stop_for_registers = true };
	expect_core(&dump, &options, false);
	program_start(&readelf, "eu-readelf", "-h", "-l", "-n", dump.core, NULL);

	char *answer = output_of(&readelf);
	static const char *const words[] = { "CORE (Core file)", "PRSTATUS",       "PRPSINFO",
		                             "SIGINFO",          "AUXV",           "FILE",
		                             "FPREGSET",         "fname: markers", "SYSINFO_EHDR",
		                             "sigpend: <>" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		expect_words(answer, words[i]);

	char pid[32];
	snprintf(pid, sizeof pid, "pid: %d,", (int)dump.target.pid);
	expect_words(answer, pid);
	expect_words(answer, dump.program);
	assert_null(strstr(answer, "rror"));
	free(answer);
	end(&dump);
}

static void any_number_of_segments_is_written(void **state)
{
	(void)state;
	struct dump dump;
	struct markers markers;
	start(&dump, "markers", "guards");
	if (target_fact(&dump.target, "unsupported guards:"))
		skip_because("this kernel has no guard pages");
	markers_take(&markers, &dump.target, "marker");
	expect_core(&dump, NULL, false);

	struct target readelf;
	program_start(&readelf, "readelf", "-h", dump.core, NULL);

	char *answer = output_of(&readelf);
	const char *count = strstr(answer, "65535 (");
	assert_non_null(count);
	assert_in_range(strtoul(count + 7, NULL, 10), 70000, 71000);
	free(answer);

	/* gdb 13 needs ten seconds for this number of segments. */
	struct pm_core *core;
	char bytes[MARKER_TEXT];
	assert_int_equal(pm_core_open(dump.core, &core, NULL), 0);

	struct pm_reader reader = pm_core_reader(core);
	assert_int_equal(pm_reader_read(&reader, markers.items[0].address, bytes, sizeof bytes,
	                                NULL, NULL),
	                 0);
	assert_memory_equal(bytes, markers.items[0].text, sizeof bytes);
	pm_core_close(core);
	markers_drop(&markers);
	end(&dump);
}

/** Returns the number of bytes that a core file contains of a region of a target. */
static uint64_t held_of(const struct dump *dump, const char *name)
{
	uint64_t start_address, end_address, held = 0;
	struct pm_core *core;
	struct pm_regions regions;

	target_range(&dump->target, name, &start_address, &end_address);
	assert_int_equal(pm_core_open(dump->core, &core, NULL), 0);
	pm_regions_init(&regions);
	assert_int_equal(pm_core_regions(core, &regions, NULL), 0);

	for (size_t i = 0; i < regions.count; i++)
		if (regions.items[i].start >= start_address && regions.items[i].end <= end_address)
			held += regions.items[i].bytes[PM_SIZE_RSS];

	pm_regions_deinit(&regions);
	pm_core_close(core);

	return held;
}

static void the_filter_is_respected(void **state)
{
	(void)state;
	struct dump dump;
	start(&dump, "mapper", NULL);
	expect_core(&dump, NULL, false);
	assert_true(held_of(&dump, "dontdump") > 0);
	assert_true(held_of(&dump, "shared_anon") > 0);
	assert_int_equal(held_of(&dump, "reserve_1t"), 0);

	const struct pm_core_options options = { .respect_filter = true };
	expect_core(&dump, &options, false);
	assert_int_equal(held_of(&dump, "dontdump"), 0);
	assert_true(held_of(&dump, "shared_anon") > 0);
	assert_true(held_of(&dump, "lazyfree") > 0);

	char path[64];
	snprintf(path, sizeof path, "/proc/%d/coredump_filter", (int)dump.target.pid);
	FILE *filter = fopen(path, "we");
	assert_non_null(filter);
	fputs("1\n", filter);
	assert_int_equal(fclose(filter), 0);
	expect_core(&dump, &options, false);
	assert_int_equal(held_of(&dump, "shared_anon"), 0);
	assert_true(held_of(&dump, "lazyfree") > 0);
	end(&dump);
}

/**
 * Everything that a core file needs is read through a living thread. map_files is one of these
 * files: untouched pages of the libraries come from there.
 */
static void process_without_its_first_thread_is_dumped(void **state)
{
	(void)state;
	struct dump dump;
	uint64_t content, end_address;
	char commands[64];

	start(&dump, "dead_leader", NULL);
	target_range(&dump.target, "content", &content, &end_address);
	snprintf(commands, sizeof commands, "x/s 0x%llx\ninfo threads\n",
	         (unsigned long long)content);

	for (int i = 0; i < 4; i++) {
		const struct pm_core_options options = { .stop_for_registers = i & 1,
			                                 .respect_filter = i & 2 };

		expect_core(&dump, &options, true);
		assert_int_equal(dump.result.unreadable, 0);
		assert_int_equal(dump.result.untouched, 0);

		char *answer = ask_gdb(&dump, commands);
		expect_words(answer, "\"content page 0\"");
		expect_words(answer, i & 1 ? "pause" : "LWP");
		free(answer);
	}

	end(&dump);
}

/** Each stopped thread has a siginfo_t, as in core files of gcore. */
static void stopped_threads_have_the_signal_of_a_stop(void **state)
{
	(void)state;
	struct dump dump;
	start(&dump, "busy", "3");

	const struct pm_core_options options = { .stop_for_registers = true };
	expect_core(&dump, &options, false);

	char *answer = ask_gdb(&dump, "thread apply all p $_siginfo.si_signo\n");
	size_t found = 0;
	for (const char *at = answer; (at = strstr(at, " = 19\n")); at++)
		found++;

	if (found != 4)
		fail_msg("%s", answer);
	free(answer);
	end(&dump);
}

static void impossible_outputs_are_refused(void **state)
{
	(void)state;
	struct dump dump;
	struct pm_error error;
	int ends[2];

	start(&dump, "markers", "small");
	const struct pm_dump_source source = { .process = dump.look.process,
		                               .regions = &dump.look.regions,
		                               .pages = &dump.look.pages,
		                               .reader = &dump.look.memory };

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(pm_dump_core(&source, NULL, ends[1], &dump.result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	close(ends[0]);
	close(ends[1]);
	fputs("quit\n", dump.target.to);
	fflush(dump.target.to);
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)dump.target.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(write_core(&dump, NULL, false, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	end(&dump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gdb_finds_all_markers),
		cmocka_unit_test(untouched_files_are_absent_or_whole),
		cmocka_unit_test(gdb_shows_threads_and_stacks),
		cmocka_unit_test(stop_of_the_caller_is_used),
		cmocka_unit_test(sleeping_threads_are_seen_without_a_stop),
		cmocka_unit_test(elfutils_read_the_notes),
		cmocka_unit_test(any_number_of_segments_is_written),
		cmocka_unit_test(the_filter_is_respected),
		cmocka_unit_test(process_without_its_first_thread_is_dumped),
		cmocka_unit_test(stopped_threads_have_the_signal_of_a_stop),
		cmocka_unit_test(impossible_outputs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
