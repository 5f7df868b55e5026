/* SPDX-License-Identifier: MIT */
#include "cgroup/print.h"

#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "cgroup/files.h"
#include "cgroup/parts.h"
#include "cgroup/suspect.h"

/** Adds the usage and the limits of a level. */
static void put_usage(const struct cgroup_report *report, const struct pm_cgroup_level *level,
                      struct text *text)
{
	if (level->current == UINT64_MAX) {
		text_string(text, "the kernel does not report the usage of the root cgroup");
		return;
	}

	cgroup_parts_put_size(report, text, level->current);
	if (level->max != UINT64_MAX) {
		text_string(text, " of ");
		cgroup_parts_put_size(report, text, level->max);
		if (level->max > 0) {
			text_string(text, " (");
			text_percent(text, (double)level->current * 100 / (double)level->max);
			text_string(text, "%)");
		}
	} else {
		text_string(text, ", no limit");
	}
}

static void put_optional(const struct cgroup_report *report, const char *label, uint64_t size,
                         struct text *text)
{
	if (size == UINT64_MAX)
		return;
	text_string(text, label);
	cgroup_parts_put_size(report, text, size);
}

/** Adds how often something happens. */
static void put_frequency(double rate, struct text *text)
{
	text_format(text, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
}

/** Adds how often the limits were reached and, with --for, how often this happens now. */
static void put_events(const struct pm_cgroup_level *level, const struct cgroup_level_rates *rates,
                       struct text *text)
{
	const struct pm_limit_events *events = &level->events;
	double hits = cgroup_rates_of_counter(&rates->hits);
	double refaults = cgroup_rates_of_counter(&rates->refaults);

	if (events->known) {
		text_format(text, "; limit reached %llu time%s", (unsigned long long)events->max,
		            text_plural(events->max));
		if (hits > 0) {
			text_string(text, " (now ");
			put_frequency(hits, text);
			text_char(text, ')');
		}
		text_format(text, ", %llu OOM kill%s", (unsigned long long)events->oom_kill,
		            text_plural(events->oom_kill));
	}
	if (events->known && events->high > 0)
		text_format(text, ", high exceeded %llu time%s", (unsigned long long)events->high,
		            text_plural(events->high));
	if (refaults > 0) {
		text_string(text, ", pages read again after reclaim (refaults): ");
		put_frequency(refaults, text);
	}
}

/** Prints the line above the table of a level. */
static void print_heading(const struct cgroup_report *report, size_t index, struct out *out)
{
	const struct pm_cgroup_level *level = &report->levels.items[index];
	const struct cgroup_level_rates *rates = &report->rates.items[index];
	struct text line = { 0 };

	text_string(&line, "cgroup ");
	utf8_escape(&line, level->path, strlen(level->path));
	text_format(&line, " (v%d): ", level->version);
	put_usage(report, level, &line);
	put_optional(report, ", high ", level->high, &line);
	put_optional(report, ", peak ", level->peak, &line);
	if (level->swap != UINT64_MAX && level->swap > 0)
		put_optional(report, ", swap ", level->swap, &line);
	put_optional(report, ", swap limit ", level->swap_max, &line);
	put_optional(report, ", limit with swap ", level->memory_swap_max, &line);
	if (level->hugetlb != UINT64_MAX && level->hugetlb > 0)
		put_optional(report, "; hugetlb, counted separately: ", level->hugetlb, &line);
	if (level->kernel_outside > 0)
		put_optional(report, "; kernel, counted separately: ", level->kernel_outside,
		             &line);

	put_events(level, rates, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Prints a paragraph, and empties it. */
static void print_line(struct text *line, struct out *out)
{
	text_char(line, '\n');
	out_wrapped(out, line, 2);
	text_clear(line);
}

/** Prints what is in several parts, and what the rest is. */
static void print_remarks(const struct cgroup_report *report, const struct pm_cgroup_level *level,
                          struct out *out)
{
	const struct pm_cgroup_split *split = &level->split;
	struct text line = { 0 };

	if (split->dirty > 0 || split->writeback > 0) {
		text_string(&line, "of the file cache, dirty: ");
		cgroup_parts_put_size(report, &line, split->dirty);
		text_string(&line, ", being written: ");
		cgroup_parts_put_size(report, &line, split->writeback);
		text_string(&line, " (must be written before it can be reclaimed)");
		print_line(&line, out);
	}
	if (split->unevictable > 0) {
		text_string(&line, "locked (mlock, SHM_LOCK), in all parts: ");
		cgroup_parts_put_size(report, &line, split->unevictable);
		print_line(&line, out);
	}
	if (level->current != UINT64_MAX && split->rest > cgroup_tolerance(report, level)) {
		text_string(&line, "the rest is not accounted for by the kernel's statistics");
		print_line(&line, out);
	}
	text_deinit(&line);
}

/** Prints the processes with the most memory. */
static void print_processes(const struct cgroup_report *report, const struct pm_members *members,
                            struct out *out)
{
	size_t shown = pm_min_size(members->count, cgroup_rows_max(report->options));
	struct text line = { 0 };
	uint64_t rest = 0;

	text_string(&line, "processes (RSS and swap): ");
	if (members->count == 0 && members->others == 0)
		text_string(&line, "none");
	for (size_t i = 0; i < members->count; i++) {
		const struct pm_member *member = &members->items[i];
		if (i >= shown) {
			rest += member->rss + member->swap;
			continue;
		}
		text_string(&line, i > 0 ? ", " : "");
		utf8_escape(&line, member->comm, strlen(member->comm));
		text_format(&line, " (%d) ", (int)member->pid);
		cgroup_parts_put_size(report, &line, member->rss + member->swap);
	}

	if (members->count > shown) {
		text_format(&line, ", %zu more ", members->count - shown);
		cgroup_parts_put_size(report, &line, rest);
	}
	if (members->others > 0)
		text_format(&line, ", %zu could not be read", members->others);
	if (members->incomplete)
		text_string(&line, ", not all child cgroups could be read");
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static void print_level(const struct cgroup_report *report, size_t index, struct out *out)
{
	const struct pm_cgroup_level *level = &report->levels.items[index];

	print_heading(report, index, out);
	if (level->split.known)
		cgroup_parts_print(report, index, out);
	else
		out_string(out, "the statistics of this cgroup cannot be read\n");
	print_remarks(report, level, out);
	print_processes(report, &report->members[index], out);
}

/** Returns the largest part. */
static enum pm_cgroup_part largest_part(const struct pm_cgroup_split *split)
{
	int largest = 0;

	for (int part = 1; part < PM_CGROUP_PARTS; part++)
		if (split->parts[part] > split->parts[largest])
			largest = part;
	return (enum pm_cgroup_part)largest;
}

/** Returns the level whose limit is reached first or, if this is not known, is the nearest. */
static size_t first_level(const struct cgroup_report *report, const struct cgroup_limit **limit)
{
	size_t found = 0;

	*limit = NULL;
	for (size_t i = 0; i < report->levels.count; i++) {
		const struct cgroup_limit *first = cgroup_rates_first(&report->rates.items[i]);
		if (!first)
			continue;

		struct forecast_time time = forecast_time(&first->forecast), best = { 0 };
		if (*limit)
			best = forecast_time(&(*limit)->forecast);
		bool sooner = time.known && (!best.known || time.seconds < best.seconds);
		bool nearer = !best.known && *limit &&
		              pm_limit_left(&first->limit) < pm_limit_left(&(*limit)->limit);
		if (!*limit || sooner || nearer) {
			*limit = first;
			found = i;
		}
	}

	return found;
}

/** Adds what grows. */
static void put_growth(const struct cgroup_report *report, enum pm_cgroup_part part, double rate,
                       struct text *text)
{
	delta_put_rate(text, rate);
	if (part == PM_CGROUP_SHMEM)
		cgroup_suspect_put_growing(&report->files, rate, text);
}

/** Adds the largest part of a level. */
static void put_largest(const struct cgroup_report *report, size_t index, struct text *text)
{
	const struct pm_cgroup_split *split = &report->levels.items[index].split;
	enum pm_cgroup_part part = largest_part(split);
	if (split->parts[part] == 0)
		return;

	text_format(text, "; largest part: %s ", cgroup_parts_name(part, split));
	cgroup_parts_put_size(report, text, split->parts[part]);
	if (part == PM_CGROUP_SHMEM && index == 0)
		cgroup_suspect_put_large(&report->files, split->parts[part], text);
}

/** Returns whether the limit is reached so often that it matters: once a second. */
static bool is_thrashing(const struct cgroup_level_rates *rates)
{
	return cgroup_rates_of_counter(&rates->hits) >= 1;
}

/** Adds how often the limit of a level is reached, if it is often. */
static void put_hits(const struct cgroup_report *report, size_t index, struct text *text)
{
	const struct cgroup_level_rates *rates = &report->rates.items[index];
	const struct pm_members *members = &report->members[index];
	double refaults = cgroup_rates_of_counter(&rates->refaults);
	int pid = 0;

	if (!is_thrashing(rates))
		return;
	if (report->process)
		pid = (int)pm_process_pid(report->process);
	else if (members->count > 0)
		pid = (int)members->items[0].pid;

	text_string(text, "; limit reached ");
	put_frequency(cgroup_rates_of_counter(&rates->hits), text);
	if (refaults > 0) {
		text_string(text, ", refaults ");
		put_frequency(refaults, text);
	}
	text_string(text, ": its processes reclaim");
	if (pid > 0)
		text_format(text, "; procmem pressure %d", pid);
}

/** Adds the largest part and what grows. If that is the same part, it is named once. */
static void put_parts(const struct cgroup_report *report, size_t index, struct text *text)
{
	const struct cgroup_level_rates *rates = &report->rates.items[index];
	const struct pm_cgroup_split *split = &report->levels.items[index].split;
	enum pm_cgroup_part part = PM_CGROUP_ANON;
	double rate = report->rates.known ? cgroup_rates_growing(rates, &part) : 0;

	if (rate > 0 && part == largest_part(split)) {
		text_format(text, "; %s ", cgroup_parts_name(part, split));
		cgroup_parts_put_size(report, text, split->parts[part]);
		text_char(text, ' ');
		put_growth(report, part, rate, text);
		return;
	}

	put_largest(report, index, text);
	if (rate > 0) {
		text_format(text, "; growing: %s ", cgroup_parts_name(part, split));
		put_growth(report, part, rate, text);
	}
}

/** Adds that nothing grows, or that this is not known. */
static void put_still(const struct cgroup_report *report, size_t index, struct text *text)
{
	const struct cgroup_level_rates *rates = &report->rates.items[index];
	enum pm_cgroup_part part;

	if (!report->rates.known || is_thrashing(rates) || cgroup_rates_growing(rates, &part) > 0)
		return;
	bool early = rates->usage_trend.verdict == PM_VERDICT_TOO_EARLY;
	text_string(text, early ? "; watched for too short a time to tell what grows"
	                        : "; no part grows steadily");
}

/** Adds when the limit is reached, if that is known. */
static void put_time_left(const struct cgroup_limit *limit, struct text *text)
{
	struct forecast_time time = forecast_time(&limit->forecast);
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(time.seconds, duration);
	if (time.known)
		text_format(text, "; the limit is reached in %s%s", time.estimate ? "about " : "",
		            duration);
}

/** Prints the answer. */
static void print_answer(const struct cgroup_report *report, struct out *out)
{
	const struct cgroup_limit *limit;
	size_t index = first_level(report, &limit);
	const struct pm_cgroup_level *level = &report->levels.items[index];
	struct text line = { 0 };

	utf8_escape(&line, level->path, strlen(level->path));
	text_string(&line, ": ");
	put_usage(report, level, &line);
	put_parts(report, index, &line);
	put_still(report, index, &line);
	put_hits(report, index, &line);
	if (report->rates.known && limit)
		put_time_left(limit, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Prints an ancestor in one line: its usage, its largest part, what grows, and OOM kills. */
static void print_ancestor(const struct cgroup_report *report, size_t index, struct out *out)
{
	const struct pm_cgroup_level *level = &report->levels.items[index];
	struct text line = { 0 };

	utf8_escape(&line, level->path, strlen(level->path));
	text_string(&line, ": ");
	put_usage(report, level, &line);
	put_parts(report, index, &line);
	put_hits(report, index, &line);
	if (level->events.known && level->events.oom_kill > 0)
		text_format(&line, "; %llu OOM kill%s", (unsigned long long)level->events.oom_kill,
		            text_plural(level->events.oom_kill));
	print_line(&line, out);
	text_deinit(&line);
}

/** Prints the ancestors, in full only with --verbose. */
static void print_ancestors(const struct cgroup_report *report, struct out *out)
{
	bool full = report->options->output.verbose;

	if (report->levels.count > 1 && !full)
		out_string(out, "\nancestors (-v: their parts and processes)\n");
	for (size_t i = 1; i < report->levels.count; i++)
		if (full) {
			out_string(out, "\n");
			print_level(report, i, out);
		} else {
			print_ancestor(report, i, out);
		}
}

static void print_more(const struct cgroup_report *report, struct out *out)
{
	struct text line = { 0 };
	int pid = 0;

	if (report->process)
		pid = (int)pm_process_pid(report->process);
	if (pid > 0)
		text_format(&line,
		            "more: procmem headroom %d (which limit is reached first), procmem "
		            "pressure %d (whether processes wait for memory)\n",
		            pid, pid);
	else
		text_string(&line, "more: procmem headroom PID (which limit is reached first), "
		                   "procmem pressure PID (whether processes wait for memory)\n");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

void cgroup_print(const struct cgroup_report *report, struct out *out)
{
	print_answer(report, out);

	out_string(out, "\n");
	print_level(report, 0, out);
	cgroup_files_print(report, out);
	print_ancestors(report, out);

	if (report->levels.view == PM_CGROUP_ANCESTORS_HIDDEN)
		out_wrapped_format(out, 2,
		                   "outer cgroups are not visible: only the cgroups of this "
		                   "container are visible from here\n");
	out_string(out, "\n");
	print_more(report, out);
}
