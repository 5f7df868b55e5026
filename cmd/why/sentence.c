/* SPDX-License-Identifier: MIT */
#include "why/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "why/more.h"
#include "why/until.h"
#include "why/words.h"

const char *why_sentence_label(enum why_label label)
{
	static const char *const labels[WHY_LABELS] = {
		[WHY_GROWS] = "grows", [WHY_WEIGHS] = "weighs", [WHY_SEEN] = "seen",
		[WHY_HOLDS] = "holds", [WHY_MADE] = "made by",  [WHY_HELD] = "held by",
		[WHY_UNTIL] = "until", [WHY_NOT] = "not",       [WHY_DO] = "do",
		[WHY_MORE] = "more",
	};

	return labels[label];
}

/* Maximum number of columns of a name, and of bytes of a text of the target, that are shown: with
 * its label, each fits a line of 80 columns. */
enum { NAME_MAX_COLUMNS = 60, CONTENT_MAX = 60 };

/** Adds a name, escaped. Of a long one, the end is shown. */
static void put_name(const char *name, struct text *text)
{
	utf8_escape_end(text, name, strlen(name), NAME_MAX_COLUMNS);
}

/** Adds a text of the target, escaped. A long one is cut. */
static void put_content(const char *content, struct text *text)
{
	size_t length = strlen(content);

	if (length <= CONTENT_MAX) {
		utf8_escape(text, content, length);
		return;
	}

	/* Do not cut a character of several bytes. */
	length = CONTENT_MAX;
	while (length > 0 && ((unsigned char)content[length] & 0xc0) == 0x80)
		length--;
	utf8_escape(text, content, length);
	text_string(text, "\xe2\x80\xa6");
}

/** Adds a rate of things, such as "200.0/s". */
static void put_count_rate(double rate, struct text *text)
{
	if (rate >= 0.95)
		text_format(text, "%.1f/s", rate);
	else if (rate >= 0.95 / 60)
		text_format(text, "%.1f/min", rate * 60);
	else
		text_format(text, "%.1f/h", rate * 3600);
}

/** Adds the name of a region: "arena 3", "[heap]", "malloc 7f3a08000000", or its file. */
static void put_region(const struct pm_evidence_region *region, struct text *text)
{
	if (region->kind == PM_KIND_ARENA && region->arena > 0) {
		text_format(text, "arena %" PRIu32, region->arena);
	} else if (*region->mapping) {
		put_name(region->mapping, text);
	} else {
		text_format(text, "%s ", pm_kind_name(region->kind));
		text_hex(text, region->start, 1);
	}
}

/** Adds what a finding is about. */
static void put_subject(const struct pm_finding *finding, const struct pm_evidence *evidence,
                        struct text *text)
{
	bool file = finding->shared || finding->tmpfs;

	if (file) {
		put_name(finding->shared ? finding->shared->name : finding->tmpfs->path, text);
	} else if (finding->pid != evidence->pid) {
		text_format(text, "%d ", (int)finding->pid);
		put_name(finding->comm, text);
	} else if (finding->id == PM_FINDING_JAVA_DIRECT) {
		text_string(text, "direct buffers"); /* they can be in several regions */
	} else if (finding->region) {
		put_region(finding->region, text);
	} else if (finding->arena) {
		if (finding->arena->main)
			text_string(text, "main arena");
		else
			text_format(text, "arena %" PRIu32, finding->arena->number);
	} else if (finding->owner != PM_OWNER_UNKNOWN) {
		text_string(text, pm_owner_title(finding->owner));
	} else {
		text_string(text, "in all");
	}
}

/** Returns the first fact with an identifier; NULL if there is none. */
static const struct pm_finding_fact *find_fact(const struct pm_finding *finding, enum pm_fact_id id)
{
	for (size_t i = 0; i < finding->fact_count; i++)
		if (finding->facts[i].id == id)
			return &finding->facts[i];
	return NULL;
}

/** Adds the size of a chunk. */
static void put_chunk_size(uint64_t size, bool exact, struct text *text)
{
	if (size < 10000)
		text_format(text, "%" PRIu64 " B", size);
	else
		text_size_as(text, size, exact);
}

/** Returns the number of facts, from the first one on, that have its size of chunks. */
static size_t same_chunks(const struct pm_finding_fact *facts, size_t count)
{
	size_t same = 1;

	while (same < count && facts[same].id == PM_FACT_CHUNKS &&
	       facts[same].size == facts[0].size)
		same++;
	return same;
}

