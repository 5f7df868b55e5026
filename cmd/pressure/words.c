/* SPDX-License-Identifier: MIT */
#include "pressure/words.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/number.h>

#include "base/convert.h"
#include "base/utf8.h"
#include "pressure/kills.h"

/** Items of a cell that are shown; the others are counted. */
enum { ITEMS_SHOWN = 2 };

/** Adds a rate: "389/s", "0.2/s". */
static void put_rate(struct text *text, double rate)
{
	text_format(text, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
}

bool pressure_words_kill_is_of(const struct pressure_report *report, size_t level,
                               const struct pm_oom_kill *kill)
{
	return pm_signs_kill_is_of(&report->reading, level, kill,
	                           report->view == PM_CGROUP_VISIBLE);
}

/** Adds the newest kill of a level, if the log has it. */
static void put_newest(const struct pressure_report *report, size_t level, struct text *text)
{
	for (size_t i = report->has_log ? report->log.count : 0; i-- > 0;) {
		const struct pm_oom_kill *kill = &report->log.kills[i];
		if (!pressure_words_kill_is_of(report, level, kill))
			continue;

		text_string(text, ", the last ");
		pressure_kills_put_age(kill, text);
		text_string(text, ": ");
		pressure_kills_put_process(kill, text);
		return;
	}
}

static void put_kills(const struct pressure_report *report, const struct pm_sign *sign,
                      struct text *text)
{
	uint64_t count = convert_uint64(sign->value);

	if (sign->rule == PM_SIGN_OOM_KILL)
		text_format(text, "%" PRIu64 " OOM kill%s in the last %.1f s", count,
		            text_plural(count), report->change.seconds);
	else
		pressure_kills_put_recent(report, count, text);

	/* The counter of the machine counts the kills in all cgroups. */
	if (!report->has_log && report->reading.levels[sign->level].scope == PM_PRESSURE_HOST)
		text_string(text, ", perhaps by limits of groups");
	put_newest(report, sign->level, text);
}

/** Adds a share of two fields: "97 % of the limit of 64.0M". */
static void put_share(const struct pressure_report *report, const struct pm_sign *sign,
                      const char *what, enum pm_pressure_field max, struct text *text)
{
	text_format(text, "%s ", what);
	text_percent(text, sign->value);
	text_string(text, " % of ");
	text_size_as(text, report->reading.levels[sign->level].values[max],
	             report->options->output.bytes);
}

/** Adds the sign of a rule about utilisation. */
static void put_used(const struct pressure_report *report, const struct pm_sign *sign,
                     struct text *text)
{
	switch (sign->rule) {
	case PM_SIGN_SWAP_USED:
		text_format(text, "memory and swap are more than %.0f %% full", sign->value);
		break;
	case PM_SIGN_USED:
		put_share(report, sign, "memory that cannot be dropped is", PM_PRESSURE_MAX, text);
		break;
	case PM_SIGN_COMMITTED:
		put_share(report, sign, "Committed_AS is", PM_PRESSURE_COMMIT_MAX, text);
		text_string(text, " (CommitLimit)");
		break;
	case PM_SIGN_ADDRESSES:
		put_share(report, sign, "address space is", PM_PRESSURE_ADDRESSES_MAX, text);
		text_string(text, " (RLIMIT_AS)");
		break;
	default:
		text_format(text, "the number of regions is %.0f %% of vm.max_map_count",
		            sign->value);
	}
}

/** Adds the sign of a rule about PSI or another share of time. */
static void put_stall(const struct pm_sign *sign, struct text *text)
{
	switch (sign->rule) {
	case PM_SIGN_OOMD:
		text_format(text,
		            "all tasks waited for memory %.0f %% of the last 10 s; systemd-oomd "
		            "kills after 30 s of that",
		            sign->value);
		break;
	case PM_SIGN_FULL:
		text_format(text, "all tasks waited for memory %.0f %% of the last 10 s",
		            sign->value);
		break;
	case PM_SIGN_SOME:
		text_format(text, "tasks waited for memory %.1f %% of the last minute",
		            sign->value);
		break;
	case PM_SIGN_STALL:
		text_format(text, "tasks wait for memory %.0f %% of the time", sign->value);
		break;
	default:
		text_format(text, "waits for block devices %.0f %% of the time", sign->value);
	}
}

/** Adds the share of the scanned pages that could be reclaimed. */
static void put_efficiency(const struct pm_pressure_rise *rise, struct text *text)
{
	uint64_t scanned = rise->rises[PM_PRESSURE_SCAN_DIRECT],
		 reclaimed = rise->rises[PM_PRESSURE_STEAL_DIRECT];

	if (scanned > 0 && rise->known[PM_PRESSURE_STEAL_DIRECT])
		text_format(text, ", %.0f %% of the scanned pages could be reclaimed",
		            (double)reclaimed * 100 / (double)scanned);
}

/** Adds the sign of a rule about a rate. */
static void put_counter(const struct pressure_report *report, const struct pm_sign *sign,
                        struct text *text)
{
	static const char *const before[PM_SIGN_RULES] = {
		[PM_SIGN_SWAP_FAIL] = "swapping out fails, ",
		[PM_SIGN_MAX_HITS] = "limit reached ",
		[PM_SIGN_HIGH_HITS] = "memory.high is exceeded, ",
		[PM_SIGN_DIRECT] = "tasks reclaim memory before they get new, ",
		[PM_SIGN_SWAPPING] = "pages are swapped, ",
		[PM_SIGN_THRASHING] = "evicted pages are needed again, ",
		[PM_SIGN_MAJOR_FAULTS] = "page faults read from storage, ",
	};
	static const char *const behind[PM_SIGN_RULES] = {
		[PM_SIGN_MAX_HITS] = ": tasks must reclaim",
		[PM_SIGN_HIGH_HITS] = ": tasks are throttled",
		[PM_SIGN_THRASHING] = ": too small for what is in use",
	};

	text_string(text, before[sign->rule]);
	put_rate(text, sign->value);
	if (behind[sign->rule])
		text_string(text, behind[sign->rule]);
	if (sign->rule == PM_SIGN_DIRECT)
		put_efficiency(&report->change.rises[sign->level], text);
}

void pressure_words_put_sign(const struct pressure_report *report, const struct pm_sign *sign,
                             struct text *text)
{
	switch (sign->rule) {
	case PM_SIGN_OOM_KILL:
	case PM_SIGN_OOM_RECENT:
		put_kills(report, sign, text);
		break;
	case PM_SIGN_KILLED:
		text_string(text, "SIGKILL is pending: it is about to end");
		break;
	case PM_SIGN_UNDER_OOM:
		text_string(text, "out of memory now: tasks wait for the OOM killer");
		break;
	case PM_SIGN_UNCORRECTED:
		text_format(text, "%.0f uncorrected errors of the memory modules", sign->value);
		break;
	case PM_SIGN_CORRUPTED:
		text_size_as(text, convert_uint64(sign->value), report->options->output.bytes);
		text_string(text, " are damaged and no longer used (HardwareCorrupted)");
		break;

	case PM_SIGN_OOMD:
	case PM_SIGN_FULL:
	case PM_SIGN_STALL:
	case PM_SIGN_SOME:
	case PM_SIGN_BLOCK_DELAY:
		put_stall(sign, text);
		break;
	case PM_SIGN_SWAP_USED:
	case PM_SIGN_USED:
	case PM_SIGN_COMMITTED:
	case PM_SIGN_ADDRESSES:
	case PM_SIGN_MAPPINGS:
		put_used(report, sign, text);
		break;
	default:
		put_counter(report, sign, text);
	}
}

void pressure_words_put_basis(enum pm_pressure_rule rule, struct text *text)
{
	static const char *const sources[] = {
		[PM_SIGN_OWN] = "own choice",
		[PM_SIGN_OOMD_CONF] = "oomd.conf(5)",
		[PM_SIGN_USE] = "USE method",
		[PM_SIGN_KERNEL] = "kernel documentation",
	};
	const struct pm_sign_info *info = pm_sign_of(rule);

	/* A kill, or a flag, has no threshold. */
	if (rule == PM_SIGN_OOM_RECENT)
		text_string(text, "counts for an hour: ");
	else if (info->percent)
		text_format(text, "more than %.0f %%: ", info->threshold);
	else if (info->rate)
		text_format(text, "more than %.0f/s: ", info->threshold);
	text_string(text, sources[info->source]);
}

void pressure_words_put_path(const char *path, size_t width, struct text *text)
{
	utf8_escape_end(text, path, strlen(path), width);
}

/** Adds the share of a maximum: "62.0M of 64.0M 97%". */
static void put_used_cell(const struct pressure_report *report,
                          const struct pm_pressure_level *level, struct text *text)
{
	bool bytes = report->options->output.bytes;

	if (!level->known[PM_PRESSURE_USED]) {
		text_string(text, "not known");
		return;
	}

	uint64_t used = level->values[PM_PRESSURE_USED], max = level->values[PM_PRESSURE_MAX];
	if (used > 0)
		text_size_as(text, used, bytes);
	else
		text_char(text, '0');
	if (level->known[PM_PRESSURE_MAX] && max > 0) {
		text_string(text, " of ");
		text_size_as(text, max, bytes);
		text_char(text, ' ');
		text_percent(text, (double)used * 100 / (double)max);
		text_char(text, '%');
	} else if (level->scope == PM_PRESSURE_CGROUP) {
		text_string(text, ", no limit");
	}
}

static void put_utilisation(const struct pressure_report *report,
                            const struct pm_pressure_level *level, struct text *text)
{
	bool bytes = report->options->output.bytes;

	if (level->scope != PM_PRESSURE_PROCESS) {
		put_used_cell(report, level, text);
		return;
	}
	if (!level->known[PM_PRESSURE_RSS]) {
		text_string(text, "not known");
		return;
	}

	text_string(text, "rss ");
	text_size_as(text, level->values[PM_PRESSURE_RSS], bytes);
	if (level->values[PM_PRESSURE_SWAP] > 0) {
		text_string(text, ", swap ");
		text_size_as(text, level->values[PM_PRESSURE_SWAP], bytes);
	}
}

/** Items of a cell that is being made. */
struct items {
	struct text *text;
	size_t count;
	bool any_known;
};

/** Starts an item. Returns false if it is only counted. */
static bool begin_item(struct items *items)
{
	if (++items->count > ITEMS_SHOWN)
		return false;
	if (items->count > 1)
		text_string(items->text, ", ");
	return true;
}

/** Ends a cell: counts the items that are not shown, or says that there are none. */
static void end_items(struct items *items)
{
	if (items->count > ITEMS_SHOWN)
		text_format(items->text, " +%zu", items->count - ITEMS_SHOWN);
	else if (items->count == 0)
		text_string(items->text, items->any_known ? "none" : "not known");
}

static void put_saturation(const struct pressure_report *report, size_t index, struct text *text)
{
	static const struct {
		const char *word;
		enum pm_pressure_field field;
	} shown[] = {
		{ "stall", PM_PRESSURE_STALL_SOME },     { "limit", PM_PRESSURE_MAX_HITS },
		{ "high", PM_PRESSURE_HIGH_HITS },       { "direct", PM_PRESSURE_SCAN_DIRECT },
		{ "stalls", PM_PRESSURE_STALLS },        { "swapin", PM_PRESSURE_SWAP_IN },
		{ "swapout", PM_PRESSURE_SWAP_OUT },     { "refault", PM_PRESSURE_REFAULT_FILE },
		{ "refault", PM_PRESSURE_REFAULT_ANON }, { "blkio", PM_PRESSURE_BLOCK_DELAY },
		{ "majflt", PM_PRESSURE_MAJOR_FAULTS },  { "compact", PM_PRESSURE_COMPACT_STALL },
		{ "miss", PM_PRESSURE_NUMA_MISS },       { "foreign", PM_PRESSURE_NUMA_FOREIGN },
	};
	const struct pm_pressure_rise *rise = &report->change.rises[index];
	struct items items = { .text = text };

	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		enum pm_pressure_field field = shown[i].field;
		items.any_known |= rise->known[field];
		if (!rise->known[field] || rise->rises[field] == 0 || !begin_item(&items))
			continue;

		double rate = (double)rise->rises[field] / report->change.seconds;
		text_format(text, "%s ", shown[i].word);
		if (pm_pressure_field_of(field)->unit == PM_PRESSURE_MICROSECONDS)
			text_format(text, rate < 1e4 ? "<1%%" : "%.0f%%", rate / 1e4);
		else
			put_rate(text, rate);
	}
	end_items(&items);
}

