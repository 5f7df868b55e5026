/* SPDX-License-Identifier: MIT */
/*
 * profile.proto of https://github.com/google/pprof. A message is a sequence of fields: a number
 * with the type of the value, then the value. Strings, functions, mappings and locations are stored
 * once each, and refer to each other by numbers.
 */
#include "trace/pprof.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/frames.h"
#include "trace/numbers.h"

/* Types of values. */
enum { VARINT = 0, BYTES = 2 };

/* Numbers of the fields of a profile. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_DEFAULT_TYPE = 14,
};

/* Numbers of the fields of the messages in a profile. */
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STRING = 2, LABEL_NUMBER = 3 };
enum {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/** A mapping: a file of the process. */
struct mapping {
	uint64_t start, limit;
	uint64_t file, build_id; /* numbers of the strings; 0: unknown */
};

/** A profile that is being made. */
struct profile {
	const struct trace_report *report;
	struct trace_numbers strings, functions, locations, files;
	struct mapping *mappings;                          /* by number of the file; owned */
	struct text samples, location_text, function_text; /* the messages */
};

static void put_varint(struct text *text, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		text_char(text, (char)(value | 0x80));
	text_char(text, (char)value);
}

/** Adds a field with a number. The default, 0, needs no field. */
static void put_number(struct text *text, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	put_varint(text, field << 3 | VARINT);
	put_varint(text, value);
}

static void put_bytes(struct text *text, unsigned field, const char *bytes, size_t length)
{
	put_varint(text, field << 3 | BYTES);
	put_varint(text, length);
	text_bytes(text, bytes, length);
}

/** Adds a field with a message, and releases the message. */
static void put_message(struct text *text, unsigned field, struct text *message)
{
	put_bytes(text, field, message->bytes, message->length);
	text_deinit(message);
}

/** Returns the number of a string, which becomes valid UTF-8. */
static uint64_t string_bytes(struct profile *profile, const char *bytes, size_t length)
{
	struct text escaped = { 0 };

	utf8_escape(&escaped, bytes, length);
	uint64_t number = trace_numbers_find(&profile->strings, escaped.bytes, escaped.length,
	                                     NULL);
	text_deinit(&escaped);
	return number;
}

static uint64_t string_of(struct profile *profile, const char *string)
{
	return string_bytes(profile, string, strlen(string));
}

/** Returns the ID of the function of a frame. */
static uint64_t function_id(struct profile *profile, const struct pm_frame *frame)
{
	struct text name = { 0 }, message = { 0 };
	bool added;

	frames_name(frame, &name);
	const uint64_t key[] = { string_bytes(profile, name.bytes, name.length),
		                 string_of(profile, frame->file ? frame->file : "") };
	uint64_t id =
		trace_numbers_find(&profile->functions, (const char *)key, sizeof key, &added) + 1;

	if (added) {
		put_number(&message, FUNCTION_ID, id);
		put_number(&message, FUNCTION_NAME, key[0]);
		put_number(&message, FUNCTION_SYSTEM_NAME, key[0]);
		put_number(&message, FUNCTION_FILE, key[1]);
		put_message(&profile->function_text, PROFILE_FUNCTION, &message);
	}
	text_deinit(&name);
	return id;
}

/** Returns the ID of the mapping of a frame; 0 if the frame is in no file. */
static uint64_t mapping_id(struct profile *profile, const struct pm_frame *frame)
{
	/* The end of a mapping is rounded up to a page. */
	const uint64_t page = 4096;
	bool added;

	if (!frame->module || frame->module_address > frame->address)
		return 0;

	uint64_t start = frame->address - frame->module_address;
	const uint64_t key[] = { string_of(profile, frame->module), start };
	uint64_t number = trace_numbers_find(&profile->files, (const char *)key, sizeof key,
	                                     &added);

	if (added) {
		profile->mappings = alloc_array(profile->mappings, number + 1,
		                                sizeof *profile->mappings);
		profile->mappings[number] = (struct mapping){
			.start = start,
			.limit = start,
			.file = key[0],
			.build_id = string_of(profile, frame->build_id ? frame->build_id : ""),
		};
	}

	struct mapping *mapping = &profile->mappings[number];
	mapping->limit = pm_max(mapping->limit, frame->address / page * page + page);
	return number + 1;
}

/**
 * Returns the ID of the location of some frames with one address: functions that were inlined, the
 * innermost first, and the function that contains them.
 */
static uint64_t location_id(struct profile *profile, const struct pm_frame *frames, size_t count)
{
	struct text lines = { 0 }, message = { 0 };
	bool added;

	for (size_t i = 0; i < count; i++) {
		struct text line = { 0 };

		put_number(&line, LINE_FUNCTION, function_id(profile, &frames[i]));
		put_number(&line, LINE_LINE, frames[i].line);
		put_message(&lines, LOCATION_LINE, &line);
	}

	put_number(&message, LOCATION_MAPPING, mapping_id(profile, &frames[count - 1]));
	put_number(&message, LOCATION_ADDRESS, frames[count - 1].address);
	text_bytes(&message, lines.bytes, lines.length);
	uint64_t id =
		trace_numbers_find(&profile->locations, message.bytes, message.length, &added) + 1;

	if (added) {
		put_number(&message, LOCATION_ID, id);
		put_message(&profile->location_text, PROFILE_LOCATION, &message);
	}
	text_deinit(&message);
	text_deinit(&lines);
	return id;
}

/** Adds the IDs of the locations of a stack, the innermost first. */
static void put_stack(struct profile *profile, const struct pm_stack *stack, struct text *ids)
{
	size_t start = 0;

	while (start < stack->count) {
		size_t count = 1;

		while (start + count < stack->count &&
		       stack->frames[start + count - 1].source == PM_FRAME_INLINED &&
		       stack->frames[start + count].address == stack->frames[start].address)
			count++;
		put_varint(ids, location_id(profile, &stack->frames[start], count));
		start += count;
	}
}

static void put_label(struct profile *profile, const char *key, const char *value,
                      struct text *sample)
{
	struct text label = { 0 };

