/* SPDX-License-Identifier: MIT */
#include "support/copy_session.h"

void copy_session_begin(struct copy_session *session)
{
	*session = (struct copy_session){ 0 };
	target_start(&session->target, "copied", NULL);
	session->process = open_process(session->target.pid);
}

void copy_session_end(struct copy_session *session)
{
	pm_process_close(session->process);
	target_stop(&session->target);
}

struct pm_copy *copy_session_open(struct copy_session *session,
                                  const struct pm_copy_options *options)
{
	struct pm_error error;
	struct pm_copy *copy;

	must(pm_copy_open(session->process, options, &copy, &error), &error);
	return copy;
}
