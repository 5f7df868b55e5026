/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Samples in a file: an SQLite database, described in docs/RECORDING.md, that the sqlite3 shell can
 * read while it is being written.
 *
 * Only what changed is stored. Each sample is one transaction: a writer that is killed at any
 * moment loses the sample it was writing at the most.
 */
#ifndef PROCMEM_RECORDING_H
#define PROCMEM_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/headroom.h>
#include <procmem/process.h>
#include <procmem/region.h>
#include <procmem/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the format that this library writes (`PRAGMA user_version`). */
#define PM_RECORDING_VERSION 1

/** Bytes of a boot ID with its NUL, and of a host's name. */
#define PM_BOOT_ID_SIZE 40
/** Bytes of a host name with its NUL. */
#define PM_HOST_SIZE    65

/** Which process was recorded, and where. */
struct pm_process_id {
	pid_t pid;            /**< its PID */
	uint64_t start_ticks; /**< its start time in clock ticks since boot; with the PID and the
	                         boot it names the process for ever */
	char boot_id[PM_BOOT_ID_SIZE]; /**< /proc/sys/kernel/random/boot_id; "" where unknown */
	char host[PM_HOST_SIZE];       /**< name of the host */
	char comm[PM_COMM_SIZE];       /**< command name, any bytes */
	const char
		*command; /**< command line; of a recording's run valid as long as that is open */
};

/**
 * Whether two runs are the same process.
 *
 * @param one    one run
 * @param other  the other
 * @return       true where PID, start time and boot are the same
 */
PM_PUBLIC bool pm_process_id_equal(const struct pm_process_id *one,
                                   const struct pm_process_id *other);

/**
 * Describes a living process.
 *
 * @param process  the process
 * @param run      filled; the caller frees `command` (casting const away)
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_id_read(struct pm_process *process, struct pm_process_id *run,
                                 struct pm_error *error);

/** Writes samples into a file; opaque. Not to be shared between threads. */
struct pm_recorder;

/**
 * Starts a recording, or goes on with one of the same process.
 *
 * @param path      the file; created where there is none, for its owner only: names in memory maps
 * can be secrets
 * @param run       the process
 * @param recorder  where to store it; release with pm_recorder_close()
 * @param error     PM_ERROR_FORMAT (the file is something else, or a recording of another process,
 * or of a newer version), PM_ERROR_IO
 * @return          0 or -1
 */
PM_PUBLIC int pm_recorder_open(const char *path, const struct pm_process_id *run,
                               struct pm_recorder **recorder, struct pm_error *error);

/**
 * Ends a recording. The file is then one that may be moved and sent.
 * @param recorder a recorder or NULL
 */
PM_PUBLIC void pm_recorder_close(struct pm_recorder *recorder);

/**
 * Adds a sample.
 *
 * @param recorder  the recorder
 * @param sample    the sample; not fresh: only its totals are stored
 * @param error     PM_ERROR_IO (full disk); nothing more can be added then, and what was added
 * before stays readable
 * @return          0 or -1
 */
PM_PUBLIC int pm_recorder_add(struct pm_recorder *recorder, const struct pm_sample *sample,
                              struct pm_error *error);

/**
 * Adds a sample, and what it leaves of the limits.
 *
 * @param recorder  the recorder
 * @param sample    as of pm_recorder_add()
 * @param headroom  the limits at that moment, however many are known; NULL: none
 * @param error     as of pm_recorder_add()
 * @return          0 or -1
 */
PM_PUBLIC int pm_recorder_add_with(struct pm_recorder *recorder, const struct pm_sample *sample,
                                   const struct pm_headroom *headroom, struct pm_error *error);

/** Bytes of a text that says how a process ended, with the NUL; longer ones are cut. */
enum { PM_ENDING_TEXT_SIZE = 256 };

/**
 * Notes how the process ended, behind the last sample that was added.
 *
 * @param recorder  the recorder; without a sample nothing is noted
 * @param why       for people
 * @param error     PM_ERROR_IO
 * @return          0 or -1
 */
PM_PUBLIC int pm_recorder_end(struct pm_recorder *recorder, const char *why,
                              struct pm_error *error);

