/* SPDX-License-Identifier: MIT */
#include "why/unseen.h"

#include <string.h>

#include "base/utf8.h"

/** Lists why the chunks of malloc are not known. */
static void list_chunks(const struct why_observation *observation, why_unseen_visitor *visit,
                        void *context)
{
	const struct pm_error *failure = &observation->walks.failure;
	struct text words = { 0 };

	if (failure->kind == PM_ERROR_NONE) {
		if (!why_walks_know_growth(&observation->walks))
			visit(context, "which chunks of malloc grow");
		return;
	}

	text_string(&words, "inside malloc (");
	utf8_escape(&words, failure->text, strlen(failure->text));
	text_char(&words, ')');
	visit(context, text_terminate(&words));
	text_deinit(&words);
}

static void list_live(const struct why_observation *observation, why_unseen_visitor *visit,
                      void *context)
{
	list_chunks(observation, visit, context);
	if (!observation->texts.strings)
		visit(context, "the content of memory");
	if (!observation->pressure.source)
		visit(context, "pressure");
}

static void list_recording(const struct why_observation *observation, why_unseen_visitor *visit,
                           void *context)
{
	if (!observation->histograms.known)
		visit(context, "inside malloc (no chunks were recorded: watch --heap --record)");
	else if (observation->histograms.seconds <= 0)
		visit(context, "which chunks of malloc grow (recorded only once)");
	if (observation->samples < 2)
		visit(context, "growth (there is one sample)");
	if (!observation->owners.known)
		visit(context, "memory by owner");
	visit(context, "free memory in malloc's arenas");
	visit(context, "texts in new pages");
	visit(context, "other processes, tmpfs and shared files");
	visit(context, "parts of the cgroup");
	visit(context, "pressure");
}

static void list_moment(const struct why_observation *observation, why_unseen_visitor *visit,
                        void *context)
{
	visit(context, "growth (the file is one moment)");
	if (observation->source == PM_EVIDENCE_CORE) {
		if (observation->walks.failure.kind != PM_ERROR_NONE)
			list_chunks(observation, visit, context);
		visit(context, "memory that is not in the core file");
		visit(context, "swapped, locked and huge pages");
	} else {
		visit(context, "inside malloc");
		visit(context, "the content of memory");
	}
	visit(context, "limits");
	visit(context, "other processes, tmpfs and shared files");
	visit(context, "pressure");
}

void why_unseen_list(const struct why_observation *observation, why_unseen_visitor *visit,
                     void *context)
{
	switch (observation->source) {
	case PM_EVIDENCE_LIVE:
		list_live(observation, visit, context);
		break;
	case PM_EVIDENCE_RECORDING:
		list_recording(observation, visit, context);
		break;
	default:
		list_moment(observation, visit, context);
	}
}