/**
 * Adds the number of chunks that stay per second, with their sizes: "200.0/s chunks of 128 B". The
 * sizes of one finding have about the same rate.
 */
static void put_chunks(const struct pm_finding *finding, bool exact, struct text *text)
{
	const struct pm_finding_fact *first = find_fact(finding, PM_FACT_CHUNKS);
	const struct pm_finding_fact *end = finding->facts + finding->fact_count;

	if (!first)
		return;
	text_string(text, ": ");
	put_count_rate(first->rate, text);
	text_string(text, " chunks of ");

	for (const struct pm_finding_fact *fact = first;
	     fact < end && fact->id == PM_FACT_CHUNKS;) {
		size_t same = same_chunks(fact, (size_t)(end - fact));

		if (fact != first)
			text_string(text, " + ");
		if (same > 1)
			text_format(text, "%zu × ", same);
		put_chunk_size(fact->size, exact, text);
		fact += same;
	}

	const struct pm_finding_fact *released = find_fact(finding, PM_FACT_RELEASED);
	if (released)
		text_format(text, ", %.0f%% freed", released->percent);
	else if (finding->id == PM_FINDING_MALLOC_LEAK && finding->chunks->certain)
		text_string(text, ", none freed");
}

/** Returns how the growth develops. */
static const char *words_of(enum pm_verdict verdict)
{
	switch (verdict) {
	case PM_VERDICT_STEPS:
		return "in steps";
	case PM_VERDICT_BURST:
		return "in a burst";
	default:
		return pm_verdict_name(verdict);
	}
}

/** Returns the name of the things that a finding counts. */
static const char *things_of(enum pm_finding_id id)
{
	switch (id) {
	case PM_FINDING_MANY_CHUNKS:
		return " chunks";
	case PM_FINDING_THREADS:
		return " threads";
	case PM_FINDING_MAPPINGS:
		return " mappings";
	case PM_FINDING_DESCRIPTORS:
		return " descriptors";
	default:
		return "";
	}
}

/** Adds the first line: what grows, or what is there. */
static void put_growth(const struct pm_finding *finding, const struct pm_evidence *evidence,
                       bool exact, struct text *text)
{
	if (finding->count > 0) {
		text_grouped(text, finding->count);
		text_string(text, things_of(finding->id));
		if (finding->region) {
			text_string(text, ", mostly ");
			put_region(finding->region, text);
		}
	} else {
		put_subject(finding, evidence, text);
	}

	if (finding->bytes > 0) {
		text_char(text, ' ');
		text_size_as(text, finding->bytes, exact);
	}

	if (finding->rate > 0) {
		text_string(text, finding->estimate ? ", about " : ", ");
		delta_put_rate(text, finding->rate);
		text_format(text, " %s", words_of(finding->verdict));
	} else if (finding->count_rate > 0) {
		text_string(text, ", +");
		put_count_rate(finding->count_rate, text);
		text_format(text, " %s", words_of(finding->verdict));
	}
	put_chunks(finding, exact, text);
}

/** A receiver of lines. */
struct lines {
	const struct pm_finding *finding;
	const struct pm_evidence *evidence;
	bool exact; /* sizes in bytes */
	why_sentence_visitor *visit;
	void *context;
	struct text line;
};

static void end_line(struct lines *lines, enum why_label label)
{
	lines->visit(lines->context, label, &lines->line);
	text_clear(&lines->line);
}

/** Adds a text of the target with its number and distance. */
static void put_text_fact(const struct pm_finding_fact *fact, struct text *line)
{
	text_grouped(line, fact->count);
	text_string(line, " × \"");
	put_content(fact->text, line);
	text_char(line, '"');
	if (fact->size > 0)
		text_format(line, ", every %" PRIu64 " B", fact->size);
}

/** Adds a type of a runtime with the number of its objects. */
static void put_type_fact(const struct pm_finding_fact *fact, bool exact, struct text *line)
{
	text_grouped(line, fact->count);
	text_string(line, " × ");
	put_name(fact->text, line);
	text_string(line, ", ");
	text_size_as(line, fact->bytes, exact);
	if (fact->rate > 0) {
		text_string(line, ", +");
		put_count_rate(fact->rate, line);
	}
}

/** Adds the name of a part of a cgroup: "kernel other" for "kernel_other". */
static void put_part(const char *name, struct text *text)
{
	struct text words = { 0 };

	for (; *name; name++)
		text_char(&words, (char)(*name == '_' ? ' ' : *name));
	put_name(text_terminate(&words), text);
	text_deinit(&words);
}

