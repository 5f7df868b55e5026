/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading the samples of a recording. A recording is an SQLite database, described in
 * docs/RECORDING.md. It can be read while a recorder writes to it.
 */
#ifndef PROCMEM_RECORDING_H
#define PROCMEM_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/headroom.h>
#include <procmem/histogram.h>
#include <procmem/owner_sums.h>
#include <procmem/process_id.h>
#include <procmem/region.h>
#include <procmem/sample.h>
#include <procmem/site_list.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the format that this library writes. The file stores it as `PRAGMA user_version`. */
#define PM_RECORDING_VERSION 1

/** A recording opened for reading; opaque. Only one thread at a time may use it. */
struct pm_recording;

/** A sample of a recording. */
struct pm_recorded {
	uint64_t number; /**< number of the sample, from 1 */
	double time;     /**< time of the sample in seconds: CLOCK_BOOTTIME of the recorded host */
	int64_t wall_ns; /**< time of the sample in nanoseconds since 1970, UTC */
	struct pm_totals totals; /**< sizes of the process */
	/**
	 * true: the regions were measured for this sample. false: the regions are those of an
	 * earlier sample.
	 */
	bool fresh;
};

/**
 * Checks whether a file starts with the header of an SQLite database, and whether the header has
 * the application ID of recordings.
 *
 * @param path  the file
 * @return      true if both hold; false if not, or if the file cannot be read
 */
PM_PUBLIC bool pm_recording_is(const char *path);

/**
 * Opens a recording for reading. A recorder may write to it at the same time.
 *
 * @param path       the file
 * @param recording  receives the recording; release with pm_recording_close()
 * @param error      PM_ERROR_NOT_FOUND, PM_ERROR_FORMAT (not a recording, a newer version, no
 *                   samples), PM_ERROR_IO
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
 * Returns the process that was recorded.
 * @param recording  the recording
 * @return           the identity of the process; owned by the recording
 */
PM_PUBLIC const struct pm_process_id *pm_recording_process_id(const struct pm_recording *recording);

/**
 * Counts the samples.
 *
 * @param recording  the recording
 * @param count      receives the number of samples so far
 * @param error      PM_ERROR_IO
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_count(struct pm_recording *recording, uint64_t *count,
                                 struct pm_error *error);

/** An entry of the list of samples. */
struct pm_listed {
	struct pm_recorded recorded; /**< time and totals */
	/**
	 * The number of regions. If the regions were not measured for this sample, the number is
	 * that of the last measurement before this sample.
	 */
	uint64_t regions;
	/**
	 * true: all regions have all sizes from smaps. false: some regions have only RSS and swap,
	 * or there are no regions.
	 */
	bool detailed;
	bool chunks; /**< the chunks in use were recorded (pm_recording_read_chunks()) */
	bool sites;  /**< the sites of a trace were recorded (pm_recording_read_sites()) */
};

/**
 * Lists all samples, ordered by number.
 *
 * @param recording  the recording
 * @param samples    receives an array, to be released with free(); NULL if there are no samples
 * @param count      receives the number of samples
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_list(struct pm_recording *recording, struct pm_listed **samples,
                                size_t *count, struct pm_error *error);

/**
 * Finds a sample by number, word or time.
 *
 * The text is one of:
 * - the number of the sample; the first sample has number 1
 * - `first` or `last`
 * - a time in UTC, such as `2026-01-31T12:00`, optionally with seconds (`12:00:30`), decimals of a
 *   second, and `Z` at the end
 * - a time without a date, such as `12:00`
 *
 * A time without seconds means the whole minute. The result is the last sample that was taken
 * within the given time or, if there is none, the last sample before it.
 *
 * A time without a date is a time on the day of the last sample or, if that is after the last
 * sample, on the previous day. But the previous day is not used if the time on that day is before
 * the first sample.
 *
 * @param recording  the recording
 * @param which      the number, word or time
 * @param number     receives the number of the sample
 * @param error      PM_ERROR_USAGE; PM_ERROR_NOT_FOUND (the text says which samples exist)
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_find(struct pm_recording *recording, const char *which, uint64_t *number,
                                struct pm_error *error);

/**
 * Reads a sample.
 *
 * @param recording  the recording
 * @param number     number of the sample
 * @param recorded   receives the number, the time and the totals of the sample
 * @param regions    an initialised list, to which the regions are appended; NULL to read only the
 *                   totals
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
 * @param number     number of the sample
 * @param headroom   receives the recorded limits, without events and pressure. It has no limits if
 *                   none were recorded for this sample
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_read_headroom(struct pm_recording *recording, uint64_t number,
                                         struct pm_headroom *headroom, struct pm_error *error);

/**
 * Reads the chunks in use at the time of a sample or, if they were not recorded for this sample, at
 * the time of the last sample before it for which they were recorded.
 *
 * @param recording  the recording
 * @param number     number of the sample
 * @param found      receives the number of the sample that has the chunks
 * @param chunks     filled if there is such a sample; release with pm_histogram_deinit()
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           1 if there is such a sample, 0 if not, -1 on errors
 */
PM_PUBLIC int pm_recording_read_chunks(struct pm_recording *recording, uint64_t number,
                                       uint64_t *found, struct pm_histogram *chunks,
                                       struct pm_error *error);

/**
 * Reads the sums by owner at a sample.
 *
 * @param recording  the recording
 * @param number     number of the sample
 * @param sums       receives the sums over all regions of the sample, with RSS and swap; unchanged
 *                   if they were not recorded for this sample
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           1 if they were recorded, 0 if not, -1 on errors
 */
PM_PUBLIC int pm_recording_read_owners(struct pm_recording *recording, uint64_t number,
                                       struct pm_owner_sums *sums, struct pm_error *error);

/**
 * Reads the sites of a trace at the time of a sample or, if they were not recorded for this sample,
 * at the time of the last sample before it for which they were recorded.
 *
 * @param recording  the recording
 * @param number     number of the sample
 * @param found      receives the number of the sample that has the sites
 * @param sites      filled if there is such a sample; release with pm_site_list_deinit()
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           1 if there is such a sample, 0 if not, -1 on errors
 */
PM_PUBLIC int pm_recording_read_sites(struct pm_recording *recording, uint64_t number,
                                      uint64_t *found, struct pm_site_list *sites,
                                      struct pm_error *error);

/**
 * Size of the buffer for pm_recording_ending(), in bytes, including the NUL. Longer texts are cut.
 */
enum { PM_ENDING_TEXT_SIZE = 256 };

/**
 * Reads how the process ended.
 *
 * @param recording  the recording
 * @param why        receives the reason if the end was recorded. The bytes are untrusted: escape
 *                   them before you print them to a terminal
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           1 if the end was recorded, 0 if not, -1 on errors
 */
PM_PUBLIC int pm_recording_ending(struct pm_recording *recording, char why[PM_ENDING_TEXT_SIZE],
                                  struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
