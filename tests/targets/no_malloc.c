/* SPDX-License-Identifier: MIT */
/* A program that never calls malloc, not even for the buffer of stdout. */
#include "support.h"

#include <stdio.h>

int main(void)
{
	static char buffer[4096];

	target_begin();
	setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
	target_ready();
	target_obey(NULL);
}
