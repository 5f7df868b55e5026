/* SPDX-License-Identifier: MIT */
#include <procmem/oom_log.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/number.h"
#include "pressure/oom_record.h"

/*
 * A record of /dev/kmsg has at most 8 KiB (PRINTKRB_RECORD_MAX, kernel/printk), and a read(2)
 * returns one record. The buffer of the kernel has at most a few MiB (log_buf_len); twice as much
 * is read, so that a log that is written to all the time has an end.
 */
enum { BUFFER_SIZE = 16384, RECORDS_MAX = 1 << 18, BYTES_MAX = 1 << 26 };

/** A log that is being read. */
struct reading {
	struct pm_oom_log log;
	size_t capacity; /* of log.kills */
	struct pm_oom_parser parser;
	bool any;           /* a record was read */
	uint64_t oldest_us; /* time of the first record */
	size_t records;
	size_t bytes;
};

void pm_oom_log_deinit(struct pm_oom_log *log)
{
	free(log->kills);
	*log = (struct pm_oom_log){ 0 };
}

/** Keeps a kill. If there are too many, the oldest one is dropped. */
static int add_kill(struct reading *reading, const struct pm_oom_kill *kill, struct pm_error *error)
{
	struct pm_oom_log *log = &reading->log;

	if (log->count == PM_OOM_KILLS_MAX) {
		memmove(log->kills, log->kills + 1, (log->count - 1) * sizeof *log->kills);
		log->count--;
		log->dropped++;
	}
	if (pm_array_reserve(&log->kills, &reading->capacity, log->count, 1, sizeof *log->kills,
	                     error) < 0)
		return -1;

	log->kills[log->count++] = *kill;
	return 0;
}

/**
 * Parses the line of a record: `PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT`. Lines that begin with a
 * space belong to the record before. The priority contains the facility: that of the kernel is 0,
 * and programs cannot use it.
 */
static int parse_line(struct reading *reading, const char *line, struct pm_error *error)
{
	uint64_t priority, sequence, time_us;
	struct pm_oom_kill kill;

	if (!pm_scan_decimal(&line, &priority) || *line++ != ',' ||
	    !pm_scan_decimal(&line, &sequence) || *line++ != ',' ||
	    !pm_scan_decimal(&line, &time_us) || *line != ',')
		return 0;

	if (!reading->any) {
		reading->any = true;
		reading->oldest_us = time_us;
		reading->log.complete = sequence == 0;
	}
	line = strchr(line, ';');
	if (!line || priority >> 3 != 0)
		return 0;

	if (!pm_oom_record_parse(&reading->parser, line + 1, time_us, &kill))
		return 0;
	return add_kill(reading, &kill, error);
}

/**
 * Parses all complete lines of a buffer.
 *
 * @param reading  the state
 * @param buffer   the bytes, followed by a NUL; lines are cut
 * @param length   number of bytes; receives that of the incomplete line, which is moved to the
 * start
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int parse_lines(struct reading *reading, char *buffer, size_t *length,
                       struct pm_error *error)
{
	char *at = buffer, *end = buffer + *length, *newline;

	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		*newline = '\0';
		if (parse_line(reading, at, error) < 0)
			return -1;
		reading->records++;
		at = newline + 1;
	}

	/* A line that fills the buffer is not a record. */
	*length = (size_t)(end - at);
	if (*length >= BUFFER_SIZE)
		*length = 0;
	memmove(buffer, at, *length);
	return 0;
}

static int read_records(int fd, struct reading *reading, struct pm_error *error)
{
	char buffer[BUFFER_SIZE + 1];
	size_t length = 0;

	for (;;) {
		if (reading->records >= RECORDS_MAX || reading->bytes >= BYTES_MAX) {
			reading->log.cut = true;
			return 0;
		}

		ssize_t got = pm_read(fd, buffer + length, BUFFER_SIZE - length);
		/* EPIPE: the kernel has overwritten the next record; the one after follows. */
		if (got < 0 && errno == EPIPE) {
			reading->records++;
			continue;
		}
		if (got < 0 && errno != EAGAIN)
			return pm_read_failed(error);
		if (got <= 0)
			return 0;

		reading->bytes += (size_t)got;
		length += (size_t)got;
		if (parse_lines(reading, buffer, &length, error) < 0)
			return -1;
	}
}

/** Reports why the log cannot be opened. */
static int report_open(const char *path, int cause, struct pm_error *error)
{
	if (cause == EPERM)
		return pm_error_set(error, PM_ERROR_ACCESS, cause,
		                    "%s needs the capability CAP_SYSLOG while "
		                    "kernel.dmesg_restrict is 1: use sudo",
		                    path);
	if (cause == EACCES)
		return pm_error_set(error, PM_ERROR_ACCESS, cause,
		                    "this user may not read %s: use sudo", path);
	if (cause == ENOENT)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, cause,
		                    "%s does not exist, as in most containers: run procmem, or "
		                    "dmesg, on the host",
		                    path);

	return pm_error_set(error, pm_errno_is_ours(cause) ? PM_ERROR_RESOURCES : PM_ERROR_IO,
	                    cause, "cannot open %s: %s", path, strerror(cause));
}

/** Returns whether a file is /dev/kmsg: character device 1:11
 * (Documentation/admin-guide/devices.txt). */
static bool is_log(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 11);
}

/**
 * Opens the log. Some containers have another file instead, such as /dev/null or /dev/console. To
 * read them can block, or take input from another program, and they have no records.
 */
static int open_log(const char *path, bool saved, struct pm_error *error)
{
	struct stat status;
	if (stat(path, &status) < 0)
		return report_open(path, errno, error);
	if (!is_log(&status) && !(saved && S_ISREG(status.st_mode)))
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is not the log of the kernel, as in some containers: run "
		                    "procmem, or dmesg, on the host",
		                    path);

	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? report_open(path, errno, error) : fd;
}

/** Computes ages from the times of the records, which are about those of CLOCK_MONOTONIC. */
static void set_ages(struct reading *reading)
{
	uint64_t now_us = pm_clock_ns(CLOCK_MONOTONIC) / 1000;

	for (size_t i = 0; i < reading->log.count; i++) {
		struct pm_oom_kill *kill = &reading->log.kills[i];
		kill->age_known = true;
		if (kill->time_us < now_us)
			kill->seconds_ago = (double)(now_us - kill->time_us) / 1e6;
	}
	if (reading->any && reading->oldest_us < now_us)
		reading->log.seconds_back = (double)(now_us - reading->oldest_us) / 1e6;
}

int pm_oom_log_read(const char *path, struct pm_oom_log *log, struct pm_error *error)
{
	struct reading reading = { 0 };
	int fd = open_log(path ? path : "/dev/kmsg", path != NULL, error);
	if (fd < 0)
		return -1;

	int result = read_records(fd, &reading, error);
	close(fd);
	if (result < 0) {
		pm_oom_log_deinit(&reading.log);
		return -1;
	}

	if (!path)
		set_ages(&reading);
	*log = reading.log;
	return 0;
}
