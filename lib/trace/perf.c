/* SPDX-License-Identifier: MIT */
/*
 * The backend perf: reads the records of all rings, unwinds their stacks, and passes the events to
 * the trace in the order of their times.
 *
 * While the rings are read, a CPU can still be writing a record with an earlier time. An event is
 * therefore passed only when its time is before the previous read of the rings.
 */
#include "trace/perf.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/maps.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "proc/process_handle.h"
#include "trace/calls.h"
#include "trace/perf_events.h"
#include "trace/perf_owners.h"
#include "trace/perf_record.h"
#include "trace/perf_rings.h"
#include "trace/perf_tracepoints.h"

/* Samples that are unwound in one message. */
enum { BATCH_MAX = 64 };

/* Maximum time between two reads of the rings, in nanoseconds. */
static const uint64_t INTERVAL = UINT64_C(100000000);
/* Time after an exec in which the kernel can end the events, in nanoseconds. */
static const uint64_t EXEC_TIME = UINT64_C(1000000000);

/* What a record costs the target, and what a system call that is not recorded costs with one event
 * for each tracepoint and with events of all calls, in nanoseconds. docs/INTERNALS.md has the
 * measurements. */
enum { COST = 1200, COST_STACK = 1800, COST_CHAIN = 2100, COST_CALL = 70, COST_CALL_ALL = 210 };

/** An event that was not passed yet. */
struct waiting {
	struct pm_trace_event event;
	uint64_t sequence; /**< events with the same time stay in the order of the ring */
	uint32_t owner;    /**< owner of the perf event */
};

/** The state of the backend. */
struct perf {
	const struct pm_trace_target *target;
	struct pm_tracepoint_ids ids;
	struct pm_perf_rings rings;
	struct pm_perf_events events;
	struct pm_perf_owners owners; /**< used if events.repeated */
	struct pollfd *fds;           /**< of the rings, and of the process */
	struct waiting *queue;
	size_t count, capacity;                     /**< of the queue */
	struct pm_unwind_sample samples[BATCH_MAX]; /**< not unwound yet */
	size_t places[BATCH_MAX];                   /**< index in the queue of each sample */
	size_t sample_count;
	uint64_t sequence;     /**< of the next event */
	uint64_t bound;        /**< time of the previous read of the rings */
	uint64_t refreshed;    /**< when maps was read for the unwinder */
	bool full;             /**< whether a ring was nearly full since count_lost() */
	bool loading;          /**< exec was recorded, and no code of the new program since */
	uint64_t lost_records; /**< dropped records, by the records of full rings */
	uint64_t lost_before;  /**< dropped records of events that the kernel has ended */
	uint64_t exec;         /**< until when the events can end because of exec; 0: never */
	uint64_t setup_ns, recorded, lost, target_ns;
};

/* --- From a record to an event ---------------------------------------------------------------- */

/**
 * Unwinds the samples of the batch, and gives their events the numbers of the stacks. Releases the
 * records that were consumed, because their samples are not needed any more.
 */
static int unwind(struct perf *perf, struct pm_error *error)
{
	uint32_t numbers[BATCH_MAX];
	size_t count = perf->sample_count;

	perf->sample_count = 0;
	if (count == 0 || !perf->target->unwinder)
		return 0;
	if (pm_unwinder_add(perf->target->unwinder, perf->samples, count, numbers, error) < 0)
		return -1;

	for (size_t i = 0; i < count; i++)
		perf->queue[perf->places[i]].event.stack = numbers[i];

	pm_perf_rings_release(&perf->rings);
	return 0;
}

/** Appends an event to the queue. */
static int append(struct perf *perf, struct pm_trace_event event, uint32_t owner,
                  struct pm_error *error)
{
	if (pm_array_reserve(&perf->queue, &perf->capacity, perf->count, 1, sizeof *perf->queue,
	                     error) < 0)
		return -1;

	perf->queue[perf->count++] = (struct waiting){ event, perf->sequence++, owner };
	return 0;
}

/** Adds the stack of a record to the batch, for the last event of the queue. */
static int add_sample(struct perf *perf, const struct pm_perf_record *record,
                      struct pm_error *error)
{
	if (perf->sample_count == BATCH_MAX && unwind(perf, error) < 0)
		return -1;

