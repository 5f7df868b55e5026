/* SPDX-License-Identifier: MIT */
/*
 * Stacks of real processes. The truth is in the source of the target: frames.cpp waits in a
 * function that is 20 calls deep.
 */
#include <procmem/unwinder.h>

#include <elf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

#include <procmem/stop.h>
#include <cmocka.h>

#include "support/frames_sample.h"
#include "support/target.h"

enum { DEPTH = 20 };

/** Finds a frame by its function. @return its position, or the number of frames */
static size_t find(const struct pm_stack *stack, const char *function)
{
	size_t i;

	for (i = 0; i < stack->count; i++)
		if (stack->frames[i].function && strcmp(stack->frames[i].function, function) == 0)
			break;
	return i;
}

/** Expects all functions of frames.cpp, in their order. */
static void expect_descent(const struct pm_stack *stack, const char *module)
{
	size_t at = find(stack, "frames::descend<0>");
	char name[64];

	assert_true(at > 0 && at + DEPTH < stack->count);
	for (size_t i = 0; i < DEPTH; i++) {
		snprintf(name, sizeof name, "frames::descend<%zu>", i);
		assert_non_null(stack->frames[at + i].function);
		assert_string_equal(stack->frames[at + i].function, name);
		assert_non_null(strstr(stack->frames[at + i].module, module));
		assert_int_equal(stack->frames[at + i].source, PM_FRAME_SYMBOL);
	}
	assert_string_equal(stack->frames[at + DEPTH].function, "main");
	assert_string_equal(stack->frames[stack->count - 1].function, "_start");
	assert_false(stack->cut);
}

/** Unwinds the sample, finds the names, and expects all functions of frames.cpp. */
static struct pm_stack name_descent(struct frames_sample *fixture, const char *module)
{
	struct pm_stack stack;
	struct pm_error error = { 0 };
	uint32_t number = frames_sample_unwind(fixture);

	must(pm_unwinder_name(fixture->unwinder, &error), &error);
	pm_stacks_get(fixture->stacks, number, &stack);
	expect_descent(&stack, module);
	return stack;
}

/** Expects the build ID that readelf(1) finds in the module of a frame. */
static void expect_build_id(const struct pm_frame *frame)
{
	char command[4096], line[256] = "";

	snprintf(command, sizeof command, "readelf -n '%s' | sed -n 's/.*Build ID: //p'",
	         frame->module);
	FILE *readelf = popen(command, "r");
	assert_non_null(readelf);
	assert_non_null(fgets(line, sizeof line, readelf));
	pclose(readelf);
	line[strcspn(line, "\n")] = '\0';

	assert_non_null(frame->build_id);
	assert_string_equal(frame->build_id, line);
}

static void test_a_stack_without_frame_pointers(void **state)
{
	struct frames_sample fixture = { 0 };
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	struct pm_stack stack = name_descent(&fixture, "/frames");

	/* DWARF has the inlined function and the lines. */
	const struct pm_frame *inlined = &stack.frames[find(&stack, "frames::descend<0>") - 1];
	assert_string_equal(inlined->function, "frames::enter");
	assert_int_equal(inlined->source, PM_FRAME_INLINED);
	assert_non_null(strstr(inlined->file, "frames.cpp"));
	assert_true(inlined->line > 0 && inlined[1].line > inlined->line);
	assert_int_equal(inlined->address, inlined[1].address);
	assert_true(inlined->module_address > 0 && inlined->module_address < inlined->address);
	expect_build_id(inlined);

	struct pm_unwinder_state how;
	pm_unwinder_state(fixture.unwinder, &how);
	assert_true(how.alive);
	assert_int_equal(how.samples, 1);
	assert_int_equal(how.cut, 0);
	frames_sample_close(&fixture);
}

