/* SPDX-License-Identifier: MIT */
/** @file Defines the state of a tracker. Private. */
#ifndef PM_GROWTH_TRACKER_STATE_H
#define PM_GROWTH_TRACKER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/growth.h>
#include <procmem/tracker.h>

#include "growth/followed.h"

/** State of a tracker. */
struct pm_tracker {
	struct pm_followed **tracks;    /* all tracks; the array and the tracks are owned */
	const struct pm_track **public; /* the public part of each track, in the same order; only
	                                   the array is owned */
	size_t count;                   /* number of tracks */
	size_t capacity;                /* allocated elements of `tracks` */
	size_t public_capacity;         /* allocated elements of `public` */
	size_t gone; /* number of tracks with `born` set that had no region at the last sample */
	struct pm_regions regions;   /* regions of the last sample */
	struct pm_followed **owners; /* the track of each region of the last sample */
	struct pm_regions spare;     /* previous list; its memory is reused for the next list */
	double first;                /* time of the first sample, in seconds */
	double last;                 /* time of the last sample, in seconds */
	uint64_t samples;            /* number of samples so far */
	bool settled; /* the last list was compared with the list of an earlier sample; false after
	                 the first sample */
};

#endif
