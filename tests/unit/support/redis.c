/* SPDX-License-Identifier: MIT */
#include "support/redis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void redis_start(struct redis *redis)
{
	strcpy(redis->directory, "/tmp/procmem-redis-XXXXXX");
	assert_non_null(mkdtemp(redis->directory));
	snprintf(redis->socket, sizeof redis->socket, "%s/socket", redis->directory);
	program_start(&redis->target, "redis-server", "--port", "0", "--unixsocket", redis->socket,
	              "--save", "", "--dir", redis->directory, "--enable-debug-command", "yes",
	              NULL);
	free(target_await(&redis->target, "connections at"));
}

void redis_stop(struct redis *redis)
{
	target_stop(&redis->target);
	unlink(redis->socket);
	rmdir(redis->directory);
}

FILE *redis_command(const struct redis *redis, const char *words)
{
	char command[256];
	snprintf(command, sizeof command, "redis-cli -s %s %s", redis->socket, words);

	FILE *output = popen(command, "re");
	assert_non_null(output);
	return output;
}
