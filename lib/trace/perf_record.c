/* SPDX-License-Identifier: MIT */
/* The layout of records is that of perf_event_open(2), section "MMAP layout". All fields are
 * multiples of 8 bytes, so that the addresses in a record are aligned. */
#include "trace/perf_record.h"

#include <string.h>

#include <procmem/unwinder.h>

/* Size in bytes of the fields at the end of each record that is not a sample. */
enum { END_SIZE = 24 };

/** The part of a record that was not parsed yet. */
struct rest {
	const char *at;
	size_t left;
};

/** Returns the next bytes of a record, and moves past them; NULL if there are not enough. */
static const void *consume(struct rest *rest, uint64_t size)
{
	const char *at = rest->at;

	if (size > rest->left)
		return NULL;

	rest->at += size;
	rest->left -= (size_t)size;
	return at;
}

/** Reads the next 64-bit number. Returns false at the end of the record. */
static bool read_number(struct rest *rest, uint64_t *number)
{
	const void *at = consume(rest, sizeof *number);
	if (at)
		memcpy(number, at, sizeof *number);
	return at != NULL;
}

/** Reads two 32-bit numbers, as the fields of process and thread are. */
static bool read_pair(struct rest *rest, pid_t *first, pid_t *second)
{
	const char *at = consume(rest, 2 * sizeof *first);
	if (!at)
		return false;
	memcpy(first, at, sizeof *first);
	memcpy(second, at + sizeof *first, sizeof *second);
	return true;
}

/** Finds the fields of a record, without its header. Returns false if the record is incomplete. */
static bool open_record(const void *bytes, size_t size, struct perf_event_header *header,
                        struct rest *rest)
{
	if (size < sizeof *header)
		return false;

	memcpy(header, bytes, sizeof *header);
	if (header->size < sizeof *header || header->size > size || header->size % 8 != 0)
		return false;

	*rest = (struct rest){ (const char *)bytes + sizeof *header,
		               header->size - sizeof *header };
	return true;
}

bool pm_perf_record_id(const void *bytes, size_t size, uint64_t *id)
{
	struct perf_event_header header;
	struct rest rest;

	if (!open_record(bytes, size, &header, &rest) || rest.left < sizeof *id)
		return false;

	/* The identifier is the first field of a sample, and the last field of other records. */
	if (header.type != PERF_RECORD_SAMPLE)
		consume(&rest, rest.left - sizeof *id);
	return read_number(&rest, id);
}

/** Parses the end of a record that is not a sample (perf_event_attr.sample_id_all). */
static bool parse_end(const struct rest *rest, struct pm_perf_record *record)
{
	struct rest end = *rest;

	if (rest->left < END_SIZE)
		return false;

	consume(&end, rest->left - END_SIZE);
	return read_pair(&end, &record->pid, &record->tid) && read_number(&end, &record->time) &&
	       read_number(&end, &record->id);
}

bool pm_perf_record_time(const void *bytes, size_t size, uint64_t *time)
{
	struct perf_event_header header;
	struct rest rest;
	uint64_t id;
	pid_t pid, tid;

	if (!open_record(bytes, size, &header, &rest))
		return false;
	if (header.type == PERF_RECORD_SAMPLE)
		return read_number(&rest, &id) && read_pair(&rest, &pid, &tid) &&
		       read_number(&rest, time);

	struct pm_perf_record record = { .time = 0 };
	bool complete = parse_end(&rest, &record);

	*time = record.time;
	return complete;
}

/** Addresses from here on are markers of contexts (PERF_CONTEXT_USER), not code. */
static bool is_marker(uint64_t address)
{
	return address >= (uint64_t)PERF_CONTEXT_MAX;
}

/** Parses the chain of callers: a number, and that many addresses and markers. */
static bool parse_chain(struct rest *rest, struct pm_perf_record *record)
{
	uint64_t count;

	if (!read_number(rest, &count) || count > rest->left / sizeof(uint64_t))
		return false;

	const uint64_t *chain = consume(rest, count * sizeof *chain);
	while (count > 0 && is_marker(*chain))
		chain++, count--;

	record->chain = chain;
	while (record->chain_count < count && !is_marker(chain[record->chain_count]))
		record->chain_count++;

	return true;
}

