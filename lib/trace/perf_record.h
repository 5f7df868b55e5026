/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parsing of the records that perf_event_open(2) writes to its ring buffers. Private.
 *
 * The kernel writes the records. Their stacks and registers are those of the target, and sizes are
 * checked as in any untrusted input.
 */
#ifndef PM_TRACE_PERF_RECORD_H
#define PM_TRACE_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/perf_event.h>

/** Fields of each sample and, except registers, at the end of each other record. */
#define PM_PERF_SAMPLE_TYPE                                                       \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	            PERF_SAMPLE_REGS_USER))

/** All fields of samples that the parser supports. */
#define PM_PERF_SAMPLE_TYPES                                                                \
	(PM_PERF_SAMPLE_TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_STACK_USER)

/** Value of perf_event_attr.sample_regs_user: the registers of enum pm_unwind_register. */
#define PM_PERF_REGISTERS UINT64_C(0xff01ff)

/** Maximum size of a record in bytes; the size field has 16 bits. */
enum { PM_PERF_RECORD_MAX = 1 << 16 };

/** What a record says. */
enum pm_perf_record_type {
	PM_PERF_OTHER,  /**< nothing that a trace uses */
	PM_PERF_SAMPLE, /**< an event was hit */
	PM_PERF_LOST,   /**< records were dropped because the buffer was full */
	PM_PERF_EXEC,   /**< a thread has called exec */
	PM_PERF_EXIT,   /**< a thread has exited */
};

/** A parsed record. Pointers refer to the bytes of the record. */
struct pm_perf_record {
	enum pm_perf_record_type type; /**< the type */
	uint64_t id;                   /**< identifier of the event (PERF_EVENT_IOC_ID) */
	pid_t pid;             /**< the process; 0 or -1 if it is not in our PID namespace */
	pid_t tid;             /**< the thread */
	uint64_t time;         /**< nanoseconds of the clock of the event */
	uint64_t lost;         /**< PM_PERF_LOST: number of dropped records */
	uint64_t address;      /**< PERF_SAMPLE_ADDR; 0 if the sample has none */
	const uint64_t *chain; /**< user part of the chain of callers; NULL if there is none */
	size_t chain_count;    /**< number of addresses in `chain` */
	const char *raw;       /**< PERF_SAMPLE_RAW; NULL if there is none */
	size_t raw_size;       /**< size of `raw` in bytes */
	/** PM_UNWIND_REGISTERS values of a 64-bit thread; NULL if there are none */
	const uint64_t *registers;
	const void *stack; /**< copy of the top of the stack; NULL if there is none */
	size_t stack_size; /**< size of the copy in bytes */
};

/**
 * Finds the identifier of the event that wrote a record, which says how to parse a sample.
 *
 * @param bytes  the record, aligned to 8 bytes
 * @param size   number of bytes that may be read
 * @param id     receives the identifier
 * @return       whether the record is complete and has an identifier
 */
bool pm_perf_record_id(const void *bytes, size_t size, uint64_t *id);

/**
 * Finds the time of a record.
 *
 * @param bytes  the record, aligned to 8 bytes
 * @param size   number of bytes that may be read
 * @param time   receives nanoseconds of the clock of the event
 * @return       whether the record is complete and has a time
 */
bool pm_perf_record_time(const void *bytes, size_t size, uint64_t *time);

/**
 * Parses a record.
 *
 * @param bytes        the record, aligned to 8 bytes
 * @param size         number of bytes that may be read
 * @param sample_type  fields of the samples of the event, a part of PM_PERF_SAMPLE_TYPES that
 *                     contains PM_PERF_SAMPLE_TYPE
 * @param record       receives the record
 * @return             false if the record is damaged: a size in it exceeds the record
 */
bool pm_perf_record_parse(const void *bytes, size_t size, uint64_t sample_type,
                          struct pm_perf_record *record);

#endif
