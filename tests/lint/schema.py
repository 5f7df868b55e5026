#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each command with --json has a JSON Schema in docs/schema, which is strict, says the unit of each
number, and uses each name for one thing only. The man page names the schema and all its members, and
each test that uses --json checks the output. Run by ctest."""
import glob
import json
import os
import re
import subprocess
import sys

from jsonschema import Draft202012Validator

SOURCE = os.environ["PROCMEM_SOURCE"]
PROGRAM = os.environ["PROCMEM_BIN"]
COMMON = "common.schema.json"
# Schemas of files that a command writes beside its output, and the command.
BESIDE = {"dump-map": "dump"}
# Names of the text around a match, and of what is compared with each other; of a file, and of the
# references from a root to a chunk; of the threads themselves, and of their number; of chunks without
# a root, and of the number of events that were dropped; of counts of the kernel, and of their number;
# of the regions themselves, and of their number; of a file, and of the resident memory of files; of
# the owners of a runtime, and of processes that belong together.
TWO_MEANINGS = {"before", "after", "path", "threads", "lost", "events", "regions", "file", "family"}
UNITS = {
    "bytes", "bytes/s", "bytes or count", "bytes, count or percent", "count", "count/s", "exit status", "ID", "microseconds",
    "of the process", "ordinal", "percent", "points", "seconds", "signal",
}

failed = False


def complain(text):
    global failed
    print(text)
    failed = True


def help_of(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


def commands_with_json():
    listed = re.search(r"^Commands:\n(.*?)\n\n", help_of(), re.S | re.M).group(1)
    commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
    return [command for command in commands if re.search(r"^ .*--json\b", help_of(command), re.M)]


def load(path):
    def unique(members):
        names = [name for name, _ in members]
        for name in sorted({name for name in names if names.count(name) > 1}):
            complain(f"{path} defines {name} twice")
        return dict(members)

    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=unique)


def objects(part):
    """All objects of a schema that describe an object with properties."""
    if isinstance(part, dict):
        if "properties" in part:
            yield part
        for value in part.values():
            yield from objects(value)
    elif isinstance(part, list):
        for item in part:
            yield from objects(item)


def resolve(schemas, name, reference):
    file, pointer = reference.split("#")
    target = schemas[file or name]
    for key in pointer.strip("/").split("/"):
        target = target[key]
    return target


def check_scalar(where, part):
    if "description" not in part:
        complain("%s has no description" % where)
    if part.get("type") in ("integer", "number") and part.get("unit") not in UNITS:
        complain("%s is a number without a known unit" % where)
    if not {"type", "enum", "const"} & set(part):
        complain("%s has no type" % where)


def check_object(where, part):
    if part.get("additionalProperties") is not False:
        complain("%s allows other members: additionalProperties must be false" % where)
    if "required" not in part:
        complain("%s does not say which members are required" % where)
    for name in part.get("required", []):
        if name not in part["properties"]:
            complain("%s requires '%s', which it does not have" % (where, name))


def check_property(schemas, file, name, part):
    """A member is defined in the common schema under its own name, or is an object or a list."""
    where = "%s: '%s'" % (file, name)
    common = schemas[COMMON]["$defs"]
    reference = part.get("$ref", "")
    if not reference:
        if part.get("type") not in ("array", "object") and "const" not in part:
            complain("%s must be defined in %s, so that all commands share it" % (where, COMMON))
        if "description" not in part:
            complain("%s has no description" % where)
        is_scalar = "const" in part
    else:
        target = resolve(schemas, file, reference)
        is_scalar = "properties" not in target
        if is_scalar and not reference.endswith("/" + name):
            complain("%s refers to the definition of another name, %s" % (where, reference))
    if not is_scalar and name in common and name not in TWO_MEANINGS and "properties" not in common[name]:
        complain("%s is an object or a list here, and a value elsewhere" % where)


def check_schemas(schemas):
    used = set()
    for file, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        for key in ("$schema", "title", "description"):
            if key not in schema:
                complain("%s has no %s" % (file, key))
        for part in objects(schema):
            check_object("%s: '%s'" % (file, part.get("description", "?")), part)
            for name, member in part["properties"].items():
                check_property(schemas, file, name, member)
        used |= {reference.rsplit("/", 1)[1] for reference in re.findall(r'"\$ref": "([^"]*)"', json.dumps(schema))
                 if reference.startswith(COMMON) or file == COMMON}
    for name, part in schemas[COMMON]["$defs"].items():
        if "properties" not in part:
            check_scalar("%s: '%s'" % (COMMON, name), part)
        if name not in used:
            complain("%s: nothing uses '%s'" % (COMMON, name))


def members(schemas, file, part, seen):
    """The names of all members that a schema describes."""
    if isinstance(part, list):
        for item in part:
            yield from members(schemas, file, item, seen)
    elif isinstance(part, dict):
        yield from part.get("properties", {})
        for value in part.values():
            yield from members(schemas, file, value, seen)
        reference = part.get("$ref")
        if reference and reference.startswith(COMMON) and reference not in seen:
            seen.add(reference)
            yield from members(schemas, COMMON, resolve(schemas, file, reference), seen)


def check_man_page(schemas, name, command):
    file = name + ".schema.json"
    with open("%s/docs/man/procmem-%s.1.scd" % (SOURCE, command), encoding="utf-8") as page:
        text = page.read()
    if file.replace("_", "\\_") not in text:
        complain("the man page of %s does not name %s" % (command, file))
    words = set(re.findall(r"[*_]([a-z][a-z0-9_]*)[*_]", text))
    for member in sorted(set(members(schemas, file, schemas[file], set()))):
        if member not in words:
            complain("the man page of %s lacks the member '%s' of %s" % (command, member, file))


def check_kinds(schemas):
    """The kinds of the program are those of the schema."""
    refused = subprocess.run([PROGRAM, "map", "--kind", "0", str(os.getpid())], capture_output=True, text=True)
    kinds = set(refused.stderr.split(":")[-1].replace(",", " ").split())
    for kind in sorted(kinds ^ set(schemas[COMMON]["$defs"]["kind"]["enum"])):
        complain("the kind '%s' is not both in the program and in %s" % (kind, COMMON))


def check_tests():
    for path in glob.glob(SOURCE + "/tests/cli/**/*.bats", recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if re.search(r"procmem [^'\n]*--json|PROCMEM_BIN\S* [^'\n]*--json", text) and "json_check" not in text:
            complain("%s does not call json_check in teardown" % os.path.relpath(path, SOURCE))


def main():
    schemas = {os.path.basename(path): load(path) for path in glob.glob(SOURCE + "/docs/schema/*.json")}
    names = {name.replace(".schema.json", "") for name in schemas} - {"common"}
    commands = commands_with_json()

    if not commands:
        complain("no command has --json")
    for command in commands:
        if command not in names:
            complain("%s has --json, but docs/schema/%s.schema.json is missing" % (command, command))
    for name in sorted(names):
        if BESIDE.get(name, name) not in commands:
            complain("docs/schema/%s.schema.json belongs to no command" % name)
        else:
            check_man_page(schemas, name, BESIDE.get(name, name))

    check_schemas(schemas)
    check_kinds(schemas)
    check_tests()
    return failed


sys.exit(main())
