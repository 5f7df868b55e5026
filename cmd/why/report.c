/* SPDX-License-Identifier: MIT */
#include "why/report.h"

#include <string.h>

#include "base/utf8.h"

size_t why_report_count(const struct why_report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->findings->count; i++)
		count += !report->findings->items[i].harmless;
	return count;
}

/** Passes a constant text. */
static void pass(const char *string, why_report_visitor *visit, void *context)
{
	struct text text = { 0 };

	text_string(&text, string);
	visit(context, &text);
	text_deinit(&text);
}

void why_report_unseen(const struct why_report *report, why_report_visitor *visit, void *context)
{
	const struct why_observation *observation = report->observation;
	const struct pm_error *failure = &observation->walks.failure;

	if (failure->kind != PM_ERROR_NONE) {
		struct text text = { 0 };

		text_string(&text, "inside malloc (");
		utf8_escape(&text, failure->text, strlen(failure->text));
		text_char(&text, ')');
		visit(context, &text);
		text_deinit(&text);
	} else if (!why_walks_know_growth(&observation->walks)) {
		pass("which chunks of malloc grow", visit, context);
	}

	if (observation->options->no_text)
		pass("the content of memory (--no-strings)", visit, context);
	else if (!observation->texts.strings)
		pass("the content of memory", visit, context);
}

double why_report_cpu_percent(const struct why_report *report)
{
	double seconds = report->observation->seconds;

	return 100 * report->observation->cpu_seconds / (seconds > 0 ? seconds : 1);
}
