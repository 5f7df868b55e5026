/* SPDX-License-Identifier: MIT */
/*
 * bin/procmem of the archive: starts the program with the loader and the libraries of the archive,
 * so that no library of the system is needed. It is linked statically.
 *
 *   lib/procmem/ld/procmem   the loader of glibc (ld.so). The kernel names a process after the file
 *                            that it executes, so that this is its name.
 *   lib/procmem/bin/procmem  the program. Its RPATH names lib/procmem, where its libraries are.
 *                            Unlike --library-path of the loader, this works if the path of the
 *                            archive contains ':', ';' or '$'.
 *
 * The environment variables of the loader are for programs of the system: preloaded libraries may
 * need another glibc. ld.so does not read them, and the processes that procmem starts get them:
 * they are renamed, and cmd/base/own_libraries.c renames them back. LD_LIBRARY_PATH is ignored
 * because of the RPATH.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/** The path of the archive without a '/' at its end, or "" if it is the root directory. */
static char archive[PATH_MAX];

/**
 * Writes the path of a file of the archive.
 * @return path; NULL if it is too long
 */
static char *path_in_archive(char path[PATH_MAX], const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", archive, name) < PATH_MAX ? path : NULL;
}

/**
 * Finds the archive by the path of this program, which is bin/procmem in it. Symbolic links to this
 * program are resolved. Without /proc, uses the path that was given to execve(2).
 * @return 0, or -1 with errno set
 */
static int find_archive(void)
{
	const char *executed = (const char *)getauxval(AT_EXECFN); /* NOLINT: an address */
	ssize_t length = readlink("/proc/self/exe", archive, sizeof archive - 1);

	if (length < 0 && (!executed || !realpath(executed, archive)))
		return -1;
	if (length >= 0)
		archive[length] = '\0';

	for (int parts = 0; parts < 2; parts++) {
		char *slash = strrchr(archive, '/');

		if (!slash) {
			errno = ENOENT;
			return -1;
		}
		*slash = '\0';
	}

	return 0;
}

/** Hides the variables with which a user adds libraries to all programs: LD_ becomes ld_. */
static void hide_loader_variables(char **environment)
{
	for (; *environment; environment++) {
		if (strncmp(*environment, "LD_PRELOAD=", 11) == 0 ||
		    strncmp(*environment, "LD_AUDIT=", 9) == 0)
			memcpy(*environment, "ld_", 3);
	}
}

/**
 * Lets ncurses and readline find descriptions of terminals on systems that have none. The variable
 * stays in the environment of the processes that procmem starts, which find none either.
 */
static void set_terminfo(void)
{
	static const char *const folders[] = { "/lib/terminfo", "/usr/lib/terminfo",
		                               "/usr/share/terminfo" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		if (access(folders[i], F_OK) == 0)
			return;
	}

	if (path_in_archive(path, "share/terminfo"))
		setenv("TERMINFO_DIRS", path, 0);
}

static int fail(const char *path)
{
	int cause = errno;
	const char *help = "unpack the whole archive, and keep its folders together";

	if (cause == EACCES)
		help = "the file must be executable, and its file system must be mounted without "
		       "noexec: unpack the archive with tar into another folder";
	else if (cause == ENAMETOOLONG)
		help = "unpack the archive into a folder with a shorter path";

	fprintf(stderr, "procmem: cannot execute '%s': %s; %s\n", path, strerror(cause), help);
	return 2;
}

int main(int argc, char **argv)
{
	char loader[PATH_MAX], program[PATH_MAX];
	const char *name = argc > 0 ? argv[0] : "procmem";

	if (find_archive() < 0)
		return fail("/proc/self/exe");
	if (!path_in_archive(loader, "lib/procmem/ld/procmem") ||
	    !path_in_archive(program, "lib/procmem/bin/procmem")) {
		errno = ENAMETOOLONG;
		return fail(archive);
	}
	if (access(program, X_OK) < 0)
		return fail(program);

	/* The loader, its options, the program, all arguments but the first, and NULL. */
	char **words = calloc((size_t)argc + 6, sizeof *words);
	if (!words)
		return fail(program);

	size_t count = 0;
	words[count++] = loader;
	words[count++] = (char *)"--argv0";
	words[count++] = (char *)name;
	words[count++] = (char *)"--inhibit-cache";
	words[count++] = program;
	for (int i = 1; i < argc; i++)
		words[count++] = argv[i];

	hide_loader_variables(environ);
	set_terminfo();
	execv(loader, words);
	return fail(loader);
}