/** Parses raw data: a 32-bit size, and that many bytes. The kernel aligns their end. */
static bool parse_raw(struct rest *rest, struct pm_perf_record *record)
{
	uint32_t size;

	if (rest->left < sizeof size)
		return false;

	memcpy(&size, consume(rest, sizeof size), sizeof size);
	record->raw = consume(rest, size);
	record->raw_size = size;

	return record->raw && rest->left % 8 == 0;
}

/** Parses registers: the ABI, which is 0 without registers, and the values. */
static bool parse_registers(struct rest *rest, struct pm_perf_record *record)
{
	uint64_t abi;

	if (!read_number(rest, &abi))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;

	const uint64_t *values = consume(rest, PM_UNWIND_REGISTERS * sizeof *values);
	if (abi == PERF_SAMPLE_REGS_ABI_64)
		record->registers = values;

	return values != NULL;
}

/**
 * Parses the copy of a stack: its size, the bytes, and, if the size is not 0, the number of bytes
 * that could be read.
 */
static bool parse_stack(struct rest *rest, struct pm_perf_record *record)
{
	uint64_t size, used;

	if (!read_number(rest, &size))
		return false;
	if (size == 0)
		return true;

	const void *stack = consume(rest, size);
	if (!stack || !read_number(rest, &used) || used > size)
		return false;
	if (used > 0 && used <= PM_UNWIND_STACK_MAX) {
		record->stack = stack;
		record->stack_size = (size_t)used;
	}

	return true;
}

/** Parses the fields of a sample, in the order of the kernel. */
static bool parse_sample(struct rest *rest, uint64_t type, struct pm_perf_record *record)
{
	record->type = PM_PERF_SAMPLE;

	if (!read_number(rest, &record->id) || !read_pair(rest, &record->pid, &record->tid) ||
	    !read_number(rest, &record->time))
		return false;
	if (type & PERF_SAMPLE_ADDR && !read_number(rest, &record->address))
		return false;
	if (type & PERF_SAMPLE_CALLCHAIN && !parse_chain(rest, record))
		return false;
	if (type & PERF_SAMPLE_RAW && !parse_raw(rest, record))
		return false;
	if (!parse_registers(rest, record))
		return false;

	return !(type & PERF_SAMPLE_STACK_USER) || parse_stack(rest, record);
}

/**
 * Parses a record that is not a sample. PERF_RECORD_LOST has an identifier and the number.
 * PERF_RECORD_EXIT has the process, its parent, the thread, and more. PERF_RECORD_COMM has the
 * process and the thread.
 */
static bool parse_other(struct rest *rest, const struct perf_event_header *header,
                        struct pm_perf_record *record)
{
	uint64_t ignored;
	pid_t parent;

	if (!parse_end(rest, record))
		return false;
	rest->left -= END_SIZE;

	switch (header->type) {
	case PERF_RECORD_LOST:
		record->type = PM_PERF_LOST;
		return read_number(rest, &ignored) && read_number(rest, &record->lost);
	case PERF_RECORD_LOST_SAMPLES:
		record->type = PM_PERF_LOST;
		return read_number(rest, &record->lost);
	case PERF_RECORD_EXIT:
		record->type = PM_PERF_EXIT;
		return read_pair(rest, &record->pid, &parent) &&
		       read_pair(rest, &record->tid, &parent);
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			record->type = PM_PERF_EXEC;
		return read_pair(rest, &record->pid, &record->tid);
	default:
		return true;
	}
}

bool pm_perf_record_parse(const void *bytes, size_t size, uint64_t sample_type,
                          struct pm_perf_record *record)
{
	struct perf_event_header header;
	struct rest rest;

	*record = (struct pm_perf_record){ .type = PM_PERF_OTHER };
	if (!open_record(bytes, size, &header, &rest))
		return false;

	if (header.type == PERF_RECORD_SAMPLE)
		return parse_sample(&rest, sample_type, record);
	return parse_other(&rest, &header, record);
}
