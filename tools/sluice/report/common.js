// What both pages share; #data has what each shows. All text goes in as text;
// only charts are markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

/// An element with attributes and children; strings become text.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  for (const child of children.flat())
    if (child !== null && child !== undefined)
      element.append(child);
  return element;
}

function ms(value) {
  if (value === undefined)
    return "-";
  return (value >= 100 ? value.toFixed(0) : value.toPrecision(3)) + " ms";
}
function count(value) {
  if (value >= 1e9)
    return (value / 1e9).toFixed(1) + "G";
  if (value >= 1e6)
    return (value / 1e6).toFixed(1) + "M";
  return value >= 1e4 ? (value / 1e3).toFixed(1) + "k" : String(value);
}
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(1) : "-";
const times = (value) => value.toFixed(2) + "\u00d7";

function table(caption, head, rows) {
  const cells = (tag, row) => row.map((cell, i) => make(
    tag, { class: head[i].startsWith("#") ? "number" : null, scope: tag === "th" ? "col" : null }, cell));
  return make("div", {}, make("p", { class: "caption", "aria-hidden": "true" }, caption), make("div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    make("table", { "aria-label": caption },
      make("thead", {}, make("tr", {}, cells("th", head.map((h) => h.replace("#", ""))))),
      make("tbody", {}, rows.map((row) => make("tr", { class: row.decided ? "decided" : null },
        cells("td", row.cells)))))));
}

/// A part that opens and closes. `fill` makes its contents when it first opens.
function part(title, fill, isOpen, isLong) {
  const element = make("details", { open: isOpen, class: isLong ? "long" : null }, make("summary", {}, title));
  let isFilled = false;
  element.fill = () => {
    if (!isFilled)
      element.append(...[fill()].flat().filter((child) => child));
    isFilled = true;
  };
  if (isOpen)
    element.fill();
  element.addEventListener("toggle", () => element.open && element.fill());
  return element;
}

function chart(svg, words, caption) {
  if (!svg)
    return null;
  const figure = make("figure");
  figure.innerHTML = svg;
  figure.append(make("figcaption", {}, caption || words || ""));
  return figure;
}

function facts(pairs) {
  return make("dl", { class: "facts" }, pairs.filter((p) => p[1] !== undefined && p[1] !== "").map(
    ([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
}

//===- Differences --------------------------------------------------------===//

/// The lines of both by Myers's greedy algorithm: [" " | "-" | "+", text].
function difference(before, after) {
  const N = before.length, M = after.length, offset = N + M + 1;
  let reach = new Int32Array(2 * offset + 1);
  const trace = [];
  for (let d = 0; d <= N + M; ++d) {
    trace.push(reach.slice());
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && reach[offset + k - 1] < reach[offset + k + 1])
        ? reach[offset + k + 1] : reach[offset + k - 1] + 1;
      while (x < N && x - k < M && before[x] === after[x - k])
        ++x;
      reach[offset + k] = x;
      if (x >= N && x - k >= M)
        return backtrack(trace, before, after, offset);
    }
  }
  return [];
}
function backtrack(trace, before, after, offset) {
  const out = [];
  let x = before.length, y = after.length;
  for (let d = trace.length - 1; d >= 0; --d) {
    const reach = trace[d], k = x - y;
    const down = k === -d || (k !== d && reach[offset + k - 1] < reach[offset + k + 1]);
    const fromK = down ? k + 1 : k - 1, fromX = d ? reach[offset + fromK] : 0, fromY = d ? fromX - fromK : 0;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      out.push([" ", before[--x]]);
      --y;
    }
    if (d)
      out.push(down ? ["+", after[--y]] : ["-", before[--x]]);
  }
  return out.reverse();
}

/// The lines of both texts that differ, with some around them.
function textDifference(beforeText, afterText, label) {
  const before = beforeText.split("\n"), after = afterText.split("\n");
  // The algorithm keeps a row for each difference.
  const lines = before.length + after.length > 3000
    ? [...before.map((l) => ["-", l]), ...after.map((l) => ["+", l])] : difference(before, after);
  const shown = [];
  let same = 0;
  lines.forEach(([kind, text], i) => {
    const isNear = lines.slice(Math.max(0, i - 3), i + 4).some(([other]) => other !== " ");
    if (!isNear) {
      ++same;
      return;
    }
    if (same)
      shown.push(make("div", { class: "gap" }, "  ... " + same + " equal lines"));
    same = 0;
    shown.push(make("div", { class: kind === "+" ? "plus" : kind === "-" ? "minus" : null }, kind + " " + text));
  });
  return [make("p", { class: "soft" }, before.length + " lines before, " + after.length + " after."),
    make("div", { class: "diff", tabindex: 0, role: "region", "aria-label": label }, shown)];
}

//===- Opening ------------------------------------------------------------===//

/// Opens the parts that a link leads into.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement)
    if (at.tagName === "DETAILS")
      at.open = true;
  if (target)
    target.scrollIntoView();
}

addEventListener("hashchange", openTarget);
addEventListener("beforeprint", () => {
  for (const element of document.querySelectorAll("details:not(.long)")) {
    element.fill && element.fill();
    element.open = true;
  }
});
