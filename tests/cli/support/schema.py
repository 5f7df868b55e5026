# SPDX-License-Identifier: MIT
# usage: schema.py SCHEMA=FILE...
#
# Validates files of JSON values, one after the other in a file, against docs/schema/SCHEMA.schema.json,
# and against what no schema can say: no key occurs twice, nothing is null, and no text has a
# control character except tab and newline. Prints what is wrong, and exits with 1.
#
# A schema is slow: of lists and files with many items it sees the first ones, every 20th of the others,
# and those that have other keys than all before.
import json
import os
import re
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("python3-jsonschema is not installed: sh docs/setup.sh test installs it")

FOLDER = os.path.join(os.environ["PROCMEM_SOURCE"], "docs", "schema")
SHOWN_MAX = 5
WHOLE_MAX = 500
STEP = 20
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def load(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def inline(part, name, files):
    """Replaces each $ref by what it refers to: a validator that follows them is much slower."""
    if isinstance(part, list):
        return [inline(item, name, files) for item in part]
    if not isinstance(part, dict):
        return part

    made = {key: inline(value, name, files) for key, value in part.items() if key not in ("$ref", "$defs")}
    if "$ref" not in part:
        return made

    file, pointer = part["$ref"].split("#")
    file = file or name
    target = files.setdefault(file, None) or load(file)
    files[file] = target
    for key in pointer.strip("/").split("/"):
        target = target[key]
    return {**inline(target, file, files), **made}


def validator(command):
    name = command + ".schema.json"
    schema = load(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(inline(schema, name, {name: schema}))


def without_duplicates(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError("the key '%s' occurs twice in an object" % key)
    return dict(pairs)


def values(text):
    decoder = json.JSONDecoder(object_pairs_hook=without_duplicates, strict=True)
    at = 0
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        yield value
        at = end
        while at < len(text) and text[at] in " \n":
            at += 1


def leaves(value, path):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, path + [key])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, path + [index])
    else:
        yield path, value


def thin(value):
    """A value without most items of long lists."""
    if isinstance(value, dict):
        return {key: thin(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thin(item) for item in few(value)]
    return value


def few(items):
    """The items that a schema sees."""
    seen = set()
    for number, item in enumerate(items):
        keys = frozenset(item) if isinstance(item, dict) else None
        if number < WHOLE_MAX or number % STEP == 0 or keys not in seen:
            yield item
        seen.add(keys)


def complaints(value, schema):
    for error in schema.iter_errors(thin(value)):
        parts = error.context or [error]
        # Of several alternatives, the one whose members fit best.
        best = min((part.schema_path[0] for part in parts),
                   key=lambda which: sum(part.schema_path[0] == which and not part.path for part in parts))
        for part in parts:
            if part is error or part.schema_path[0] == best:
                yield "%s: %s" % ("/".join(map(str, part.absolute_path)), part.message[:300])


def forbidden(value):
    for path, leaf in leaves(value, []):
        if leaf is None:
            yield "%s is null" % "/".join(map(str, path))
        if isinstance(leaf, str) and CONTROL.search(leaf):
            yield "%s has a control character: %r" % ("/".join(map(str, path)), leaf[:200])


def check(schema, file):
    with open(file, "rb") as opened:
        found = list(values(opened.read().decode("utf-8")))
    for value in few(found):
        for complaint in complaints(value, schema):
            yield "%s in %s" % (complaint, json.dumps(value)[:200])
    for value in found:
        yield from forbidden(value)


schemas = {}
failed = False
for word in sys.argv[1:]:
    command, file = word.split("=", 1)
    if command not in schemas:
        schemas[command] = validator(command)
    try:
        found = list(check(schemas[command], file))
    except ValueError as error:
        found = [str(error)]
    for complaint in found[:SHOWN_MAX]:
        print("%s: %s: %s" % (command, file, complaint))
    failed = failed or bool(found)
sys.exit(failed)
