/* SPDX-License-Identifier: MIT */
#include "proc/pids.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <libproc2/pids.h>

#include "base/io.h"
#include "proc/process_handle.h"

/* Up to libproc2 4.0.3, the macro that reads a value from a result has one more parameter, the info
 * structure. */
#ifdef PROCMEM_PIDS_VAL_TAKES_INFO
#define VALUE(item, type, stack, info) PIDS_VAL(item, type, stack, info)
#else
#define VALUE(item, type, stack, info) PIDS_VAL(item, type, stack)
#endif

/* Indices of the values in a result of libproc2; the order is that of `wanted`. */
enum item { PID, PPID, UID, THREADS, STATE, FLAGS, START, RSS, SWAP, SIZE, ITEM_COUNT };

static const enum pids_item wanted[ITEM_COUNT] = {
	[PID] = PIDS_ID_PID,   [PPID] = PIDS_ID_PPID,     [UID] = PIDS_ID_EUID,
	[THREADS] = PIDS_NLWP, [STATE] = PIDS_STATE,      [FLAGS] = PIDS_FLAGS,
	[RSS] = PIDS_VM_RSS,   [START] = PIDS_TICS_BEGAN, [SWAP] = PIDS_VM_SWAP,
	[SIZE] = PIDS_VM_SIZE,
};

static void fill(struct pids_info *info, struct pids_stack *stack, struct pm_pids_entry *entry)
{
	(void)info;
	/* libproc2 returns these sizes in KiB. */
	*entry = (struct pm_pids_entry){
		.pid = VALUE(PID, s_int, stack, info),
		.ppid = VALUE(PPID, s_int, stack, info),
		.uid = VALUE(UID, u_int, stack, info),
		.threads = (uint32_t)VALUE(THREADS, s_int, stack, info),
		.state = (char)VALUE(STATE, s_ch, stack, info),
		.kernel_thread = (VALUE(FLAGS, ul_int, stack, info) & PM_PF_KTHREAD) != 0,
		.start_ticks = VALUE(START, ull_int, stack, info),
		.rss = (uint64_t)VALUE(RSS, ul_int, stack, info) * 1024,
		.swap = (uint64_t)VALUE(SWAP, ul_int, stack, info) * 1024,
		.size = (uint64_t)VALUE(SIZE, ul_int, stack, info) * 1024,
	};
}

static int failed(int cause, struct pm_error *error)
{
	const char *reason = cause ? strerror(cause) : "/proc shows none";
	enum pm_error_kind kind = PM_ERROR_IO;

	if (pm_errno_is_ours(cause))
		kind = PM_ERROR_RESOURCES;

	return pm_error_set(error, kind, cause, "cannot list the processes: %s", reason);
}

int pm_pids_skip(int cause, struct pm_error *error)
{
	if (pm_errno_is_ours(cause))
		return failed(cause, error);
	return 0;
}

/**
 * Returns the next process.
 * @param cause  receives errno if this process lacks memory or descriptors; otherwise unchanged
 * @return       the values of the process; NULL at the end of the list and on failure
 */
static struct pids_stack *next(struct pids_info *info, int *cause)
{
	errno = 0;
	struct pids_stack *stack = procps_pids_get(info, PIDS_FETCH_TASKS_ONLY);
	/* If a process ends concurrently, libproc2 sets errno to ENOENT or ESRCH, which is not a
	 * failure. If no descriptors are left, libproc2 returns results that contain only zeros;
	 * these must not be used. */
	if (!pm_errno_is_ours(errno))
		return stack;

	*cause = errno;
	return NULL;
}

int pm_pids_visit(pm_pids_visitor *visit, void *context, struct pm_error *error)
{
	enum pids_item items[ITEM_COUNT];
	memcpy(items, wanted, sizeof items);

	struct pids_info *info = NULL;
	int result = procps_pids_new(&info, items, ITEM_COUNT), cause = 0;
	if (result < 0)
		return failed(-result, error);

	struct pids_stack *stack;
	bool some = false;
	while (result == 0 && (stack = next(info, &cause))) {
		struct pm_pids_entry entry;
		fill(info, stack, &entry);
		result = visit(context, &entry, error);
		some = true;
	}

	procps_pids_unref(&info);
	/* The list contains at least this process, so an empty list is a failure. */
	if (result == 0 && (cause != 0 || !some))
		return failed(cause, error);

	return result;
}
