/* SPDX-License-Identifier: MIT */
#include <procmem/evidence.h>

bool pm_evidence_is_flat(const struct pm_evidence_trend *trend)
{
	if (!trend->known)
		return false;

	switch (trend->trend.verdict) {
	case PM_VERDICT_PLATEAU:
	case PM_VERDICT_NO_GROWTH:
	case PM_VERDICT_SHRINKING:
		return true;
	case PM_VERDICT_UNEVEN:
		return trend->trend.floor_known && trend->trend.floor_rise <= 0;
	default:
		return false;
	}
}

double pm_evidence_rate(const struct pm_evidence_trend *trend)
{
	double rate = trend->known ? pm_trend_growth_rate(&trend->trend) : 0;
	return rate > 0 ? rate : 0;
}
