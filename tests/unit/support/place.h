/* SPDX-License-Identifier: MIT */
/** @file A temporary directory for each test of recordings, and a recording in it. */
#ifndef TESTS_SUPPORT_PLACE_H
#define TESTS_SUPPORT_PLACE_H

#include <procmem/recorder.h>
#include <procmem/recording.h>

/** A directory, and the path of the recording in it. */
struct place {
	char directory[64];
	char file[96];
};

/** The process that is recorded. */
extern const struct pm_process_id place_process_id;

/**
 * Sets up a test: makes a directory.
 * @param state receives a struct place
 * @return 0
 */
int place_make(void **state);

/**
 * Tears down a test: removes the directory and its files.
 * @param state as filled
 * @return 0
 */
int place_remove(void **state);

/**
 * Opens the recording for writing; fails the test on errors.
 * @param place the directory
 * @return a recorder
 */
struct pm_recorder *place_recorder(const struct place *place);

/**
 * Opens the recording for reading; fails the test on errors.
 * @param place the directory
 * @return a recording
 */
struct pm_recording *place_recording(const struct place *place);

#endif
