/* SPDX-License-Identifier: MIT */
/*
 * The formats are those of mm/oom_kill.c and mm/memcontrol.c from Linux 3.x on. Names of processes
 * and cgroups can contain anything, also text that looks like other parts of a record. The parts
 * that only the kernel writes are therefore searched from the end, where names cannot be.
 */
#include "pressure/oom_record.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/** Time in which the kernel kills all processes of a cgroup, in microseconds: estimate. */
enum { WHOLE_GROUP_US = 2000000 };

/** Copies text and decodes `\xHH`. Text that does not fit is cut. */
static void decode(const char *text, size_t length, char *copy, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < length && used + 1 < size; i++) {
		char c = text[i];
		if (c == '\\' && length - i >= 4 && text[i + 1] == 'x' &&
		    pm_hex_digit(text[i + 2]) >= 0 && pm_hex_digit(text[i + 3]) >= 0) {
			c = (char)(pm_hex_digit(text[i + 2]) * 16 + pm_hex_digit(text[i + 3]));
			i += 3;
		}
		if (c != '\0')
			copy[used++] = c;
	}
	copy[used] = '\0';
}

/** Copies text as it is, if it fits. */
static void keep(const char *text, size_t length, char *copy, size_t size)
{
	if (length >= size)
		length = 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
}

/** Finds the last occurrence of a word. */
static const char *find_last(const char *text, const char *word)
{
	const char *last = NULL;
	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		last = at;
	return last;
}

static bool scan_pid(const char **text, pid_t *pid)
{
	uint64_t number;
	const char *at = *text;
	if (!pm_scan_decimal(&at, &number) || number > INT_MAX)
		return false;

	*pid = (pid_t)number;
	*text = at;
	return true;
}

static enum pm_oom_constraint parse_constraint(const char *text)
{
	static const struct {
		const char *word;
		enum pm_oom_constraint constraint;
	} words[] = {
		{ "CONSTRAINT_MEMCG,", PM_OOM_MEMCG },
		{ "CONSTRAINT_NONE,", PM_OOM_GLOBAL },
		{ "CONSTRAINT_CPUSET,", PM_OOM_CPUSET },
		{ "CONSTRAINT_MEMORY_POLICY,", PM_OOM_POLICY },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(text, words[i].word, strlen(words[i].word)) == 0)
			return words[i].constraint;
	return PM_OOM_UNKNOWN;
}

/** Parses `oom-kill:constraint=...,task_memcg=/a,task=NAME,pid=1,uid=0`. */
static void parse_summary(struct pm_oom_parser *parser, const char *text)
{
	*parser = (struct pm_oom_parser){ .constraint = parse_constraint(text) };

	/* If the record was cut, it does not end with the PID. */
	const char *end = find_last(text, ",pid=");
	const char *at = end ? end + strlen(",pid=") : NULL;
	parser->pid_known = at && scan_pid(&at, &parser->pid) && strncmp(at, ",uid=", 5) == 0;

	/* The names of the cpuset and the nodes come before. */
	const char *groups = strstr(text, ",oom_memcg=");
	if (!groups)
		groups = strstr(text, ",task_memcg=");
	if (groups && parser->pid_known)
		keep(groups, (size_t)(end - groups), parser->groups, sizeof parser->groups);
}

/** Returns whether a path is a cgroup or below it. */
static bool is_below(const char *path, size_t length, const char *top, size_t top_length)
{
	if (top_length == 1 && *top == '/')
		return true;
	if (length < top_length || memcmp(path, top, top_length) != 0)
		return false;
	return length == top_length || path[top_length] == '/';
}

/**
 * Splits the kept part of the summary. The name of the process is known from the other record. The
 * path of the cgroup with the limit ends where the rest is a path below it.
 */
static void split_groups(const char *groups, const char *name, size_t name_length,
                         struct pm_oom_kill *kill)
{
	static const char limit_word[] = ",oom_memcg=", group_word[] = ",task_memcg=",
			  task_word[] = ",task=";
	size_t length = strlen(groups), tail = strlen(task_word) + name_length;
	const char *limit = NULL;

