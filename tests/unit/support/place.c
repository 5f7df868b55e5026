/* SPDX-License-Identifier: MIT */
#include "support/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char command_line[] = "shop --fast";

const struct pm_process_id place_process_id = { .pid = 4711,
	                                        .start_ticks = 99,
	                                        .boot_id = "boot",
	                                        .host = "host",
	                                        .comm = "shop",
	                                        .command = command_line };

int place_make(void **state)
{
	struct place *place = calloc(1, sizeof *place);
	strcpy(place->directory, "/tmp/recording_test.XXXXXX");
	assert_non_null(mkdtemp(place->directory));
	snprintf(place->file, sizeof place->file, "%s/run.pmrec", place->directory);
	*state = place;
	return 0;
}

int place_remove(void **state)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	struct place *place = *state;
	for (size_t i = 0; i < 4; i++) {
		char path[128];
		snprintf(path, sizeof path, "%s%s", place->file, suffixes[i]);
		unlink(path);
	}

	rmdir(place->directory);
	free(place);

	return 0;
}

struct pm_recorder *place_recorder(const struct place *place)
{
	struct pm_recorder *recorder;
	struct pm_error error = { 0 };
	if (pm_recorder_open(place->file, &place_process_id, &recorder, &error) < 0)
		fail_msg("%s", error.text);
	return recorder;
}

struct pm_recording *place_recording(const struct place *place)
{
	struct pm_recording *recording;
	struct pm_error error = { 0 };
	if (pm_recording_open(place->file, &recording, &error) < 0)
		fail_msg("%s", error.text);
	return recording;
}