/** A recording that is read; opaque. Not to be shared between threads. */
struct pm_recording;

/** A sample of a recording. */
struct pm_recorded {
	uint64_t number;         /**< its number, from 1 */
	double time;             /**< CLOCK_BOOTTIME of the recorded host in seconds */
	int64_t wall_ns;         /**< nanoseconds since 1970, UTC */
	struct pm_totals totals; /**< sizes of the process */
	bool fresh; /**< its regions were looked at; false: they are those of an earlier sample */
};

/**
 * Whether a file looks like a recording: an SQLite database marked as ours.
 *
 * @param path  the file
 * @return      false also where it cannot be read
 */
PM_PUBLIC bool pm_recording_is(const char *path);

/**
 * Opens a recording for reading, also while it is written.
 *
 * @param path       the file
 * @param recording  where to store it; release with pm_recording_close()
 * @param error      PM_ERROR_NOT_FOUND, PM_ERROR_FORMAT (no recording; a newer version; empty),
 * PM_ERROR_IO
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_open(const char *path, struct pm_recording **recording,
                                struct pm_error *error);

/**
 * Closes a recording.
 * @param recording a recording or NULL
 */
PM_PUBLIC void pm_recording_close(struct pm_recording *recording);

/**
 * The process that was recorded.
 * @param recording the recording
 * @return valid as long as it is open
 */
PM_PUBLIC const struct pm_process_id *pm_recording_process_id(const struct pm_recording *recording);

/**
 * Number of samples so far.
 *
 * @param recording  the recording
 * @param count      where to store it
 * @param error      PM_ERROR_IO
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_count(struct pm_recording *recording, uint64_t *count,
                                 struct pm_error *error);

/** What a recording has of a sample. */
struct pm_listed {
	struct pm_recorded recorded; /**< when, and the sizes of the process */
	uint64_t regions; /**< how many regions it has; where it is not fresh those of an earlier
	                     sample */
	bool detailed;    /**< all of them have sizes of smaps besides RSS and swap */
};

/**
 * Lists all samples, in their order.
 *
 * @param recording  the recording
 * @param samples    where to store them; to be freed with free(); NULL where there are none
 * @param count      where to store how many
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_list(struct pm_recording *recording, struct pm_listed **samples,
                                size_t *count, struct pm_error *error);

/**
 * Finds a sample by words: a number from 1, `first`, `last`, or a time in UTC: `2026-01-31T12:00`;
 * seconds, decimals of these and `Z` may follow. That is the last sample within what was said, here
 * the minute, or where there is none the last before it. A time alone, `12:00`, is of the day of
 * the last sample, or of the day before where only that lies within the recording.
 *
 * @param recording  the recording
 * @param which      the words
 * @param number     where to store its number
 * @param error      PM_ERROR_USAGE, PM_ERROR_NOT_FOUND with what there is
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_find(struct pm_recording *recording, const char *which, uint64_t *number,
                                struct pm_error *error);

/**
 * Reads a sample.
 *
 * @param recording  the recording
 * @param number     its number
 * @param recorded   filled
 * @param regions    an initialised list; the regions are appended; NULL: only the totals are wanted
 * @param error      PM_ERROR_NOT_FOUND, PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_read(struct pm_recording *recording, uint64_t number,
                                struct pm_recorded *recorded, struct pm_regions *regions,
                                struct pm_error *error);

/**
 * Reads the limits of a sample.
 *
 * @param recording  the recording
 * @param number     the sample's number
 * @param headroom   filled: the limits that were recorded with it, none where the recording has
 * none; no events, no pressure
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_read_headroom(struct pm_recording *recording, uint64_t number,
                                         struct pm_headroom *headroom, struct pm_error *error);

/**
 * Reads how the process ended.
 *
 * @param recording  the recording
 * @param why        filled where that is known: bytes of a stranger, not to be shown to a terminal
 * as they are
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           1: it is known; 0: it went on, or nobody noted it; -1
 */
PM_PUBLIC int pm_recording_ending(struct pm_recording *recording, char why[PM_ENDING_TEXT_SIZE],
                                  struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