/** Adds an error of which only the number counts. */
static void put_error(const struct pm_pressure_level *level, enum pm_pressure_field field,
                      const char *word, struct items *items)
{
	items->any_known |= level->known[field];
	if (level->values[field] > 0 && begin_item(items))
		text_format(items->text, "%llu %s", (unsigned long long)level->values[field], word);
}

static void put_errors(const struct pressure_report *report, size_t index, struct text *text)
{
	const struct pm_pressure_level *level = &report->reading.levels[index];
	struct items items = { .text = text };

	if (level->scope == PM_PRESSURE_NODE) {
		text_char(text, '-');
		return;
	}

	items.any_known = level->known[PM_PRESSURE_KILLED];
	if (level->values[PM_PRESSURE_KILLED] && begin_item(&items))
		text_string(text, "SIGKILL pending");
	if (level->values[PM_PRESSURE_UNDER_OOM] && begin_item(&items))
		text_string(text, "under OOM");
	put_error(level, PM_PRESSURE_OOM_KILL, "killed", &items);
	put_error(level, PM_PRESSURE_UNCORRECTED, "ECC", &items);
	items.any_known |= level->known[PM_PRESSURE_CORRUPTED];
	if (level->values[PM_PRESSURE_CORRUPTED] > 0 && begin_item(&items)) {
		text_size_as(text, level->values[PM_PRESSURE_CORRUPTED],
		             report->options->output.bytes);
		text_string(text, " bad");
	}
	end_items(&items);
}

void pressure_words_put_cell(const struct pressure_report *report, size_t level,
                             enum pm_pressure_part part, struct text *text)
{
	switch (part) {
	case PM_PRESSURE_UTILISATION:
		put_utilisation(report, &report->reading.levels[level], text);
		break;
	case PM_PRESSURE_SATURATION:
		put_saturation(report, level, text);
		break;
	default:
		put_errors(report, level, text);
	}
}
