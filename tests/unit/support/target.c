/* SPDX-License-Identifier: MIT */
#include "support/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_ARGUMENTS = 32, EXEC_FAILED = 127 };

void skip_because(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("skipped: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	skip();
	abort(); /* not reached: skip() jumps */
}

/** Runs in the child: executes the program with the pipes, and makes it die with the parent. */
static void __attribute__((noreturn)) become(const char *path, char **arguments, int input,
                                             int output, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXEC_FAILED);
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	execvp(path, arguments);
	_exit(EXEC_FAILED);
}

static void start(struct target *target, const char *path, const char *program, va_list rest)
{
	char *arguments[MOST_ARGUMENTS + 1] = { (char *)(uintptr_t)program };
	for (size_t i = 1; (arguments[i] = va_arg(rest, char *)); i++)
		assert_in_range(i, 1, MOST_ARGUMENTS - 1);

	int input[2], output[2];
	assert_int_equal(pipe2(input, O_CLOEXEC), 0);
	assert_int_equal(pipe2(output, O_CLOEXEC), 0);
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		become(path, arguments, input[0], output[1], parent);
	assert_true(pid > 0);
	close(input[0]);
	close(output[1]);
	*target = (struct target){ .pid = pid,
		                   .to = fdopen(input[1], "w"),
		                   .from = fdopen(output[0], "r") };
	assert_non_null(target->to);
	assert_non_null(target->from);
}

/**
 * Reads the next line of output.
 * @return the line without its newline, or NULL at the end; the caller frees it
 */
static char *next_line(struct target *target)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length = getline(&line, &capacity, target->from);
	if (length < 0) {
		free(line);
		return NULL;
	}

	line[strcspn(line, "\n")] = '\0';
	return line;
}

/** Fails with the wait status of the target and its last output. */
static void fail_unready(struct target *target, const char *path)
{
	int status = 0;
	waitpid(target->pid, &status, 0);
	target->pid = 0;
	fail_msg("%s ended before it was ready (%s %d): %s", path,
	         WIFSIGNALED(status) ? "signal" : "status",
	         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	         target->count > 0 ? target->facts[target->count - 1] : "no output");
}

void target_start(struct target *target, const char *program, ...)
{
	const char *directory = getenv("PROCMEM_TARGETS");
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", directory ? directory : PROCMEM_TARGETS_DIR, program);
	va_list rest;
	va_start(rest, program);
	start(target, path, program, rest);
	va_end(rest);

	char *line;
	while ((line = next_line(target)) && strcmp(line, "ready") != 0) {
		char **facts = realloc(target->facts, (target->count + 1) * sizeof *facts);
		assert_non_null(facts);
		target->facts = facts;
		target->facts[target->count++] = line;
	}
	if (!line)
		fail_unready(target, path);
	free(line);
}

/** Returns whether a program is in PATH. */
static int is_installed(const char *program)
{
	const char *at = getenv("PATH");
	while (at && *at) {
		size_t length = strcspn(at, ":");
		char path[4096];
		snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
		if (access(path, X_OK) == 0)
			return 1;
		at += length + (at[length] == ':');
	}

	return 0;
}

void program_start(struct target *target, const char *program, ...)
{
	if (!is_installed(program))
		fail_msg("%s is not installed: sh docs/setup.sh test installs it", program);
	va_list rest;
	va_start(rest, program);
	start(target, program, program, rest);
	va_end(rest);
}

char *target_await(struct target *target, const char *text)
{
	char *line;
	while ((line = next_line(target)) && !strstr(line, text))
		free(line);
	if (!line)
		fail_msg("the output ended before '%s'", text);
	return line;
}

void target_tell(struct target *target, const char *command)
{
	fprintf(target->to, "%s\n", command);
	assert_int_equal(fflush(target->to), 0);
	char *answer = target_await(target, command);
	if (strncmp(answer, "done ", 5) != 0)
		fail_msg("the target printed: %s", answer);
	free(answer);
}

const char *target_fact(const struct target *target, const char *words)
{
	size_t length = strlen(words);
	for (size_t i = 0; i < target->count; i++) {
		const char *fact = target->facts[i];
		if (strncmp(fact, words, length) == 0 &&
		    (fact[length] == ' ' || fact[length] == '\0'))
			return fact + length + (fact[length] == ' ');
	}
	return NULL;
}

/** Parses the number at *text, which must exist, and moves *text after it. */
static uint64_t take_number(const char **text, int base)
{
	char *end;
	errno = 0;

	uint64_t number = strtoull(*text, &end, base);
	assert_int_equal(errno, 0);
	assert_ptr_not_equal(end, *text);
	*text = end;
	return number;
}

uint64_t target_fact_number(const struct target *target, const char *words)
{
	const char *text = target_fact(target, words);
	if (!text)
		fail_msg("the target printed no '%s'", words);
	return take_number(&text, 10);
}

void target_range(const struct target *target, const char *name, uint64_t *start, uint64_t *end)
{
	char words[256];
	snprintf(words, sizeof words, "region %s", name);

	const char *text = target_fact(target, words);
	if (!text)
		fail_msg("the target printed no '%s'", words);
	*start = take_number(&text, 16);
	assert_int_equal(*text, '-');
	text++;
	*end = take_number(&text, 16);
}

/** Reaps the target and releases everything. */
static void reap(struct target *target, int *status)
{
	while (waitpid(target->pid, status, 0) < 0 && errno == EINTR) {
	}
	fclose(target->to);
	fclose(target->from);
	target->pid = 0;
}

void target_stop(struct target *target)
{
	if (target->pid > 0) {
		kill(target->pid, SIGKILL);
		reap(target, NULL);
	}

	for (size_t i = 0; i < target->count; i++)
		free(target->facts[i]);

	free(target->facts);
	*target = (struct target){ 0 };
}

void target_await_end(struct target *target, int *status)
{
	reap(target, status);
	target_stop(target);
}

void target_be_killed_first(const struct target *target)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)target->pid);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	fputs("1000\n", file);
	assert_int_equal(fclose(file), 0);
}

struct pm_process *open_process(pid_t pid)
{
	struct pm_process *process;
	struct pm_error error = { 0 };
	must(pm_process_open(NULL, pid, &process, &error), &error);
	return process;
}

void must(int result, const struct pm_error *error)
{
	if (result < 0)
		fail_msg("%s", error->text);
}

char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));

	char *text = NULL;
	size_t capacity = 0, filled = 0, got;
	do {
		if (capacity - filled < 4096) {
			capacity = capacity * 2 + 8192;
			text = realloc(text, capacity);
			assert_non_null(text);
		}
		got = fread(text + filled, 1, capacity - filled - 1, file);
		filled += got;
	} while (got > 0);

	assert_false(ferror(file));
	fclose(file);
	text[filled] = '\0';
	if (length)
		*length = filled;
	return text;
}