static void test_equal_samples_have_one_stack(void **state)
{
	enum { SAMPLES = 1000 };
	struct frames_sample fixture = { 0 };
	struct pm_unwind_sample samples[SAMPLES];
	uint32_t numbers[SAMPLES];
	struct pm_unwinder_state before, after;
	struct pm_error error = { 0 };
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	uint32_t number = frames_sample_unwind(&fixture);
	for (size_t i = 0; i < SAMPLES; i++)
		samples[i] = fixture.sample;

	pm_unwinder_state(fixture.unwinder, &before);
	must(pm_unwinder_add(fixture.unwinder, samples, SAMPLES, numbers, &error), &error);
	pm_unwinder_state(fixture.unwinder, &after);
	for (size_t i = 0; i < SAMPLES; i++)
		assert_int_equal(numbers[i], number);
	assert_int_equal(pm_stacks_count(fixture.stacks), 2);
	assert_int_equal(after.samples, SAMPLES + 1);
	printf("%.1f us a stack\n", (double)(after.unwound_ns - before.unwound_ns) / 1e3 / SAMPLES);
	frames_sample_close(&fixture);
}

static void test_a_short_copy_is_reported(void **state)
{
	struct frames_sample fixture = { 0 };
	struct pm_unwinder_state how;
	const uint64_t *addresses;
	bool cut;
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	fixture.sample.stack_size = 256;

	uint32_t number = frames_sample_unwind(&fixture);
	size_t count = pm_stacks_addresses(fixture.stacks, number, &addresses, &cut);
	assert_in_range(count, 1, DEPTH);
	assert_true(cut);
	pm_unwinder_state(fixture.unwinder, &how);
	assert_int_equal(how.cut, 1);
	frames_sample_close(&fixture);
}

static void test_the_chain_of_frame_pointers(void **state)
{
	struct frames_sample fixture = { 0 };
	struct pm_unwinder_state how;
	const uint64_t *addresses;
	const uint64_t chain[] = { (uint64_t)-512, 0x1000, 0x2001, 0x3001 };
	bool cut;
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	fixture.registers[PM_UNWIND_IP] = 0x1000;
	fixture.registers[PM_UNWIND_BP] = 0;
	fixture.sample.stack_size = 0;
	fixture.sample.chain = chain;
	fixture.sample.chain_count = sizeof chain / sizeof *chain;

	uint32_t number = frames_sample_unwind(&fixture);
	assert_int_equal(pm_stacks_addresses(fixture.stacks, number, &addresses, &cut), 3);
	assert_int_equal(addresses[0], 0x1000);
	assert_int_equal(addresses[1], 0x2000);
	assert_int_equal(addresses[2], 0x3000);
	pm_unwinder_state(fixture.unwinder, &how);
	assert_int_equal(how.frame_chain, 1);
	frames_sample_close(&fixture);
}

/** Starts frames by a shell script. The variable $frames is its path. */
static void start_by_script(struct frames_sample *fixture, const char *script)
{
	char text[8192];

	snprintf(text, sizeof text, "frames='%s/frames'; %s", getenv("PROCMEM_TARGETS"), script);
	program_start(&fixture->target, "sh", "-c", text, NULL);
	free(target_await(&fixture->target, "ready"));
	frames_sample_open(fixture, fixture->target.pid);
}

static void test_a_deleted_program(void **state)
{
	struct frames_sample fixture = { 0 };
	(void)state;

	/* The target is the shell: it executes the program through its descriptor. */
	start_by_script(&fixture,
	                "file=$(mktemp) && cp \"$frames\" \"$file\" && chmod 700 \"$file\" && "
	                "exec 3<\"$file\" && rm \"$file\" && exec /proc/self/fd/3");
	name_descent(&fixture, "/");
	frames_sample_close(&fixture);
}

static void test_a_program_in_a_private_mount_namespace(void **state)
{
	struct frames_sample fixture = { 0 };
	(void)state;

	if (geteuid() != 0)
		skip_because("only root can create a mount namespace");
	start_by_script(&fixture, "exec unshare --mount sh -c 'mount -t tmpfs none /mnt && "
	                          "cp \"$0\" /mnt/hidden && exec /mnt/hidden' \"$frames\"");
	assert_int_not_equal(access("/mnt/hidden", F_OK), 0);
	name_descent(&fixture, "/mnt/hidden");
	frames_sample_close(&fixture);
}

/** Returns the PID of the only child of this process that is not the target. */
static pid_t helper_of(const struct frames_sample *fixture)
{
	char path[64];
	pid_t found = 0;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)gettid());
	char *text = read_text(path, NULL);

	for (char *at = text; *at;) {
		pid_t pid = (pid_t)strtol(at, &at, 10);
		if (pid > 0 && pid != fixture->target.pid)
			found = pid;
		at += strspn(at, " \n");
	}
	free(text);
	assert_true(found > 0);
	return found;
}

