/* SPDX-License-Identifier: MIT */
#include <procmem/pressure_signs.h>

#include <stdlib.h>
#include <string.h>

#include <procmem/minmax.h>

#include "base/array.h"

/* oomd.conf(5): DefaultMemoryPressureLimit=60%, SwapUsedLimit=90%. All other numbers above 0 are
 * own choices. */
static const struct pm_sign_info rules[PM_SIGN_RULES] = {
	[PM_SIGN_OOM_KILL] = { "oom_kill", PM_PRESSURE_ERRORS, 0, false, false, PM_SIGN_KERNEL },
	[PM_SIGN_OOM_RECENT] = { "oom_recent", PM_PRESSURE_ERRORS, 0, false, false, PM_SIGN_OWN },
	[PM_SIGN_KILLED] = { "killed", PM_PRESSURE_ERRORS, 0, false, false, PM_SIGN_KERNEL },
	[PM_SIGN_UNDER_OOM] = { "under_oom", PM_PRESSURE_ERRORS, 0, false, false, PM_SIGN_KERNEL },
	[PM_SIGN_UNCORRECTED] = { "uncorrected", PM_PRESSURE_ERRORS, 0, false, false,
	                          PM_SIGN_KERNEL },
	[PM_SIGN_CORRUPTED] = { "corrupted", PM_PRESSURE_ERRORS, 0, false, false, PM_SIGN_KERNEL },
	[PM_SIGN_SWAP_FAIL] = { "swap_fail", PM_PRESSURE_ERRORS, 0, false, true, PM_SIGN_KERNEL },
	[PM_SIGN_OOMD] = { "oomd", PM_PRESSURE_SATURATION, 60, true, false, PM_SIGN_OOMD_CONF },
	[PM_SIGN_FULL] = { "stall_full", PM_PRESSURE_SATURATION, 10, true, false, PM_SIGN_OWN },
	[PM_SIGN_STALL] = { "stall_now", PM_PRESSURE_SATURATION, 10, true, false, PM_SIGN_OWN },
	[PM_SIGN_SOME] = { "stall_some", PM_PRESSURE_SATURATION, 1, true, false, PM_SIGN_OWN },
	[PM_SIGN_MAX_HITS] = { "max_hits", PM_PRESSURE_SATURATION, 0, false, true, PM_SIGN_KERNEL },
	[PM_SIGN_HIGH_HITS] = { "high_hits", PM_PRESSURE_SATURATION, 0, false, true,
	                        PM_SIGN_KERNEL },
	[PM_SIGN_DIRECT] = { "direct_reclaim", PM_PRESSURE_SATURATION, 0, false, true,
	                     PM_SIGN_USE },
	[PM_SIGN_SWAPPING] = { "swapping", PM_PRESSURE_SATURATION, 0, false, true, PM_SIGN_USE },
	[PM_SIGN_THRASHING] = { "thrashing", PM_PRESSURE_SATURATION, 100, false, true,
	                        PM_SIGN_OWN },
	[PM_SIGN_MAJOR_FAULTS] = { "major_faults", PM_PRESSURE_SATURATION, 100, false, true,
	                           PM_SIGN_OWN },
	[PM_SIGN_BLOCK_DELAY] = { "block_delay", PM_PRESSURE_SATURATION, 10, true, false,
	                          PM_SIGN_OWN },
	[PM_SIGN_SWAP_USED] = { "swap_used", PM_PRESSURE_UTILISATION, 90, true, false,
	                        PM_SIGN_OOMD_CONF },
	[PM_SIGN_USED] = { "used", PM_PRESSURE_UTILISATION, 95, true, false, PM_SIGN_OWN },
	[PM_SIGN_COMMITTED] = { "committed", PM_PRESSURE_UTILISATION, 95, true, false,
	                        PM_SIGN_OWN },
	[PM_SIGN_ADDRESSES] = { "address_space", PM_PRESSURE_UTILISATION, 95, true, false,
	                        PM_SIGN_OWN },
	[PM_SIGN_MAPPINGS] = { "mappings", PM_PRESSURE_UTILISATION, 95, true, false, PM_SIGN_OWN },
};

const struct pm_sign_info *pm_sign_of(enum pm_pressure_rule rule)
{
	return (unsigned)rule < PM_SIGN_RULES ? &rules[rule] : NULL;
}

void pm_signs_deinit(struct pm_signs *signs)
{
	free(signs->items);
	*signs = (struct pm_signs){ 0 };
}

/** What a rule is applied to. */
struct subject {
	const struct pm_pressure_reading *reading;
	size_t index; /* of the level */
	const struct pm_pressure_level *level;
	const struct pm_pressure_rise *rise;
	double seconds;
	const struct pm_oom_log *log;
	bool paths;
};

/** The value of a rule that cannot be applied. It crosses no threshold. */
static const double not_known = -1;

static double rate_of(const struct subject *subject, enum pm_pressure_field field)
{
	if (!subject->rise->known[field] || subject->seconds <= 0)
		return not_known;
	return (double)subject->rise->rises[field] / subject->seconds;
}

