/* SPDX-License-Identifier: MIT */
#include "watch/family/print.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/minmax.h>
#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "view/table.h"
#include "watch/family/lives.h"
#include "watch/format.h"
#include "watch/verdict.h"

/* Maximum number of processes that a sentence names. */
enum { NAMED_MAX = 3, UNREADABLE_NAMED_MAX = 8 };

/** The processes that grow. */
struct growers {
	const struct family_member *items[NAMED_MAX]; /* the fastest, sorted */
	size_t named;                                 /* number of items */
	size_t count;                                 /* number of all processes that grow */
	size_t early; /* number of processes for whose verdict it is too early */
	bool target;  /* TARGET itself grows */
};

static double rate_of(const struct family_member *member)
{
	return pm_trend_growth_rate(&member->memory.trend);
}

/** Adds a process to the fastest, if it is one of them. */
static void insert(struct growers *growers, const struct family_member *member)
{
	size_t at = growers->named;

	while (at > 0 && rate_of(growers->items[at - 1]) < rate_of(member))
		at--;
	if (at == NAMED_MAX)
		return;
	if (growers->named < NAMED_MAX)
		growers->named++;

	memmove(&growers->items[at + 1], &growers->items[at],
	        (growers->named - 1 - at) * sizeof(struct family_member *));
	growers->items[at] = member;
}

static struct growers find_growers(const struct family_run *run)
{
	struct growers growers = { 0 };

	for (size_t i = 0; i < run->members.count; i++) {
		const struct family_member *member = &run->members.items[i];

		if (member->state != PM_FAMILY_ALIVE)
			continue;
		growers.early += member->memory.trend.verdict == PM_VERDICT_TOO_EARLY;
		if (rate_of(member) <= 0)
			continue;

		growers.count++;
		growers.target = growers.target || member->id == run->target_id;
		insert(&growers, member);
	}

	return growers;
}

/** Adds the rate of a process and its verdict: "+1.1M/s (steady)". */
static void add_rate(const struct family_member *member, struct text *text)
{
	watch_verdict_rate(&member->memory.trend, text);
	text_format(text, " (%s)", pm_verdict_name(member->memory.trend.verdict));
}

/** Adds that no process grows. */
static void add_no_growth(const struct family_run *run, const struct growers *growers,
                          struct text *text)
{
	const struct pm_trend *trend = family_members_trend(&run->members);
	size_t alive = run->members.alive;

	if (pm_trend_growth_rate(trend) > 0) {
		text_string(text, growers->early == alive
		                          ? "too early for a verdict on each process, but their "
		                            "sum grows: "
		                          : "no process grows, but their sum does: ");
		watch_verdict_rate(trend, text);
		if (run->members.sum.arrived_count > 0)
			text_format(text, " with %zu new process%s", run->members.sum.arrived_count,
			            run->members.sum.arrived_count == 1 ? "" : "es");
	} else if (growers->early == alive) {
		text_string(text, "too early for a verdict: it needs 10 s and 5 samples");
	} else if (alive == 1) {
		text_string(text, "the process does not grow");
	} else {
		text_format(text, "none of %zu processes grows", alive);
	}
}

/** Adds that the other processes do not grow, among them TARGET. */
static void add_others(const struct family_run *run, const struct growers *growers,
                       struct text *text)
{
	size_t others = run->members.alive - 1;
	const struct family_member *target = family_members_find(&run->members, run->target_id);
	bool named = target && target->state == PM_FAMILY_ALIVE && !growers->target;

	if (others == 1 && named)
		text_format(text, "; %d itself does not", (int)run->root);
	else if (others == 1)
		text_string(text, "; the other process does not");
	else if (others == 2 && named)
		text_format(text, "; %d itself and the other do not", (int)run->root);
	else if (others > 2 && named)
		text_format(text, "; %d itself and %zu others do not", (int)run->root, others - 1);
	else if (others > 1)
		text_format(text, "; the other %zu do not", others);
}

/** Adds that one process grows. */
static void add_one(const struct family_run *run, const struct growers *growers, struct text *text)
{
	const struct family_member *member = growers->items[0];

	family_rows_name(member, text);
	text_string(text, " grows: ");
	add_rate(member, text);
	add_others(run, growers, text);
}