static void test_a_child_that_is_killed_is_reported(void **state)
{
	struct frames_sample fixture = { 0 };
	struct pm_unwinder_state how;
	struct pm_stack stack;
	struct pm_error error = { 0 };
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	uint32_t number = frames_sample_unwind(&fixture);
	assert_int_equal(kill(helper_of(&fixture), SIGKILL), 0);

	assert_int_equal(frames_sample_unwind(&fixture), PM_STACK_NONE);
	pm_unwinder_state(fixture.unwinder, &how);
	assert_false(how.alive);
	assert_non_null(strstr(how.why, "was killed"));

	/* The modules are known without the child. */
	must(pm_unwinder_name(fixture.unwinder, &error), &error);
	pm_stacks_get(fixture.stacks, number, &stack);
	assert_true(stack.count > DEPTH);
	assert_null(stack.frames[DEPTH / 2].function);
	assert_non_null(stack.frames[DEPTH / 2].module);
	frames_sample_close(&fixture);
}

static void test_a_cancelled_unwinder_does_not_wait_for_the_child(void **state)
{
	struct frames_sample fixture = { 0 };
	struct pm_unwinder_state how;
	struct pm_stack stack;
	struct pm_error error = { 0 };
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	uint32_t number = frames_sample_unwind(&fixture);
	fixture.cancel = SIGINT;
	/* It answers in time. */
	assert_int_equal(frames_sample_unwind(&fixture), number);
	assert_int_equal(kill(helper_of(&fixture), SIGSTOP), 0);

	must(pm_unwinder_name(fixture.unwinder, &error), &error);
	pm_unwinder_state(fixture.unwinder, &how);
	assert_false(how.alive);
	assert_non_null(strstr(how.why, "after procmem was interrupted"));
	pm_stacks_get(fixture.stacks, number, &stack);
	assert_true(stack.count > DEPTH);
	assert_non_null(stack.frames[DEPTH / 2].module);
	frames_sample_close(&fixture);
}

static void test_the_child_has_no_privileges(void **state)
{
	struct frames_sample fixture = { 0 };
	char path[64];
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	snprintf(path, sizeof path, "/proc/%d/status", (int)helper_of(&fixture));
	char *status = read_text(path, NULL);
	assert_non_null(strstr(status, "\nCapPrm:\t0000000000000000\n"));
	assert_non_null(strstr(status, "\nCapEff:\t0000000000000000\n"));
	assert_non_null(strstr(status, "\nCapInh:\t0000000000000000\n"));
	assert_non_null(strstr(status, "\nNoNewPrivs:\t1\n"));
	assert_non_null(strstr(status, "\nSeccomp:\t2\n"));
	free(status);
	frames_sample_close(&fixture);
}

static void test_stacks_after_an_exec(void **state)
{
	struct frames_sample fixture = { 0 };
	struct pm_stack stack;
	(void)state;

	frames_sample_start(&fixture, "echo begun; read line; exec \"$0\"");
	uint32_t before = frames_sample_unwind(&fixture);
	frames_sample_exec(&fixture);

	/* The old handle refuses a process that has called exec: take the sample with a new one. */
	struct pm_process *old = fixture.process;
	fixture.process = open_process(fixture.target.pid);
	frames_sample_take(&fixture);
	name_descent(&fixture, "/frames");

	pm_stacks_get(fixture.stacks, before, &stack);
	assert_true(stack.count > 0);
	assert_non_null(stack.frames[0].module);
	assert_null(strstr(stack.frames[0].module, "/frames"));

	pm_process_close(fixture.process);
	fixture.process = old;
	frames_sample_close(&fixture);
}

