/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target over files and directories, without libFuzzer: so every compiler and every
 * test run checks the corpus. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

static size_t inputs;

static void run_file(const char *path)
{
	FILE *file = fopen(path, "re");
	fuzz_check(file != NULL);

	uint8_t *data = NULL;
	size_t size = 0, got;
	do {
		data = realloc(data, size + 65536);
		fuzz_check(data != NULL);
		got = fread(data + size, 1, 65536, file);
		size += got;
	} while (got > 0);

	fuzz_check(!ferror(file));
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	inputs++;
}

static void run_directory(const char *path)
{
	DIR *directory = opendir(path);
	if (!directory) {
		perror(path);
		exit(1);
	}

	struct dirent *entry;
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		char file[4096];
		snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
		run_file(file);
	}

	closedir(directory);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_directory(argv[i]);
	printf("%zu inputs\n", inputs);
	return inputs == 0;
}
