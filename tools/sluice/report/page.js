// The page of one file's kernels.

//===- Source -------------------------------------------------------------===//

const keywords = new Set(("alignas alignof asm auto bool break case catch char class const constexpr continue " +
  "default delete do double else enum explicit extern false float for friend goto if inline int long namespace " +
  "new noexcept nullptr operator private protected public register return short signed sizeof static " +
  "static_assert static_cast struct switch template this throw true try typedef typename union unsigned using " +
  "virtual void volatile while size_t").split(" "));
const cuda = /^(__(global|device|host|shared|constant|restrict|launch_bounds|ldg|syncthreads|syncwarp|managed)__|__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|dim3|cuda[A-Z]\w*|atomic[A-Z]\w*|(float|int|uint|double|char|uchar|short)[1-4])$/;
const token = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(\d[\w.]*)|([A-Za-z_]\w*)|(^\s*#\s*\w+)/g;

/// A line in colours. `state.comment`: it begins within a comment.
function colour(text, state) {
  const out = [];
  let at = 0;
  if (state.comment) {
    const end = text.indexOf("*/");
    at = end < 0 ? text.length : end + 2;
    out.push(make("span", { class: "c" }, text.slice(0, at)));
    state.comment = end < 0;
  }
  token.lastIndex = at;
  for (let found; (found = token.exec(text));) {
    const [all, comment, string, number, word, directive] = found;
    const kind = comment ? "c" : string ? "s" : number ? "n" : directive ? "u" :
      keywords.has(word) ? "k" : cuda.test(word) ? "u" : "";
    out.push(text.slice(at, found.index), kind ? make("span", { class: kind }, all) : all);
    at = found.index + all.length;
    if (comment && comment.startsWith("/*") && !comment.endsWith("*/"))
      state.comment = true;
  }
  out.push(text.slice(at));
  return out;
}

const sourceLines = data.text.replace(/\n$/, "").split("\n");
const colours = (() => {
  const state = { comment: false };
  return sourceLines.map((line) => colour(line, state));
})();

/// By line: sums over the accesses of kernels.
function lineSums(kernels) {
  const sums = new Map();
  for (const kernel of kernels)
    for (const a of kernel.accesses || []) {
      if (a.file !== data.source || !a.line)
        continue;
      const sum = sums.get(a.line) || { requests: 0, sectors: 0, hits: 0, misses: 0, share: 0 };
      sum.requests += a.requests;
      sum.sectors += a.sectors;
      sum.hits += a.hits + a["pending-hits"];
      sum.misses += a.misses;
      sum.share += a["share-of-misses"] / kernels.length;
      sums.set(a.line, sum);
    }
  return sums;
}

/// Lines first to last, with the numbers of `kernels` in the margin. `prefix`
/// goes before the lines' names.
function listing(first, last, kernels, prefix) {
  const sums = lineSums(kernels);
  const hasNumbers = sums.size > 0;
  const remarksAt = new Map();
  kernels.forEach((kernel) => kernel.remarks.forEach((remark, i) => {
    if (remark.file === data.source && remark.line)
      remarksAt.set(remark.line, [...(remarksAt.get(remark.line) || []), [kernel, i, remark]]);
  }));
  const rows = [];
  for (let line = first; line <= Math.min(last, sourceLines.length); ++line) {
    const sum = sums.get(line);
    const marks = (remarksAt.get(line) || []).map(([kernel, i, remark]) => make("a", {
      href: "#" + kernel.id + "-remark-" + i, title: remark.message,
      "aria-label": "remark on line " + line + ": " + remark.message,
    }, remark.kind === "passed" ? "\u2713" : remark.kind === "missed" ? "\u2717" : "\u2139"));
    const heat = sum && sum.share > 0.01 ? "background: rgba(var(--heat), " + (0.06 + 0.3 * sum.share).toFixed(2) + ")" : null;
    const margin = hasNumbers ? [
      sum ? percent(sum.hits, sum.sectors) : "", sum ? (sum.sectors / sum.requests).toFixed(1) : "",
      sum ? count(sum.misses) : ""].map((text) => make("td", { class: "margin", style: heat }, text)) : [];
    rows.push(make("tr", { id: prefix + line }, margin, make("td", { class: "mark" }, marks),
      make("td", { class: "margin" }, String(line)), make("td", { style: heat }, colours[line - 1].map(
        (piece) => typeof piece === "string" ? piece : piece.cloneNode(true)))));
  }
  const head = [...(hasNumbers ? ["hit %", "sectors/request", "missed"] : []), "", "line", data.source];
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "source, lines " + first + " to " + last },
    make("table", { class: "listing" },
      make("thead", {}, make("tr", {}, head.map((h) => make("th", { scope: "col" }, h)))),
      make("tbody", {}, rows)));
}

