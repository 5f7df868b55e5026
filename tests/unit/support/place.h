/* SPDX-License-Identifier: MIT */
/** @file A directory of its own for each test of recordings, and a recording in it. */
#ifndef TESTS_SUPPORT_PLACE_H
#define TESTS_SUPPORT_PLACE_H

#include <procmem/recorder.h>
#include <procmem/recording.h>

/** Where the recording is. */
struct place {
	char directory[64];
	char file[96];
};

/** The process that is recorded. */
extern const struct pm_process_id place_run;

/**
 * Makes a directory, as the set-up of a test.
 * @param state gets a struct place
 * @return 0
 */
int place_make(void **state);

/**
 * Removes it with what is in it, as the end of a test.
 * @param state as filled
 * @return 0
 */
int place_remove(void **state);

/**
 * Opens the recording for writing; the test fails where that does.
 * @param place where
 * @return a recorder
 */
struct pm_recorder *place_recorder(const struct place *place);

/**
 * Opens the recording for reading.
 * @param place where
 * @return it
 */
struct pm_recording *place_recording(const struct place *place);

#endif
