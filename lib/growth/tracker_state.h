/* SPDX-License-Identifier: MIT */
/** @file The state of a tracker. Private. */
#ifndef PM_GROWTH_TRACKER_STATE_H
#define PM_GROWTH_TRACKER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/growth.h>
#include <procmem/tracker.h>

#include "growth/followed.h"

/** What a tracker knows. */
struct pm_tracker {
	struct pm_followed **tracks;    /* owned */
	const struct pm_track **public; /* the public part of each; may have room for one more */
	size_t count;                   /* of tracks */
	size_t capacity;                /* of tracks */
	size_t public_capacity;
	size_t gone;               /* tracks that were born, and had no region at the last sample */
	struct pm_regions regions; /* of the last sample */
	struct pm_followed **owners; /* the track of each of these regions */
	struct pm_regions spare;     /* the list before; its memory is reused for the next one */
	double first;                /* time of the first sample */
	double last;                 /* time of the last sample */
	uint64_t samples;
	bool settled; /* the last list was compared with an earlier one */
};

#endif
