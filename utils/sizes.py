#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what is long say why?

`sizes.py [FOLDER]` reads the sources under include, lib and tools, and prints
one line for each function above 80 lines and each file above 500 that has no
sentence beside it which begins with "Long because". It stands in the comment
above the function, or in the file's opening comment. One that stands elsewhere
is an offence too, so that a reason does not outlive what it is for.

C++ is read by its braces, as clang-format leaves them, without a parser.
"""

import re
import sys
from pathlib import Path

MOST_LINES = {"function": 80, "file": 500}
SUFFIXES = [".h", ".cpp", ".inc", ".py"]
# With four more words, which may stand in the next line.
REASON = r"Long because(\s+\S+){4}"

# What is no code: a comment, a string, a character; a directive's line goes with
# those that it continues in.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<end>[^(]*)\(.*?\)(?P=end)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![\da-fA-F])\'(?:\\.|[^\'\\\n])*\''
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M,
)
# Braces in which functions stand; but `extern "C" void f() {` is one itself.
SCOPE = r"(?:template\s*<.*>\s*)?(?:inline\s+)?(namespace|class|struct|union|extern)\b"
# What stands before a declaration and is none of it. Calls of macros as
# LLVM_YAML_IS_SEQUENCE_VECTOR(X) have no semicolon.
BEFORE = r"\s*(?:(?:(?:public|private|protected):|[A-Z][A-Z0-9_]*\([^()]*\)\s*\n)\s*)*"


def code_of(text):
    """The text with spaces for all that is no code, in the same lines."""
    return NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def is_scope(head):
    found = re.match(SCOPE, head, re.S)
    return bool(found) and ("(" not in head or found[1] in ["class", "struct"])


class Braces:
    """Finds the functions of C++ code that has no comments and strings."""

    def __init__(self, code):
        self.code = code
        self.functions = []  # (first line, last line)
        self.body = 0  # how many are open in one, or in an initialiser
        self.start = 0  # of the declaration that is being read
        self.balance = 0
        for brace in re.finditer(r"[{};]", code):
            self.balance += {"{": 1, "}": -1, ";": 0}[brace[0]]
            self.read(brace[0], brace.start())

    def read(self, brace, at):
        if self.body:
            self.body += {"{": 1, "}": -1, ";": 0}[brace]
            if self.body == 0:
                self.close(at)
            return
        self.start += re.match(BEFORE, self.code[self.start : at]).end()
        if brace == "{" and is_scope(self.code[self.start : at]):
            self.start = at + 1
        elif brace == "{":
            self.body = 1
        else:
            self.start = at + 1

    def close(self, at):
        """Behind an initialiser its declaration goes on."""
        rest = self.code[at + 1 :].lstrip()
        if rest[:1] in ["{", ",", ";", ")"]:
            return
        if "(" in self.code[self.start : at].split("{")[0]:
            lines = [self.code.count("\n", 0, end) + 1 for end in [self.start, at]]
            self.functions.append(tuple(lines))
        self.start = at + 1


def python_functions(text):
    lines = text.split("\n")
    for first, line in enumerate(lines, 1):
        found = re.match(r"( *)def ", line)
        if not found:
            continue
        last = first
        for number, after in enumerate(lines[first:], first + 1):
            if after.strip() and not after.startswith((found[1] + " ", found[1] + ")")):
                break
            last = number if after.strip() else last
        yield first, last


def comment_above(lines, first):
    """The comment lines that end right above line `first`, with their numbers."""
    number = first - 1
    while number > 0 and re.match(r"\s*(//|#)", lines[number - 1]):
        number -= 1
    return range(number + 1, first)


def opening(lines):
    """The file's opening comment, and what may stand before it."""
    number = 1
    while number <= len(lines) and re.match(r"\s*(//|#|$)", lines[number - 1]):
        number += 1
    return range(1, number)


def long_parts(name, text):
    """Each as (what it is, where its reason is to be)."""
    lines = text.split("\n")
    functions = (
        python_functions(text) if name.endswith(".py") else Braces(code_of(text)).functions
    )
    for first, last in functions:
        if last - first + 1 > MOST_LINES["function"]:
            what = f"{name}:{first}: a function of {last - first + 1} lines"
            yield what, comment_above(lines, first)
    count = len(text.splitlines())
    if count > MOST_LINES["file"]:
        yield f"{name}: a file of {count} lines", opening(lines)


def offences_of(name, text):
    if not name.endswith(".py") and Braces(code_of(text)).balance != 0:
        yield f"{name}: utils/sizes.py cannot pair its braces"
    lines = text.split("\n")
    read = set()
    for what, where in long_parts(name, text):
        read |= set(where)
        words = " ".join(re.sub(r"^\s*(//+|#)", "", lines[n - 1]) for n in where)
        if not re.search(REASON, words):
            yield f"{what}, and no sentence 'Long because ...' beside it"
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*(//+|#).*\bLong because", line) and number not in read:
            yield f"{name}:{number}: a reason, and nothing that is long"


def offences(root):
    root = Path(root).resolve()
    sources = [
        path
        for top in ["include", "lib", "tools"]
        for path in sorted((root / top).rglob("*"))
        if path.suffix in SUFFIXES
    ]
    if not sources:
        return [f"{root}: no sources here"]
    return [
        line
        for path in sources
        for line in offences_of(path.relative_to(root).as_posix(), path.read_text())
    ]


def main():
    default = Path(__file__).resolve().parent.parent
    found = offences(sys.argv[1] if len(sys.argv) > 1 else default)
    print("\n".join(found) or "what is long says why")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
