/* SPDX-License-Identifier: MIT */
#include "html/spark.h"

void html_spark_put(struct html_document *document, const struct pm_series *series, double from,
                    double to)
{
	(void)document;
	(void)series;
	(void)from;
	(void)to;
}

void html_spark_put_bar(struct html_document *document, int64_t change, uint64_t max)
{
	(void)document;
	(void)change;
	(void)max;
}
