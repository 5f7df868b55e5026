/* SPDX-License-Identifier: MIT */
/* Each line of the input is one condition. */
#include "watch/events/condition.h"

#include <stdlib.h>
#include <string.h>

#include "input.h"

/** Each parsed condition is consistent, and each of its parts alone is parsed to the same. */
static void check(const char *line)
{
	struct condition condition, one;
	struct pm_error error = { 0 };
	if (condition_parse(&condition, line, &error) < 0) {
		fuzz_check_error(&error);
		return;
	}

	fuzz_check(condition.count > 0 && (unsigned)condition.subject < CONDITION_SUBJECTS);
	fuzz_check((condition.kinds != 0) == (condition.subject == CONDITION_KIND));
	fuzz_check(condition.seconds >= 0);

	for (size_t i = 0; i < condition.count; i++) {
		const struct threshold *threshold = &condition.thresholds[i];
		fuzz_check(threshold->value >= 0 && !threshold->acted);
		fuzz_check(!condition.percent || threshold->value <= 100);
		if (i > 0)
			fuzz_check(condition.below ? threshold->value <= threshold[-1].value
			                           : threshold->value >= threshold[-1].value);
		fuzz_check(condition_parse(&one, threshold->text, &error) == 0);
		fuzz_check(one.count == 1 && one.thresholds->value == threshold->value &&
		           strcmp(one.thresholds->text, threshold->text) == 0);

		fuzz_check(one.subject == condition.subject && one.kinds == condition.kinds &&
		           one.below == condition.below && one.percent == condition.percent &&
		           one.seconds == condition.seconds);
		condition_deinit(&one);
	}

	condition_deinit(&condition);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		check(line);
	free(text);
	return 0;
}
