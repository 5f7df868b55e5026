/* SPDX-License-Identifier: MIT */
/*
 * Other processes that grow: one below the target, such as a worker, or another one of its cgroup,
 * which uses up the same limit.
 *
 * Needs: the memory of the family over time. Sure if the process grows steadily.
 */
#include "findings/rules.h"

static void report(struct pm_finding_context *context, const struct pm_evidence_process *process,
                   enum pm_finding_id id)
{
	const struct pm_evidence *evidence = context->evidence;
	bool steady = pm_evidence_grows(&process->memory);
	struct pm_finding *finding = pm_finding_add(
		context, id, steady ? PM_CONFIDENCE_SURE : PM_CONFIDENCE_LIKELY);
	if (!finding)
		return;

	finding->pid = process->pid;
	finding->comm = process->comm;
	pm_finding_set_trend(finding, &process->memory);
	if (pm_evidence_is_flat(&evidence->kept))
		pm_finding_support(finding,
		                   (struct pm_finding_fact){ .id = PM_FACT_SELF_FLAT,
		                                             .bytes = evidence->kept.last });
	pm_finding_set_limit(context, finding);
	pm_finding_weigh(context, finding);
}

void pm_finding_child_grows(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->process_count; i++) {
		const struct pm_evidence_process *process = &evidence->processes[i];
		double rate = pm_evidence_rate(&process->memory);

		if (process->child && rate > 0 && pm_finding_matters(context, rate))
			report(context, process, PM_FINDING_CHILD_GROWS);
	}
}

void pm_finding_group_process(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->process_count; i++) {
		const struct pm_evidence_process *process = &evidence->processes[i];
		double rate = pm_evidence_rate(&process->memory);

		if (!process->child && rate > 0 && pm_finding_matters(context, rate))
			report(context, process, PM_FINDING_GROUP_PROCESS);
	}
}
