/* SPDX-License-Identifier: MIT */
#include "dump/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/minmax.h"
#include "reader/cancel.h"

/*
 * Size in bytes of the buffer of a stream. One call then writes several separate pages together
 * with the zeros between them.
 */
enum { BUFFER_SIZE = 256 * 1024 };

int pm_output_init(struct pm_output *output, int fd, const volatile sig_atomic_t *cancel,
                   struct pm_error *error)
{
	struct stat status;

	*output = (struct pm_output){ .fd = fd, .cancel = cancel };
	int flags = fcntl(fd, F_GETFL);
	off_t position = lseek(fd, 0, SEEK_CUR);
	if (flags >= 0 && !(flags & O_APPEND) && position >= 0 && fstat(fd, &status) == 0 &&
	    S_ISREG(status.st_mode) && status.st_size <= position) {
		output->sparse = true;
		output->base = (uint64_t)position;
		return 0;
	}

	output->buffer = malloc(BUFFER_SIZE);
	if (!output->buffer)
		return pm_error_out_of_memory(error);

	return 0;
}

void pm_output_deinit(struct pm_output *output)
{
	free(output->buffer);
	output->buffer = NULL;
}

/**
 * Handles a failed write. If the output cannot accept bytes now (EAGAIN), waits up to 100 ms.
 * @return 0: try again; -1: an error
 */
static int handle_failure(struct pm_output *output, struct pm_error *error)
{
	int cause = errno;

	if (pm_check_cancel(output->cancel, error) < 0)
		return -1;
	if (cause == EINTR)
		return 0;

	if (cause == EAGAIN) {
		/* The descriptor is non-blocking: this flag is shared with other processes, and
		 * one of them has set it. */
		struct pollfd wait = { .fd = output->fd, .events = POLLOUT };
		poll(&wait, 1, 100);
		return 0;
	}

	return pm_error_set(error, PM_ERROR_IO, cause, "writing failed: %s", strerror(cause));
}

/**
 * Writes all bytes.
 * @param place  offset in the file at which to write; -1 to write at the current offset
 */
static int write_all(struct pm_output *output, const char *bytes, size_t size, off_t place,
                     struct pm_error *error)
{
	while (size > 0) {
		ssize_t done;

		if (place < 0)
			done = write(output->fd, bytes, size);
		else
			done = pwrite(output->fd, bytes, size, place);

		if (done < 0) {
			if (handle_failure(output, error) < 0)
				return -1;
			continue;
		}

		bytes += done;
		size -= (size_t)done;

		/* A short write can be caused by a signal that interrupted the write, and its
		 * handler may have requested a cancellation. */
		if (size > 0 && pm_check_cancel(output->cancel, error) < 0)
			return -1;

		if (place >= 0)
			place += done;
	}

	return 0;
}

static int flush(struct pm_output *output, struct pm_error *error)
{
	size_t size = output->filled;
	output->filled = 0;
	return write_all(output, output->buffer, size, -1, error);
}

/**
 * Converts an offset in the output to an offset in the file.
 * @param size  number of bytes that will be written at this offset
 * @param place  receives the offset
 */
static int place_of(const struct pm_output *output, uint64_t at, uint64_t size, off_t *place,
                    struct pm_error *error)
{
	uint64_t end;
	if (__builtin_add_overflow(output->base, at, &end) ||
	    __builtin_add_overflow(end, size, &end) || end > (uint64_t)INT64_MAX)
		return pm_error_set(error, PM_ERROR_IO, EFBIG,
		                    "writing failed: the file would be too large");

	*place = (off_t)(output->base + at);
	return 0;
}

int pm_output_bytes_at(struct pm_output *output, uint64_t at, const void *bytes, size_t size,
                       struct pm_error *error)
{
	off_t place = 0;
	if (place_of(output, at, size, &place, error) < 0)
		return -1;
	return write_all(output, bytes, size, place, error);
}

int pm_output_bytes(struct pm_output *output, const void *bytes, size_t size,
                    struct pm_error *error)
{
	if (output->sparse) {
		if (pm_output_bytes_at(output, output->at, bytes, size, error) < 0)
			return -1;
	} else {
		if (size > BUFFER_SIZE - output->filled && flush(output, error) < 0)
			return -1;
		if (size > BUFFER_SIZE) {
			if (write_all(output, bytes, size, -1, error) < 0)
				return -1;
		} else {
			memcpy(output->buffer + output->filled, bytes, size);
			output->filled += size;
		}
	}

	output->at += size;
	return 0;
}

int pm_output_zeros(struct pm_output *output, uint64_t size, struct pm_error *error)
{
	static const char zeros[64 * 1024];

	if (output->sparse) {
		output->at += size;
		return 0;
	}

	while (size > 0) {
		size_t step = (size_t)pm_min(size, sizeof zeros);
		if (pm_check_cancel(output->cancel, error) < 0)
			return -1;
		if (pm_output_bytes(output, zeros, step, error) < 0)
			return -1;
		size -= step;
	}

	return 0;
}

int pm_output_finish(struct pm_output *output, struct pm_error *error)
{
	off_t end = 0;
	if (!output->sparse)
		return flush(output, error);
	if (place_of(output, output->at, 0, &end, error) < 0)
		return -1;
	if (ftruncate(output->fd, end) < 0 || lseek(output->fd, end, SEEK_SET) < 0)
		return pm_error_set(error, PM_ERROR_IO, errno, "writing failed: %s",
		                    strerror(errno));

	return 0;
}
