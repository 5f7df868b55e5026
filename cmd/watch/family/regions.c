/* SPDX-License-Identifier: MIT */
#include "watch/family/regions.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

/* Interval in seconds at which all regions are measured even if the totals of the process have not
 * changed. */
static const double full_every = 30;

/* Growth in bytes from which on the regions of a process are measured. */
static const int64_t growth_min = INT64_C(1) << 20;

/* The first measurement of a process of usual size needs this CPU time, in seconds. It is made when
 * the budget has so much left. */
static const double first_cost = 0.02;

/* If the process grows less than this share of what another process grows, the regions of the other
 * process are measured instead. */
static const double replaced_below = 0.5;

/** The regions of a process. */
struct family_regions {
	struct pm_process *process;
	struct pm_sampler
		*sampler; /* NULL if the regions cannot be measured, or the process ended */
	struct pm_tracker *tracker;
	bool counted;            /* `file` is set */
	uint64_t file;           /* resident pages of mapped files at the last sample, in bytes */
	struct pm_error refused; /* why the regions cannot be measured */
};

void family_regions_start(struct family_budget *budget, double share)
{
	*budget = (struct family_budget){ .share = share,
		                          .began = clock_boot_seconds(),
		                          .cpu = clock_cpu_seconds() };
}

/** Checks whether the budget allows the regions of one more process to be measured. */
static bool allows_another(const struct family_budget *budget)
{
	double elapsed = clock_boot_seconds() - budget->began;
	double used = clock_cpu_seconds() - budget->cpu;

	return budget->share <= 0 || budget->share * elapsed - used >= first_cost;
}

/** Stops measuring, and keeps what is known. */
static void stop(struct family_regions *regions)
{
	pm_tracker_destroy(regions->tracker);
	pm_sampler_close(regions->sampler);
	pm_process_close(regions->process);
	regions->tracker = NULL;
	regions->sampler = NULL;
	regions->process = NULL;
}

/** Checks whether the regions of a process are being measured. */
static bool is_measured(const struct family_member *member)
{
	return member->regions && member->regions->sampler;
}

/** Checks whether the regions of a process may be measured from now on. */
static bool is_candidate(const struct family_member *member)
{
	return member->state == PM_FAMILY_ALIVE && !member->regions &&
	       family_members_growth(member) >= growth_min;
}

/** Finds the process that grew most among those whose regions may be measured. */
static struct family_member *find_candidate(const struct family_members *members)
{
	struct family_member *best = NULL;

	for (size_t i = 0; i < members->count; i++) {
		struct family_member *member = &members->items[i];

		if (is_candidate(member) &&
		    (!best || family_members_growth(member) > family_members_growth(best)))
			best = member;
	}

	return best;
}

/**
 * Makes room for another process: if the regions of the maximum number of processes are measured,
 * stops the one that grew least, if it grew much less.
 * @return whether there is room
 */
static bool make_room(const struct family_members *members, const struct family_member *candidate)
{
	struct family_member *least = NULL;
	size_t count = 0;

	for (size_t i = 0; i < members->count; i++) {
		struct family_member *member = &members->items[i];

		if (!is_measured(member))
			continue;
		count++;
		if (!least || family_members_growth(member) < family_members_growth(least))
			least = member;
	}

	if (count < FAMILY_REGIONS_MAX)
		return true;
	if ((double)family_members_growth(least) >=
	    replaced_below * (double)family_members_growth(candidate))
		return false;

	family_regions_close(least);
	return true;
}

/** Opens the process, the sampler and the tracker. */
static int open_all(struct family_regions *regions, const struct pm_family *family,
                    const struct pm_family_member *found, const struct family_budget *budget)
{
	const struct pm_sampler_options options = { .budget = budget->share,
		                                    .full_every = full_every,
		                                    .kinds = true };
	struct pm_error *error = &regions->refused;

	if (pm_family_open_member(family, found, &regions->process, error) < 0 ||
	    pm_sampler_open(regions->process, &options, &regions->sampler, error) < 0 ||
	    pm_tracker_create(&regions->tracker, error) < 0)
		return -1;
	return 0;
}

/** Starts to measure the regions of a process. If this fails, the reason is kept. */
static void start(struct family_member *member, const struct pm_family *family,
                  const struct family_budget *budget)
{
	const struct pm_family_view *view = pm_family_get(family);
	const struct pm_family_member *found = NULL;

	for (size_t i = 0; i < view->count && !found; i++)
		if (view->items[i].id == member->id)
			found = &view->items[i];
	if (!found)
		return;

	member->regions = alloc_array(NULL, 1, sizeof *member->regions);
	*member->regions = (struct family_regions){ 0 };
	if (open_all(member->regions, family, found, budget) < 0)
		stop(member->regions);
}

/** Adds the change of mapped files in a process to the sum. */
static void count_files(struct family_regions *regions, uint64_t file, struct family_sum *sum)
{
	if (regions->counted)
		sum->file_change += (int64_t)(file - regions->file);

	regions->file = file;
	regions->counted = true;
}

/** Takes a sample of the regions of a process. */
static int take(struct family_member *member, struct family_sum *sum, struct pm_error *error)
{
	struct family_regions *regions = member->regions;
	struct pm_sample sample;

	if (pm_sampler_take(regions->sampler, &sample, &regions->refused) < 0) {
		/* The process has ended or called exec. If it called exec, its new regions are
		 * measured when it grows again. */
		if (regions->refused.kind == PM_ERROR_GONE)
			family_regions_close(member);
		else
			stop(regions);
		return 0;
	}

	count_files(regions, sample.totals.file, sum);

	if (sample.held_back) {
		pm_tracker_skip(regions->tracker);
		return 0;
	}

	return pm_tracker_add(regions->tracker, sample.time, sample.fresh ? sample.regions : NULL,
	                      error);
}

int family_regions_measure(const struct pm_family *family, struct family_members *members,
                           const struct family_budget *budget, struct pm_error *error)
{
	struct family_member *candidate = find_candidate(members);

	if (candidate && allows_another(budget) && make_room(members, candidate))
		start(candidate, family, budget);

	for (size_t i = 0; i < members->count; i++) {
		struct family_member *member = &members->items[i];

		if (!is_measured(member))
			continue;
		if (member->state != PM_FAMILY_ALIVE)
			stop(member->regions);
		else if (take(member, &members->sum, error) < 0)
			return -1;
	}

	return 0;
}

const struct pm_track *family_regions_growing(const struct family_member *member,
                                              struct pm_trend *trend)
{
	if (!is_measured(member))
		return NULL;

	return pm_tracker_find_growing(member->regions->tracker, trend);
}

const char *family_regions_refused(const struct family_member *member)
{
	const struct family_regions *regions = member->regions;

	if (!regions || regions->sampler || regions->refused.kind == PM_ERROR_NONE ||
	    regions->refused.kind == PM_ERROR_GONE)
		return NULL;

	return regions->refused.text;
}

void family_regions_close(struct family_member *member)
{
	if (!member->regions)
		return;

	stop(member->regions);
	free(member->regions);
	member->regions = NULL;
}