	if (length < tail || memcmp(groups + length - name_length, name, name_length) != 0 ||
	    memcmp(groups + length - tail, task_word, strlen(task_word)) != 0)
		return;

	const char *end = groups + length - tail, *group = strstr(groups, group_word);
	if (strncmp(groups, limit_word, strlen(limit_word)) == 0)
		limit = groups + strlen(limit_word);

	const char *first = group;
	for (; group && group < end; group = strstr(group + 1, group_word)) {
		const char *path = group + strlen(group_word);
		if (!limit || (path <= end && is_below(path, (size_t)(end - path), limit,
		                                       (size_t)(group - limit))))
			break;
	}
	if (!group || group >= end)
		group = first;
	if (!group || group + strlen(group_word) > end)
		return;

	const char *path = group + strlen(group_word);
	decode(path, (size_t)(end - path), kill->group, sizeof kill->group);
	if (limit && group > limit)
		decode(limit, (size_t)(group - limit), kill->limit_group, sizeof kill->limit_group);
}

/** Parses `Task in /a/b killed as a result of limit of /a` (before Linux 5.0). */
static void parse_task_in(struct pm_oom_parser *parser, const char *text)
{
	static const char middle[] = " killed as a result of limit of ";
	const char *limit = find_last(text, middle);
	if (!limit)
		return;

	decode(text, (size_t)(limit - text), parser->group, sizeof parser->group);
	limit += strlen(middle);
	decode(limit, strlen(limit), parser->limit_group, sizeof parser->limit_group);
	parser->constraint = PM_OOM_MEMCG;
}

/** Parses `Tasks in /a are going to be killed due to memory.oom.group set`. */
static void parse_tasks_in(struct pm_oom_parser *parser, const char *text, uint64_t time_us)
{
	const char *end = find_last(text, " are going to be killed due to memory.oom.group set");
	if (!end)
		return;

	/* All tasks of the cgroup, and of those below, are killed. */
	char limit_group[PM_OOM_GROUP_SIZE];
	enum pm_oom_constraint constraint = parser->constraint;
	memcpy(limit_group, parser->limit_group, sizeof limit_group);
	*parser = (struct pm_oom_parser){ .constraint = constraint, .whole_group_us = time_us };
	memcpy(parser->limit_group, limit_group, sizeof limit_group);
	decode(text, (size_t)(end - text), parser->group, sizeof parser->group);
}

/** Parses a size in kB after a word. */
static bool scan_kilobytes(const char *text, const char *word, uint64_t *bytes)
{
	const char *at = strstr(text, word);
	uint64_t number;
	if (!at)
		return false;

	at += strlen(word);
	return pm_scan_decimal(&at, &number) && strncmp(at, "kB", 2) == 0 &&
	       !__builtin_mul_overflow(number, (uint64_t)1024, bytes);
}

/** Parses `total-vm:1kB, anon-rss:1kB, ...`, which no name can follow. */
static void parse_sizes(const char *text, struct pm_oom_kill *kill)
{
	struct pm_oom_kill read = *kill;

	read.sizes_known = scan_kilobytes(text, "total-vm:", &read.total_vm) &&
	                   scan_kilobytes(text, " anon-rss:", &read.anon_rss) &&
	                   scan_kilobytes(text, " file-rss:", &read.file_rss);
	if (!read.sizes_known)
		return;

	if (!scan_kilobytes(text, " shmem-rss:", &read.shmem_rss))
		read.shmem_rss = 0;
	*kill = read;
}

/**
 * Parses `PID (NAME) total-vm:...`, the end of the record of a kill.
 * @return false if the record was cut before the end of the name
 */
static bool parse_killed(struct pm_oom_parser *parser, const char *text, uint64_t time_us,
                         struct pm_oom_kill *kill)
{
	struct pm_oom_kill made = { .time_us = time_us };
	const char *end = find_last(text, ") total-vm:");

