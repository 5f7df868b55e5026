/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Processes that belong together, kept up to date: the tree below a process, the processes of a
 * cgroup or of a name, a list, or a process that is followed over restarts.
 *
 * A process is identified by its PID and its start time. The family holds the directories of up to
 * PM_FAMILY_OPEN_MAX members open, and compares the start times of all others, so that a reused PID
 * is always another member.
 *
 * An update reads stat and statm of each member (proc_pid_stat(5)), and status only if swap is in
 * use. For trees it also reads the `children` files of the threads
 * (proc_pid_task(5), CONFIG_PROC_CHILDREN). If these are missing, or if the members have more
 * threads than the system has processes, stat of all processes is read instead.
 */
#ifndef PROCMEM_FAMILY_H
#define PROCMEM_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A family; opaque. Only one thread at a time may use it. */
struct pm_family;

/** Maximum number of members. Further processes are only counted, in pm_family_view.beyond. */
#define PM_FAMILY_MAX 4096

/**
 * Maximum number of members whose directories are held open; fewer if RLIMIT_NOFILE is less than
 * four times this number
 */
#define PM_FAMILY_OPEN_MAX 256

/** Which processes belong to a family. */
enum pm_family_kind {
	/**
	 * A process and all its descendants. A member remains a member if its parent exits. A
	 * process is not found if its parent exited before any update saw the process. The calling
	 * process is never a member.
	 */
	PM_FAMILY_CHILDREN,
	/**
	 * All processes of the memory cgroup in which a process was when the family was opened, and
	 * of the cgroups below it. The path of the cgroup is kept: if a service is restarted in a
	 * cgroup with the same path, its processes are members.
	 */
	PM_FAMILY_CGROUP,
	/** All processes that a name matches best, as for pm_process_find_all() */
	PM_FAMILY_NAME,
	/** A fixed list */
	PM_FAMILY_PIDS,
	/**
	 * The process that a name matches and, after it has ended, the next one. If several
	 * processes match, those whose parents match are ignored: the master of a server is
	 * followed, not its workers. If several remain after a restart, the process that started
	 * last is followed.
	 */
	PM_FAMILY_FOLLOW,
};

/** The state of a member. */
enum pm_family_state {
	PM_FAMILY_ALIVE, /**< the process runs */
	/** The process has ended, is a zombie, or is ending and has released its memory */
	PM_FAMILY_ENDED,
	/**
	 * The process runs, but does not belong to the family any more: it moved to another cgroup,
	 * or its name does not match after exec. Only PM_FAMILY_CGROUP and PM_FAMILY_NAME
	 */
	PM_FAMILY_LEFT,
	/** The process may run, but its files in /proc cannot be read; see `reason` */
	PM_FAMILY_UNREADABLE,
};

/**
 * A member. Sizes are in bytes. Those of a member that has ended are the last that were read.
 * Memory that several members share counts for each of them.
 */
struct pm_family_member {
	/**
	 * Number of the member, from 1 on, in the order in which members were found. It is never
	 * used again in the same family, so the caller can keep data of its own by this number.
	 */
	uint64_t id;
	/**
	 * The `id` of the member that is the parent or, if the parent has ended, of the nearest
	 * ancestor that is in the list; 0 if there is none. A parent is older than the member or,
	 * if both started in the same clock tick, has a smaller `id`.
	 */
	uint64_t parent_id;
	pid_t pid;    /**< process ID; 0 if unknown */
	pid_t parent; /**< PID of the parent now, 1 or a subreaper if the first parent has ended */
	uid_t uid;    /**< effective user ID; read again at every 16th update at least */
	uint64_t start_ticks;       /**< start time in clock ticks since boot; 0 if unreadable */
	uint64_t rss;               /**< resident size (statm; VmRSS) */
	uint64_t swap;              /**< swapped-out bytes (VmSwap) */
	uint32_t threads;           /**< number of threads */
	char comm[PM_COMM_SIZE];    /**< command name; any bytes but NUL; "" if unreadable */
	enum pm_family_state state; /**< state at the last update */
	/**
	 * Number of updates before which the process called exec, which replaces its memory. An
	 * exec is noticed only with ptrace access (ptrace(2)) to the process
	 */
	uint32_t execs;
	bool is_new; /**< the member was found by the last update */
	/**
	 * Why the process cannot be read, one sentence; valid until the next update. NULL if it can
	 * be read.
	 */
	const char *reason;
};

