/* SPDX-License-Identifier: MIT */
/*
 * Forms of the path of a container's cgroup. Each component of the path is compared with them, from
 * the last one to the first one, so that the innermost container is found, also if the container
 * has cgroups of its own.
 */
#include <procmem/container.h>

#include <stddef.h>
#include <string.h>

/*
 * Number of hexadecimal digits of an ID. Runtimes use 64; 12 is the length of the IDs that they
 * print, and of the shortest IDs that are accepted after a prefix.
 */
enum { ID_DIGITS = 64, ID_DIGITS_MIN = 12 };

/** Number of digits of a pod's UID without the characters between its parts. */
enum { POD_DIGITS = 32 };

/** A component of the path, or a part of one. */
struct word {
	const char *bytes;
	size_t length;
};

/**
 * Prefixes of the ID within a component. What runs beside a container has others, such as
 * "crio-conmon-", after which no ID follows directly.
 */
static const struct {
	const char *text;
	enum pm_container_runtime runtime;
} prefixes[] = {
	{ "docker-", PM_RUNTIME_DOCKER },
	{ "cri-containerd-", PM_RUNTIME_CONTAINERD },
	{ "nerdctl-", PM_RUNTIME_CONTAINERD },
	{ "crio-", PM_RUNTIME_CRIO },
	{ "libpod-", PM_RUNTIME_PODMAN },
	/* The systemd driver of runc, given a path that is not a slice: "SLICE:PREFIX:ID". */
	{ "cri-containerd:", PM_RUNTIME_CONTAINERD },
	{ "nerdctl:", PM_RUNTIME_CONTAINERD },
	{ "docker:", PM_RUNTIME_DOCKER },
	{ "crio:", PM_RUNTIME_CRIO },
};

/** Directories whose children have an ID as their whole name. */
static const struct {
	const char *name;
	enum pm_container_runtime runtime;
} parents[] = {
	{ "docker", PM_RUNTIME_DOCKER },
	{ "libpod_parent", PM_RUNTIME_PODMAN },
};

/** Directories and prefixes of LXC, after which the name of the container follows. */
static const char *const lxc_parents[] = { "lxc", "lxc.payload" };
static const char lxc_prefix[] = "lxc.payload.";

static bool equals(struct word word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.bytes, text, word.length) == 0;
}

/** Removes a prefix, if the word has it. @return whether the word had it */
static bool skip_prefix(struct word *word, const char *prefix)
{
	size_t length = strlen(prefix);
	if (word->length < length || memcmp(word->bytes, prefix, length) != 0)
		return false;

	word->bytes += length;
	word->length -= length;
	return true;
}

static void drop_suffix(struct word *word, const char *suffix)
{
	size_t length = strlen(suffix);
	if (word->length >= length &&
	    memcmp(word->bytes + word->length - length, suffix, length) == 0)
		word->length -= length;
}

static bool is_hex(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

static bool is_id(struct word word, size_t digits_min)
{
	if (word.length < digits_min || word.length > ID_DIGITS)
		return false;
	for (size_t i = 0; i < word.length; i++)
		if (!is_hex(word.bytes[i]))
			return false;
	return true;
}

/** Copies a word that is shorter than PM_CONTAINER_ID_SIZE. */
static void copy_id(struct word word, enum pm_container_runtime runtime,
                    struct pm_container *container)
{
	memcpy(container->id, word.bytes, word.length);
	container->id[word.length] = '\0';
	container->runtime = runtime;
}

/** Compares a component with the prefixes of IDs. */
static bool parse_prefixed(struct word word, struct pm_container *container)
{
	drop_suffix(&word, ".scope");

	/* "kubepods-besteffort-podUID.slice:cri-containerd:ID" */
	const char *slice = memmem(word.bytes, word.length, ".slice:", 7);
	if (slice) {
		word.length -= (size_t)(slice + 7 - word.bytes);
		word.bytes = slice + 7;
	}

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		struct word rest = word;

		if (!skip_prefix(&rest, prefixes[i].text) || !is_id(rest, ID_DIGITS_MIN))
			continue;
		copy_id(rest, prefixes[i].runtime, container);
		return true;
	}

	return false;
}

