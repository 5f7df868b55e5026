/* SPDX-License-Identifier: MIT */
/** @file The samples of a recording, one after the other, in the place of a sampler. */
#ifndef CMD_WATCH_REPLAY_H
#define CMD_WATCH_REPLAY_H

#include <procmem/recording.h>
#include <procmem/sample.h>

#include "base/text.h"

/** A recording that is gone over; opaque. */
struct watch_replay;

/**
 * Opens a recording.
 *
 * @param path    the file
 * @param replay  where to store it; release with watch_replay_close()
 * @param run     filled with whom it is of; release with pm_process_id_deinit()
 * @param error   as pm_recording_open() and pm_recording_list(); PM_ERROR_FORMAT also where it has
 * no samples
 * @return        0 or -1
 */
int watch_replay_open(const char *path, struct watch_replay **replay, struct pm_process_id *run,
                      struct pm_error *error);

/**
 * Closes it.
 * @param replay it or NULL
 */
void watch_replay_close(struct watch_replay *replay);

/**
 * Whether there is a sample that was not read yet.
 * @param replay the recording
 * @return true or false
 */
bool watch_replay_has_more(const struct watch_replay *replay);

/**
 * Reads the next sample: what the one who recorded it saw, without what that cost.
 *
 * @param replay  the recording, which has more
 * @param sample  filled; its regions are valid until the next one is read
 * @param error   PM_ERROR_IO, PM_ERROR_FORMAT (damaged), PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int watch_replay_next(struct watch_replay *replay, struct pm_sample *sample,
                      struct pm_error *error);

/**
 * Reads the limits of the sample that was taken last.
 *
 * @param replay    the recording
 * @param counts    also those on a number of things, which are asked of a living process only where
 * that number grows
 * @param headroom  filled; where they cannot be read or were not recorded with none
 */
void watch_replay_headroom(struct watch_replay *replay, bool counts, struct pm_headroom *headroom);

/**
 * How the process ended.
 * @param replay the recording
 * @param why gets it, escaped
 * @return false where that is not known
 */
bool watch_replay_ending(struct watch_replay *replay, struct text *why);

#endif