/** Makes the line of a fact that says what something holds. */
static void hold(struct lines *lines, const struct pm_finding_fact *fact)
{
	struct text *line = &lines->line;

	switch (fact->id) {
	case PM_FACT_TEXT:
		put_text_fact(fact, line);
		break;
	case PM_FACT_TYPE:
		put_type_fact(fact, lines->exact, line);
		break;
	case PM_FACT_IN_USE:
		text_size_as(line, fact->bytes, lines->exact);
		text_string(line, " in use of ");
		text_size_as(line, fact->size, lines->exact);
		text_string(line, " that malloc has from the kernel");
		break;
	case PM_FACT_TRIMMABLE:
		text_string(line, "about ");
		text_size_as(line, fact->bytes, lines->exact);
		text_string(line, " in whole pages: malloc_trim(3) can return them");
		break;

	case PM_FACT_NAME:
		text_grouped(line, fact->count);
		text_string(line, " of the newest ");
		text_grouped(line, fact->size);
		text_string(line, ": ");
		put_name(fact->text, line);
		break;
	case PM_FACT_FILES:
		text_grouped(line, fact->count);
		text_string(line, " files, ");
		text_size_as(line, fact->bytes, lines->exact);
		break;
	case PM_FACT_RESERVE:
		text_size_as(line, fact->bytes, lines->exact);
		text_string(line, lines->finding->shared ? " are left until it is full"
		                                         : " of the reserve are left");
		break;

	case PM_FACT_FLOOR:
		text_string(line, "what is left after each fall rises by ");
		delta_put_rate(line, fact->rate);
		break;

	case PM_FACT_PART:
		put_part(fact->text, line);
		text_string(line, ": ");
		text_size_as(line, fact->bytes, lines->exact);
		break;
	case PM_FACT_SHARE:
		text_format(line, "%.0f%% of ", fact->percent);
		text_size_as(line, fact->bytes, lines->exact);
		break;
	default:
		return;
	}
	end_line(lines, WHY_HOLDS);
}

/** Makes the line of a sign of pressure. */
static void see(struct lines *lines, const struct pm_finding_fact *fact)
{
	static const char *const signs[PM_SIGN_RULES] = {
		[PM_SIGN_OOM_KILL] = "processes are killed for lack of memory",
		[PM_SIGN_UNDER_OOM] = "processes wait for the OOM killer",
		[PM_SIGN_SWAP_FAIL] = "memory cannot be swapped out",
		[PM_SIGN_OOMD] = "all tasks wait for memory",
		[PM_SIGN_FULL] = "all tasks wait for memory",
		[PM_SIGN_STALL] = "tasks wait for memory",
		[PM_SIGN_SOME] = "tasks wait for memory",
		[PM_SIGN_MAX_HITS] = "its limit is reached",
		[PM_SIGN_HIGH_HITS] = "its memory.high is exceeded",
		[PM_SIGN_DIRECT] = "tasks must free pages before they get one",
		[PM_SIGN_SWAPPING] = "pages go to swap and come back",
		[PM_SIGN_THRASHING] = "pages in use are evicted, and are needed again",
	};
	const struct pm_sign_info *info = pm_sign_of((enum pm_pressure_rule)fact->count);
	const char *meaning = info ? signs[fact->count] : NULL;

	if (!meaning)
		return;
	put_name(fact->text, &lines->line);
	text_format(&lines->line, ": %s", meaning);
	if (info->percent) {
		text_format(&lines->line, ", %.0f%% of the time", fact->rate);
	} else if (info->rate) {
		text_string(&lines->line, ", ");
		put_count_rate(fact->rate, &lines->line);
	}
	end_line(lines, WHY_SEEN);
}

/** Adds who holds chunks, which is escaped already. A long one is cut. */
static void put_holder(const char *holder, struct text *text)
{
	size_t length = strlen(holder), fits = utf8_fit(holder, length, NAME_MAX_COLUMNS);

	text_bytes(text, holder, fits);
	if (fits < length)
		text_string(text, "\xe2\x80\xa6");
}

/** Adds who holds chunks, and how much it holds in all. */
static void put_held(const struct pm_finding_fact *fact, bool exact, struct text *text)
{
	put_holder(fact->text, text);
	if (fact->count == 0)
		return;
	text_string(text, ", with ");
	text_size_as(text, fact->bytes, exact);
	text_string(text, " in ");
	text_grouped(text, fact->count);
	text_format(text, " chunk%s", text_plural(fact->count));
}

