/* SPDX-License-Identifier: MIT */
#include "trace/header.h"

#include <inttypes.h>
#include <string.h>

#include "base/delta.h"
#include "base/report.h"
#include "base/utf8.h"
#include "target/frames.h"

const char *trace_header_backend(enum pm_trace_backend backend)
{
	return backend == PM_TRACE_PTRACE ? "ptrace" : "perf";
}

double trace_header_event_rate(const struct pm_trace_state *state)
{
	if (state->running_ns == 0)
		return 0;
	return (double)state->events * 1e9 / (double)state->running_ns;
}

/** Adds a share of the running time, in percent. */
static void put_share(struct text *line, uint64_t part_ns, uint64_t running_ns)
{
	double share = running_ns > 0 ? 100.0 * (double)part_ns / (double)running_ns : 0;

	text_format(line, "%.*f%%", share < 1 ? 2 : 1, share);
}

static void put_first(const struct trace_report *report, struct text *line)
{
	const struct pm_trace_state *state = &report->state;

	utf8_escape(line, report->name, strlen(report->name));
	if (report->pid > 0)
		text_format(line, " (%d)", (int)report->pid);
	text_format(line, "  traced for %.1f s by %s", report->result->seconds,
	            trace_header_backend(state->backend));
	if (state->plan && state->plan[0] && !state->plan_usual) {
		text_string(line, " (");
		utf8_escape(line, state->plan, strlen(state->plan));
		text_char(line, ')');
	}

	text_format(line, ", %.1f events/s, lost ", trace_header_event_rate(state));
	text_grouped(line, state->lost);
	text_char(line, '\n');
}

/** Adds the CPU time of the trace, and the time that it is expected to have cost the process. */
static void put_cost(const struct trace_report *report, struct text *line)
{
	const struct pm_trace_state *state = &report->state;

	text_string(line, "cost: procmem ");
	put_share(line, state->tracer_ns, state->running_ns);
	text_string(line, " of a CPU (measured); process ");
	if (state->target_ns > 0) {
		put_share(line, state->target_ns, state->running_ns);
		text_string(line, " + ");
	}
	text_format(line, "%.2f \xc2\xb5s/call (expected)\n", (double)state->call_ns / 1000);
}

static void put_before(const struct trace_report *report, bool bytes, struct text *line)
{
	const struct pm_trace_result *result = report->result;

	text_string(line, "mapped before the trace: ");
	text_size_as(line, result->before_now, bytes);
	text_string(line, " resident, ");
	if (result->before_now == result->before_start) {
		text_string(line, "unchanged\n");
		return;
	}
	text_string(line, "change ");
	delta_put_bytes(line, (int64_t)result->before_now - (int64_t)result->before_start, bytes);
	text_char(line, '\n');
}

size_t trace_header_print(const struct trace_report *report, bool bytes, struct out *out)
{
	struct text line = { 0 };

	put_first(report, &line);
	put_cost(report, &line);
	if (report->result->before_start > 0 || report->result->before_now > 0)
		put_before(report, bytes, &line);

	size_t lines = out_wrapped(out, &line, 2);
	text_deinit(&line);
	return lines;
}

/** Returns the number of sites whose stack is cut, or missing. */
static size_t count_stacks(const struct trace_report *report, bool cut)
{
	size_t count = 0;

	for (size_t i = 0; i < report->result->count; i++) {
		const struct pm_stack *stack = &report->stacks[i];

		if (cut)
			count += stack->cut && stack->count > 0;
		else
			count += stack->count == 0 && !report->result->sites[i].before;
	}
	return count;
}

/** Tests whether a file with this name is in a stack. */
static bool has_module(const struct trace_report *report, const char *name)
{
	for (size_t i = 0; i < report->result->count; i++) {
		const struct pm_stack *stack = &report->stacks[i];

		for (size_t j = 0; j < stack->count; j++)
			if (frames_is_of(&stack->frames[j], name))
				return true;
	}
	return false;
}

/** Reports how functions of generated code get names. */
static void note_names(const struct trace_report *report)
{
	if (has_module(report, "libjvm.so"))
		report_note("some methods of Java have no names: run 'jcmd %d Compiler.perfmap' "
		            "while the trace runs",
		            (int)report->pid);
	else if (has_module(report, "node"))
		report_note("some functions of JavaScript have no names: node writes them if it is "
		            "started with --perf-basic-prof --interpreted-frames-native-stack");
	else
		report_note("some functions have no names, because their code is in no file: for "
		            "generated code, the runtime must write /tmp/perf-PID.map");
}

static void note_stacks(const struct trace_report *report)
{
	size_t cut = count_stacks(report, true), none = count_stacks(report, false);

	if (cut > 0 && report->state.short_copies > 0)
		report_note("the outermost callers of %zu stack%s are not known; a larger --stack "
		            "may find more",
		            cut, text_plural(cut));
	else if (cut > 0)
		report_note("the outermost callers of %zu stack%s are not known: no unwind table "
		            "or frame pointer leads to them",
		            cut, text_plural(cut));
	if (none > 0)
		report_note("memory without a stack is listed as '[no stack]'");
	if (cut > 0 && has_module(report, "libjvm.so") &&
	    !(report->command && strstr(report->command, "+PreserveFramePointer")))
		report_note("Java code has whole stacks only with -XX:+PreserveFramePointer");
	if (report->state.jit_unnamed)
		note_names(report);
}

void trace_header_notes(const struct trace_report *report)
{
	const struct pm_trace_state *state = &report->state;
	struct text size = { 0 };

	if (state->lost > 0)
		report_note("%" PRIu64 " event%s lost, because the process made calls faster "
		            "than procmem could read them: sizes and counts of sites are "
		            "approximate",
		            state->lost, state->lost == 1 ? " was" : "s were");
	if (state->difference > 0) {
		text_size(&size, state->difference);
		report_note("the list of mapped memory differed by %s from /proc/%d/maps and was "
		            "corrected: some memory may have no call site",
		            text_terminate(&size), (int)report->pid);
	}

	if (state->exited)
		report_note("the process has exited: the sites are those of the last measurement "
		            "before, %.1f s after the start of the trace",
		            report->result->seconds);
	if (state->execs > 0)
		report_note("the process has called exec: sites are those of the new program");
	if (state->stacks_why[0])
		report_note("stacks and names are incomplete: %s", state->stacks_why);
	note_stacks(report);
	text_deinit(&size);
}