function ptxDifference(kernel) {
  if (kernel["ptx-before"] === kernel["ptx-after"])
    return make("p", {}, "The code is the same.");
  return textDifference(kernel["ptx-before"], kernel["ptx-after"], "difference of the PTX");
}

//===- A kernel -----------------------------------------------------------===//

function xModelPart(kernel) {
  const x = kernel["x-model"], p = x.parameters;
  const move = (m) => ({ cells: [m.what, times(m["speed-up"]), m.ms === undefined ? "-" : ms(m.ms), m.technique || "-"] });
  const head = ["change", "#speed-up", "#all launches", "Sluice has"];
  return [
    make("div", { class: "charts" }, chart(kernel["x-graph"], "", kernel["x-graph-words"])),
    make("p", {}, "Bound by ", make("strong", {}, x.bound), ": " + x["bound-means"] + "."),
    x.intersections.length > 1 ? make("p", {}, "The curves meet " + x.intersections.length +
      " times. The machine stays at one of the stable points; the black one that is marked \u201cnow\u201d is where it comes first.") : null,
    x.decided.length ? table("What Sluice decides, each alone, by the X-model", head, x.decided.map(move)) : null,
    table("What would change it, by the X-model", head, x.possible.map(move)),
    part("Parameters", () => facts([
      ["n, warps on an SM", p.n], ["Z, instructions/B", p.Z.toPrecision(3)], ["E, side by side", p.E.toPrecision(3)],
      ["M, instructions/cycle", p.M.toPrecision(3)], ["R, B/cycle", p.R.toPrecision(3)], ["L, cycles", p.L.toFixed(0)],
      ["L1, KiB", (p["cache-bytes"] / 1024).toFixed(0)], ["L1, cycles", p["cache-cycles"].toFixed(0)],
      ["alpha", p.alpha.toPrecision(4)], ["beta, B", count(Math.round(p.beta))],
      ["hits, %", percent(x["hit-rate"], 1)], ["request, B", p["request-bytes"].toFixed(0)]])),
  ];
}

function accessTable(kernel) {
  const rows = [...kernel.accesses].sort((a, b) => b.misses - a.misses).map((a) => ({
    cells: [a.line && a.file === data.source ? make("a", { href: "#" + kernel.id + "-line-" + a.line }, a.at) : a.at,
      a.kind, String(a.bytes), count(a.requests), (a.lines / a.requests).toFixed(1), (a.sectors / a.requests).toFixed(1),
      percent(a.hits, a.sectors), percent(a["pending-hits"], a.sectors), count(a.misses), percent(a["useful-bytes"], 32 * a.sectors)],
  }));
  return table("Accesses, those that miss most first. Of one SM's simulated blocks.", ["access", "kind", "#B", "#requests",
    "#lines each", "#sectors each", "#hit %", "#on their way %", "#missed sectors", "#bytes used %"], rows);
}

function remarkList(kernel) {
  const items = kernel.remarks.map((r, i) => make("li", { id: kernel.id + "-remark-" + i, class: r.kind },
    make("span", { class: "kind" }, (r.kind === "passed" ? "\u2713 done" : r.kind === "missed" ? "\u2717 not done" : "\u2139 note") + ", " + r.pass),
    r.line ? [" at ", r.file === data.source
      ? make("a", { href: "#" + kernel.id + "-line-" + r.line }, r.file + ":" + r.line)
      : r.file + ":" + r.line] : null, ": " + r.message));
  const whys = kernel.decisions.map((d) => ({ cells: [d.of,
    d.line ? make("a", { href: "#" + kernel.id + "-line-" + d.line }, d.at) : d.at || "the kernel", d.why] }));
  return [items.length ? make("ul", { class: "remarks" }, items) : make("p", {}, "Sluice has no remark on this kernel."),
    whys.length ? table("The plan's reasons", ["decision", "at", "why"], whys) : null];
}

function alternativesPart(kernel) {
  const base = kernel.alternatives[0];
  const against = (a) => {
    for (const key of ["ms-measured", "ms-simulated", "ms-x-model"])
      if (a[key] !== undefined && base[key] !== undefined)
        return times(base[key] / a[key]);
    return "-";
  };
  return [make("div", { class: "charts" }, ["sweep", "sweep-registers", "sweep-cached-warps", "sweep-approximate-warps"].map(
    (key) => chart(kernel[key], "", "Red points were measured."))),
    table("Times of one launch; speed-up by what was measured, else simulated, else the X-model's",
      ["alternative", "#simulator", "#X-model", "#measured", "#speed-up"],
      kernel.alternatives.map((a) => ({ decided: a.decided, cells: [a.what, ms(a["ms-simulated"]), ms(a["ms-x-model"]),
        ms(a["ms-measured"]), against(a)] })))];
}

