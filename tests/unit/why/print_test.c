/* SPDX-License-Identifier: MIT */
/* The text of `procmem why` at the width of a terminal: every finding, with long names and texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/utf8.h"
#include "why/print.h"

enum { WIDTH = 80, OUTPUT_MAX = 65536 };

static const char long_path[] =
	"/srv/a/very/long/path/of/a/shared/object/without/any/space/that/does/not/fit/a/line.so";
static const char long_text[] =
	"AUDIT row=# table=invoices state=DONE and so on, for more than one line of a terminal";

/** Everything that a report borrows. */
struct scene {
	struct why_options options;
	struct why_observation observation;
	struct pm_evidence evidence;
	struct pm_evidence_region region;
	struct pm_evidence_chunks chunks;
	struct pm_evidence_limit limit;
	struct pm_finding finding;
	struct pm_findings findings;
	struct why_report report;
	char output[OUTPUT_MAX];
};

/** Gives a finding a fact of each sort, as far as they fit, from `first` on. */
static void add_facts(struct pm_finding *finding, int first)
{
	for (int id = first; id < PM_FACT_COUNT; id++) {
		const struct pm_finding_fact fact = { .id = (enum pm_fact_id)id,
			                              .bytes = UINT64_C(123456789012),
			                              .size = UINT64_C(123456789),
			                              .count = UINT64_C(123456789),
			                              .address = UINT64_C(0x7fffdeadbeef),
			                              .rate = 123456.7,
			                              .percent = 99,
			                              .owner = PM_OWNER_PYTHON_OBJECTS,
			                              .text = id == PM_FACT_TEXT ? long_text
			                                                         : long_path };

		if (finding->fact_count < PM_FINDING_FACTS_MAX)
			finding->facts[finding->fact_count++] = fact;
		if (finding->against_count < PM_FINDING_FACTS_MAX)
			finding->against[finding->against_count++] = fact;
	}
}

static void make_scene(struct scene *scene, enum pm_finding_id id, int first_fact)
{
	*scene = (struct scene){
		.evidence = { .pid = 4194303, .comm = "fifteen-letters" },
		.region = { .start = UINT64_C(0x7fffdeadb000),
		            .end = UINT64_C(0x7fffdeadc000),
		            .kind = PM_KIND_FILE,
		            .mapping = long_path },
		.chunks = { .size = 128, .example = UINT64_C(0x7fffdeadb010) },
		.limit = { .limit = { .kind = PM_LIMIT_CGROUP, .max = UINT64_C(123456789012) } },
	};
	scene->finding = (struct pm_finding){
		.id = id,
		.confidence = PM_CONFIDENCE_POSSIBLE,
		.pid = 4194303,
		.comm = "fifteen-letters",
		.region = &scene->region,
		.chunks = &scene->chunks,
		.limit = &scene->limit,
		.verdict = PM_VERDICT_STEADY,
		.bytes = UINT64_C(123456789012),
		.rate = 1234567,
		.time_known = true,
		.seconds_min = 123456,
		.seconds_max = 234567,
	};
	add_facts(&scene->finding, first_fact);
	scene->findings = (struct pm_findings){ .items = &scene->finding, .count = 1 };
	scene->observation.options = &scene->options;
	scene->report = (struct why_report){ .observation = &scene->observation,
		                             .evidence = &scene->evidence,
		                             .findings = &scene->findings };
}

/** Prints a report for a terminal of some columns, or for a pipe (SIZE_MAX). */
static void print(struct scene *scene, size_t width)
{
	FILE *file = tmpfile();
	struct out out;

	assert_non_null(file);
	out_init(&out, fileno(file));
	out.width = width;
	why_print(&scene->report, &out);
	assert_int_equal(out_close(&out), 0);

	ssize_t length = pread(fileno(file), scene->output, OUTPUT_MAX - 1, 0);
	assert_true(length > 0);
	scene->output[length] = '\0';
	fclose(file);
}

