/* SPDX-License-Identifier: MIT */
/*
 * gateway fragment|match COUNT: the target of two cases in docs/HEAP_CASES.md, with one of two
 * faults. All objects of the gateway are reachable from `routes` and `sessions`.
 *
 * - fragment: COUNT times, it receives a request into a buffer of 16 KiB and creates a session of
 *   80 bytes. Later it frees all buffers and keeps the sessions. They lie between the free chunks.
 * - match: it compares COUNT requests with the patterns of its routes (PCRE2), and does not free
 * the match data.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "support.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 16 * 1024, SESSIONS = 1024, ROUTES = 3 };

struct session {
	struct session *next;
	char user[72];
};

struct route {
	const char *pattern;
	pcre2_code *code;
};

struct session *sessions[SESSIONS];
struct route routes[ROUTES] = { { "^/order/([0-9]+)/item/([0-9]+)$", NULL },
	                        { "^/user/([a-z]+)$", NULL },
	                        { "^/status$", NULL } };

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);
	target_check(memory ? 0 : -1, "calloc");
	return memory;
}

static void compile_routes(void)
{
	for (size_t i = 0; i < ROUTES; i++) {
		int number;
		size_t offset;
		routes[i].code = pcre2_compile((PCRE2_SPTR)routes[i].pattern, PCRE2_ZERO_TERMINATED,
		                               0, &number, &offset, NULL);
		target_check(routes[i].code ? 0 : -1, "pcre2_compile");
		/* Without code of its own, PCRE2 also allocates 20 KiB with each match data. */
		pcre2_jit_compile(routes[i].code, PCRE2_JIT_COMPLETE);
	}
}

static void create_session(uint64_t number)
{
	struct session *session = allocate(sizeof *session);
	snprintf(session->user, sizeof session->user, "user=%llu role=customer",
	         (unsigned long long)number);
	session->next = sessions[number % SESSIONS];
	sessions[number % SESSIONS] = session;
}

/** Receives requests, each of which starts a session. All requests are answered at the end. */
static void fragment(uint64_t count)
{
	char **requests = allocate(count * sizeof *requests);

	for (uint64_t i = 0; i < count; i++) {
		requests[i] = allocate(BUFFER);
		memset(requests[i], 'r', BUFFER);
		create_session(i);
	}

	for (uint64_t i = 0; i < count; i++)
		free(requests[i]);
	free(requests);
}

/** Finds the routes of requests. */
static void match(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		char path[64];
		int length = snprintf(path, sizeof path, "/order/%llu/item/%llu",
		                      (unsigned long long)i, (unsigned long long)(i % 7));
		pcre2_match_data *data = pcre2_match_data_create_from_pattern(routes[0].code, NULL);
		target_check(data ? 0 : -1, "pcre2_match_data_create_from_pattern");
		/* Without pcre2_match_data_free(): this is the fault. */
		pcre2_match(routes[0].code, (PCRE2_SPTR)path, (size_t)length, 0, 0, data, NULL);
	}
}

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 3) {
		fputs("usage: gateway fragment|match COUNT\n", stderr);
		return 2;
	}

	compile_routes();
	if (strcmp(argv[1], "fragment") == 0)
		fragment(target_number(argv[2]));
	else
		match(target_number(argv[2]));
	target_ready();
	target_obey(NULL);
}
