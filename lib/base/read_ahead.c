/* SPDX-License-Identifier: MIT */
/*
 * A ring of blocks. A thread reads the file and fills the blocks; the caller consumes the blocks in
 * the same order. The lock guards only the counters of filled and consumed blocks. The counters
 * determine whether a block belongs to the thread or to the caller, and only its owner accesses the
 * contents of the block.
 */
#include "base/read_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/minmax.h"

enum { BLOCKS = 8, BLOCK_SIZE = 64 * 1024 };

/** A block of the ring: consecutive bytes of the file. */
struct block {
	size_t filled;   /* number of bytes that were read into the block */
	size_t consumed; /* number of these bytes that were returned to the caller */
	char bytes[BLOCK_SIZE];
};

struct pm_read_ahead {
	int fd;
	size_t at_once;
	pthread_t thread;
	pthread_mutex_t lock; /* guards the following fields, except the contents of the blocks */
	pthread_cond_t changed;
	size_t written; /* number of blocks that the thread has filled so far */
	size_t done;    /* number of blocks that the caller has consumed so far */
	bool at_end;
	bool stopping;
	int cause; /* errno of the read that failed, 0 at the end of the file */
	struct block blocks[BLOCKS];
};

/**
 * Fills a block, with several calls of read(2) if necessary.
 * @param cause  receives errno if a read failed; otherwise unchanged
 * @return       false if the end of the file was reached or a read failed; the block may contain
 *               bytes also in this case
 */
static bool fill(struct pm_read_ahead *ahead, struct block *block, int *cause)
{
	block->filled = 0;
	block->consumed = 0;
	while (block->filled < BLOCK_SIZE) {
		size_t room = BLOCK_SIZE - block->filled;
		ssize_t got = pm_read(ahead->fd, block->bytes + block->filled,
		                      pm_min_size(room, ahead->at_once));
		if (got < 0)
			*cause = errno;
		if (got <= 0)
			return false;

		block->filled += (size_t)got;
	}

	return true;
}

static void *run(void *context)
{
	struct pm_read_ahead *ahead = context;
	bool more = true;

	pthread_mutex_lock(&ahead->lock);
	while (more && !ahead->stopping) {
		if (ahead->written - ahead->done == BLOCKS) {
			pthread_cond_wait(&ahead->changed, &ahead->lock);
			continue;
		}

		struct block *block = &ahead->blocks[ahead->written % BLOCKS];
		int cause = 0;
		pthread_mutex_unlock(&ahead->lock);
		more = fill(ahead, block, &cause);
		pthread_mutex_lock(&ahead->lock);
		ahead->written += block->filled > 0;
		ahead->at_end = !more;
		ahead->cause = cause;

		pthread_cond_signal(&ahead->changed);
	}

	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/**
 * Starts the thread with all signals blocked, so that signals are handled by the threads of the
 * caller.
 * @return 0, or -1 if the thread cannot be started
 */
static int start_thread(struct pm_read_ahead *ahead)
{
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return -1;

	int result = pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -(result != 0);
}

struct pm_read_ahead *pm_read_ahead_start(int fd, size_t at_once)
{
	/* Only regular files are accepted. A read from a pipe may block forever, and then the
	 * thread could not be stopped. */
	struct stat status;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return NULL;

	struct pm_read_ahead *ahead = malloc(sizeof *ahead);
	if (!ahead)
		return NULL;

	memset(ahead, 0, offsetof(struct pm_read_ahead, blocks));
	ahead->fd = fd;
	ahead->at_once = at_once;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	if (start_thread(ahead) == 0)
		return ahead;

	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);

	return NULL;
}

/**
 * Waits until the next block is filled.
 * @return the block, or NULL if all blocks were consumed and the thread reached the end of the file
 *         or a read failed
 */
static struct block *next_block(struct pm_read_ahead *ahead)
{
	struct block *block = NULL;
	pthread_mutex_lock(&ahead->lock);
	while (ahead->written == ahead->done && !ahead->at_end)
		pthread_cond_wait(&ahead->changed, &ahead->lock);

	if (ahead->written > ahead->done)
		block = &ahead->blocks[ahead->done % BLOCKS];
	pthread_mutex_unlock(&ahead->lock);
	return block;
}

ssize_t pm_read_ahead_next(struct pm_read_ahead *ahead, void *buffer, size_t size)
{
	struct block *block = next_block(ahead);
	if (!block) {
		errno = ahead->cause;
		return -(ahead->cause != 0);
	}

	size_t length = pm_min_size(block->filled - block->consumed, size);
	memcpy(buffer, block->bytes + block->consumed, length);
	block->consumed += length;

	if (block->consumed == block->filled) {
		pthread_mutex_lock(&ahead->lock);
		ahead->done++;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}

	return (ssize_t)length;
}

void pm_read_ahead_stop(struct pm_read_ahead *ahead)
{
	if (!ahead)
		return;

	pthread_mutex_lock(&ahead->lock);
	ahead->stopping = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