	put_number(&label, LABEL_KEY, string_of(profile, key));
	put_number(&label, LABEL_STRING, string_of(profile, value));
	put_message(sample, SAMPLE_LABEL, &label);
}

static void put_labels(struct profile *profile, const struct pm_trace_site *site,
                       const struct pm_stack *stack, struct text *sample)
{
	const char *thread = trace_report_thread(profile->report, site->tid);
	struct text label = { 0 };

	if (thread)
		put_label(profile, "thread", thread, sample);
	if (site->tid > 0) {
		put_number(&label, LABEL_KEY, string_of(profile, "tid"));
		put_number(&label, LABEL_NUMBER, (uint64_t)site->tid);
		put_message(sample, SAMPLE_LABEL, &label);
	}
	if (site->before)
		put_label(profile, "memory", "mapped before the trace", sample);
	if (stack->count == 0)
		put_label(profile, "stack", "none", sample);
	else if (stack->cut)
		put_label(profile, "stack", "cut", sample);
}

static void put_sample(struct profile *profile, size_t index)
{
	const struct pm_trace_site *site = &profile->report->result->sites[index];
	const struct pm_stack *stack = &profile->report->stacks[index];
	const struct pm_frame none = { .function = FRAMES_NONE, .source = PM_FRAME_KERNEL };
	struct text sample = { 0 }, ids = { 0 }, values = { 0 };

	if (stack->count > 0)
		put_stack(profile, stack, &ids);
	else
		put_varint(&ids, location_id(profile, &none, 1));
	put_message(&sample, SAMPLE_LOCATIONS, &ids);

	put_varint(&values, site->mapped);
	if (!profile->report->result->unmeasured)
		put_varint(&values, site->resident);
	put_varint(&values, site->calls);
	put_message(&sample, SAMPLE_VALUES, &values);

	put_labels(profile, site, stack, &sample);
	put_message(&profile->samples, PROFILE_SAMPLE, &sample);
}

static void put_type(struct profile *profile, const char *type, const char *unit,
                     struct text *whole)
{
	struct text message = { 0 };

