/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writing samples to a recording.
 *
 * Only changes are stored. Each sample is one transaction: a writer that is killed loses at most
 * the sample that it was writing. Several writers, also of several programs, may add samples of the
 * same process to one recording at the same time. The times of the samples in a file always ascend:
 * if a new sample is older than the last sample in the file, it is stored with a time directly
 * after that of the last sample.
 */
#ifndef PROCMEM_RECORDER_H
#define PROCMEM_RECORDER_H

#include <procmem/headroom.h>
#include <procmem/histogram.h>
#include <procmem/owner_sums.h>
#include <procmem/process_id.h>
#include <procmem/sample.h>
#include <procmem/site_list.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Writes samples to a file; opaque. Only one thread at a time may use it. */
struct pm_recorder;

/**
 * Starts a recording, or continues an existing recording of the same process.
 *
 * @param path      the file. If it does not exist, it is created with read permission only for its
 *                  owner, because names in memory maps can be secrets. An empty file is used,
 *                  too, unless it belongs to another user who is not root
 * @param id        the process
 * @param recorder  receives the recorder; release with pm_recorder_close()
 * @param error     PM_ERROR_FORMAT (the file is not a recording, or it is a recording of another
 *                  process or of a newer version), PM_ERROR_ACCESS (an empty file of another user),
 *                  PM_ERROR_IO
 * @return          0 or -1
 */
PM_PUBLIC int pm_recorder_open(const char *path, const struct pm_process_id *id,
                               struct pm_recorder **recorder, struct pm_error *error);

/**
 * Closes a recorder. Afterwards the recording is a single file, without temporary files of SQLite,
 * and can be moved or copied.
 * @param recorder a recorder or NULL
 */
PM_PUBLIC void pm_recorder_close(struct pm_recorder *recorder);

/**
 * Adds a sample.
 *
 * @param recorder  the recorder
 * @param sample    the sample; if pm_sample.fresh is false, only its totals are stored
 * @param headroom  the limits at the time of the sample; NULL to store no limits
 * @param error     PM_ERROR_IO, for example if the disk is full. Afterwards no further sample can
 *                  be added. Earlier samples remain readable
 * @return          0 or -1
 */
PM_PUBLIC int pm_recorder_add(struct pm_recorder *recorder, const struct pm_sample *sample,
                              const struct pm_headroom *headroom, struct pm_error *error);

/**
 * Sets the chunks in use at the time of the next sample: the next call of pm_recorder_add() stores
 * them. The recording then contains texts from the memory of the process.
 *
 * @param recorder  the recorder
 * @param chunks    the chunks; must remain valid until the next call of pm_recorder_add(). NULL to
 *                  store none
 */
PM_PUBLIC void pm_recorder_set_chunks(struct pm_recorder *recorder,
                                      const struct pm_histogram *chunks);

/**
 * Sets the sites of a trace at the time of the next sample: the next call of pm_recorder_add()
 * stores them with their stacks.
 *
 * @param recorder  the recorder
 * @param sites     the sites; must remain valid until the next call of pm_recorder_add(). NULL to
 *                  store none
 */
PM_PUBLIC void pm_recorder_set_sites(struct pm_recorder *recorder,
                                     const struct pm_site_list *sites);

/**
 * Sets the sums by owner at the time of the next sample: the next call of pm_recorder_add() stores
 * them.
 *
 * @param recorder  the recorder
 * @param owners    the sums over all regions of the sample; must remain valid until the next call
 *                  of pm_recorder_add(). NULL to store none
 */
PM_PUBLIC void pm_recorder_set_owners(struct pm_recorder *recorder,
                                      const struct pm_owner_sums *owners);

/**
 * Returns the number of the last sample that a recorder added. Numbers start at 1.
 *
 * @param recorder  the recorder
 * @return          the number. If the recorder has not added a sample yet: the number of the last
 *                  sample in the file, or 0 if the file has no samples
 */
PM_PUBLIC uint64_t pm_recorder_number(const struct pm_recorder *recorder);

/**
 * Stores how the process ended, as a note to the last sample in the file.
 *
 * @param recorder  the recorder. Nothing is stored if the file has no samples, or if
 *                  pm_recorder_add() failed with PM_ERROR_IO
 * @param why       the reason, human-readable. pm_recording_ending() returns at most
 *                  PM_ENDING_TEXT_SIZE bytes of it, including a NUL
 * @param error     PM_ERROR_IO
 * @return          0 or -1
 */
PM_PUBLIC int pm_recorder_end(struct pm_recorder *recorder, const char *why,
                              struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
