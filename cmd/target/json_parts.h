/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The members that the JSON of several commands has, with one function for each concept, so that
 * they have the same names and units everywhere. docs/schema/common.schema.json describes them.
 *
 * All functions write members into the object that is open, and leave out what is not known.
 */
#ifndef CMD_TARGET_JSON_PARTS_H
#define CMD_TARGET_JSON_PARTS_H

#include <procmem/chunk_type.h>
#include <procmem/headroom.h>
#include <procmem/heap.h>
#include <procmem/process_id.h>
#include <procmem/region.h>
#include <procmem/reserve.h>
#include <procmem/sample.h>
#include <procmem/tracker.h>
#include <procmem/trend.h>

#include "target/forecast.h"
#include "view/json.h"

/**
 * Writes which process it is: `pid`, `name` and `command`.
 *
 * @param json     the output
 * @param pid      PID; 0 if it is not known
 * @param name     command name (comm); "" or NULL if it is not known
 * @param command  command line; "" or NULL if it is not known or empty
 */
void json_parts_process(struct json *json, pid_t pid, const char *name, const char *command);

/**
 * Writes which region it is: `start`, `end`, and the members of json_parts_purpose().
 *
 * @param json    the output
 * @param region  the region
 */
void json_parts_region(struct json *json, const struct pm_region *region);

/**
 * Writes the representative region of a track, with the members of json_parts_region().
 *
 * @param json   the output
 * @param track  the track
 */
void json_parts_track(struct json *json, const struct pm_track *track);

/**
 * Writes what a region is for: `kind`, `mapping`, `detail` and `owner`.
 *
 * @param json    the output
 * @param region  the region
 */
void json_parts_purpose(struct json *json, const struct pm_region *region);

/**
 * Writes `owner`, unless it is not known.
 *
 * @param json   the output
 * @param owner  the owner
 */
void json_parts_owner(struct json *json, enum pm_owner owner);

/**
 * Writes `kind`.
 *
 * @param json  the output
 * @param kind  the kind
 */
void json_parts_kind(struct json *json, enum pm_kind kind);

/**
 * Writes `mapping`.
 *
 * @param json    the output
 * @param region  the region
 */
void json_parts_mapping(struct json *json, const struct pm_region *region);

/**
 * Writes a whole region object. Fast enough for millions of lines.
 *
 * @param text    receives the object
 * @param region  the region
 */
void json_parts_region_text(struct text *text, const struct pm_region *region);

/**
 * Writes which chunk of malloc it is: `start`, `size`, `state`, and `arena` unless the chunk was
 * mapped separately or the address of its arena is not known.
 *
 * @param json   the output
 * @param heap   the heap that contains the chunk
 * @param chunk  the chunk
 */
void json_parts_chunk(struct json *json, const struct pm_heap *heap, const struct pm_chunk *chunk);

/**
 * Writes what a chunk contains: `type`, and `text` if there is one.
 *
 * @param json    the output
 * @param type    the type
 * @param text    the text; not NUL-terminated
 * @param length  number of bytes of the text, 0 if there is none
 */
void json_parts_content(struct json *json, const struct pm_chunk_type *type, const char *text,
                        size_t length);

/**
 * Writes the sizes of a process: `rss`, `anon`, `file`, `shmem`, `swap`, `size` and `threads`.
 *
 * @param json    the output
 * @param totals  the sizes
 */
void json_parts_totals(struct json *json, const struct pm_totals *totals);

/**
 * Writes a limit: `name`, `max`, `used`, `reclaimable`, `left` and `source`. If the kernel does not
 * enforce the limit for the process, only `name`, `max`, `source` and `exempt`. For a limit of a
 * runtime, `effect`, too; if its used part is not known, `used`, `reclaimable` and `left` are
 * missing.
 *
 * @param json   the output
 * @param limit  the limit
 */
void json_parts_limit(struct json *json, const struct pm_limit *limit);

/**
 * Writes how a value develops: `verdict`, `reason`, `rate` if it is known, `estimated_rate` and
 * `step` if the rate is an estimate, `sawtooth` if the value rises and falls, and `floor` and
 * `floor_rise` if it fell at least twice. Nothing is written if the value was not judged.
 *
 * @param json   the output
 * @param trend  the trend
 */
void json_parts_trend(struct json *json, const struct pm_trend *trend);

/**
 * Writes how long it takes until a limit is reached: `seconds_left`, `estimate` and, if the time is
 * that at the rate of the process, `at_process_rate`, or, if the time is that at the rate of a
 * region that grows although the process does not, `at_beneath_rate`.
 *
 * @param json  the output
 * @param time  the time; nothing is written if it is not known
 */
void json_parts_left(struct json *json, const struct forecast_time *time);

/**
 * Writes `reserve`: an object with the reserve, the trend of its used part, and the time until the
 * reserve is used up, if that time is known.
 *
 * @param json     the output
 * @param reserve  the reserve; only type, start, end and used are read
 * @param trend    the trend
 * @param time     the time
 */
void json_parts_reserve(struct json *json, const struct pm_reserve *reserve,
                        const struct pm_trend *trend, const struct forecast_time *time);

/**
 * Writes `beneath`: an object with the track that grows although the process does not.
 *
 * @param json   the output
 * @param track  the track
 * @param trend  trend of the track
 */
void json_parts_beneath(struct json *json, const struct pm_track *track,
                        const struct pm_trend *trend);

#endif
