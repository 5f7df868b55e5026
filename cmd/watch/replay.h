/* SPDX-License-Identifier: MIT */
/** @file Reads the samples of a recording one by one, as a sampler takes those of a process. */
#ifndef CMD_WATCH_REPLAY_H
#define CMD_WATCH_REPLAY_H

#include <procmem/headroom.h>
#include <procmem/owner_sums.h>
#include <procmem/recording.h>
#include <procmem/sample.h>

#include "base/text.h"

/** A recording being read; opaque. */
struct watch_replay;

/**
 * Opens a recording.
 *
 * @param path     name of the file
 * @param replay   receives the recording; release with watch_replay_close()
 * @param process  receives the recorded process; release with pm_process_id_deinit()
 * @param error    as pm_recording_open() and pm_recording_list(); PM_ERROR_FORMAT also if there
 *                 are no samples
 * @return         0 or -1
 */
int watch_replay_open(const char *path, struct watch_replay **replay, struct pm_process_id *process,
                      struct pm_error *error);

/**
 * Closes a recording.
 * @param replay the recording or NULL
 */
void watch_replay_close(struct watch_replay *replay);

/**
 * Checks whether there are more samples to read.
 * @param replay the recording
 * @return true or false
 */
bool watch_replay_has_more(const struct watch_replay *replay);

/**
 * Reads the next sample. The cost of the sample is zero, because recordings do not contain costs.
 *
 * @param replay  the recording; must have more samples
 * @param sample  filled; its regions are valid until the next sample is read
 * @param error   PM_ERROR_IO, PM_ERROR_FORMAT (damaged), PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int watch_replay_next(struct watch_replay *replay, struct pm_sample *sample,
                      struct pm_error *error);

/**
 * Reads the limits of the sample that was read last.
 *
 * @param replay    the recording
 * @param headroom  filled; empty if the limits cannot be read or were not recorded
 */
void watch_replay_headroom(struct watch_replay *replay, struct pm_headroom *headroom);

/**
 * Reads the sums by owner at the last sample.
 *
 * @param replay  the recording
 * @param sums    receives the sums; unchanged if they were not recorded for this sample
 * @return        whether they were recorded
 */
bool watch_replay_owners(struct watch_replay *replay, struct pm_owner_sums *sums);

/**
 * Returns the reason why the process ended, if the recording contains this reason.
 * @param replay the recording
 * @param why receives the reason, escaped
 * @return false if the recording does not contain how the process ended
 */
bool watch_replay_ending(struct watch_replay *replay, struct text *why);

/**
 * Counts the samples for which the chunks of malloc in use were recorded (--heap).
 * @param replay the recording
 * @return number of samples
 */
size_t watch_replay_walks(const struct watch_replay *replay);

#endif
