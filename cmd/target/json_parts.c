/* SPDX-License-Identifier: MIT */
#include "target/json_parts.h"

#include "base/convert.h"
#include "target/first_limit.h"
#include "target/region_text.h"

/** Writes a text member, unless the text is missing or empty. */
static void put_text(struct json *json, const char *key, const char *text)
{
	if (text && *text)
		json_put(json, key, json_text(text));
}

void json_parts_process(struct json *json, pid_t pid, const char *name, const char *command)
{
	if (pid > 0)
		json_put(json, "pid", json_number((uint64_t)pid));
	put_text(json, "name", name);
	put_text(json, "command", command);
}

void json_parts_kind(struct json *json, enum pm_kind kind)
{
	put_text(json, "kind", pm_kind_name(kind));
}

void json_parts_mapping(struct json *json, const struct pm_region *region)
{
	struct text mapping = { 0 };

	region_text_mapping(region, false, &mapping);
	put_text(json, "mapping", text_terminate(&mapping));
	text_deinit(&mapping);
}

void json_parts_purpose(struct json *json, const struct pm_region *region)
{
	struct text detail = { 0 };

	json_parts_kind(json, (enum pm_kind)region->kind);
	json_parts_mapping(json, region);
	region_text_detail(&region->detail, &detail);
	put_text(json, "detail", text_terminate(&detail));
	json_parts_owner(json, (enum pm_owner)region->owner);
	text_deinit(&detail);
}

void json_parts_owner(struct json *json, enum pm_owner owner)
{
	if (owner != PM_OWNER_UNKNOWN)
		json_put(json, "owner", json_string(pm_owner_name(owner)));
}

void json_parts_region(struct json *json, const struct pm_region *region)
{
	json_put(json, "start", json_address(region->start));
	json_put(json, "end", json_address(region->end));
	json_parts_purpose(json, region);
}

void json_parts_track(struct json *json, const struct pm_track *track)
{
	const struct pm_region region = { .start = track->start,
		                          .end = track->end,
		                          .kind = (uint8_t)track->kind,
		                          .mapping = track->mapping,
		                          .detail = track->detail,
		                          .owner = (uint8_t)track->owner };

	json_parts_region(json, &region);
}

void json_parts_region_text(struct text *text, const struct pm_region *region)
{
	struct json json = { .text = text, .one_line = true };

	json_open(&json, NULL, '{');
	json_parts_region(&json, region);
	json_shut(&json, '}');
}

void json_parts_chunk(struct json *json, const struct pm_heap *heap, const struct pm_chunk *chunk)
{
	json_put(json, "start", json_address(chunk->start));
	json_put(json, "size", json_number(chunk->size));
	put_text(json, "state", pm_chunk_state_name((enum pm_chunk_state)chunk->state));
	/* The arenas of jemalloc have no known address. */
	if (chunk->arena < heap->arena_count && heap->arenas[chunk->arena].address != 0)
		json_put(json, "arena", json_address(heap->arenas[chunk->arena].address));
}

void json_parts_content(struct json *json, const struct pm_chunk_type *type, const char *text,
                        size_t length)
{
	put_text(json, "type", pm_chunk_type_label(type));
	if (length > 0)
		json_put(json, "text", json_bytes(text, length));
}

void json_parts_totals(struct json *json, const struct pm_totals *totals)
{
	json_put(json, "rss", json_number(totals->rss));
	json_put(json, "anon", json_number(totals->anon));
	json_put(json, "file", json_number(totals->file));
	json_put(json, "shmem", json_number(totals->shmem));
	json_put(json, "swap", json_number(totals->swap));
	json_put(json, "size", json_number(totals->size));
	json_put(json, "threads", json_number(totals->threads));
}

void json_parts_limit(struct json *json, const struct pm_limit *limit)
{
	json_put(json, "name", json_string(pm_limit_name(limit->kind)));
	json_put(json, "max", json_number(limit->max));
	if (limit->exempt) {
		json_put(json, "exempt", json_true());
	} else if (!limit->used_unknown) {
		json_put(json, "used", json_number(limit->used));
		json_put(json, "reclaimable", json_number(limit->reclaimable));
		json_put(json, "left", json_number(pm_limit_left(limit)));
	}

	if (limit->approximate)
		json_put(json, "approximate", json_true());
	if (*first_limit_effect(limit->kind))
		json_put(json, "effect", json_string(first_limit_effect(limit->kind)));
	put_text(json, "source", limit->source);
}

void json_parts_trend(struct json *json, const struct pm_trend *trend)
{
	if (*trend->reason == '\0')
		return;

	if (trend->rate != 0)
		json_put(json, "rate", json_real(trend->rate));
	if (trend->estimate) {
		json_put(json, "estimated_rate", json_real(trend->estimated_rate));
		json_put(json, "step", json_number(convert_uint64(trend->step)));
	}

	if (trend->sawtooth) {
		json_put(json, "sawtooth", json_number(convert_uint64(trend->swing)));
	}

	if (trend->floor_known) {
		json_put(json, "floor", json_number(convert_uint64(trend->floor)));
		json_put(json, "floor_rise", json_integer(convert_int64(trend->floor_rise)));
	}

	json_put(json, "verdict", json_string(pm_verdict_name(trend->verdict)));
	json_put(json, "reason", json_text(trend->reason));
}

void json_parts_left(struct json *json, const struct forecast_time *time)
{
	if (!time->known)
		return;

	json_put(json, "seconds_left", json_real(time->seconds));
	json_put(json, "estimate", json_boolean(time->estimate));
	if (time->by_process)
		json_put(json, "at_process_rate", json_true());
	if (time->beneath)
		json_put(json, "at_beneath_rate", json_true());
}

void json_parts_reserve(struct json *json, const struct pm_reserve *reserve,
                        const struct pm_trend *trend, const struct forecast_time *time)
{
	const char *type = reserve->type == PM_RESERVE_FILE ? "file" : "inaccessible";
	uint64_t size = pm_reserve_size(reserve);

	json_open(json, "reserve", '{');
	json_put(json, "type", json_string(type));
	json_put(json, "start", json_address(reserve->start));
	json_put(json, "end", json_address(reserve->end));
	json_put(json, "max", json_number(size));
	json_put(json, "used", json_number(reserve->used));
	json_put(json, "left", json_number(size - reserve->used));
	json_parts_trend(json, trend);
	json_parts_left(json, time);
	json_shut(json, '}');
}

void json_parts_beneath(struct json *json, const struct pm_track *track,
                        const struct pm_trend *trend)
{
	json_open(json, "beneath", '{');
	json_parts_track(json, track);
	json_put(json, "rss", json_number(track->weight));
	json_parts_trend(json, trend);
	json_shut(json, '}');
}