/** Fails if a line is wider than the terminal. Returns the number of lines. */
static size_t check_lines(const char *output)
{
	size_t lines = 0;

	while (*output) {
		size_t length = strcspn(output, "\n");

		if (utf8_columns(output, length) > WIDTH)
			fail_msg("%zu columns: %.*s", utf8_columns(output, length), (int)length,
			         output);
		assert_int_equal(output[length], '\n');
		output += length + 1;
		lines++;
	}
	return lines;
}

static void test_no_line_is_wider_than_the_terminal(void **state)
{
	static struct scene scene;
	(void)state;

	for (int id = 0; id < PM_FINDING_COUNT; id++) {
		for (int fact = 0; fact < PM_FACT_COUNT; fact += PM_FINDING_FACTS_MAX) {
			make_scene(&scene, (enum pm_finding_id)id, fact);
			print(&scene, WIDTH);
			assert_true(check_lines(scene.output) >= 3);
		}
	}
}

static void test_the_confidence_is_at_the_right_margin(void **state)
{
	static struct scene scene;
	(void)state;

	for (int id = 0; id < PM_FINDING_COUNT; id++) {
		make_scene(&scene, (enum pm_finding_id)id, 0);
		print(&scene, WIDTH);

		size_t length = strcspn(scene.output, "\n");
		assert_int_equal(utf8_columns(scene.output, length), WIDTH);
		assert_memory_equal(scene.output + length - strlen("  possible"), "  possible",
		                    strlen("  possible"));
	}
}

static void test_a_long_title_continues_in_the_next_line(void **state)
{
	static struct scene scene;
	(void)state;

	make_scene(&scene, PM_FINDING_SHARED_COUNTED, 0);
	print(&scene, 60);
	assert_ptr_equal(strstr(scene.output,
	                        "fifteen-letters (4194303): RSS counts memory that   possible\n"
	                        "  other processes have, too\n"),
	                 scene.output);
}

static void test_a_title_for_a_pipe_has_one_line(void **state)
{
	static struct scene scene;
	(void)state;

	for (int id = 0; id < PM_FINDING_COUNT; id++) {
		make_scene(&scene, (enum pm_finding_id)id, 0);
		print(&scene, SIZE_MAX);

		size_t length = strcspn(scene.output, "\n");
		assert_true(utf8_columns(scene.output, length) >= WIDTH);
		assert_memory_equal(scene.output + length - strlen("  possible"), "  possible",
		                    strlen("  possible"));
	}
}

static void test_harmless_findings_are_marked_and_not_counted(void **state)
{
	static struct scene scene;
	(void)state;

	make_scene(&scene, PM_FINDING_PLATEAU, 0);
	assert_int_equal(why_report_count(&scene.report), 1);
	scene.finding.harmless = true;
	assert_int_equal(why_report_count(&scene.report), 0);
	print(&scene, WIDTH);
	assert_ptr_equal(strstr(scene.output, "fifteen-letters (4194303): nothing was found"),
	                 scene.output);
	assert_non_null(strstr(scene.output, "harmless\n"));
	check_lines(scene.output);
}

static void test_bytes_have_no_unit(void **state)
{
	static struct scene scene;
	(void)state;

	make_scene(&scene, PM_FINDING_MALLOC_LEAK, 0);
	scene.options.output.bytes = true;
	print(&scene, SIZE_MAX);
	assert_non_null(strstr(scene.output, " 123456789012, +1.2M/s steady"));
	assert_null(strstr(scene.output, "115.0G"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_line_is_wider_than_the_terminal),
		cmocka_unit_test(test_the_confidence_is_at_the_right_margin),
		cmocka_unit_test(test_a_long_title_continues_in_the_next_line),
		cmocka_unit_test(test_a_title_for_a_pipe_has_one_line),
		cmocka_unit_test(test_harmless_findings_are_marked_and_not_counted),
		cmocka_unit_test(test_bytes_have_no_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
