/* SPDX-License-Identifier: MIT */
/* What could not be seen, and was therefore not judged. */
#include "why/unseen.h"

#include <string.h>

#include "base/utf8.h"

/** Passes a constant text. */
static void pass(const char *string, why_unseen_visitor *visit, void *context)
{
	struct text text = { 0 };

	text_string(&text, string);
	visit(context, &text);
	text_deinit(&text);
}

/** Passes what was not seen, and why. */
static void put_failure(const char *what, const struct pm_error *failure, why_unseen_visitor *visit,
                        void *context)
{
	struct text words = { 0 };

	text_format(&words, "%s (", what);
	utf8_escape(&words, failure->text, strlen(failure->text));
	text_char(&words, ')');
	visit(context, &words);
	text_deinit(&words);
}

/** Reports which part of the contents of chunks was read, if the heap is large. */
static void list_contents(const struct why_walks *walks, why_unseen_visitor *visit, void *context)
{
	struct text words = { 0 };

	if (walks->read == walks->chunks || walks->read == 0)
		return;
	text_string(&words, "the content of all but ");
	text_grouped(&words, walks->read);
	text_string(&words, " of ");
	text_grouped(&words, walks->chunks);
	text_string(&words, " chunks");
	visit(context, &words);
	text_deinit(&words);
}

/** Lists why the chunks of malloc are not known. */
static void list_chunks(const struct why_observation *observation, why_unseen_visitor *visit,
                        void *context)
{
	const struct pm_error *failure = &observation->walks.failure;

	if (failure->kind == PM_ERROR_NONE) {
		list_contents(&observation->walks, visit, context);
		if (!why_walks_know_growth(&observation->walks))
			pass("which chunks of malloc grow", visit, context);
		if (observation->walks.count > 0 && !observation->walks.complete)
			pass("some chunks of malloc (a walk was incomplete)", visit, context);
		return;
	}

	put_failure("inside malloc", failure, visit, context);
}

/** Tests whether --deep would find out more: the memory of the process grows. */
static bool deep_helps(const struct why_report *report)
{
	const struct pm_findings *findings = report->findings;
	const struct why_observation *observation = report->observation;

	return !observation->options->deep && !observation->watched && findings->count > 0 &&
	       !findings->items[0].harmless && findings->items[0].rate > 0 &&
	       findings->items[0].pid == report->evidence->pid;
}

/** Tells that the process was stopped at samples. */
static void list_stopped(const struct why_observation *observation, why_unseen_visitor *visit,
                         void *context)
{
	struct text words = { 0 };

	if (observation->rates.stopped == 0)
		return;
	text_string(&words, "growth while it runs (it was stopped at ");
	text_grouped(&words, observation->rates.stopped);
	text_string(&words, " of ");
	text_grouped(&words, observation->samples);
	text_string(&words, " samples)");
	visit(context, &words);
	text_deinit(&words);
}

static void list_live(const struct why_report *report, why_unseen_visitor *visit, void *context)
{
	const struct why_observation *observation = report->observation;

	list_stopped(observation, visit, context);
	list_chunks(observation, visit, context);
	if (observation->options->no_text)
		pass("the content of memory (--no-strings)", visit, context);
	else if (!observation->texts.strings && !observation->watched)
		pass("the content of memory", visit, context);
	if (observation->deep.failure.kind != PM_ERROR_NONE)
		put_failure("who holds the chunks", &observation->deep.failure, visit, context);
	if (observation->deep.trace.failure.kind != PM_ERROR_NONE)
		put_failure("which code allocates", &observation->deep.trace.failure, visit,
		            context);
	if (deep_helps(report))
		pass("who allocates (--deep)", visit, context);
	if (observation->watched) {
		pass("the content of memory", visit, context);
		pass("other processes, tmpfs and shared files", visit, context);
		pass("parts of the cgroup", visit, context);
	}
	if (!observation->pressure.source)
		pass("pressure", visit, context);
}

static void list_recording(const struct why_report *report, why_unseen_visitor *visit,
                           void *context)
{
	const struct why_observation *observation = report->observation;

	if (!observation->histograms.known)
		pass("inside malloc (no chunks were recorded: watch --heap --record)", visit,
		     context);
	else if (observation->histograms.seconds <= 0)
		pass("which chunks of malloc grow (recorded only once)", visit, context);
	if (observation->samples < 2)
		pass("growth (there is one sample)", visit, context);
	else if (why_report_is_too_early(report))
		pass("growth (the recording is too short)", visit, context);
	if (!observation->owners.known)
		pass("memory by owner", visit, context);
	pass("free memory in malloc's arenas", visit, context);
	pass("texts in new pages", visit, context);
	pass("other processes, tmpfs and shared files", visit, context);
	pass("parts of the cgroup", visit, context);
	pass("pressure", visit, context);
}

static void list_moment(const struct why_observation *observation, why_unseen_visitor *visit,
                        void *context)
{
	pass("growth (the file is one moment)", visit, context);
	if (observation->source == PM_EVIDENCE_CORE) {
		if (observation->walks.failure.kind != PM_ERROR_NONE)
			list_chunks(observation, visit, context);
		pass("memory that is not in the core file", visit, context);
		pass("swapped, locked and huge pages", visit, context);
	} else {
		pass("inside malloc", visit, context);
		pass("the content of memory", visit, context);
	}
	pass("limits", visit, context);
	pass("other processes, tmpfs and shared files", visit, context);
	pass("pressure", visit, context);
}

void why_unseen_list(const struct why_report *report, why_unseen_visitor *visit, void *context)
{
	const struct why_observation *observation = report->observation;

	switch (observation->source) {
	case PM_EVIDENCE_LIVE:
		list_live(report, visit, context);
		break;
	case PM_EVIDENCE_RECORDING:
		list_recording(report, visit, context);
		break;
	default:
		list_moment(observation, visit, context);
	}
}
