/* SPDX-License-Identifier: MIT */
/* The list of mapped files of this process. */
#include "stack/modules.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* Distance of the copy from the program. The libraries are further away. */
#define FAR ((size_t)1 << 40)

/** Maps a page at an address that must be free. @param fd  a file, or -1 for anonymous memory */
static char *map_at(char *address, size_t page, int fd)
{
	int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_ANONYMOUS : 0);
	off_t offset = fd < 0 ? 0 : (off_t)page;
	char *mapped = mmap(address, page, PROT_READ | PROT_EXEC, flags, fd, offset);

	assert_ptr_equal(mapped, address);
	return mapped;
}

static void test_code_that_is_mapped_again_does_not_extend_its_file(void **state)
{
	struct pm_process *process;
	struct pm_modules none = { 0 }, modules;
	struct pm_modules_change change;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t here = (uintptr_t)test_code_that_is_mapped_again_does_not_extend_its_file;
	char *program_page = (char *)(here / page * page);
	(void)state;

	/* No other file is between the program and the copy of its code, but generated code is. */
	int fd = open("/proc/self/exe", O_RDONLY);
	char *generated = map_at(program_page + FAR / 2, page, -1);
	char *again = map_at(program_page + FAR, page, fd);
	close(fd);

	assert_int_equal(pm_process_open(NULL, getpid(), &process, NULL), 0);
	assert_int_equal(pm_modules_read(process, &none, &modules, &change, NULL), 0);
	const struct pm_module_file *program = pm_modules_at(&modules, here);
	assert_non_null(program);
	assert_true(program->module.end - program->module.start < (uint64_t)1 << 30);
	assert_ptr_not_equal(pm_modules_at(&modules, (uintptr_t)generated), program);
	assert_null(pm_modules_at(&modules, (uintptr_t)again));

	pm_modules_deinit(&modules);
	pm_process_close(process);
	munmap(again, page);
	munmap(generated, page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_that_is_mapped_again_does_not_extend_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
