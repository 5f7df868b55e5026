/* SPDX-License-Identifier: MIT */
/* Kinds of a JVM's memory, against what its own tool says: jcmd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <procmem/kinds.h>

#include "support/detail_text.h"
#include "support/look.h"
#include "support/target.h"

/** A JVM that is being examined. */
struct jvm {
	struct target target;
	struct look look;
};

static void jvm_start(struct jvm *jvm)
{
	const char *source = getenv("PROCMEM_SOURCE");
	if (!source)
		skip_because("PROCMEM_SOURCE is not set");

	char path[4096];
	struct pm_error error = { 0 };
	snprintf(path, sizeof path, "%s/tests/targets/DirectBuffers.java", source);
	program_start(&jvm->target, "java", "-Xms64m", "-Xmx256m", "-XX:+UseG1GC", path, NULL);
	free(target_await(&jvm->target, "ready"));
	look_open(&jvm->look, jvm->target.pid);

	struct pm_kinds_evidence evidence = { .process = jvm->look.process,
		                              .reader = &jvm->look.memory,
		                              .pagemap = jvm->look.pagemap };
	if (pm_kinds_assign(&jvm->look.regions, &evidence, &error) < 0)
		fail_msg("%s", error.text);
}

static void jvm_stop(struct jvm *jvm)
{
	look_close(&jvm->look);
	target_stop(&jvm->target);
}

static const struct pm_region *region_at(const struct jvm *jvm, uint64_t address)
{
	return &jvm->look.regions.items[look_region(&jvm->look, address)];
}

/**
 * Calls a function for each line that jcmd prints for a command.
 * @return number of calls that returned true
 */
static int each_line(const struct jvm *jvm, const char *command,
                     int (*check)(const struct jvm *, const char *))
{
	char words[256], line[4096];
	int found = 0;
	snprintf(words, sizeof words, "jcmd %d %s 2>/dev/null", (int)jvm->target.pid, command);

	FILE *output = popen(words, "re");
	assert_non_null(output);
	while (fgets(line, sizeof line, output))
		found += check(jvm, line);

	int status = pclose(output);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		fail_msg("jcmd is not installed: sh docs/setup.sh test installs it");
	return found;
}

/** "garbage-first heap total 67584K, used 9318K [0x00000000f0000000, 0x0000000100000000)" */
static int check_heap(const struct jvm *jvm, const char *line)
{
	uint64_t start, end;
	const char *range = strchr(line, '[');
	if (!strstr(line, "garbage-first heap") || !range ||
	    sscanf(range, "[0x%" SCNx64 ", 0x%" SCNx64 ")", &start, &end) != 2)
		return 0;

	assert_true(region_at(jvm, start)->start == start);
	for (uint64_t at = start; at < end;) {
		const struct pm_region *region = region_at(jvm, at);
		assert_true(region->end <= end);
		if (region->kind == PM_KIND_ANON)
			assert_string_equal(detail_text(region), "Java heap");
		else if (region->kind == PM_KIND_RESERVE)
			assert_string_equal(detail_text(region), "rest of the Java heap");
		else
			assert_int_equal(region->kind, PM_KIND_FILE); /* archived classes */
		at = region->end;
	}

	/* Nothing else has this detail. */
	for (size_t i = 0; i < jvm->look.regions.count; i++) {
		const struct pm_region *region = &jvm->look.regions.items[i];
		if (strstr(detail_text(region), "Java heap"))
			assert_true(region->start >= start && region->end <= end);
	}

	return 1;
}

static void java_heap_is_at_the_address_of_the_jvm(void **state)
{
	(void)state;
	struct jvm jvm;
	jvm_start(&jvm);
	assert_int_equal(each_line(&jvm, "GC.heap_info", check_heap), 1);
	jvm_stop(&jvm);
}

/**
 * " bounds [0x00007f5d64ec7000, 0x00007f5d65137000, 0x00007f5d6c400000]": the start, the end of
 * what is committed, the end of what is reserved
 */
static int check_code_heap(const struct jvm *jvm, const char *line)
{
	uint64_t start, committed, reserved;
	if (sscanf(line, " bounds [0x%" SCNx64 ", 0x%" SCNx64 ", 0x%" SCNx64 "]", &start,
	           &committed, &reserved) != 3)
		return 0;

	const struct pm_region *code = region_at(jvm, start), *rest = region_at(jvm, reserved - 1);
	assert_int_equal(code->kind, PM_KIND_JIT);
	assert_string_equal(detail_text(code), "code cache of the JVM");
	assert_int_equal(rest->kind, PM_KIND_RESERVE);
	return 1;
}

static void code_cache_is_at_the_address_of_the_jvm(void **state)
{
	(void)state;
	struct jvm jvm;
	jvm_start(&jvm);
	assert_in_range(each_line(&jvm, "Compiler.codecache", check_code_heap), 1, 3);
	jvm_stop(&jvm);
}

/**
 * `"worker-0" #12 daemon prio=5 os_prio=0 cpu=0.15ms elapsed=0.11s tid=0x00007f... nid=0x1cba in
 * Object.wait()  [0x00007f5d3c7fe000]`
 */
static int check_thread(const struct jvm *jvm, const char *line)
{
	const char *nid = strstr(line, " nid="), *stack = strrchr(line, '[');
	if (line[0] != '"' || !nid || !stack)
		return 0;

	/* Hexadecimal up to JDK 20, decimal since. */
	pid_t thread = (pid_t)strtol(nid + strlen(" nid="), NULL, 0);
	uint64_t address = strtoull(stack + 1, NULL, 0);
	if (address == 0)
		return 0;

	const struct pm_region *region = region_at(jvm, address);
	assert_int_equal(region->kind, PM_KIND_STACK);
	if (region->thread != thread)
		fail_msg("%s: the stack is that of '%s'", line, detail_text(region));

	return 1;
}

static void java_threads_are_on_their_stacks(void **state)
{
	(void)state;
	struct jvm jvm;
	jvm_start(&jvm);
	/* At least the four workers. */
	assert_true(each_line(&jvm, "Thread.print", check_thread) >= 4);
	jvm_stop(&jvm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(java_heap_is_at_the_address_of_the_jvm),
		cmocka_unit_test(code_cache_is_at_the_address_of_the_jvm),
		cmocka_unit_test(java_threads_are_on_their_stacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