/** Compares a component, and the directory that it is in, with the forms of LXC. */
static bool parse_lxc(struct word word, struct word parent, struct pm_container *container)
{
	bool found = skip_prefix(&word, lxc_prefix);

	for (size_t i = 0; i < sizeof lxc_parents / sizeof *lxc_parents; i++)
		found = found || equals(parent, lxc_parents[i]);
	if (!found || word.length == 0 || word.length >= PM_CONTAINER_ID_SIZE)
		return false;

	copy_id(word, PM_RUNTIME_LXC, container);
	return true;
}

/** Compares a component with IDs that are the whole name of a directory. */
static bool parse_bare(struct word word, struct word parent, struct pm_container *container)
{
	if (!is_id(word, ID_DIGITS))
		return false;

	enum pm_container_runtime runtime = PM_RUNTIME_UNKNOWN;
	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
		if (equals(parent, parents[i].name))
			runtime = parents[i].runtime;

	copy_id(word, runtime, container);
	return true;
}

/** Cuts the last component off a path. @return the component; its length is 0 at the start */
static struct word pop(struct word *path)
{
	while (path->length > 0 && path->bytes[path->length - 1] == '/')
		path->length--;

	size_t start = path->length;
	while (start > 0 && path->bytes[start - 1] != '/')
		start--;

	struct word last = { path->bytes + start, path->length - start };
	path->length = start;
	return last;
}

/** Finds the UID of a pod in a component: "podUID" or "kubepods-burstable-podUID.slice". */
static bool parse_pod(struct word word, char pod[PM_POD_UID_SIZE])
{
	size_t digits = 0;
	const char *slice = memmem(word.bytes, word.length, ".slice", 6);
	if (slice)
		word.length = (size_t)(slice - word.bytes);

	const char *start = memmem(word.bytes, word.length, "-pod", 4);
	if (start) {
		word.length -= (size_t)(start + 1 - word.bytes);
		word.bytes = start + 1;
	}
	if (!skip_prefix(&word, "pod") || word.length < POD_DIGITS ||
	    word.length >= PM_POD_UID_SIZE)
		return false;

	for (size_t i = 0; i < word.length; i++) {
		char byte = word.bytes[i];

		/* In names of slices, '-' separates levels, so a UID has '_' instead. */
		if (byte != '-' && byte != '_' && !is_hex(byte))
			return false;
		if (byte == '_')
			byte = '-';
		digits += is_hex(byte);
		pod[i] = byte;
	}

	pod[word.length] = '\0';
	return digits == POD_DIGITS;
}

/** Finds the pod in the components before that of the container. */
static void find_pod(struct word path, struct pm_container *container)
{
	char pod[PM_POD_UID_SIZE];

	for (struct word word = pop(&path); word.length > 0; word = pop(&path)) {
		if (parse_pod(word, pod)) {
			memcpy(container->pod, pod, sizeof container->pod);
			return;
		}
	}
}

bool pm_container_parse(const char *path, struct pm_container *container)
{
	struct word rest = { path, strlen(path) };

	for (struct word word = pop(&rest); word.length > 0; word = pop(&rest)) {
		struct pm_container found = { 0 };
		struct word before = rest;
		struct word parent = pop(&before);

		if (!parse_prefixed(word, &found) && !parse_lxc(word, parent, &found) &&
		    !parse_bare(word, parent, &found))
			continue;

		/* The pod can be in the same component as the ID. */
		struct word whole = { path, (size_t)(word.bytes + word.length - path) };

		find_pod(whole, &found);
		*container = found;
		return true;
	}

	return false;
}

const char *pm_container_runtime_name(enum pm_container_runtime runtime)
{
	switch (runtime) {
	case PM_RUNTIME_DOCKER:
		return "docker";
	case PM_RUNTIME_CONTAINERD:
		return "containerd";
	case PM_RUNTIME_CRIO:
		return "crio";
	case PM_RUNTIME_PODMAN:
		return "podman";
	case PM_RUNTIME_LXC:
		return "lxc";
	case PM_RUNTIME_UNKNOWN:
		break;
	}
	return "unknown";
}
