/* SPDX-License-Identifier: MIT */
#include "target/owner_text.h"

#include <string.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "base/utf8.h"

/* Parts below this share of the whole are united to "others". */
static const double share_min = 0.005;

/** What the parts of a process are called, by family of owners. */
static const struct {
	const char *family;
	const char *name;
	bool runtime;
	bool malloc;
} parts[] = {
	{ "java", "JVM's own", true, false },      { "python", "Python's own", true, false },
	{ "v8", "V8's own", true, false },         { "chromium", "Chromium's own", true, false },
	{ "go", "Go's own", true, false },         { "dotnet", ".NET's own", true, false },
	{ "ruby", "Ruby's own", true, false },     { "malloc", "native malloc", false, true },
	{ "jemalloc", "jemalloc", false, true },   { "tcmalloc", "tcmalloc", false, true },
	{ "mimalloc", "mimalloc", false, true },   { "stack", "stacks", false, false },
	{ "file", "files", false, false },         { "shm", "shared memory", false, false },
	{ "jit", "generated code", false, false }, { "kernel", "kernel", false, false },
	{ "unknown", "not known", false, false },
};

enum { PARTS = sizeof parts / sizeof parts[0], UNKNOWN = PARTS - 1 };

/** Returns the index of the part to which an owner belongs. */
static size_t part_of(enum pm_owner owner)
{
	const char *family = pm_owner_family(owner);

	for (size_t i = 0; i < UNKNOWN; i++)
		if (strcmp(parts[i].family, family) == 0)
			return i;
	return UNKNOWN;
}

const char *owner_text_part(enum pm_owner owner, bool *runtime)
{
	size_t part = part_of(owner);

	if (runtime)
		*runtime = parts[part].runtime;
	return parts[part].name;
}

/** The terms of the equation, by part. */
struct terms {
	uint64_t bytes[PARTS];
	uint64_t inferred[PARTS];
	uint64_t total;
	uint64_t others; /* sum of the terms that are too small to be shown */
	bool rss_known;
	bool has_runtime;
};

static struct terms terms_of(const struct pm_owner_sums *sums)
{
	struct terms terms = { .rss_known = false };

	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++)
		if (sums->items[owner].known & PM_SIZE_BIT(PM_SIZE_RSS))
			terms.rss_known = true;

	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++) {
		const struct pm_owner_sum *sum = &sums->items[owner];
		uint64_t bytes = terms.rss_known ? sum->bytes[PM_SIZE_RSS] : sum->size;
		size_t part = part_of((enum pm_owner)owner);

		terms.bytes[part] += bytes;
		terms.inferred[part] += sum->inferred;
		terms.total += bytes;
		if (parts[part].runtime && bytes > 0)
			terms.has_runtime = true;
	}

	for (size_t i = 0; i < UNKNOWN; i++) {
		if (parts[i].runtime || (double)terms.bytes[i] >= share_min * (double)terms.total)
			continue;
		terms.others += terms.bytes[i];
		terms.bytes[i] = 0;
	}

	return terms;
}

/** Adds one term, after " = " or " + ". */
static void put_term(const struct terms *terms, size_t part, bool first, bool bytes,
                     struct text *text)
{
	uint64_t size = terms->bytes[part];

	text_string(text, first ? " = " : " + ");
	if (terms->inferred[part] >= pm_max(1, size / 100))
		text_char(text, '~');
	text_format(text, "%s ", parts[part].name);
	text_size_as(text, size, bytes);
	if (parts[part].malloc && terms->has_runtime)
		text_string(text, " (External)");
}

/** Adds the terms of runtimes or of other parts, the largest first. */
static bool put_terms(struct terms *terms, bool runtimes, bool first, bool bytes, struct text *text)
{
	for (;;) {
		size_t largest = UNKNOWN;
		uint64_t size = 0;

		for (size_t i = 0; i < UNKNOWN; i++) {
			if (parts[i].runtime != runtimes || terms->bytes[i] <= size)
				continue;
			largest = i;
			size = terms->bytes[i];
		}
		if (size == 0)
			return first;

		put_term(terms, largest, first, bytes, text);
		terms->bytes[largest] = 0;
		first = false;
	}
}

void owner_text_equation(const struct pm_owner_sums *sums, const char *label, bool bytes,
                         struct text *text)
{
	struct terms terms = terms_of(sums);

	if (!terms.rss_known)
		label = "address space";
	text_format(text, "%s ", label);
	text_size_as(text, terms.total, bytes);

