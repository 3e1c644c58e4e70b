# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what is in the first gpu.object of MLIR text, PTX or bitcode.

`mlir-opt ... gpu-module-to-binary{format=isa} | gpu-object.py`
"""

import re
import sys


def unescaped(text):
    """MLIR's strings: backslashes before two hexadecimal digits, \\ and "."""

    def byte(found):
        code = found[1]
        return bytes([int(code, 16)]) if len(code) == 2 else code

    return re.sub(rb'\\([0-9A-Fa-f]{2}|[\\"])', byte, text)


found = re.search(
    rb'#gpu\.object<.*?(?:assembly = |offload = |bin = |, )"((?:[^"\\]|\\.)*)">',
    sys.stdin.buffer.read(),
    re.S,
)
if not found:
    sys.exit("no gpu.object here")
sys.stdout.buffer.write(unescaped(found[1]))
