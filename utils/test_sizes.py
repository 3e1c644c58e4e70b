# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does sizes.py find what is planted, and nothing else?"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import sizes

WHY = "// Long because it has a case for each of them.\n"


def function(lines, head="void f() {", body="  step();\n"):
    """A function of so many lines."""
    return f"{head}\n" + body * (lines - 2) + "}\n"


class SizesTest(unittest.TestCase):
    def offences(self, text, name="lib/Plan/Plan.cpp"):
        return list(sizes.offences_of(name, text))

    def finds(self, text, *words, name="lib/Plan/Plan.cpp"):
        found = self.offences(text, name)
        self.assertEqual(len(found), 1, found)
        for word in [name, *words]:
            self.assertIn(word, found[0])

    def test_what_is_not_long(self):
        self.assertEqual(self.offences(function(80)), [])
        self.assertEqual(self.offences("int x;\n" * 500), [])
        self.assertEqual(self.offences(function(50) + function(50)), [])

    def test_a_long_function(self):
        self.finds("int x;\n\n" + function(81), ":3: a function of 81 lines")

    def test_a_long_file(self):
        self.finds("int x;\n" * 501, "a file of 501 lines")

    def test_where_a_function_may_stand(self):
        for before, head in [
            ("namespace a {\nnamespace {\n", "static int f(int x) {"),
            ("class A : B {\npublic:\n", "A() : X{1}, Y{2} {"),
            ("class A {\n  class B {};\nprivate:\n  struct C {\n", "bool f() const {"),
            ('extern "C" {\n', "int f(void) {"),
            ("", 'extern "C" int f() {'),
            ("", "template <class T> static std::vector<T> f(T x = {}) {"),
            ("", "bool operator==(const A &X, const A &Y) {"),
            ("IS_VECTOR(A)\n\nnamespace llvm {\n", "template <> struct B {\nvoid f() {"),
            ("static int table[] = {1, 2};\n", "void f() {"),
        ]:
            text = before + function(81, head)
            depth = (before + head).count("{") - (before + head).count("}") - 1
            self.finds(text + "};\n" * depth, "a function of 8")

    def test_scopes_and_data_are_no_functions(self):
        for head in ["namespace {", "struct A {", "enum A {", "const int f[] = {"]:
            self.assertEqual(self.offences(function(90, head, "\n") + ";\n"), [])

    def test_blocks_and_lambdas_are_of_their_function(self):
        body = "  auto g = [&](int x) { if (x) { y(); } };\n"
        self.finds(function(81, body=body), "a function of 81 lines")

    def test_braces_that_are_no_code(self):
        for line in [
            '  say("{ \\" {");\n',
            "  say('{', '\\'', '}', '}');\n",
            "  // don't {\n",
            "  /* } */\n",
            '  say(R"x({ ")" )x");\n',
            "#define OPEN {\n",
            "  x = 1'000'000;\n",
        ]:
            self.assertEqual(self.offences(function(40, body=line) * 2), [], line)
            self.finds(function(81, body=line), "a function of 81 lines")

    def test_a_reason(self):
        self.assertEqual(self.offences(WHY + function(81)), [])
        self.assertEqual(
            self.offences("/// Does it.\n/// Long because a case\n/// is short.\n" + function(81)),
            [],
        )
        opening = "// License\n//\n// Does it.\n" + WHY
        self.assertEqual(self.offences(opening + "int x;\n" * 500), [])

    def test_a_reason_that_says_nothing(self):
        self.finds("// Long because of it.\n" + function(81), "Long because")

    def test_a_reason_elsewhere(self):
        found = self.offences(WHY + "\nint x;\n" + function(81))
        self.assertEqual(len(found), 2, found)
        # A function's reason is not its file's.
        found = self.offences("#include <x>\nint x;\n" + WHY + function(81) + "int x;\n" * 500)
        self.assertEqual(len(found), 1, found)

    def test_a_reason_that_outlived_its_function(self):
        self.finds(WHY + function(80), ":1: a reason, and nothing that is long")

    def test_python(self):
        long = "def f(\n    x,\n):\n" + "    step()\n\n" * 39
        self.assertEqual(self.offences(long, "tools/f.py"), [])
        self.finds("x = 1\n\n\n" + long + "    step()\n", ":4: a function", name="tools/f.py")

    def test_braces_that_do_not_pair(self):
        self.finds("#if A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\n", "pair")

    def test_the_exit_status(self):
        for text, status in [(function(80), 0), (function(81), 1)]:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "tools/sluice/Main.cpp")
                file.parent.mkdir(parents=True)
                file.write_text(text)
                run = subprocess.run(
                    [sys.executable, sizes.__file__, folder], capture_output=True
                )
                self.assertEqual(run.returncode, status, run.stdout)

    def test_an_empty_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(sizes.offences(folder)), 1)


if __name__ == "__main__":
    unittest.main()