/** Makes the line of a fact that says who makes something. */
static void make(struct lines *lines, const struct pm_finding_fact *fact)
{
	struct text *line = &lines->line;

	switch (fact->id) {
	case PM_FACT_THREAD:
		text_format(line, "thread %" PRIu64 " \"", fact->count);
		put_name(fact->text, line);
		if (fact->size > 0)
			text_format(line, "\" (uses arena %" PRIu64 ")", fact->size);
		else
			text_string(line, "\" (uses the main arena)");
		break;

	case PM_FACT_MODULE:
		text_string(line, "probably its code: ");
		put_name(fact->text, line);
		text_string(line, " has this text as a constant");
		break;
	case PM_FACT_HOLDER:
		put_held(fact, lines->exact, line);
		end_line(lines, WHY_HELD);
		return;

	case PM_FACT_CODE:
		text_string(line, fact->count > 0 ? "touched by " : "mapped by ");
		put_holder(fact->text, line);
		text_string(line, " (");
		text_size_as(line, fact->bytes, lines->exact);
		text_format(line, " in %.0fs)", fact->rate);
		break;
	case PM_FACT_WRITER:
		text_format(line, "process %" PRIu64 " \"", fact->count);
		put_name(fact->text, line);
		text_char(line, '"');
		break;
	default:
		return;
	}
	end_line(lines, WHY_MADE);
}

void why_sentence_acquittal(const struct pm_finding_fact *fact, bool exact, struct text *what,
                            struct text *why)
{
	switch (fact->id) {
	case PM_FACT_OWNER_FLAT:
		text_string(what, pm_owner_title(fact->owner));
		text_char(what, ' ');
		text_size_as(what, fact->bytes, exact);
		text_string(why, "does not grow");
		break;

	case PM_FACT_REGION_FLAT:
	case PM_FACT_SAWTOOTH:
		if (*fact->text)
			put_name(fact->text, what);
		else
			text_hex(what, fact->address, 1);
		if (fact->id == PM_FACT_REGION_FLAT) {
			text_char(what, ' ');
			text_size_as(what, fact->bytes, exact);
			text_string(why, "does not grow");
		} else {
			text_string(why, "rises and falls by ");
			text_size_as(why, fact->bytes, exact);
			text_string(why, ", and its floor does not rise");
		}
		break;
	default:
		break;
	}
}

/** Makes the line of something that is not the cause. */
static void acquit(struct lines *lines, const struct pm_finding_fact *fact)
{
	struct text why = { 0 };

	why_sentence_acquittal(fact, lines->exact, &lines->line, &why);
	if (why.length > 0) {
		text_string(&lines->line, ": ");
		text_bytes(&lines->line, why.bytes, why.length);
		end_line(lines, WHY_NOT);
	}
	text_deinit(&why);
}

void why_sentence_lines(const struct pm_finding *finding, const struct pm_evidence *evidence,
                        bool exact, why_sentence_visitor *visit, void *context)
{
	struct lines lines = { finding, evidence, exact, visit, context, { 0 } };

	bool grows = finding->rate > 0 || finding->count_rate > 0;

	if (finding->bytes > 0 || finding->count > 0 || grows) {
		put_growth(finding, evidence, exact, &lines.line);
		end_line(&lines, grows ? WHY_GROWS : WHY_WEIGHS);
	}
	for (size_t i = 0; i < finding->fact_count; i++)
		if (finding->facts[i].id == PM_FACT_SIGN)
			see(&lines, &finding->facts[i]);
	for (size_t i = 0; i < finding->fact_count; i++)
		hold(&lines, &finding->facts[i]);
	for (size_t i = 0; i < finding->fact_count; i++)
		make(&lines, &finding->facts[i]);

	why_until_put(finding, exact, &lines.line);
	if (lines.line.length > 0)
		end_line(&lines, WHY_UNTIL);

	const struct pm_finding_fact *self = find_fact(finding, PM_FACT_SELF_FLAT);
	if (self) {
		text_format(&lines.line, "%d itself, ", (int)evidence->pid);
		text_size_as(&lines.line, self->bytes, exact);
		text_string(&lines.line, ": does not grow");
		end_line(&lines, WHY_NOT);
	}
	for (size_t i = 0; i < finding->against_count; i++)
		acquit(&lines, &finding->against[i]);

	why_words_put_advice(finding, evidence, &lines.line);
	if (lines.line.length > 0)
		end_line(&lines, WHY_DO);
	why_more_list(finding, evidence, visit, context);
	text_deinit(&lines.line);
}