static double value_of(const struct subject *subject, enum pm_pressure_field field)
{
	return subject->level->known[field] ? (double)subject->level->values[field] : not_known;
}

/** Returns a share in percent. */
static double percent_of(const struct subject *subject, enum pm_pressure_field used,
                         enum pm_pressure_field max)
{
	const struct pm_pressure_level *level = subject->level;
	if (!level->known[used] || !level->known[max] || level->values[max] == 0)
		return not_known;
	return (double)level->values[used] * 100 / (double)level->values[max];
}

/** Returns the larger of two rates. */
static double larger(const struct subject *subject, enum pm_pressure_field one,
                     enum pm_pressure_field other)
{
	double first = rate_of(subject, one), second = rate_of(subject, other);
	return first > second ? first : second;
}

/** Returns the share of the limit that is used and cannot be reclaimed. */
static double used_share(const struct subject *subject)
{
	struct pm_pressure_level level = *subject->level;
	struct subject without = *subject;
	uint64_t *used = &level.values[PM_PRESSURE_USED],
		 reclaimable = level.values[PM_PRESSURE_RECLAIMABLE];

	/* Most of the used memory of a node is page cache. */
	if (level.scope == PM_PRESSURE_NODE)
		return not_known;
	/* Without memory.stat, the page cache of a cgroup is not known. */
	if (level.scope == PM_PRESSURE_CGROUP && !level.known[PM_PRESSURE_RECLAIMABLE])
		return not_known;

	without.level = &level;
	*used -= reclaimable < *used ? reclaimable : *used;
	return percent_of(&without, PM_PRESSURE_USED, PM_PRESSURE_MAX);
}

/**
 * Returns the share of swap that is used. systemd-oomd acts only if the share of memory is above
 * the limit, too.
 */
static double swap_share(const struct subject *subject)
{
	if (subject->level->scope != PM_PRESSURE_HOST)
		return not_known;

	double memory = percent_of(subject, PM_PRESSURE_USED, PM_PRESSURE_MAX),
	       swap = percent_of(subject, PM_PRESSURE_SWAP, PM_PRESSURE_SWAP_MAX);
	return memory < swap ? memory : swap;
}

