/* SPDX-License-Identifier: MIT */
#include "support/graph_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/stop.h>

/** Opens the copy and its heap. The heap may be broken: a thread can be inside malloc. */
static void copy(struct graph_session *session)
{
	struct pm_error error;

	session->process = open_process(session->target.pid);
	must(pm_copy_open(session->process, NULL, &session->copy, &error), &error);
	must(pm_copy_take(session->copy, &error), &error);
	session->reader = pm_copy_reader(session->copy);
	session->pages = pm_copy_source(session->copy);

	const struct pm_heap_source source = { .regions = pm_copy_regions(session->copy),
		                               .reader = &session->reader,
		                               .pages = &session->pages,
		                               .stopped = true };
	must(pm_heap_open(&source, &session->heap, &error), &error);
	assert_int_equal(session->heap->allocator, PM_HEAP_ALLOCATOR_GLIBC);
}

void graph_session_open(struct graph_session *session)
{
	enum { COPIES_MAX = 20 };
	const struct pm_graph_options options = { .cancel = session->cancel };
	struct pm_error error;

	copy(session);
	for (int i = 0; i < COPIES_MAX && !session->heap->complete; i++) {
		/* On a loaded machine, a thread inside malloc may not have run since the copy. */
		pm_stop_await_run(session->process, NULL);
		graph_session_release(session);
		copy(session);
	}

	assert_true(session->heap->complete);
	must(pm_symbols_open(session->process, pm_copy_regions(session->copy), &session->symbols,
	                     &error),
	     &error);
	must(pm_graph_open(session->copy, session->heap, session->symbols, &options,
	                   &session->graph, &error),
	     &error);
}

void graph_session_release(struct graph_session *session)
{
	pm_graph_close(session->graph);
	pm_symbols_close(session->symbols);
	pm_heap_close(session->heap);
	pm_copy_close(session->copy);
	pm_process_close(session->process);
	*session = (struct graph_session){ .target = session->target, .cancel = session->cancel };
}

void graph_session_close(struct graph_session *session)
{
	graph_session_release(session);
	target_stop(&session->target);
	*session = (struct graph_session){ 0 };
}

struct graph_group graph_session_group(const struct graph_session *session, const char *name)
{
	struct graph_group group;
	char words[64], *rest;

	snprintf(words, sizeof words, "group %s", name);
	const char *fact = target_fact(&session->target, words);
	assert_non_null(fact);
	group.count = strtoull(fact, &rest, 10);
	group.size = strtoull(rest, NULL, 10);

	snprintf(words, sizeof words, "example %s", name);
	fact = target_fact(&session->target, words);
	assert_non_null(fact);
	group.example = strtoull(fact, NULL, 16);

	return group;
}

uint32_t graph_session_root(const struct graph_session *session, unsigned kind, const char *name)
{
	size_t count;
	const struct pm_root *roots = pm_graph_roots(session->graph, &count);

	for (size_t i = 0; i < count; i++) {
		const char *own = roots[i].name[0] ? roots[i].name : roots[i].thread_name;
		if (roots[i].kind == kind && strcmp(own, name) == 0)
			return (uint32_t)i;
	}
	return UINT32_MAX;
}