function occupancyFacts(kernel) {
  const o = kernel.occupancy || {};
  return facts([
    ["warps on an SM", o.warps === undefined ? undefined : o.warps + " of " + o["most-warps"]],
    ["blocks on an SM", o.blocks], ["limited by", o["limited-by"]],
    ["registers of a thread", o.registers || undefined],
    ["shared memory of a block", o["static-shared-bytes"] ? o["static-shared-bytes"] + " B" : undefined],
    ["L1", o["l1-bytes"] ? (o["l1-bytes"] / 1024).toFixed(0) + " KiB" : undefined],
    ["bound by (simulator)", kernel["bound-by"]],
    ["bound by (X-model)", kernel["x-model"] && kernel["x-model"].bound],
    ["time of all launches", kernel.ms === undefined ? undefined : ms(kernel.ms)], ["launches", kernel.launches]]);
}

function kernelSection(kernel) {
  const hasLines = kernel["first-line"] > 0;
  return make("section", { id: kernel.id, "aria-labelledby": kernel.id + "-title" },
    make("h2", { id: kernel.id + "-title" }, kernel.display),
    make("p", { class: "code soft signature" }, kernel.signature),
    occupancyFacts(kernel),
    kernel["x-model"] ? part("X-graph", () => xModelPart(kernel), true) : null,
    part("Decisions", () => remarkList(kernel), true),
    hasLines ? part("Source with hits and misses", () => [
      listing(kernel["first-line"], kernel["last-line"], [kernel], kernel.id + "-line-"),
      kernel.accesses && kernel.accesses.length ? accessTable(kernel) : null], true, true) : null,
    kernel.roofline || kernel.reuse ? part("Roofline and reuse", () => make("div", { class: "charts" },
      chart(kernel.roofline, "", "Each point is this kernel at one level: what it could give at most is straight above it."),
      chart(kernel.reuse, "", "Touches left of the line find their line still in an L1 that is used well.")), true) : null,
    kernel.alternatives && kernel.alternatives.length > 1 ? part("Alternatives", () => alternativesPart(kernel), true) : null,
    part("PTX, before and after", () => ptxDifference(kernel), false, true));
}

//===- The page -----------------------------------------------------------===//

function head() {
  const from = data.profile ? "with a profile (" + data.profile.origin + (data.profile.runs > 1 ? ", " + data.profile.runs + " runs" : "") + ")"
    : "without a profile";
  document.getElementById("head").append(
    make("h1", {}, data.source),
    make("p", { class: "soft" }, "Sluice report: " + data.kernels.length + (data.kernels.length === 1 ? " kernel" : " kernels") +
      " on " + data.gpu + ", " + data.sms + " SMs, " + from + (data["measured-on"] ? "; measured on " + data["measured-on"] : "")));
}

function overview() {
  const total = data.kernels.reduce((sum, k) => sum + (k.ms || 0), 0);
  const sorted = [...data.kernels].sort((a, b) => (b.ms || 0) - (a.ms || 0));
  const rows = sorted.map((k) => ({ cells: [
    make("a", { href: "#" + k.id }, k.display),
    k.ms === undefined ? "-" : ms(k.ms),
    k.ms === undefined ? "" : make("span", { class: "share", title: percent(k.ms, total) + " %" },
      make("span", { style: "width: " + percent(k.ms, total) + "%" })),
    (k["x-model"] && k["x-model"].bound) || k["bound-by"] || "-",
    k["ms-to-win"] ? make("span", { class: "gain" }, ms(k["ms-to-win"])) : "-",
    k.best && k.best !== "as it is" ? k.best + (k["best-is-decided"] ? " (decided)" : "") : "-",
    k.remarks.filter((r) => r.kind === "passed").map((r) => r.pass).filter((p, i, all) => all.indexOf(p) === i).join(", ") || "nothing",
  ] }));
  const section = document.getElementById("overview");
  section.append(table("Kernels by time. What is to be won is by the best alternative that was simulated or measured.",
    ["kernel", "#time", "share", "bound by", "#to be won", "by", "Sluice does"], rows));
  for (const sentence of data.missing)
    section.append(make("p", { class: "note small" }, sentence));
}

function wholeSource() {
  const section = document.getElementById("source");
  section.append(part(data.source + ", " + sourceLines.length + " lines",
    () => listing(1, sourceLines.length, data.kernels, "line-"), false, true));
  if (data.remarks.length)
    section.append(make("ul", { class: "remarks" }, data.remarks.map((r) =>
      make("li", { class: r.kind }, r.message))));
}

data.kernels.forEach((kernel, i) => { kernel.id = "kernel-" + i; });
head();
overview();
document.getElementById("kernels").append(
  ...[...data.kernels].sort((a, b) => (b.ms || 0) - (a.ms || 0)).map(kernelSection));
wholeSource();
openTarget();