static void test_a_debug_file(void **state)
{
	struct frames_sample fixture = { 0 };
	(void)state;

	start_by_script(&fixture,
	                "dir=$(mktemp -d) && mkdir \"$dir/.debug\" && "
	                "objcopy --only-keep-debug \"$frames\" \"$dir/.debug/frames.debug\" && "
	                "objcopy --strip-all --add-gnu-debuglink=\"$dir/.debug/frames.debug\" "
	                "\"$frames\" \"$dir/stripped\" && exec \"$dir/stripped\"");
	struct pm_stack stack = name_descent(&fixture, "/stripped");
	assert_int_equal(find(&stack, "frames::enter"), find(&stack, "frames::descend<0>") - 1);

	char command[4096];
	const char *path = stack.frames[find(&stack, "main")].module;
	snprintf(command, sizeof command, "rm -r '%.*s'", (int)(strrchr(path, '/') - path), path);
	assert_int_equal(system(command), 0);
	frames_sample_close(&fixture);
}

/** Returns a pseudo-random number that is the same in each run. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/** Overwrites random bytes of a section of a file. @param section as readelf(1) prints it */
static void damage(const char *path, const char *section, uint32_t *seed)
{
	unsigned long long offset = 0, size = 0;
	char command[4096], line[256];

	snprintf(command, sizeof command,
	         "readelf -SW '%s' | sed -n 's/^ *\\[ *[0-9]*\\] %s  *[A-Z0-9_]* *//p'", path,
	         section);
	FILE *readelf = popen(command, "r");
	assert_non_null(readelf);
	assert_non_null(fgets(line, sizeof line, readelf));
	pclose(readelf);
	assert_int_equal(sscanf(line, "%*x %llx %llx", &offset, &size), 2);

	FILE *file = fopen(path, "r+be");
	assert_non_null(file);
	for (unsigned long long i = 0; i < size / 16 + 4; i++) {
		fseek(file, (long)(offset + next_random(seed) % size), SEEK_SET);
		fputc((int)(next_random(seed) & 0xff), file);
	}
	fclose(file);
}

/** Unwinds and names the stack of a damaged program. The names can be anything. */
static void unwind_damaged(const char *path)
{
	struct frames_sample fixture = { 0 };
	struct pm_unwinder_state how;
	struct pm_stack stack;
	struct pm_error error = { 0 };

	program_start(&fixture.target, "sh", "-c", "exec \"$0\"", path, NULL);
	free(target_await(&fixture.target, "ready"));
	frames_sample_open(&fixture, fixture.target.pid);
	uint32_t number = frames_sample_unwind(&fixture);
	must(pm_unwinder_name(fixture.unwinder, &error), &error);

	pm_unwinder_state(fixture.unwinder, &how);
	assert_true(how.alive || how.why[0] != '\0');
	pm_stacks_get(fixture.stacks, number, &stack);
	assert_true(stack.count > 0 || !how.alive);
	/* The program was not changed, so that the innermost frame has no damaged module. */
	if (how.alive)
		assert_non_null(stack.frames[0].module);
	frames_sample_close(&fixture);
}

static void test_damaged_programs(void **state)
{
	static const char *const sections[] = { ".eh_frame",      ".debug_info", ".debug_abbrev",
		                                ".debug_line",    ".symtab",     ".strtab",
		                                ".debug_aranges", ".debug_str" };
	enum { ROUNDS = 3 };
	uint32_t seed = 4711;
	char folder[] = "/tmp/procmem-damaged-XXXXXX", path[64], command[4200];
	(void)state;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/frames", folder);
	for (size_t i = 0; i < ROUNDS * sizeof sections / sizeof *sections; i++) {
		snprintf(command, sizeof command, "cp '%s/frames' '%s'", getenv("PROCMEM_TARGETS"),
		         path);
		assert_int_equal(system(command), 0);
		damage(path, sections[i / ROUNDS], &seed);
		unwind_damaged(path);
		unlink(path);
	}
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stack_without_frame_pointers),
		cmocka_unit_test(test_equal_samples_have_one_stack),
		cmocka_unit_test(test_a_short_copy_is_reported),
		cmocka_unit_test(test_the_chain_of_frame_pointers),
		cmocka_unit_test(test_a_deleted_program),
		cmocka_unit_test(test_a_program_in_a_private_mount_namespace),
		cmocka_unit_test(test_a_child_that_is_killed_is_reported),
		cmocka_unit_test(test_a_cancelled_unwinder_does_not_wait_for_the_child),
		cmocka_unit_test(test_the_child_has_no_privileges),
		cmocka_unit_test(test_stacks_after_an_exec),
		cmocka_unit_test(test_a_debug_file),
		cmocka_unit_test(test_damaged_programs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