/** Adds the lives of a followed process that have ended, if there are any. */
static void add_lives(const struct family_run *run, struct text *text)
{
	struct family_lives lives;

	if (run->options->family != PM_FAMILY_FOLLOW)
		return;

	family_lives_read(&run->members, &lives);
	if (lives.known == 0)
		return;

	family_lives_describe(&lives, run->options->output.bytes, text);
	text_string(text, run->waiting ? "; " : "; now: ");
}

void family_print_headline(const struct family_run *run, struct text *text)
{
	struct growers growers = find_growers(run);

	add_lives(run, text);

	if (run->waiting) {
		text_string(text, "waiting for a process named ");
		utf8_escape(text, run->word, strlen(run->word));
	} else if (run->members.alive == 0) {
		text_string(text, run->members.unreadable > 0 ? "no process can be read"
		                                              : "all processes have ended");
	} else if (growers.count == 0) {
		add_no_growth(run, &growers, text);
	} else if (growers.count == 1) {
		add_one(run, &growers, text);
	} else {
		text_format(text, "%zu of %zu processes grow: ", growers.count, run->members.alive);
		for (size_t i = 0; i < growers.named; i++) {
			text_string(text, i > 0 ? ", " : "");
			family_rows_name(growers.items[i], text);
			text_char(text, ' ');
			watch_verdict_rate(&growers.items[i]->memory.trend, text);
		}
		text_string(text, growers.count > growers.named ? ", ..." : "");
	}
}

void family_print_title(const struct family_run *run, struct text *text)
{
	const struct family_members *members = &run->members;
	size_t count = members->alive + members->unreadable;

	if (run->options->family == PM_FAMILY_FOLLOW) {
		text_string(text, "following ");
		utf8_escape(text, run->word, strlen(run->word));
		return;
	}

	text_format(text, "%zu process%s ", count, count == 1 ? "" : "es");
	if (run->options->family == PM_FAMILY_CHILDREN) {
		const struct family_member *target = family_members_find(members, run->target_id);

		text_string(text, "of the tree of ");
		if (target)
			family_rows_name(target, text);
		else
			text_decimal(text, (uint64_t)run->root);
	} else if (run->options->family == PM_FAMILY_CGROUP) {
		const char *path = pm_family_cgroup(run->family);

		text_string(text, "of the cgroup ");
		if (path)
			utf8_escape(text, path, strlen(path));
	} else {
		text_string(text, "named ");
		utf8_escape(text, run->word, strlen(run->word));
	}
}

static int64_t sum_growth(const struct family_members *members)
{
	return (int64_t)(members->sum.memory - members->sum.first);
}

void family_print_sum(const struct family_run *run, struct text *text)
{
	const struct pm_trend *trend = family_members_trend(&run->members);
	bool bytes = run->options->output.bytes;

	text_string(text, "RSS ");
	watch_format_size(run->members.sum.memory, bytes, text);
	text_char(text, ' ');
	delta_put_bytes(text, sum_growth(&run->members), bytes);

	text_format(text, "  %s", pm_verdict_name(trend->verdict));
	if (pm_trend_growth_rate(trend) > 0) {
		text_char(text, ' ');
		watch_verdict_rate(trend, text);
	}
}

void family_print_limit(const struct family_run *run, struct text *text)
{
	struct family_lives lives;
	double seconds;

	/* A limit is not approached while there is no process. */
	if (run->waiting)
		return;

	/* The condition comes first: the end of the line may be cut. */
	family_lives_read(&run->members, &lives);
	if (run->options->family == PM_FAMILY_FOLLOW &&
	    family_limits_time(&run->limits, &seconds) && family_lives_end_before(&lives, seconds))
		text_string(text, "if this life lasts longer than those before: ");

	family_limits_describe(&run->limits, run->options->output.bytes, text);
}

/** Adds a cell of the row with the sum. */
static void add_sum_cell(const struct family_run *run, size_t column, struct text *text)
{
	const struct family_members *members = &run->members;
	const struct pm_trend *trend = family_members_trend(members);
	bool bytes = run->options->output.bytes;

	switch (column) {
	case FAMILY_PID:
		text_string(text, "sum");
		break;
	case FAMILY_NAME:
		text_format(text, "of %zu", members->alive);
		break;
	case FAMILY_RSS:
		watch_format_size(members->sum.memory, bytes, text);
		break;

	case FAMILY_GROWTH:
		delta_put_bytes(text, sum_growth(members), bytes);
		break;
	case FAMILY_RATE:
		watch_verdict_rate(trend, text);
		break;
	case FAMILY_VERDICT:
		text_string(text, pm_verdict_name(trend->verdict));
		break;
	default:
		break;
	}
}

