# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads a page in chromium and looks at what its script made of it.

`check-browser.py PAGE.html FOLDER`; FOLDER is for chromium's own files."""

import html.parser
import re
import subprocess
import sys
from pathlib import Path


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.charts = set(), [], 0
        self.inside, self.headings, self.parts = [], [], {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a":
            self.links.append(attributes["href"])
        self.charts += tag == "svg"
        if tag in ["h2", "summary", "section"]:
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[-1]:
            self.inside.pop()

    def handle_data(self, data):
        if self.inside and self.inside[-1] == "h2":
            self.headings.append(data)
        elif self.inside and self.inside[-1] == "summary":
            self.parts.setdefault(self.headings[-1], []).append(data)


command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu"]
command += [f"--user-data-dir={sys.argv[2]}", "--enable-logging=stderr"]
command += ["--virtual-time-budget=5000", "--dump-dom"]
done = subprocess.run(
    [*command, Path(sys.argv[1]).resolve().as_uri()],
    capture_output=True,
    text=True,
    timeout=120,
)
errors = re.findall(r"CONSOLE.*", done.stderr)
page = Page()
page.feed(done.stdout)
kernels = [h for h in page.headings if h not in ["Overview", "Source"]]
print(f"{len(kernels)} kernels: {', '.join(kernels)}")
for kernel in kernels[:1]:
    parts = [p for p in page.parts.get(kernel, []) if p != "Parameters"]
    print(f"parts of {kernel}: {', '.join(parts)}")
print(page.charts, "charts")
for link in page.links:
    if not link.startswith("#") or link[1:] not in page.ids:
        errors.append(f"{link} leads nowhere")
print(f"{len(page.links)} links" + ("" if errors else ", all lead somewhere"))
print("\n".join(errors) or "no errors")
sys.exit(bool(errors))