/** The members after an update. Owned by the family; valid until its next update. */
struct pm_family_view {
	/**
	 * The members by ascending `id`. Members with the state PM_FAMILY_ENDED or PM_FAMILY_LEFT
	 * are listed once, by the update that detects it.
	 */
	const struct pm_family_member *items;
	size_t count;      /**< number of items */
	size_t alive;      /**< number of items with PM_FAMILY_ALIVE */
	size_t found;      /**< number of items with `is_new` */
	size_t ended;      /**< number of items with PM_FAMILY_ENDED or PM_FAMILY_LEFT */
	size_t unreadable; /**< number of items with PM_FAMILY_UNREADABLE */
	/** Number of processes that are not listed because there are more than PM_FAMILY_MAX */
	size_t beyond;
	/** Number of processes of a cgroup that belong to another PID namespace, and have no PID
	 * here */
	size_t foreign;
	/**
	 * Processes may be missing: a cgroup or the list of processes could not be read, or a bound
	 * was reached
	 */
	bool incomplete;
	/**
	 * No process belongs to the family now. PM_FAMILY_FOLLOW then waits for the next process
	 * with this name. The other kinds, except PM_FAMILY_NAME and PM_FAMILY_CGROUP, do not
	 * change any more
	 */
	bool empty;
};

/** What a family consists of. The strings and the list are copied. */
struct pm_family_options {
	enum pm_family_kind kind; /**< which processes belong to the family */
	const char *proc_root;    /**< directory to use as /proc; NULL means "/proc" */
	const char *sys_root;     /**< directory to use as /sys; NULL means "/sys" */
	pid_t pid;                /**< the process, for PM_FAMILY_CHILDREN and PM_FAMILY_CGROUP */
	const char *name;         /**< the name, for PM_FAMILY_NAME and PM_FAMILY_FOLLOW */
	const pid_t *pids;        /**< the list, for PM_FAMILY_PIDS; PIDs may be listed twice */
	size_t pid_count;         /**< number of `pids`, at most PM_FAMILY_MAX */
};

/**
 * Opens a family, and finds its members for the first time.
 *
 * The calling process, and those of its ancestors whose command line contains the name of the
 * calling program (see pm_process_row.own), are never members of PM_FAMILY_CGROUP, PM_FAMILY_NAME
 * and PM_FAMILY_FOLLOW. Children that the calling process has forked and that have not called exec
 * are not members either.
 *
 * @param options  what the family consists of
 * @param family   receives the family; release it with pm_family_close()
 * @param error    PM_ERROR_NOT_FOUND (no such process, or no process has the name; with
 *                 PM_FAMILY_FOLLOW this is not an error), PM_ERROR_NO_MEMORY (a process that was
 *                 given by its PID is a zombie), PM_ERROR_AMBIGUOUS (PM_FAMILY_FOLLOW),
 *                 PM_ERROR_UNSUPPORTED (no memory cgroup is visible), PM_ERROR_USAGE,
 *                 PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_family_open(const struct pm_family_options *options, struct pm_family **family,
                             struct pm_error *error);

/**
 * Finds the members again, and reads their sizes. Members that have ended since the last update get
 * the state PM_FAMILY_ENDED, and are removed by the next update.
 *
 * @param family  the family
 * @param error   PM_ERROR_RESOURCES, PM_ERROR_IO; some members may then be as in the last update
 * @return        0 or -1
 */
PM_PUBLIC int pm_family_update(struct pm_family *family, struct pm_error *error);

/**
 * Returns the members that the last update found.
 * @param family  the family
 * @return        the members; owned by the family, valid until the next update
 */
PM_PUBLIC const struct pm_family_view *pm_family_get(const struct pm_family *family);

/**
 * Opens a member as pm_process_open() does, and checks that it is the same process.
 *
 * @param family   the family
 * @param member   a member of the family
 * @param process  receives the handle; release it with pm_process_close()
 * @param error    PM_ERROR_GONE if the process has ended, and those of pm_process_open()
 * @return         0 or -1
 */
PM_PUBLIC int pm_family_open_member(const struct pm_family *family,
                                    const struct pm_family_member *member,
                                    struct pm_process **process, struct pm_error *error);

/**
 * Returns the cgroup of a PM_FAMILY_CGROUP.
 * @param family  the family
 * @return        path of the cgroup below the mount point, "/" for the root cgroup; NULL for other
 *                kinds. Owned by the family
 */
PM_PUBLIC const char *pm_family_cgroup(const struct pm_family *family);

/**
 * Closes a family.
 * @param family  the family; may be NULL
 */
PM_PUBLIC void pm_family_close(struct pm_family *family);

#ifdef __cplusplus
}
#endif

#endif