	perf->places[perf->sample_count] = perf->count - 1;
	perf->samples[perf->sample_count++] =
		(struct pm_unwind_sample){ .registers = record->registers,
		                           .stack = record->stack,
		                           .stack_size = record->stack_size,
		                           .chain = record->chain,
		                           .chain_count = record->chain_count };
	return 0;
}

/** Reads maps again before the next sample. The samples so far belong to the maps until now. */
static int refresh(struct perf *perf, bool exec, struct pm_error *error)
{
	if (unwind(perf, error) < 0)
		return -1;

	perf->refreshed = pm_clock_ns(CLOCK_MONOTONIC);
	if (perf->target->unwinder)
		pm_unwinder_refresh(perf->target->unwinder, exec);
	return 0;
}

/**
 * Finds the system call of a record of an event of all system calls. Its number follows the 8 bytes
 * that all tracepoints have.
 * @return  NULL if it is not one that is traced
 */
static const struct pm_tracepoint_call *find_call(const struct pm_perf_record *record, bool enter)
{
	int64_t number;

	if (record->raw_size < 8 + sizeof number)
		return NULL;
	memcpy(&number, record->raw + 8, sizeof number);

	for (size_t i = 0; i < PM_TRACEPOINT_CALLS; i++)
		if (pm_tracepoint_calls[i].number == number &&
		    pm_tracepoint_calls[i].enter == enter)
			return &pm_tracepoint_calls[i];

	return NULL;
}

/** Returns the system call of a sample; NULL for a page fault or another system call. */
static const struct pm_tracepoint_call *call_of(unsigned what, const struct pm_perf_record *record)
{
	if (what < PM_TRACEPOINT_CALLS)
		return &pm_tracepoint_calls[what];
	if (what == PM_PERF_FAULTS)
		return NULL;

	return find_call(record, what == PM_TRACEPOINT_ENTER_ALL);
}

/**
 * Fills an event from the registers at the start or end of a system call. The kernel keeps the
 * arguments in the registers; at the end, the result replaces the number of the call.
 */
static void fill_call(struct pm_trace_event *event, const uint64_t *registers)
{
	static const unsigned char order[] = { PM_UNWIND_DI,  PM_UNWIND_SI, PM_UNWIND_DX,
		                               PM_UNWIND_R10, PM_UNWIND_R8, PM_UNWIND_R9 };

	for (size_t i = 0; i < sizeof order; i++)
		event->arguments[i] = registers[order[i]];
	event->result = registers[PM_UNWIND_AX];
}

/**
 * Returns the kind of an event. Events of all system calls have a stack only at the end of a call:
 * there, the end of a call that fills memory takes the place of its start.
 */
static enum pm_trace_kind kind_of(const struct perf *perf, unsigned what,
                                  const struct pm_tracepoint_call *call, uint64_t advice)
{
	if (what == PM_TRACEPOINT_EXIT_ALL && call->kind == PM_TRACE_MADVISE &&
	    perf->events.choice.faults && pm_trace_call_populates(advice))
		return PM_TRACE_POPULATE;

	return call->kind;
}

/** Estimates what a record has cost the target. */
static uint64_t cost_of(const struct pm_perf_record *record)
{
	uint64_t stack = (record->stack != NULL) * (uint64_t)COST_STACK;
	return COST + stack + (record->chain != NULL) * (uint64_t)COST_CHAIN;
}

/** Consumes a sample. */
static int consume_sample(struct perf *perf, const struct pm_perf_event *source,
                          const struct pm_perf_record *record, struct pm_error *error)
{
	const struct pm_tracepoint_call *call = call_of(source->what, record);
	struct pm_trace_event event = { .time = record->time,
		                        .kind = PM_TRACE_FAULT,
		                        .tid = record->tid };

	perf->target_ns += cost_of(record);
	if (!record->registers || (!call && source->what != PM_PERF_FAULTS))
		return 0;

	/* Until its first instruction, the program has the registers of the old one. */
	perf->loading = perf->loading && !call && !record->user;
	event.arguments[0] = record->address;
	event.arguments[1] = perf->loading;
	if (call) {
		fill_call(&event, record->registers);
		event.kind = kind_of(perf, source->what, call, event.arguments[2]);
		if (!pm_trace_call_is_used(&event))
			return 0;
	}

	perf->recorded++;
	if (append(perf, event, source->owner, error) < 0)
		return -1;
	if (((!call && !perf->loading) || (call && call->stack) ||
	     event.kind == PM_TRACE_POPULATE) &&
	    add_sample(perf, record, error) < 0)
		return -1;

	/* What was mapped before maps was read is known. */
	bool unknown = pm_trace_call_maps_code(&event) && event.time >= perf->refreshed;
	return unknown ? refresh(perf, false, error) : 0;
}