	/* Linux 3 writes a comma after the name. A cut record can end after it. */
	if (!end)
		end = strrchr(text, ')');
	/* The kernel kills all processes of a cgroup at once. */
	if (parser->whole_group_us && time_us > parser->whole_group_us + WHOLE_GROUP_US)
		*parser = (struct pm_oom_parser){ 0 };
	if (!scan_pid(&text, &made.pid) || strncmp(text, " (", 2) != 0 || !end || end < text + 2)
		return false;

	const char *name = text + 2;
	size_t length = (size_t)(end - name);
	decode(name, length, made.comm, sizeof made.comm);
	parse_sizes(end, &made);

	/* A summary of another process belongs to another kill. */
	bool mine = !parser->pid_known || parser->pid == made.pid;
	if (mine)
		made.constraint = parser->constraint;
	if (mine && *parser->groups) {
		split_groups(parser->groups, name, length, &made);
	} else if (mine && *parser->group) {
		memcpy(made.group, parser->group, sizeof made.group);
		memcpy(made.limit_group, parser->limit_group, sizeof made.limit_group);
	}

	/* With memory.oom.group, more kills with the same cause follow. */
	memcpy(parser->limit_group, made.limit_group, sizeof parser->limit_group);
	parser->groups[0] = '\0';
	if (!parser->whole_group_us)
		parser->group[0] = '\0';
	*kill = made;
	return true;
}

/** Returns the text after a word at the start, or NULL. */
static const char *after(const char *text, const char *word)
{
	size_t length = strlen(word);
	return strncmp(text, word, length) == 0 ? text + length : NULL;
}

/** Parses a record that begins with `Out of memory` or `Memory cgroup out of memory`. */
static bool parse_out_of_memory(struct pm_oom_parser *parser, const char *text,
                                enum pm_oom_constraint constraint, uint64_t time_us,
                                struct pm_oom_kill *kill)
{
	const char *rest = after(text, " (oom_kill_allocating_task)");
	if (rest)
		text = rest;

	rest = after(text, ": Killed process ");
	if (rest) {
		struct pm_oom_kill made;
		if (!parse_killed(parser, rest, time_us, &made))
			return false;
		/* The summary may be that of another kill. */
		bool cgroup = made.constraint == PM_OOM_MEMCG;
		if (made.constraint == PM_OOM_UNKNOWN || cgroup != (constraint == PM_OOM_MEMCG))
			made.constraint = constraint;
		*kill = made;
		return true;
	}

	/* Before Linux 5.0, `Killed process` is a record of its own that follows this one. */
	rest = after(text, ": Kill process ");
	if (rest) {
		parser->pid_known = false;
		if (parser->constraint == PM_OOM_UNKNOWN)
			parser->constraint = constraint;
	}
	return false;
}

bool pm_oom_record_parse(struct pm_oom_parser *parser, const char *text, uint64_t time_us,
                         struct pm_oom_kill *kill)
{
	const char *rest;

	if ((rest = after(text, "oom-kill:constraint=")))
		parse_summary(parser, rest);
	else if ((rest = after(text, "Task in ")))
		parse_task_in(parser, rest);
	else if ((rest = after(text, "Tasks in ")))
		parse_tasks_in(parser, rest, time_us);
	else if ((rest = after(text, "Memory cgroup out of memory")))
		return parse_out_of_memory(parser, rest, PM_OOM_MEMCG, time_us, kill);
	else if ((rest = after(text, "Out of memory")))
		return parse_out_of_memory(parser, rest, PM_OOM_GLOBAL, time_us, kill);
	else if ((rest = after(text, "Killed process ")))
		return parse_killed(parser, rest, time_us, kill);
	else if (strstr(text, " invoked oom-killer: gfp_mask="))
		*parser = (struct pm_oom_parser){ 0 };

	return false;
}
