/* SPDX-License-Identifier: MIT */
#include "target/similar_name.h"

#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/text_template.h>

#include "base/alloc.h"

/**
 * Writes the key of a file name: names that differ only in numbers have the same key.
 * @param key  receives the key, terminated; replaced
 * @return     false if the name is not that of a file, or has no number: there is no key
 */
static bool write_key(const char *name, struct text *key)
{
	size_t length = strlen(name);

	text_clear(key);
	if (name[0] != '/' || !strpbrk(name, "0123456789"))
		return false;

	key->length = pm_text_template_write(name, length, text_room(key, length + 1));
	text_terminate(key);
	return true;
}

/** An element of a tree. */
struct element {
	void *object; /* of the caller */
	char *key;    /* owned */
	uint64_t set;
};

static int compare_elements(const void *one, const void *other)
{
	const struct element *a = one, *b = other;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;

	return strcmp(a->key, b->key);
}

static void free_element(void *element)
{
	free(((struct element *)element)->key);
	free(element);
}

/** Adds an element without an object to a tree. */
static struct element *add_element(void **tree, const char *key, uint64_t set)
{
	struct element *element = alloc_array(NULL, 1, sizeof *element);

	*element = (struct element){ .key = alloc_string(key), .set = set };
	if (!tsearch(element, tree, compare_elements))
		alloc_failed();

	return element;
}

void **similar_name_find(void **tree, const char *name, uint64_t set)
{
	struct text key = { 0 };
	struct element *element = NULL;

	if (write_key(name, &key)) {
		const struct element wanted = { .key = key.bytes, .set = set };
		struct element **found = tfind(&wanted, tree, compare_elements);

		element = found ? *found : add_element(tree, key.bytes, set);
	}

	text_deinit(&key);
	return element ? &element->object : NULL;
}

void similar_name_free_tree(void *tree)
{
	tdestroy(tree, free_element);
}

static bool is_word(char byte)
{
	return isalnum((unsigned char)byte);
}

/**
 * Returns the number of bytes with which two names start, without a word of which only a part is
 * the same: that part may belong to a number.
 * @param max  maximum number of bytes
 */
static size_t common_prefix(const char *one, const char *other, size_t max)
{
	size_t length = 0;

	while (length < max && one[length] != '\0' && one[length] == other[length])
		length++;
	while (length > 0 && is_word(one[length - 1]) &&
	       (is_word(one[length]) || is_word(other[length])))
		length--;

	return length;
}

/** Returns the number of bytes with which two names end, as common_prefix() does. */
static size_t common_suffix(const char *one, const char *other, size_t max)
{
	size_t a = strlen(one), b = strlen(other), length = 0;

	while (length < max && length < a && length < b &&
	       one[a - length - 1] == other[b - length - 1])
		length++;

	while (length > 0 && is_word(one[a - length]) &&
	       ((length < a && is_word(one[a - length - 1])) ||
	        (length < b && is_word(other[b - length - 1]))))
		length--;

	return length;
}

/** Checks whether two names have the same key. */
static bool same_key(const char *one, const char *other)
{
	struct text a = { 0 }, b = { 0 };
	bool same = write_key(one, &a) && write_key(other, &b) && strcmp(a.bytes, b.bytes) == 0;

	text_deinit(&a);
	text_deinit(&b);
	return same;
}

void similar_name_add(struct similar_name *names, const char *name)
{
	if (!names->first) {
		names->first = alloc_string(name);
		names->prefix = names->suffix = strlen(name);
		return;
	}
	if (strcmp(names->first, name) == 0)
		return;

	names->varied = true;
	names->prefix = common_prefix(names->first, name, names->prefix);
	names->suffix = common_suffix(names->first, name, names->suffix);
	if (!names->unrelated)
		names->unrelated = !same_key(names->first, name);

	/* In seg1.idx and seg11.idx, the same digit may be in the common start and end. */
	size_t length = strlen(names->first);
	if (names->prefix + names->suffix > length)
		names->suffix = length - names->prefix;
}

void similar_name_pattern(const struct similar_name *names, struct text *text)
{
	size_t length = strlen(names->first), middle = length - names->prefix - names->suffix;

	if (!names->varied) {
		text_string(text, names->first);
		return;
	}

	text_bytes(text, names->first, names->prefix);
	if (names->unrelated)
		text_string(text, "\xe2\x80\xa6");
	else
		text->length += pm_text_template_write(names->first + names->prefix, middle,
		                                       text_room(text, middle + 1));
	text_bytes(text, names->first + length - names->suffix, names->suffix);
}

void similar_name_count(size_t files, struct text *text)
{
	text_string(text, " (");
	text_grouped(text, files);
	text_string(text, files == 1 ? " file)" : " files)");
}

void similar_name_deinit(struct similar_name *names)
{
	free(names->first);
	*names = (struct similar_name){ 0 };
}
