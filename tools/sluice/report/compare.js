// The page of `sluice report --compare`: two sides, A and B. Its numbers come
// from files, so that its charts are taken as text is: only what Sluice draws
// with is let in.

const drawn = new Set(["svg", "text", "polyline", "line", "circle", "rect", "polygon", "title"]);
const plain = /^(class|role|aria-label|viewBox|preserveAspectRatio|transform|text-anchor|points|x|y|x1|y1|x2|y2|cx|cy|r|width|height)$/;

/// A chart of a file, without anything that could act.
function copyChart(svg, words) {
  const parsed = svg && new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  if (!parsed)
    return null;
  for (const element of [parsed, ...parsed.querySelectorAll("*")]) {
    if (!drawn.has(element.tagName)) {
      element.remove();
      continue;
    }
    for (const { name } of [...element.attributes])
      if (!plain.test(name))
        element.removeAttribute(name);
  }
  return make("figure", {}, parsed, make("figcaption", {}, words || ""));
}

const [nameA, nameB] = data.sides.map((side) => side.name);
const known = (value) => value !== null && value !== undefined && value !== "";
const shown = (value) => !known(value) ? "-" : typeof value === "number" && !Number.isInteger(value)
  ? value.toPrecision(4) : String(value);
const time = (value) => known(value) ? ms(value) : "-";
const list = (items) => known(items) ? items.join(", ") || "nothing" : "-";
const onlyIn = (kernel) => known(kernel["only-in"]) ? data.sides[kernel["only-in"]].name : null;

function head() {
  document.getElementById("head").append(
    make("h1", {}, nameA + " and " + nameB),
    ...data.sides.map((side, i) => make("p", { class: "soft" }, "AB"[i] + ", " + side.name + ": " + side.about)));
}

function overview() {
  const section = document.getElementById("overview");
  section.append(table("Kernels, those that take most of the time first. The times are of one launch with what is decided.",
    ["kernel", "#A", "#B", "#B is faster", "by", "A is bound by", "B is bound by", "A does", "B does"],
    data.kernels.map((k) => ({ cells: [make("a", { href: "#" + k.id }, k.display),
      time(k.time.ms[0]), time(k.time.ms[1]), known(k.time["speed-up"]) ? times(k.time["speed-up"]) : onlyIn(k) ? "only in " + onlyIn(k) : "-",
      k.time.by || "-", shown(k["bound-by"][0]), shown(k["bound-by"][1]), list(k.does[0]), list(k.does[1])] }))));
  for (const sentence of data.notes)
    section.append(make("p", { class: "note small" }, sentence));
}

function factTable(kernel) {
  return table("What is not the same is marked", ["", "A", "B"], kernel.facts.map((f) => {
    const same = shown(f.values[0]) === shown(f.values[1]);
    return { cells: [f.what, ...f.values.map((v) => same ? shown(v) : make("strong", {}, shown(v)))] };
  }));
}

function timeTable(kernel) {
  const decided = (t) => t.decided.map((is, i) => is ? "AB"[i] : "").filter((side) => side).join(" and ");
  return table("Times of one launch, each change alone", ["with", "by", "#A", "#B", "#B is faster", "decided in"],
    kernel.times.map((t) => ({ cells: [t.what, t.by, time(t.ms[0]), time(t.ms[1]),
      known(t["speed-up"]) ? times(t["speed-up"]) : "-", decided(t)] })));
}

function decisionPart(kernel) {
  const remarks = kernel.remarks.flatMap((side, i) => side.map((r) => make("li", { class: r.kind },
    make("span", { class: "kind" }, "only in " + "AB"[i] + ": " +
      (r.kind === "passed" ? "\u2713 done" : r.kind === "missed" ? "\u2717 not done" : "\u2139 note") + ", " + r.pass),
    r.line ? " at " + r.file + ":" + r.line : null, ": " + r.message)));
  return [
    make("p", { class: "soft" }, kernel["equal-decisions"] + " reasons and " + kernel["equal-remarks"] + " remarks are the same in both."),
    kernel.decisions.length ? table("Decisions that differ", ["decision", "at", "A", "B"], kernel.decisions.map((d) => ({
      cells: [d.of, d.at || "the kernel", shown(d.values[0]), shown(d.values[1])] }))) : null,
    remarks.length ? make("ul", { class: "remarks" }, remarks) : null];
}

function kernelSection(kernel) {
  const graphs = kernel["x-graph"].map((svg, i) => copyChart(svg, "AB"[i] + ": " + shown(kernel["x-graph-words"][i])));
  const [ptxA, ptxB] = kernel.ptx;
  return make("section", { id: kernel.id, "aria-labelledby": kernel.id + "-title" },
    make("h2", { id: kernel.id + "-title" }, kernel.display),
    make("p", { class: "code soft signature" }, kernel.signature),
    onlyIn(kernel) ? make("p", { class: "note" }, "Only in " + onlyIn(kernel) + ".") : null,
    kernel.times.length ? part("Times", () => timeTable(kernel), true) : null,
    kernel.facts.length ? part("What binds it", () => factTable(kernel), true) : null,
    graphs.some((g) => g) ? part("X-graphs", () => make("div", { class: "charts" }, graphs.filter((g) => g)), true) : null,
    onlyIn(kernel) || !known(kernel["equal-decisions"]) ? null : part("Decisions", () => decisionPart(kernel), true),
    known(ptxA) && known(ptxB) ? part("PTX by Sluice, A and B", () => ptxA === ptxB
      ? make("p", {}, "The code is the same.") : textDifference(ptxA, ptxB, "difference of the PTX"), false, true) : null);
}

function sources() {
  const section = document.getElementById("source"), [a, b] = data.text;
  if (!known(a) || !known(b))
    section.remove();
  else
    section.append(a === b ? make("p", {}, "The source is the same.")
      : part("What differs, A and B", () => textDifference(a, b, "difference of the sources"), true, true));
}

data.kernels.forEach((kernel, i) => { kernel.id = "kernel-" + i; });
head();
overview();
document.getElementById("kernels").append(...data.kernels.map(kernelSection));
sources();
openTarget();
