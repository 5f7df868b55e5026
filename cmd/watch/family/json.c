/* SPDX-License-Identifier: MIT */
#include "watch/family/json.h"

#include <string.h>

#include "target/json_parts.h"
#include "watch/family/lives.h"

/** Writes the time of the last sample. */
static void put_time(const struct family_members *members, struct json *json)
{
	json_put(json, "time", json_time(members->wall_ns));
	json_put(json, "elapsed", json_real(members->now - members->began));
}

/** Writes the regions of a process that grow fastest, if they are known. */
static void put_growing(const struct family_member *member, struct json *json)
{
	struct pm_trend trend = { 0 };
	const struct pm_track *track = family_regions_growing(member, &trend);

	if (!track)
		return;

	json_open(json, "growing_region", '{');
	json_parts_track(json, track);
	json_put(json, "rss", json_number(track->weight));
	json_parts_trend(json, &trend);
	json_shut(json, '}');
}

/** Writes a text that is escaped for a terminal, unless it is empty. */
static void put_note(const char *key, const struct text *note, struct json *json)
{
	if (note->length > 0)
		json_put(json, key, json_bytes(note->bytes, note->length));
}

/** Prints the object of a process. */
static void print_member(const struct family_run *run, const struct family_member *member,
                         bool summary, struct out *out)
{
	struct json json = { .out = out, .one_line = true };

	json_open(&json, NULL, '{');
	put_time(&run->members, &json);
	if (summary)
		json_put(&json, "summary", json_true());
	json_parts_process(&json, member->pid, member->comm, NULL);

	if (member->measured) {
		json_put(&json, "rss", json_number(member->rss));
		json_put(&json, "swap", json_number(member->swap));
		json_put(&json, "threads", json_number(member->threads));
		json_put(&json, "growth", json_integer(family_members_growth(member)));
		json_parts_trend(&json, &member->memory.trend);
		put_growing(member, &json);
	}

	if (member->state == PM_FAMILY_UNREADABLE)
		put_note("error", &member->note, &json);
	else
		put_note("ended", &member->note, &json);

	json_shut(&json, '}');
	out_string(out, "\n");
}

static const char *kind_name(enum pm_family_kind kind)
{
	switch (kind) {
	case PM_FAMILY_CHILDREN:
		return "children";
	case PM_FAMILY_CGROUP:
		return "cgroup";
	case PM_FAMILY_FOLLOW:
		return "follow";
	default:
		return "all-processes";
	}
}

/** Writes of which parts the growth of the sum consists. */
static void put_parts(const struct family_sum *sum, struct json *json)
{
	json_put(json, "growth", json_integer((int64_t)(sum->memory - sum->first)));
	json_put(json, "staying_growth", json_integer(sum->staying));
	json_put(json, "new_rss", json_number(sum->arrived));
	json_put(json, "exec_growth", json_integer(sum->exec_growth));
	json_put(json, "released", json_number(sum->released));
}

/** Writes the member `lives`, if the family follows a name and a life has ended. */
static void put_lives(const struct family_run *run, struct json *json)
{
	struct family_lives lives;

	if (run->options->family != PM_FAMILY_FOLLOW)
		return;
	family_lives_read(&run->members, &lives);
	if (lives.ended == 0)
		return;

	json_open(json, "lives", '{');
	json_put(json, "ended_count", json_number(lives.ended));
	json_put(json, "known_count", json_number(lives.known));
	if (lives.known > 0) {
		json_put(json, "shortest_seconds", json_real(lives.shortest));
		json_put(json, "longest_seconds", json_real(lives.longest));
		json_put(json, "peak_seen", json_number(lives.peak));
	}
	if (lives.age > 0)
		json_put(json, "age_seconds", json_real(lives.age));
	json_shut(json, '}');
}

/** Writes the member `family`. */
static void put_family(const struct family_run *run, struct json *json)
{
	const struct family_members *members = &run->members;
	const struct pm_trend *trend = family_members_trend(members);
	const char *cgroup = pm_family_cgroup(run->family);

	json_open(json, "family", '{');
	json_put(json, "which", json_string(kind_name(run->options->family)));
	if (run->root > 0)
		json_put(json, "pid", json_number((uint64_t)run->root));
	else
		json_put(json, "name", json_text(run->word));
	if (cgroup)
		json_put(json, "path", json_text(cgroup));

	json_put(json, "members", json_number(members->alive));
	json_put(json, "unreadable_count", json_number(members->unreadable));
	json_put(json, "ended_count", json_number(members->ended));
	json_put(json, "others", json_number(members->beyond + members->foreign));
	json_put(json, "complete", json_boolean(!members->incomplete));

	json_put(json, "rss", json_number(members->sum.memory));
	put_parts(&members->sum, json);
	json_parts_trend(json, trend);
	if (trend == &members->sum.within.trend)
		json_put(json, "without_released", json_true());
	put_lives(run, json);
	family_limits_json(&run->limits, json);
	json_shut(json, '}');
}

/** Prints the object of the family. */
static void print_family(const struct family_run *run, const char *ended, struct out *out)
{
	struct json json = { .out = out, .one_line = true };

	json_open(&json, NULL, '{');
	put_time(&run->members, &json);
	if (ended)
		json_put(&json, "summary", json_true());
	put_family(run, &json);
	if (ended) {
		json_put(&json, "sample_count", json_number(run->members.samples));
		json_put(&json, "ended", json_text(ended));
	}
	json_shut(&json, '}');
	out_string(out, "\n");
}

/** Prints what happened to the followed process. */
static void print_event(const struct family_run *run, struct out *out)
{
	struct json json = { .out = out, .one_line = true };
	const struct family_member *now = family_members_find(&run->members, run->followed);

	if (run->event == FAMILY_NOTHING)
		return;

	json_open(&json, NULL, '{');
	put_time(&run->members, &json);
	json_put(&json, "event", json_string("follow"));
	json_put(&json, "name", json_text(run->word));
	if (run->event != FAMILY_WAITING && now)
		json_put(&json, "pid", json_number((uint64_t)now->pid));
	if (run->event != FAMILY_FOUND && run->previous > 0)
		json_put(&json, "previous_pid", json_number((uint64_t)run->previous));
	json_put(&json, "text", json_bytes(run->news.bytes, run->news.length));
	json_shut(&json, '}');
	out_string(out, "\n");
}

void family_json_sample(const struct family_run *run, struct out *out)
{
	const struct family_members *members = &run->members;

	print_event(run, out);
	for (size_t i = 0; i < members->count; i++) {
		const struct family_member *member = &members->items[i];
		if (member->until == 0 || member->until >= members->now)
			print_member(run, member, false, out);
	}
	print_family(run, NULL, out);
}

void family_json_summary(const struct family_run *run, const char *ended, struct out *out)
{
	for (size_t i = 0; i < run->members.count; i++)
		print_member(run, &run->members.items[i], true, out);

	print_family(run, ended, out);
}
