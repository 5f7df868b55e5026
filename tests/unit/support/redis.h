/* SPDX-License-Identifier: MIT */
/** @file redis-server, which uses jemalloc. A failure fails the running cmocka test. */
#ifndef TESTS_SUPPORT_REDIS_H
#define TESTS_SUPPORT_REDIS_H

#include <stdio.h>

#include "support/target.h"

/** redis-server with a socket in a directory of its own. */
struct redis {
	struct target target;
	char directory[32], socket[64];
};

/**
 * Starts a server, and waits until it accepts connections.
 * @param redis  filled; release with redis_stop()
 */
void redis_start(struct redis *redis);

/** Stops the server, and removes its directory. */
void redis_stop(struct redis *redis);

/**
 * Starts a command of redis-cli.
 * @return its output; close with pclose(3)
 */
FILE *redis_command(const struct redis *redis, const char *words);

#endif
