/* SPDX-License-Identifier: MIT */
#include "why/judge.h"

#include "why/deep.h"
#include "why/evidence.h"
#include "why/html.h"
#include "why/json.h"
#include "why/print.h"

int why_judge(struct why_observation *observation, struct out *out, struct pm_error *error)
{
	struct why_evidence made;
	struct pm_findings findings;
	struct why_report report = { .observation = observation, .findings = &findings };

	why_evidence_make(&made, observation);
	report.evidence = &made.evidence;
	int result = pm_findings_make(&made.evidence, &findings, error);
	if (result == 0 && observation->options->deep)
		why_deep_find(observation, &findings);
	if (result == 0) {
		if (out && observation->options->output.json)
			why_json_print(&report, out);
		else if (out)
			why_print(&report, out);
		if (observation->options->html)
			result = why_html_write(&report, observation->options->html, error);
		if (result == 0)
			result = (int)why_report_count(&report);
		pm_findings_deinit(&findings);
	}

	why_evidence_deinit(&made);
	return result;
}
