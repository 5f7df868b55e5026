/* SPDX-License-Identifier: MIT */
#include "watch/events/options.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "watch/events/action.h"
#include "watch/events/condition.h"

enum { OPTION_ON = CLI_LONG_ONLY, OPTION_DO, OPTION_AGAIN, OPTION_COOL_DOWN };

/* Default of --cool-down, in seconds. */
static const double default_cool_down = 60;

const struct cli_option events_options_table[] = {
	{ OPTION_ON, "on", "CONDITION",
	  "act when this condition is met, such as 'rss>2G',\n"
	  "'rss>1G,2G,3G' (once at each size), 'grow>200M/60s',\n"
	  "'rate>10M/h', 'kind:arena>1G', 'region>500M',\n"
	  "'headroom<15%' or 'regions>50000'" },
	{ OPTION_DO, "do", "ACTION",
	  "what to do: exit with status 1 (exit, the default),\n"
	  "run a command (exec:COMMAND), write a sample\n"
	  "(snap:FILE), write the bytes of the regions to\n"
	  "blame, such as those that grew most (dump:FILE),\n"
	  "or write the findings of 'procmem why' (why:FILE)" },
	{ OPTION_AGAIN, "again", NULL,
	  "repeat the actions while a condition holds;\ndefault: act only once" },
	{ OPTION_COOL_DOWN, "cool-down", "DURATION",
	  "with --again: minimum time before actions are\nrepeated; default 1m" },
	{ 0 },
};

static int add_condition(struct events_options *options, const char *value, struct pm_error *error)
{
	struct condition condition;
	if (condition_parse(&condition, value, error) < 0)
		return -1;

	options->conditions = alloc_array(options->conditions, options->condition_count + 1,
	                                  sizeof condition);
	options->conditions[options->condition_count++] = condition;
	return 0;
}

static int add_action(struct events_options *options, const char *value, struct pm_error *error)
{
	struct action action;
	if (action_parse(&action, value, error) < 0)
		return -1;

	options->actions = alloc_array(options->actions, options->action_count + 1, sizeof action);
	options->actions[options->action_count++] = action;
	return 0;
}

int events_options_parse(void *into, int id, const char *value, struct pm_error *error)
{
	struct events_options *options = into;

	switch (id) {
	case OPTION_ON:
		return add_condition(options, value, error);
	case OPTION_DO:
		return add_action(options, value, error);
	case OPTION_COOL_DOWN:
		return delta_parse_duration(value, &options->cool_down, error);
	default:
		options->again = true;
		return 0;
	}
}

/** Inserts "--do ACTION: " before the text of an error. */
static int name_action(const struct action *action, struct pm_error *error)
{
	pm_error_prefix(error, "--do %s: ", action_name(action->kind));
	return -1;
}

int events_options_check_process(const struct events_options *options,
                                 const struct pm_process_id *process, struct pm_error *error)
{
	for (size_t i = 0; i < options->action_count; i++)
		if (action_check_process(&options->actions[i], process, error) < 0)
			return name_action(&options->actions[i], error);
	return 0;
}

int events_options_check(struct events_options *options, struct pm_error *error)
{
	if (options->condition_count == 0 && (options->action_count > 0 || options->again))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--do and --again need a condition, such as --on 'rss>2G'");
	if (options->cool_down > 0 && !options->again)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--cool-down needs --again: without --again, actions are not "
		                    "repeated");

	for (size_t i = 0; i < options->action_count; i++)
		if (action_check(&options->actions[i], error) < 0)
			return name_action(&options->actions[i], error);

	if (options->cool_down <= 0)
		options->cool_down = default_cool_down;

	const struct action end = { ACTION_EXIT, "" };
	if (options->condition_count > 0 && options->action_count == 0) {
		options->actions = alloc_array(NULL, 1, sizeof end);
		options->actions[options->action_count++] = end;
	}

	return 0;
}

void events_options_deinit(struct events_options *options)
{
	for (size_t i = 0; i < options->condition_count; i++)
		condition_deinit(&options->conditions[i]);
	free(options->conditions);
	free(options->actions);
	*options = (struct events_options){ 0 };
}