/** Returns whether a path is a cgroup or below it. */
static bool is_below(const char *path, const char *top)
{
	size_t length = strlen(top);
	return strncmp(path, top, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

bool pm_signs_kill_is_recent(const struct pm_oom_kill *kill)
{
	return kill->age_known && kill->seconds_ago <= PM_OOM_RECENT_SECONDS;
}

bool pm_signs_kill_is_of(const struct pm_pressure_reading *reading, size_t level,
                         const struct pm_oom_kill *kill, bool paths)
{
	const struct pm_pressure_level *at = &reading->levels[level];
	bool global = kill->constraint != PM_OOM_MEMCG && kill->constraint != PM_OOM_UNKNOWN;

	if (at->scope == PM_PRESSURE_HOST)
		return global;
	if (at->scope != PM_PRESSURE_CGROUP || !paths || !*kill->group)
		return false;
	if (reading->top)
		return is_below(kill->group, at->name);

	return strcmp(kill->group, at->name) == 0 || strcmp(kill->limit_group, at->name) == 0;
}

/**
 * Returns the number of processes that were killed between the readings. The counter of the machine
 * also counts the kills by limits of cgroups, which are no failure of the machine. The log tells
 * them apart; without the log, a kill for lack of memory of the machine is preceded by direct
 * reclaim (allocstall_*), which reclaim by limits of cgroups does not count.
 */
static double new_kills(const struct subject *subject)
{
	const struct pm_oom_log *log = subject->log;
	uint64_t rise = subject->rise->rises[PM_PRESSURE_OOM_KILL], of_host = 0;

	if (subject->level->scope != PM_PRESSURE_HOST)
		return (double)rise;
	if (!log)
		return rate_of(subject, PM_PRESSURE_STALLS) == 0 ? 0 : (double)rise;

	/* The times in the log are about those of the clock. */
	for (size_t i = 0; i < log->count; i++) {
		const struct pm_oom_kill *kill = &log->kills[i];
		of_host += kill->constraint != PM_OOM_MEMCG && kill->age_known &&
		           kill->seconds_ago <= subject->seconds + 1;
	}
	return (double)pm_min(rise, of_host);
}

/** Returns the number of recent kills in the log that concern a level. */
static double recent_kills(const struct subject *subject)
{
	const struct pm_oom_log *log = subject->log;
	double count = 0;

	/* The kills between the readings are a sign of their own. */
	if (new_kills(subject) > 0)
		return 0;

	for (size_t i = 0; log && i < log->count; i++)
		if (pm_signs_kill_is_recent(&log->kills[i]) &&
		    pm_signs_kill_is_of(subject->reading, subject->index, &log->kills[i],
		                        subject->paths))
			count++;

	return count;
}

/**
 * Returns the rate of pages that were in use, were evicted and are needed again. cgroup v1 does not
 * count them, but all pages that were evicted and are needed again. In a cgroup without a limit,
 * these were not evicted because the cgroup is too small.
 */
static double thrashing(const struct subject *subject)
{
	double restored = larger(subject, PM_PRESSURE_RESTORE_FILE, PM_PRESSURE_RESTORE_ANON);
	if (restored >= 0)
		return restored;
	if (!subject->level->known[PM_PRESSURE_MAX])
		return not_known;
	return larger(subject, PM_PRESSURE_REFAULT_FILE, PM_PRESSURE_REFAULT_ANON);
}

/** Returns the value of a rule that is the rise or the rate of one counter. */
static double apply_counter(const struct subject *subject, enum pm_pressure_rule rule)
{
	enum pm_pressure_scope scope = subject->level->scope;

	switch (rule) {
	case PM_SIGN_SWAP_FAIL:
		return rate_of(subject, PM_PRESSURE_SWAP_FAILS);
	case PM_SIGN_STALL:
		return rate_of(subject, PM_PRESSURE_STALL_SOME) / 1e4;
	case PM_SIGN_MAX_HITS:
		return rate_of(subject, PM_PRESSURE_MAX_HITS);
	case PM_SIGN_HIGH_HITS:
		return rate_of(subject, PM_PRESSURE_HIGH_HITS);
	case PM_SIGN_DIRECT:
		return larger(subject, PM_PRESSURE_SCAN_DIRECT, PM_PRESSURE_STALLS);

	case PM_SIGN_SWAPPING:
		return larger(subject, PM_PRESSURE_SWAP_IN, PM_PRESSURE_SWAP_OUT);
	case PM_SIGN_THRASHING:
		return thrashing(subject);
	case PM_SIGN_MAJOR_FAULTS:
		return scope == PM_PRESSURE_PROCESS ? rate_of(subject, PM_PRESSURE_MAJOR_FAULTS)
		                                    : not_known;
	case PM_SIGN_BLOCK_DELAY:
		return rate_of(subject, PM_PRESSURE_BLOCK_DELAY) / 1e4;
	default:
		return not_known;
	}
}

/** Returns the value of a rule, negative if it is not known. */
static double apply(const struct subject *subject, enum pm_pressure_rule rule)
{
	switch (rule) {
	case PM_SIGN_OOM_KILL:
		return new_kills(subject);
	case PM_SIGN_OOM_RECENT:
		return recent_kills(subject);
	case PM_SIGN_KILLED:
		return value_of(subject, PM_PRESSURE_KILLED);
	case PM_SIGN_UNDER_OOM:
		return value_of(subject, PM_PRESSURE_UNDER_OOM);
	case PM_SIGN_UNCORRECTED:
		return (double)subject->rise->rises[PM_PRESSURE_UNCORRECTED];
	case PM_SIGN_CORRUPTED:
		return value_of(subject, PM_PRESSURE_CORRUPTED);

	case PM_SIGN_OOMD:
	case PM_SIGN_FULL:
		return value_of(subject, PM_PRESSURE_FULL_AVG10) / 100;
	case PM_SIGN_SOME:
		return value_of(subject, PM_PRESSURE_SOME_AVG60) / 100;
	case PM_SIGN_SWAP_USED:
		return swap_share(subject);
	case PM_SIGN_USED:
		return used_share(subject);

	case PM_SIGN_COMMITTED:
		return percent_of(subject, PM_PRESSURE_COMMITTED, PM_PRESSURE_COMMIT_MAX);
	case PM_SIGN_ADDRESSES:
		return percent_of(subject, PM_PRESSURE_ADDRESSES, PM_PRESSURE_ADDRESSES_MAX);
	case PM_SIGN_MAPPINGS:
		return percent_of(subject, PM_PRESSURE_MAPPINGS, PM_PRESSURE_MAPPINGS_MAX);
	default:
		return apply_counter(subject, rule);
	}
}

int pm_signs_find(const struct pm_pressure_reading *reading,
                  const struct pm_pressure_change *change, const struct pm_oom_log *log, bool paths,
                  struct pm_signs *signs, struct pm_error *error)
{
	struct pm_signs made = { 0 };
	size_t capacity = 0;

	for (int rule = 0; rule < PM_SIGN_RULES; rule++) {
		for (size_t i = 0; i < reading->count; i++) {
			struct subject subject = { reading,
				                   i,
				                   &reading->levels[i],
				                   &change->rises[i],
				                   change->seconds,
				                   log,
				                   paths };
			double value = apply(&subject, (enum pm_pressure_rule)rule);

			if (!(value > rules[rule].threshold))
				continue;
			if (pm_array_reserve(&made.items, &capacity, made.count, 1,
			                     sizeof *made.items, error) < 0) {
				pm_signs_deinit(&made);
				return -1;
			}
			made.items[made.count++] = (struct pm_sign){
				.rule = (enum pm_pressure_rule)rule, .level = i, .value = value
			};
		}
	}

	*signs = made;
	return 0;
}