/** Reports that more records were dropped. Their number is known, but not what they were. */
static int report_lost(struct perf *perf, uint64_t time, uint64_t total, struct pm_error *error)
{
	struct pm_trace_event event = { .time = time, .kind = PM_TRACE_LOST };

	if (total <= perf->lost)
		return 0;

	event.arguments[0] = total - perf->lost;
	perf->lost = total;
	/* The exit of a thread may be among them, and its ID may be used again. */
	pm_perf_owners_clear(&perf->owners);

	return append(perf, event, 0, error);
}

/** Consumes a record of the exec or the exit of a thread. */
static int consume_task(struct perf *perf, const struct pm_perf_event *source,
                        const struct pm_perf_record *record, struct pm_error *error)
{
	bool exec = record->type == PM_PERF_EXEC;
	struct pm_trace_event event = { .time = record->time,
		                        .kind = exec ? PM_TRACE_EXEC : PM_TRACE_EXIT,
		                        .tid = record->tid };
	if (append(perf, event, source->owner, error) < 0)
		return -1;
	if (!exec)
		return 0;
	perf->exec = pm_clock_ns(CLOCK_MONOTONIC) + EXEC_TIME;
	perf->loading = true;
	return refresh(perf, true, error);
}

/** Consumes a record of a ring. */
static int consume(void *context, const void *bytes, size_t size, struct pm_error *error)
{
	struct perf *perf = context;
	struct pm_perf_record record;
	const struct pm_perf_event *source;
	uint64_t id;

	if (!pm_perf_record_id(bytes, size, &id))
		return 0;
	source = pm_perf_events_find(&perf->events, id);
	unsigned what = source ? source->what : PM_PERF_FAULTS;
	if (!pm_perf_record_parse(bytes, size, pm_perf_events_sample_type(&perf->events, what),
	                          &record)) {
		/* The fields of the samples of an event that was closed are not known: a plan was
		 * given up while its first events recorded already. */
		if (!source)
			return 0;
		return pm_error_set(error, PM_ERROR_IO, 0,
		                    "the kernel wrote a damaged record of an event");
	}

	if (record.type == PM_PERF_LOST) {
		perf->lost_records += record.lost;
		return report_lost(perf, record.time, perf->lost_records, error);
	}
	/* Other processes: children by fork, or all processes if there is an event for each CPU. */
	if (!source || record.type == PM_PERF_OTHER ||
	    record.pid != pm_process_pid(perf->target->process))
		return 0;

	if (perf->events.repeated) {
		int counts = pm_perf_owners_add(&perf->owners, record.tid, source->owner, error);
		if (counts <= 0)
			return counts;
	}

	if (record.type == PM_PERF_SAMPLE)
		return consume_sample(perf, source, &record, error);
	return consume_task(perf, source, &record, error);
}

/* --- Passing the events ----------------------------------------------------------------------- */

