# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on a terminal and prints what came, control characters by name."""

import os
import pty
import subprocess
import sys

ours, terminal = pty.openpty()
running = subprocess.Popen(sys.argv[1:], stdout=terminal, stderr=terminal)
os.close(terminal)
data = b""
while True:
    try:
        part = os.read(ours, 4096)
    except OSError:  # how Linux says that nobody has the terminal any more
        break
    if not part:
        break
    data += part
text = data.decode(errors="replace").replace("\r\n", "\n")
print(text.replace("\r", "<CR>").replace("\x1b", "<ESC>"))
sys.exit(running.wait())
