#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of docs/CONTRIBUTING.md that can be counted. usage: style.py [--stats] [FOLDER]...

Paragraphs: a function of more than 15 lines has an empty line, and at most 20 consecutive lines
without one. At most one ?: in a statement. Comments and messages use plain words.
The exit status is 1 if a rule is violated.
"""
import glob
import os
import re
import sys

PARAGRAPH_FROM = 15
PARAGRAPH_MAX = 20

# Words that have a plainer one: docs/CONTRIBUTING.md lists them.
WORDS = {
    r"anew": "again",
    r"so many": "that many, N",
    r"at the most": "at most",
    r"at the least": "at least",
    r"for ever": "forever",
    r"whoever": "the caller, another process",
    r"somebody": "another process, the caller",
    r"nobody": "no one, no process",
    r"stranger's|strangers'": "untrusted",
    r"in the place of": "instead of",
    r"reckon(s|ed)?": "estimate",
    r"meanwhile": "concurrently",
    r"by themselves|by itself": "alone, by default",
    r"is told|are told|be told|was told": "is reported",
    r"(?<!there )(?<!There )is no (?!t\b|longer\b|more\b|need\b|such\b|room\b|other\b|way\b|use\b)[a-z]+": "is not a ...",
    r"goes on|go on": "continues",
    r"stands (in|at|for|there|before|behind)": "is in, appears",
    r"a look(?!-)": "a sample, a pass",
    r"handed on|hands on": "passed",
    r"the begin\b|its begin\b": "the start",
    r"how many": "the number of",
    r"that of which": "rewrite",
    r"of itself": "rewrite",
}
WORD = re.compile(r"\b(" + "|".join(WORDS) + r")\b", re.I)


def functions(lines):
    """Yields (line number of the brace, body lines) of each function."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin is not None:
            yield begin, lines[begin : number - 1]
            begin = None


def without_comments(text):
    """Replaces comments and string constants by spaces, and keeps the lines."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", blank, text, flags=re.S)


def prose(text):
    """Yields (line number, text) of comments and string constants."""
    for match in re.finditer(r"/\*(.*?)\*/|\"((?:\\.|[^\"\\\n])*)\"", text, flags=re.S):
        yield text.count("\n", 0, match.start()) + 1, match[1] or match[2] or ""


def check(path, stats):
    problems = []
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    stats["lines"] += len(lines)
    if path.endswith(".c") and not path.startswith("tests/"):
        for begin, body in functions(lines):
            stats["body"] += len(body)
            empty = sum(1 for line in body if not line.strip())
            stats["empty"] += empty
            # A switch is a table.
            if body and body[0].startswith("\tswitch ("):
                continue
            if len(body) > PARAGRAPH_FROM and empty == 0:
                problems.append((begin, f"a function of {len(body)} lines without a paragraph"))
            run = 0
            for offset, line in enumerate(body):
                run = run + 1 if line.strip() else 0
                if run == PARAGRAPH_MAX + 1 and len(body) > PARAGRAPH_FROM and empty > 0:
                    problems.append((begin + offset + 1, f"more than {PARAGRAPH_MAX} lines in one paragraph"))
    code = without_comments(text)
    position = 0
    for statement in re.split(r"[;{}]", code):
        count = len(re.findall(r"\?", statement))
        stats["ternaries"] += count
        if count > 1 and not path.startswith("tests/"):
            line = code.count("\n", 0, position + len(statement) - len(statement.lstrip())) + 1
            problems.append((line, f"{count} ?: in one statement"))
        position += len(statement) + 1
    for line, sentence in prose(text):
        sentence = re.sub(r"\n[ \t]*\*?[ \t]*", " ", sentence)
        for match in WORD.finditer(sentence):
            better = next(value for key, value in WORDS.items() if re.fullmatch(key, match[0], re.I))
            problems.append((line, f"'{match[0]}': better {better}"))
    return problems


def main(arguments):
    os.chdir(os.environ.get("PROCMEM_SOURCE", "."))
    show = "--stats" in arguments
    folders = [word for word in arguments if not word.startswith("-")] or ["lib", "cmd", "docs", "tests/unit"]
    stats = {"lines": 0, "body": 0, "empty": 0, "ternaries": 0}
    failed = False
    for folder in folders:
        for path in sorted(glob.glob(f"{folder}/**/*.[ch]", recursive=True)):
            for line, problem in check(path, stats):
                print(f"{path}:{line}: {problem}")
                failed = True
    share = 100 * stats["empty"] / max(stats["body"], 1)
    ternaries = 1000 * stats["ternaries"] / max(stats["lines"], 1)
    if show:
        print(f"empty lines in functions: {share:.1f} %; ?: per 1000 lines: {ternaries:.1f}")
    if len(folders) > 1 and not 8 <= share <= 15:
        print(f"{share:.1f} % of the lines in functions are empty (8 to 15 %)")
        failed = True
    if len(folders) > 1 and ternaries >= 8:
        print(f"{ternaries:.1f} ?: in 1000 lines (less than 8)")
        failed = True
    return failed


sys.exit(main(sys.argv[1:]))