	put_number(&message, TYPE_TYPE, string_of(profile, type));
	put_number(&message, TYPE_UNIT, string_of(profile, unit));
	put_message(whole, PROFILE_SAMPLE_TYPE, &message);
}

static void put_mappings(const struct profile *profile, struct text *whole)
{
	for (size_t i = 0; i < profile->files.count; i++) {
		const struct mapping *mapping = &profile->mappings[i];
		struct text message = { 0 };

		put_number(&message, MAPPING_ID, i + 1);
		put_number(&message, MAPPING_START, mapping->start);
		put_number(&message, MAPPING_LIMIT, mapping->limit);
		put_number(&message, MAPPING_FILE, mapping->file);
		put_number(&message, MAPPING_BUILD_ID, mapping->build_id);
		put_number(&message, MAPPING_HAS_FUNCTIONS, true);
		put_number(&message, MAPPING_HAS_FILES, true);
		put_number(&message, MAPPING_HAS_LINES, true);
		put_number(&message, MAPPING_HAS_INLINED, true);
		put_message(whole, PROFILE_MAPPING, &message);
	}
}

/** Makes the file of the program the first mapping, because pprof shows the name of that file. */
static void name_program(struct profile *profile)
{
	const struct pm_trace_result *result = profile->report->result;

	for (size_t i = 0; i < result->count; i++) {
		const struct pm_stack *stack = &profile->report->stacks[i];

		for (size_t at = stack->count; at-- > 0;) {
			if (frames_kind(&stack->frames[at]) == FRAME_PROGRAM &&
			    mapping_id(profile, &stack->frames[at]) > 0)
				return;
		}
	}
}

/** Adds the whole message. */
static void put_profile(struct profile *profile, struct text *whole)
{
	const struct pm_trace_result *result = profile->report->result;
	double nanoseconds = result->seconds * 1e9;

	/* The first string must be empty. */
	string_of(profile, "");
	name_program(profile);
	put_type(profile, "mapped_space", "bytes", whole);
	if (!result->unmeasured)
		put_type(profile, "inuse_space", "bytes", whole);
	put_type(profile, "calls", "count", whole);
	for (size_t i = 0; i < result->count; i++) {
		if (!trace_report_is_untouched(profile->report, i))
			put_sample(profile, i);
	}

	text_bytes(whole, profile->samples.bytes, profile->samples.length);
	put_mappings(profile, whole);
	text_bytes(whole, profile->location_text.bytes, profile->location_text.length);
	text_bytes(whole, profile->function_text.bytes, profile->function_text.length);

	put_number(whole, PROFILE_TIME, (uint64_t)profile->report->wall_ns);
	put_number(whole, PROFILE_DURATION, nanoseconds > 0 ? (uint64_t)nanoseconds : 0);
	put_number(whole, PROFILE_DEFAULT_TYPE,
	           string_of(profile, result->unmeasured ? "mapped_space" : "inuse_space"));
	for (size_t i = 0; i < profile->strings.count; i++)
		put_bytes(whole, PROFILE_STRING, profile->strings.keys[i].bytes,
		          profile->strings.keys[i].length);
}

/** Compresses bytes as gzip(1) does. */
static int compress_text(struct text *whole, struct text *text, struct pm_error *error)
{
	/* 16: with the header of gzip. 8: the default use of memory. */
	const int window = MAX_WBITS + 16, memory = 8;
	z_stream stream = { 0 };

	if (whole->length > UINT32_MAX || deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
	                                               window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0, "cannot compress the profile");

	size_t bound = deflateBound(&stream, whole->length);
	stream.next_in = (Bytef *)whole->bytes;
	stream.avail_in = (uInt)whole->length;
	stream.next_out = (Bytef *)text_room(text, bound);
	stream.avail_out = (uInt)bound;

	int result = deflate(&stream, Z_FINISH);
	text->length += stream.total_out;
	deflateEnd(&stream);
	if (result != Z_STREAM_END)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0, "cannot compress the profile");
	return 0;
}

int trace_pprof_make(const struct trace_report *report, struct text *text, struct pm_error *error)
{
	struct profile profile = { .report = report };
	struct text whole = { 0 };

	put_profile(&profile, &whole);
	int result = compress_text(&whole, text, error);

	text_deinit(&whole);
	text_deinit(&profile.samples);
	text_deinit(&profile.location_text);
	text_deinit(&profile.function_text);
	trace_numbers_deinit(&profile.strings);
	trace_numbers_deinit(&profile.functions);
	trace_numbers_deinit(&profile.locations);
	trace_numbers_deinit(&profile.files);
	free(profile.mappings);
	return result;
}