static void cell(void *context, size_t index, size_t column, struct text *text)
{
	const struct family_run *run = context;

	if (index == TABLE_TOTAL)
		add_sum_cell(run, column, text);
	else
		family_rows_cell(run->rows.items[index], (enum family_column)column,
		                 run->options->output.bytes, text);
}

static enum out_style style(void *context, size_t index, size_t column)
{
	const struct family_run *run = context;

	if (index == TABLE_TOTAL)
		return OUT_PLAIN;
	return family_rows_style(run->rows.items[index], (enum family_column)column);
}

/** Returns the number of rows that are printed: processes that cannot be read have no row. */
static size_t count_rows(const struct family_run *run)
{
	size_t readable = run->rows.count - run->members.unreadable;

	return readable < run->options->top ? readable : (size_t)run->options->top;
}

static void print_table(const struct family_run *run, struct out *out)
{
	const struct table table = {
		.columns = family_rows_columns,
		.column_count = FAMILY_COLUMNS,
		.rows = count_rows(run),
		.titles = true,
		.total = run->options->family != PM_FAMILY_FOLLOW,
		.open_end = true,
		.context = (void *)(uintptr_t)run,
		.cell = cell,
		.style = style,
	};
	size_t widths[FAMILY_COLUMNS];

	out_measure(out);
	table_measure(&table, widths);
	table_print(&table, widths, out);
}

/** Prints the number of processes that have no row because of --top. */
static void print_hidden(const struct family_run *run, struct out *out)
{
	size_t shown = count_rows(run), alive = 0;
	size_t hidden = run->rows.count - run->members.unreadable - shown + run->members.dropped;
	uint64_t memory = 0;
	int64_t growth = 0;
	struct text text = { 0 };

	if (hidden == 0)
		return;

	for (size_t i = shown; i < run->rows.count; i++) {
		const struct family_member *member = run->rows.items[i];
		if (member->state != PM_FAMILY_ALIVE)
			continue;
		alive++;
		memory += family_members_memory(member);
		growth += family_members_growth(member);
	}

	text_format(&text, "%zu more: ", hidden);
	if (alive > 0) {
		text_format(&text, "%zu run, with RSS ", alive);
		watch_format_size(memory, run->options->output.bytes, &text);
		text_string(&text, " and growth ");
		delta_put_bytes(&text, growth, run->options->output.bytes);
	}
	if (hidden > alive)
		text_format(&text, "%s%zu ended", alive > 0 ? ", " : "", hidden - alive);
	text_string(&text, " (-n: number of rows)\n");
	out_wrapped(out, &text, 2);
	text_deinit(&text);
}

/** Adds an amount and the number of processes to which it belongs. */
static void add_part(int64_t amount, size_t count, const char *which, bool bytes, struct text *text)
{
	text_string(text, ", ");
	delta_put_bytes(text, amount, bytes);
	text_format(text, " %s %zu", which, count);
}

/** Prints of which parts the growth of the sum consists, if processes have started or ended. */
static void print_parts(const struct family_run *run, struct out *out)
{
	const struct family_sum *sum = &run->members.sum;
	bool bytes = run->options->output.bytes;
	struct text text = { 0 };

	if (sum->arrived_count + sum->released_count + sum->exec_count == 0 ||
	    run->options->family == PM_FAMILY_FOLLOW)
		return;

	text_string(&text, "growth of the sum: ");
	delta_put_bytes(&text, sum->staying, bytes);
	text_string(&text, " in processes that were there at the start");
	if (sum->arrived_count > 0)
		add_part((int64_t)sum->arrived, sum->arrived_count, "in new ones:", bytes, &text);
	if (sum->exec_count > 0)
		add_part(sum->exec_growth, sum->exec_count, "in ones that called exec:", bytes,
		         &text);
	if (sum->released_count > 0)
		add_part(-(int64_t)sum->released, sum->released_count, "in ended ones:", bytes,
		         &text);
	text_char(&text, '\n');

	if (family_members_trend(&run->members) == &sum->within.trend)
		text_string(&text, "the verdict on the sum leaves out what ended processes "
		                   "released\n");
	out_wrapped(out, &text, 2);
	text_deinit(&text);
}

