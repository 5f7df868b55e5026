/* SPDX-License-Identifier: MIT */
#include "why/more.h"

#include <string.h>

#include "base/shell_word.h"
#include "base/utf8.h"
#include "why/words.h"

/** A receiver of commands. */
struct lines {
	const struct pm_finding *finding;
	const struct pm_evidence *evidence;
	why_sentence_visitor *visit;
	void *context;
	struct text line; /* the command that is being made */
};

static void end_line(struct lines *lines)
{
	lines->visit(lines->context, WHY_MORE, &lines->line);
	text_clear(&lines->line);
}

/** Returns the address that the commands of a finding need; 0 if there is none. */
static uint64_t address_of(const struct pm_finding *finding)
{
	if (finding->chunks)
		return finding->chunks->example;
	if (finding->shared)
		return finding->shared->start;
	return finding->region ? finding->region->start : 0;
}

/** Tests whether a command reads what the evidence comes from. */
static bool reads(const struct pm_evidence *evidence, const char *command)
{
	static const char *const of_memory[] = { "procmem heap %", "procmem refs ",
		                                 "procmem strings ", "procmem map " };
	size_t count = sizeof of_memory / sizeof *of_memory;

	if (!evidence->file)
		return true;
	/* Only core files have memory. All files have regions. */
	for (size_t i = evidence->source == PM_EVIDENCE_CORE ? 0 : count - 1; i < count; i++)
		if (strncmp(command, of_memory[i], strlen(of_memory[i])) == 0)
			return true;
	return false;
}

/** Adds a path so that a shell reads it as one word. It is whole, however long it is. */
static void put_path(const char *path, const char *sample, struct text *text)
{
	struct text word = { 0 }, quoted = { 0 };

	text_format(&word, "%s%s", path, sample);
	shell_word_put(&quoted, text_terminate(&word));
	utf8_escape(text, quoted.bytes, quoted.length);
	text_deinit(&word);
	text_deinit(&quoted);
}

static void add_commands_of_recording(struct lines *lines)
{
	const char *file = lines->evidence->file;

	text_string(&lines->line, "procmem diff ");
	put_path(file, "@first", &lines->line);
	text_char(&lines->line, ' ');
	put_path(file, "", &lines->line);
	end_line(lines);
	text_string(&lines->line, "procmem watch ");
	put_path(file, "", &lines->line);
	end_line(lines);
}

/** Adds the commands that are known for the kind of finding. */
static void add_commands(struct lines *lines)
{
	const struct pm_finding *finding = lines->finding;
	uint64_t address = address_of(finding);

	for (size_t i = 0; i < 2; i++) {
		const char *format = why_words_command(finding, i);
		const char *number = format ? strstr(format, "%d") : NULL;
		const char *place = format ? strstr(format, "%s") : NULL;

		if (!number || (place && address == 0) || !reads(lines->evidence, format))
			continue;
		text_bytes(&lines->line, format, (size_t)(number - format));
		if (lines->evidence->file)
			put_path(lines->evidence->file, "", &lines->line);
		else
			text_format(&lines->line, "%d", (int)finding->pid);
		if (place) {
			text_bytes(&lines->line, number + 2, (size_t)(place - number - 2));
			text_hex(&lines->line, address, 1);
		} else {
			text_string(&lines->line, number + 2);
		}
		end_line(lines);
	}
}

void why_more_list(const struct pm_finding *finding, const struct pm_evidence *evidence,
                   why_sentence_visitor *visit, void *context)
{
	struct lines lines = {
		.finding = finding, .evidence = evidence, .visit = visit, .context = context
	};

	add_commands(&lines);
	if (evidence->source == PM_EVIDENCE_RECORDING)
		add_commands_of_recording(&lines);
	text_deinit(&lines.line);
}
