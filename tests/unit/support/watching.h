/* SPDX-License-Identifier: MIT */
/**
 * @file A process that logs exactly what it changes (the target `grower`), and a sampler of it.
 * Failures end the test.
 */
#ifndef SUPPORT_WATCHING_H
#define SUPPORT_WATCHING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <procmem/sample.h>

#include "support/target.h"

/** Bytes of a page. */
enum { PAGE = 4096 };

/** A running grower, and a sampler of it. */
struct watching {
	struct target target;
	struct pm_process *process;
	struct pm_sampler *sampler;
	int64_t size;     /* bytes of address space that it reported to have added */
	int64_t resident; /* resident bytes that it reported to have added */
};

/**
 * Starts the grower and the sampler.
 * @param watching  filled
 * @param options   options of the sampler
 */
void watching_begin(struct watching *watching, const struct pm_sampler_options *options);

/**
 * Ends the grower and the sampler.
 * @param watching as filled
 */
void watching_end(struct watching *watching);

/**
 * Sends a command to the grower, and adds up what it changed.
 * @param watching  the grower and its sampler
 * @param format    printf format of the command
 */
void watching_command(struct watching *watching, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Takes a sample.
 * @param watching  the grower and its sampler
 * @param sample    filled
 */
void watching_take(struct watching *watching, struct pm_sample *sample);

#endif
