# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a report page as a browser would, without one, and says what is in it."""

import html.parser
import json
import re
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.title, self.data, self.inside = [], "", "", None
        self.scripts = 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ["src", "href", "action", "srcset"]:
            value = attributes.get(name, "#")
            assert value.startswith("#") or value == "data:,", (tag, value)
        self.inside = attributes.get("id") if tag == "script" else tag
        self.scripts += tag == "script"

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "title":
            self.title += data
        elif self.inside == "data":
            self.data += data


text = open(sys.argv[1]).read()
page = Page()
page.feed(text)
assert page.scripts == 2, page.scripts
assert len(text) < 2_000_000 / 10
print("title", page.title)
print("sections", *[i for i in page.ids if i in ["overview", "kernels", "source"]])
outside = text.replace(page.data, "")
assert not re.search(r"https?:|@import|url\(|fetch\(|XMLHttp|import\(", outside)
assert "default-src 'none'" in text
print("nothing from elsewhere")

data = json.loads(page.data)
profile = data.get("profile")
print(
    f"{data['source']} on {data['gpu']}, {data['sms']} SMs,",
    f"profile {profile['origin']}" if profile else "no profile",
    end="",
)
print(f", measured on {data['measured-on']}" if "measured-on" in data else "")
for sentence in data["missing"]:
    print("missing:", sentence)
for k in data["kernels"]:
    print(f"kernel {k['display']}: lines {k['first-line']} to {k['last-line']},", end=" ")
    if "ms" in k:
        print(f"{k['ms']:.3f} ms, bound by {k['bound-by']}, best {k.get('best')}")
    else:
        print("no time")
    sweeps = ["sweep-registers", "sweep-cached-warps", "sweep-approximate-warps"]
    charts = [c for c in ["x-graph", "roofline", "reuse", "sweep", *sweeps] if c in k]
    for chart in charts:
        svg = k[chart]
        assert svg.startswith('<svg class="chart" role="img" aria-label="'), svg[:80]
        assert not re.search(r"<script|href|style=", svg)
    print("  charts", *charts or ["none"])
    for sweep in sweeps:
        for tip in re.findall(r"<title>(.*?)</title>", k.get(sweep, "")):
            print(f"  {sweep}: {tip}")
    o = k["occupancy"]
    if "warps" in o:
        print(
            f"  {o['warps']} of {o['most-warps']} warps, {o['blocks']} blocks, "
            f"limited by {o['limited-by']}"
        )
    for a in k.get("accesses", []):
        assert a["hits"] + a["pending-hits"] + a["misses"] == a["sectors"]
        print(f"  {a['kind']} at line {a['line']} hits {a['hits']} of {a['sectors']}")
    for r in k["remarks"]:
        print(f"  {r['kind']} {r['pass']} at {r['file']}:{r['line']}: {r['message']}")
    decided = [a["what"] for a in k["alternatives"] if a["decided"]]
    if decided:
        print("  decided:", *decided)
    measured = [a for a in k["alternatives"] if "ms-measured" in a]
    if measured:
        print(
            "  measured:",
            ", ".join(f"{a['ms-measured']:.3f} ms {a['what']}" for a in measured),
        )
    before, after = k["ptx-before"].count("\n"), k["ptx-after"].count("\n")
    assert before and after
    print(f"  PTX {before} lines before, {after} after")
lines = data["text"].rstrip("\n").split("\n")
print(f"text of {len(lines)} lines")
print("line 10:", lines[9])