/** Prints the processes that cannot be read, with the reasons. */
static void print_unreadable(const struct family_run *run, struct out *out)
{
	size_t count = run->members.unreadable, named = 0;

	if (count == 0)
		return;

	out_format(out, "processes that cannot be read, and are not in the sum: %zu\n", count);
	for (size_t i = 0; i < run->rows.count && named < UNREADABLE_NAMED_MAX; i++) {
		const struct family_member *member = run->rows.items[i];
		struct text text = { 0 };

		if (member->state != PM_FAMILY_UNREADABLE)
			continue;

		named++;
		text_string(&text, "  ");
		family_rows_name(member, &text);
		text_string(&text, ": ");
		text_bytes(&text, member->note.bytes, member->note.length);
		text_char(&text, '\n');
		out_wrapped(out, &text, 4);
		text_deinit(&text);
	}
	if (count > named)
		out_format(out, "  and %zu more\n", count - named);
}

/** Prints which processes are missing. */
static void print_missing(const struct family_members *members, struct out *out)
{
	if (members->beyond > 0)
		out_format(out, "%zu further processes are not watched: the maximum is %d\n",
		           members->beyond, PM_FAMILY_MAX);
	if (members->foreign > 0)
		out_wrapped_format(
			out, 2,
			"processes of the cgroup that belong to another PID namespace and "
			"cannot be watched from here: %zu\n",
			members->foreign);
	if (members->incomplete)
		out_string(out,
		           "processes may be missing: a list of processes could not be read\n");
}

/** Prints the limit that the processes reach first. */
static void print_limit(const struct family_run *run, struct out *out)
{
	struct text text = { 0 };

	family_print_limit(run, &text);
	if (text.length > 0) {
		text_char(&text, '\n');
		out_wrapped(out, &text, 2);
	}
	text_deinit(&text);
}

static void print_notes(const struct family_run *run, struct out *out)
{
	print_limit(run, out);
	print_hidden(run, out);
	print_parts(run, out);
	print_unreadable(run, out);
	print_missing(&run->members, out);
}

static void print_headline(const struct family_run *run, struct out *out)
{
	struct text text = { 0 };

	family_print_headline(run, &text);
	text_char(&text, '\n');
	out_wrapped(out, &text, 2);
	text_deinit(&text);
}

void family_print_sample(const struct family_run *run, struct out *out)
{
	struct text line = { 0 };

	delta_put_time(&line, run->members.wall_ns);
	text_string(&line, "  ");
	family_print_title(run, &line);
	text_char(&line, '\n');
	if (run->news.length > 0) {
		text_bytes(&line, run->news.bytes, run->news.length);
		text_char(&line, '\n');
	}
	out_wrapped(out, &line, 2);
	text_deinit(&line);

	print_headline(run, out);
	if (run->rows.count > 0)
		print_table(run, out);
	print_notes(run, out);
	out_string(out, "\n");
}

/** Prints the command that shows the regions of the process that grows fastest. */
static void print_command(const struct family_run *run, struct out *out)
{
	struct growers growers = find_growers(run);

	if (growers.named > 0)
		out_format(out, "regions of a process: procmem watch %d\n",
		           (int)growers.items[0]->pid);
}

void family_print_summary(const struct family_run *run, const char *ended, struct out *out)
{
	const struct family_members *members = &run->members;
	char duration[PM_DURATION_TEXT_SIZE];
	struct text line = { 0 };

	/* The size of the terminal may have changed while the live screen was shown. */
	out_measure(out);
	print_headline(run, out);

	pm_format_duration(members->now - members->began, duration);
	family_print_title(run, &line);
	text_format(&line, " for %s, %" PRIu64 " sample%s, ended: %s\n", duration, members->samples,
	            text_plural(members->samples), ended);
	out_wrapped(out, &line, 2);
	text_deinit(&line);

	if (run->rows.count > 0)
		print_table(run, out);
	print_notes(run, out);
	print_command(run, out);
}
