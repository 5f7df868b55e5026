/* SPDX-License-Identifier: MIT */
/** @file What a tracker knows. Private. */
#ifndef PM_GROWTH_TRACKER_STATE_H
#define PM_GROWTH_TRACKER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/growth.h>
#include <procmem/tracker.h>

/** A track with what only the tracker needs. */
struct followed {
	struct pm_track track; /* first: handed out */
	uint64_t key;          /* of what comes to it because it is alike, 0 where nothing does */
	uint64_t was;          /* weight at the sample before */
	size_t was_regions;    /* regions at the sample before */
	uint64_t was_start;    /* the region that stood for it at the sample before */
	uint64_t was_end;
	uint64_t claim; /* by how much the region grew that stands for it so far in this sample;
	                   double for the one of the sample before */
	bool stays;     /* it is the one of the sample before */
};

/** Resident and swapped bytes of a region. */
static inline uint64_t pm_region_weight(const struct pm_region *region)
{
	return region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP];
}

struct pm_tracker {
	struct followed **tracks;
	size_t count;
	size_t capacity;
	size_t gone; /* how many of them were born, and had no region any more at the last sample */
	struct pm_regions regions; /* of the last sample */
	struct followed **owners;  /* track of each of them */
	struct pm_regions
		spare; /* of the list before it, no longer needed: its memory is for the next one */
	double first;  /* time of the first sample */
	double last;   /* time of the last */
	uint64_t samples;
	bool settled; /* the last list was compared with one before */
};

#endif