	bool first = put_terms(&terms, true, true, bytes, text);
	first = put_terms(&terms, false, first, bytes, text);
	if (terms.others > 0) {
		text_string(text, first ? " = others " : " + others ");
		text_size_as(text, terms.others, bytes);
		first = false;
	}
	if (terms.bytes[UNKNOWN] > 0)
		put_term(&terms, UNKNOWN, first, bytes, text);
}

/** Returns whether a name such as "java_heap" starts with a family and '_'. */
static bool is_of_family(const char *name, const char *family)
{
	size_t length = strlen(family);

	return strncmp(name, family, length) == 0 && name[length] == '_';
}

/** Adds a letter of a name; an underscore becomes a space. */
static void put_letter(struct text *text, char letter)
{
	if (letter == '_')
		letter = ' ';
	text_char(text, letter);
}

/** Adds a limit: "; direct 205.8M of 512.0M", or "; heap at most 512.0M" if its use is not known.
 */
static void put_limit(const struct pm_runtime_limit *limit, const char *family, bool bytes,
                      struct text *text)
{
	text_string(text, "; ");
	for (const char *at = pm_runtime_limit_name(limit->kind) + strlen(family) + 1; *at; at++)
		put_letter(text, *at);

	if (limit->used_known) {
		text_string(text, limit->approximate ? " about " : " ");
		text_size_as(text, limit->used, bytes);
		text_string(text, " of ");
	} else {
		text_string(text, " at most ");
	}
	text_size_as(text, limit->max, bytes);
}

static void put_limits(const struct pm_runtimes *runtimes, const char *family, bool bytes,
                       struct text *text)
{
	for (size_t i = 0; i < runtimes->limit_count; i++) {
		const struct pm_runtime_limit *limit = &runtimes->limits[i];

		if (!is_of_family(pm_runtime_limit_name(limit->kind), family))
			continue;
		put_limit(limit, family, bytes, text);
	}
}

static void put_counters(const struct pm_runtimes *runtimes, const char *family, bool bytes,
                         struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	for (size_t i = 0; i < runtimes->counter_count; i++) {
		const struct pm_runtime_counter *counter = &runtimes->counters[i];

		if (strcmp(counter->family, family) != 0)
			continue;
		text_string(text, "; ");
		for (const char *at = counter->name; *at; at++)
			put_letter(text, *at);
		text_char(text, ' ');
		if (counter->microseconds) {
			pm_format_duration((double)counter->value / 1e6, duration);
			text_string(text, duration);
		} else if (counter->bytes) {
			text_size_as(text, counter->value, bytes);
		} else {
			text_grouped(text, counter->value);
		}
	}
}

/** Adds what is known about a runtime. */
static void put_runtime(const struct pm_runtimes *runtimes, const struct pm_runtime_info *info,
                        bool bytes, struct text *text)
{
	text_string(text, info->family);
	if (*info->version) {
		text_char(text, ' ');
		utf8_escape(text, info->version, strlen(info->version));
	}
	if (*info->variant) {
		text_string(text, ", ");
		utf8_escape(text, info->variant, strlen(info->variant));
	}

	put_limits(runtimes, info->family, bytes, text);
	put_counters(runtimes, info->family, bytes, text);
	if (*info->missing) {
		text_string(text, "; not known: ");
		utf8_escape(text, info->missing, strlen(info->missing));
	} else if (!info->complete) {
		text_string(text, "; not all of its structures could be read");
	}
	text_char(text, '\n');
}

size_t owner_text_print_runtimes(const struct pm_runtimes *runtimes, bool bytes, struct out *out)
{
	struct text line = { 0 };
	size_t lines = 0;

	for (size_t i = 0; runtimes && i < runtimes->count; i++) {
		text_clear(&line);
		put_runtime(runtimes, &runtimes->items[i], bytes, &line);
		lines += out_wrapped(out, &line, 2);
	}
	text_deinit(&line);
	return lines;
}

/** Writes a member, unless the text is empty. */
static void put_member(struct json *json, const char *key, const char *text)
{
	if (*text)
		json_put(json, key, json_text(text));
}

void owner_text_json_runtimes(struct json *json, const struct pm_runtimes *runtimes)
{
	if (!runtimes || runtimes->count == 0)
		return;

	json_open(json, "runtimes", '[');
	for (size_t i = 0; i < runtimes->count; i++) {
		const struct pm_runtime_info *info = &runtimes->items[i];

		json_open(json, NULL, '{');
		json_put(json, "family", json_string(info->family));
		put_member(json, "version", info->version);
		put_member(json, "variant", info->variant);
		put_member(json, "why", info->proof);
		json_put(json, "complete", json_boolean(info->complete));
		put_member(json, "missing", info->missing);
		json_shut(json, '}');
	}
	json_shut(json, ']');
}