static int compare_waiting(const void *a, const void *b)
{
	const struct waiting *first = a, *second = b;

	if (first->event.time != second->event.time)
		return first->event.time < second->event.time ? -1 : 1;
	return (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

/** Passes an event, unless it is repeated: its thread has a record with a higher owner. */
static int pass(struct perf *perf, const struct waiting *waiting, struct pm_error *error)
{
	const struct pm_trace_sink *sink = &perf->target->sink;
	const struct pm_trace_event *event = &waiting->event;

	if (perf->events.repeated && event->kind != PM_TRACE_LOST &&
	    waiting->owner < pm_perf_owners_find(&perf->owners, event->tid))
		return 0;

	if (event->kind == PM_TRACE_EXIT)
		pm_perf_owners_forget(&perf->owners, event->tid);
	if (event->kind == PM_TRACE_EXEC)
		pm_perf_owners_clear(&perf->owners);

	return sink->event(sink->context, event, error);
}

/** Passes the events before a time, in the order of their times. */
static int pass_before(struct perf *perf, uint64_t bound, struct pm_error *error)
{
	size_t passed = 0;
	int result = 0;

	if (perf->count > 0)
		qsort(perf->queue, perf->count, sizeof *perf->queue, compare_waiting);
	while (result == 0 && passed < perf->count && perf->queue[passed].event.time < bound)
		result = pass(perf, &perf->queue[passed++], error);

	perf->count -= passed;
	if (perf->count > 0)
		memmove(perf->queue, perf->queue + passed, perf->count * sizeof *perf->queue);

	return result;
}

/** Reads all rings. */
static int drain(struct perf *perf, struct pm_error *error)
{
	bool full = false;
	int result = pm_perf_rings_drain(&perf->rings, consume, perf, &full, error);

	perf->full = perf->full || full;
	if (result < 0)
		return -1;

	/* The last samples are still in the rings. */
	if (unwind(perf, error) < 0)
		return -1;
	pm_perf_rings_release(&perf->rings);
	return 0;
}

/**
 * Counts the records that were dropped since the last record of a full ring. The kernel reports
 * dropped records only with the next record.
 */
static int count_lost(struct perf *perf, uint64_t time, struct pm_error *error)
{
	if (!perf->full)
		return 0;

	perf->full = false;
	return report_lost(perf, time, perf->lost_before + pm_perf_events_lost(&perf->events),
	                   error);
}

/** Opens the events of the process. */
static int open_events(struct perf *perf, struct pm_perf_choice choice, struct pm_error *error)
{
	perf->events.choice = choice;
	perf->events.ids = &perf->ids;
	perf->events.rings = &perf->rings;

	return pm_perf_events_open(&perf->events, perf->target->process, error);
}

/** Closes the events that the kernel has ended, and opens them again. */
static int reopen(struct perf *perf, struct pm_error *error)
{
	struct pm_trace_event event = { .time = pm_clock_ns(CLOCK_MONOTONIC),
		                        .kind = PM_TRACE_EXEC,
		                        .tid = pm_process_pid(perf->target->process),
		                        .arguments = { true } };
	struct pm_perf_choice choice = perf->events.choice;

	/* Records of closed events cannot be parsed. */
	if (drain(perf, error) < 0)
		return -1;

	perf->lost_before = perf->lost;
	pm_perf_events_close(&perf->events);
	if (open_events(perf, choice, error) < 0 || append(perf, event, 0, error) < 0)
		return -1;
	return refresh(perf, false, error);
}

/**
 * Opens the events again if the kernel has ended them because the process executes a program that
 * changes its privileges. What the program has mapped until then is from before the events.
 */
static int follow_exec(struct perf *perf, struct pm_error *error)
{
	struct pm_error cause = { 0 };

	if (pm_clock_ns(CLOCK_MONOTONIC) >= perf->exec || !pm_perf_events_ended(&perf->events))
		return 0;
	if (pm_perf_events_permitted(perf->target->process, &cause) == 0 &&
	    reopen(perf, &cause) == 0)
		return 0;

	/* The events have ended because the process exits: the next wait ends with that. */
	if (cause.kind == PM_ERROR_GONE || cause.kind == PM_ERROR_NOT_FOUND ||
	    cause.kind == PM_ERROR_NO_MEMORY)
		return 0;
	if (error)
		*error = cause;
	return -1;
}

/** Waits until a time, until a ring is half full, or until the process has exited. */
static void wait_until(struct perf *perf, uint64_t until)
{
	uint64_t now = pm_clock_ns(CLOCK_MONOTONIC);
	uint64_t left = until > now ? pm_min(until - now, INTERVAL) : 0;
	struct timespec timeout = { .tv_nsec = (long)left };

	/* A signal ends the wait, so that the caller tests its cancel flag. */
	if (ppoll(perf->fds, (nfds_t)perf->rings.count + 1, &timeout, NULL) < 0)
		perf->fds[perf->rings.count].revents = 0;
}

static int poll_events(void *backend, uint64_t until, bool last, struct pm_error *error)
{
	struct perf *perf = backend;

	wait_until(perf, last ? 0 : until);
	bool exited = perf->fds[perf->rings.count].revents != 0;

	uint64_t start = pm_clock_ns(CLOCK_MONOTONIC);
	if (drain(perf, error) < 0 || (!exited && follow_exec(perf, error) < 0))
		return -1;
	/* Reading the numbers takes time: only where the caller needs all events up to now. */
	if ((last || until <= start) && count_lost(perf, start - 1, error) < 0)
		return -1;
	if (pass_before(perf, last ? UINT64_MAX : perf->bound, error) < 0)
		return -1;
	perf->bound = start;

	return exited;
}

static void fill_state(const void *backend, struct pm_trace_state *state)
{
	static const char *const plans[PM_PERF_PLANS] = {
		[PM_PERF_PER_THREAD] = "one event per thread, CPU and system call",
		[PM_PERF_FILTERED] = "two events per thread and CPU, for all system calls",
		[PM_PERF_PER_CPU] = "one event per CPU and system call, for all processes",
	};
	const struct perf *perf = backend;

	state->backend = PM_TRACE_PERF;
	state->plan = plans[perf->events.plan];
	state->plan_usual = perf->events.plan == PM_PERF_PER_THREAD;
	state->descriptors = perf->events.count + perf->rings.count;
	state->threads = perf->events.threads;
	state->setup_ns = perf->setup_ns;
	state->events = perf->recorded;
	state->lost = perf->lost;
	state->target_ns = perf->target_ns;
	state->call_ns = perf->events.plan == PM_PERF_FILTERED ? COST_CALL_ALL : COST_CALL;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void close_perf(void *backend)
{
	struct perf *perf = backend;

	pm_perf_events_close(&perf->events);
	pm_perf_rings_close(&perf->rings);
	pm_perf_owners_clear(&perf->owners);
	free(perf->queue);
	free(perf->fds);
	free(perf);
}

/** Tests whether a region contains generated code, whose unwind tables are in no file. */
static bool is_generated(const struct pm_region *region)
{
	return region->perms & PM_PERM_EXEC && region->inode == 0 &&
	       (region->mapping[0] == '\0' || strncmp(region->mapping, "[anon", 5) == 0);
}

/** Tests whether the chain of frame pointers is needed, which costs more than the stack. */
static bool needs_chain(struct pm_process *process)
{
	struct pm_regions regions;
	bool found = false;

	pm_regions_init(&regions);
	if (pm_maps_read(process, PM_MAPS, &regions, NULL) < 0)
		found = true;
	for (size_t i = 0; i < regions.count && !found; i++)
		found = is_generated(&regions.items[i]);
	pm_regions_deinit(&regions);

	return found;
}

/** Fills the descriptors that wait_until() waits for. */
static int make_fds(struct perf *perf, struct pm_error *error)
{
	size_t count = perf->rings.count;

	perf->fds = calloc(count + 1, sizeof *perf->fds);
	if (!perf->fds)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < count; i++)
		perf->fds[i] = (struct pollfd){ .fd = perf->rings.items[i].fd, .events = POLLIN };
	perf->fds[count] = (struct pollfd){ .fd = pm_process_poll_fd(perf->target->process),
		                            .events = POLLIN };
	return 0;
}

/** Opens everything, after the state was allocated. */
static int open_all(struct perf *perf, struct pm_error *error)
{
	const struct pm_trace_target *target = perf->target;
	size_t stack_size = target->options->stack_size;

	if (pm_perf_events_permitted(target->process, error) < 0 ||
	    pm_trace_calls_check(target->process, error) < 0 ||
	    pm_perf_tracepoints_find(NULL, &perf->ids, error) < 0)
		return -1;

	size_t record = pm_min(stack_size + 8192, (size_t)PM_PERF_RECORD_MAX);
	if (pm_perf_rings_open(&perf->rings, record, error) < 0 || make_fds(perf, error) < 0)
		return -1;

	const struct pm_perf_choice choice = { .faults = target->options->faults,
		                               .chain = target->started ||
		                                        needs_chain(target->process),
		                               .stack_size = stack_size };
	return open_events(perf, choice, error);
}

int pm_trace_perf_open(const struct pm_trace_target *target,
                       const struct pm_trace_backend_calls **calls, void **backend,
                       struct pm_error *error)
{
	static const struct pm_trace_backend_calls functions = { .backend = PM_TRACE_PERF,
		                                                 .close = close_perf,
		                                                 .poll = poll_events,
		                                                 .state = fill_state };
	uint64_t start = pm_clock_ns(CLOCK_MONOTONIC);
	struct perf *perf = calloc(1, sizeof *perf);

	if (!perf)
		return pm_error_out_of_memory(error);

	perf->target = target;
	if (open_all(perf, error) < 0) {
		close_perf(perf);
		return -1;
	}

	perf->bound = start;
	perf->setup_ns = pm_clock_ns(CLOCK_MONOTONIC) - start;
	*calls = &functions;
	*backend = perf;
	return 0;
}
