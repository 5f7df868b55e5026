/* SPDX-License-Identifier: MIT */
/* Which processes only run us. */
#include "proc/self.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define NAMES(command) pm_command_names(command, sizeof command, "procmem")

static void command_lines_that_name_the_program(void **state)
{
	(void)state;
	assert_true(NAMES("sudo\0procmem\0map\0redis"));
	assert_true(NAMES("timeout\0005\0/usr/bin/procmem\0map\0redis"));
	assert_true(NAMES("sh\0-c\0cd /x && procmem map redis"));
	assert_true(NAMES("sh\0-c\0'/opt/procmem' ps;true"));
	assert_true(NAMES("procmem\0shell"));
	assert_true(NAMES("sh\0-c\0./procmem-old ps; procmem ps"));

	/* Nothing follows, not even the NUL: a command line that was cut. */
	assert_true(pm_command_names("sudo\0procmem", 12, "procmem"));
}

static void other_command_lines(void **state)
{
	(void)state;
	assert_false(NAMES(""));
	assert_false(NAMES("bash"));
	assert_false(NAMES("bash\0/src/procmem/tests/run.sh"));
	assert_false(NAMES("vim\0procmem.c"));
	assert_false(NAMES("libprocmem\0procmem-agent\0procmem_x\0procmems"));
	assert_false(NAMES("sudo\0procme"));
	assert_false(pm_command_names("sudo\0procmem", 11, "procmem"));

	assert_false(pm_command_names("x", 1, ""));
}

static void own_process_is_in_the_list(void **state)
{
	(void)state;
	struct pm_self own;
	pm_self_read(&own);
	assert_true(own.count >= 1 && own.count <= PM_SELF_MAX);
	assert_true(pm_self_has(&own, getpid()));
	assert_false(pm_self_has(&own, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_that_name_the_program),
		cmocka_unit_test(other_command_lines),
		cmocka_unit_test(own_process_is_in_the_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
