/* SPDX-License-Identifier: MIT */
/* Stacks of this process: the rules of addresses must find what libdw finds. */
#include "stack/child_unwind.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "stack/modules.h"
#include "support/target.h"

enum { COPY = 8192, DEPTH = 40 };

static struct pm_child_files files;
static struct pm_stack_sample sample;
static char stack[COPY];

/** Reports the files of this process, which are opened here. */
static int begin(void **state)
{
	(void)state;
	struct pm_process *process = open_process(getpid());
	struct pm_modules none = { 0 }, modules;
	struct pm_modules_change change;
	struct pm_stack_module *list;
	struct pm_error error = { 0 };

	must(pm_modules_read(process, &none, &modules, &change, &error), &error);
	list = calloc(modules.count, sizeof *list);
	assert_non_null(list);
	for (size_t i = 0; i < modules.count; i++)
		list[i] = modules.items[i].module;

	assert_true(pm_child_files_init(&files, -1));
	assert_true(pm_child_files_report(&files, list, modules.count));
	for (size_t i = 0; i < modules.count; i++) {
		struct pm_child_file *file = files.items[modules.items[i].module.number];
		file->asked = true;
		file->asked_debug = true;
		file->fd = open(modules.items[i].region.mapping, O_RDONLY | O_CLOEXEC);
	}
	assert_true(pm_child_unwind_attach(&files));

	free(list);
	pm_modules_deinit(&modules);
	pm_process_close(process);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pm_child_files_deinit(&files);
	return 0;
}

/** Fills the sample from registers. */
static void fill(const ucontext_t *context)
{
	static const struct {
		enum pm_unwind_register to;
		int from;
	} order[] = {
		{ PM_UNWIND_AX, REG_RAX },  { PM_UNWIND_BX, REG_RBX },  { PM_UNWIND_CX, REG_RCX },
		{ PM_UNWIND_DX, REG_RDX },  { PM_UNWIND_SI, REG_RSI },  { PM_UNWIND_DI, REG_RDI },
		{ PM_UNWIND_BP, REG_RBP },  { PM_UNWIND_SP, REG_RSP },  { PM_UNWIND_IP, REG_RIP },
		{ PM_UNWIND_R8, REG_R8 },   { PM_UNWIND_R9, REG_R9 },   { PM_UNWIND_R10, REG_R10 },
		{ PM_UNWIND_R11, REG_R11 }, { PM_UNWIND_R12, REG_R12 }, { PM_UNWIND_R13, REG_R13 },
		{ PM_UNWIND_R14, REG_R14 }, { PM_UNWIND_R15, REG_R15 }
	};

	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		sample.registers[order[i].to] = (uint64_t)context->uc_mcontext.gregs[order[i].from];

	/* The stack can be shorter than the copy. */
	struct iovec to = { stack, COPY };
	struct iovec from = { (void *)(uintptr_t)sample.registers[PM_UNWIND_SP], COPY };
	ssize_t length = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	assert_true(length > 0);
	sample.size = (uint32_t)length;
}

/**
 * Takes a sample of its caller, and unwinds it both ways.
 * @param simple  whether the rules must suffice
 */
static void compare(bool simple)
{
	static struct pm_stack_unwound one, other;

	bool done = pm_child_unwind_by_rules(&files, &sample, stack, &one);
	assert_int_equal(done, simple);
	pm_child_unwind_by_libdw(&files, &sample, stack, &other);
	assert_true(other.count > 4);
	assert_int_equal(other.cut, 0);
	if (!done)
		return;

	assert_int_equal(one.cut, 0);
	assert_int_equal(one.short_copy, 0);
	assert_int_equal(one.count, other.count);
	assert_memory_equal(one.addresses, other.addresses, one.count * sizeof *one.addresses);

	/* The end of the copy is missing. */
	sample.size = 64;
	assert_false(pm_child_unwind_by_rules(&files, &sample, stack, &one));
	pm_child_unwind(&files, &sample, stack, &one);
	assert_int_equal(one.cut, 1);
	assert_int_equal(one.short_copy, 1);
}

__attribute__((noinline)) static void look(bool simple)
{
	ucontext_t context;

	assert_int_equal(getcontext(&context), 0);
	fill(&context);
	compare(simple);
}

__attribute__((noinline)) static size_t descend(size_t depth)
{
	if (depth == 0) {
		look(true);
		return 1;
	}
	return descend(depth - 1) * 3 + depth;
}

static void calls_are_found(void **state)
{
	(void)state;
	assert_true(descend(DEPTH) > 0);
}

/** Has a frame pointer, because the size of its frame is not known. */
__attribute__((noinline)) static size_t use_array(size_t size)
{
	volatile char array[size];

	array[size - 1] = 1;
	look(true);
	return (size_t)array[size - 1];
}

static void frames_of_any_size_are_found(void **state)
{
	(void)state;
	for (size_t size = 1; size < 1000; size += 333)
		assert_int_equal(use_array(size), 1);
}

static int compare_numbers(const void *a, const void *b)
{
	look(true);
	return *(const int *)a - *(const int *)b;
}

static void calls_by_libc_are_found(void **state)
{
	(void)state;
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof *numbers, compare_numbers);
	assert_int_equal(numbers[0], 1);
}

static void look_in_handler(int number)
{
	(void)number;
	look(false);
}

static void signals_are_left_to_libdw(void **state)
{
	(void)state;
	signal(SIGUSR1, look_in_handler);
	assert_int_equal(raise(SIGUSR1), 0);
}

static void changed_files_have_new_rules(void **state)
{
	(void)state;
	static struct pm_stack_unwound unwound;

	look(true);
	assert_true(files.rules.count > 4);
	assert_true(pm_child_files_report(&files, NULL, 0));
	assert_int_equal(files.rules.count, 0);
	sample.size = COPY;
	assert_false(pm_child_unwind_by_rules(&files, &sample, stack, &unwound));
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void files_are_closed_when_they_are_not_mapped_any_more(void **state)
{
	(void)state;
	const uint64_t page = 4096;
	struct pm_stack_module list[] = { { page, 2 * page, 0, 0 }, { 3 * page, 4 * page, 1, 0 } };
	struct pm_child_files few;
	int fds[2];

	assert_true(pm_child_files_init(&few, -1));
	assert_true(pm_child_files_report(&few, list, 2));
	for (int i = 0; i < 2; i++)
		fds[i] = few.items[i]->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(pm_child_files_report(&few, &list[1], 1));
	assert_false(is_open(fds[0]));
	assert_true(is_open(fds[1]));

	/* A program that loads and unloads plugins all the time has ever higher numbers. */
	list[0].number = UINT32_MAX;
	assert_true(pm_child_files_report(&few, list, 2));
	assert_int_equal(few.count, 2);
	assert_int_equal(few.items[0]->fd, fds[1]);
	pm_child_files_deinit(&few);
	assert_false(is_open(fds[1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_found),
		cmocka_unit_test(frames_of_any_size_are_found),
		cmocka_unit_test(calls_by_libc_are_found),
		cmocka_unit_test(signals_are_left_to_libdw),
		cmocka_unit_test(changed_files_have_new_rules),
		cmocka_unit_test(files_are_closed_when_they_are_not_mapped_any_more),
	};
	return cmocka_run_group_tests_name("stack/child_unwind", tests, begin, end);
}
