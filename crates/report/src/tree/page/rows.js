"use strict";
const HEIGHT = 24;
const data = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const CLASS = Object.fromEntries(data.classes.map((name, number) => [name, number]));
const MARKS = ["same", "here", "there", "changed"];
const EDITED = 4;
const files = data.files.map(({ name, pieces }) => {
  const numbered = ([first, text]) => text.split("\n").map((code, index) => [first + index, code]);
  return { name, lines: new Map(pieces.flatMap(numbered)) };
});

// Rows, as they are in the file: a parent before its children.

const count = data.count;
const words = () => new Int32Array(count);
const entries = data.entries;
const row = {
  entry: words(), alternative: words(), flags: new Uint8Array(count), parent: words(), implied: words(),
  value: words(), test: words(), before: words(), next: words(), first: words(), size: words(),
};
/// What is below each row, itself included.
const below = {
  nodes: new Float64Array(count), paths: new Float64Array(count), errors: new Float64Array(count),
  cut: new Float64Array(count), infeasible: new Float64Array(count), open: new Float64Array(count),
  differences: words(),
};
const SUMS = Object.values(below);

const classOf = at => entries[row.entry[at]].class;
const markOf = at => row.flags[at] & 3;

function decode() {
  const bytes = Uint8Array.from(atob(data.rows), letter => letter.charCodeAt(0));
  let from = 0;
  const number = () => {
    let sum = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[from++];
      sum += (byte & 127) * unit;
      if (byte < 128) return sum;
    }
  };
  const open = [];
  for (let at = 0; at < count; at++) {
    while (open.length && open[open.length - 1].left === 0) open.pop();
    const parent = open[open.length - 1];
    row.parent[at] = parent ? parent.at : -1;
    if (parent) parent.left--;
    row.first[at] = row.next[at] = row.before[at] = -1;
    row.entry[at] = number();
    row.alternative[at] = number();
    row.flags[at] = number();
    switch (classOf(at)) {
      case CLASS.node:
        open.push({ at, left: number() });
        row.implied[at] = number();
        row.value[at] = number();
        below.nodes[at] = 1;
        break;
      case CLASS.summary: {
        const [nodes, exits, errors, unsupported, silent, boundaries, infeasible, rest] =
          Array.from({ length: 8 }, number);
        below.nodes[at] = nodes;
        below.paths[at] = exits + errors + unsupported + silent + boundaries;
        below.errors[at] = errors;
        below.cut[at] = boundaries;
        below.infeasible[at] = infeasible;
        below.open[at] = rest;
        break;
      }
      case CLASS.infeasible: below.infeasible[at] = 1; break;
      case CLASS.open: case CLASS.unknown: below.open[at] = 1; break;
      default:
        row.test[at] = number();
        below.paths[at] = 1;
        below.errors[at] = Number(classOf(at) === CLASS.error);
        below.cut[at] = Number(classOf(at) === CLASS.boundary);
    }
    if (markOf(at) === 3) row.before[at] = number();
    below.differences[at] = Number(markOf(at) !== 0);
  }
  for (let at = count - 1; at >= 0; at--) {
    row.size[at]++;
    const parent = row.parent[at];
    if (parent < 0) continue;
    row.next[at] = row.first[parent];
    row.first[parent] = at;
    row.size[parent] += row.size[at];
    for (const sum of SUMS) sum[parent] += sum[at];
  }
}

// The order on the page. The largest subtree of a node comes last, at the same level, all others are indented: levels
// are at most as many as the size can be halved.

const order = words(), position = words(), level = words(), folded = new Uint8Array(count);

function arrange() {
  const stack = [];
  for (let at = count - 1; at >= 0; at--) if (row.parent[at] < 0) stack.push(at);
  for (let to = 0; stack.length; to++) {
    const at = stack.pop();
    order[to] = at;
    position[at] = to;
    let largest = -1;
    const children = [];
    for (let child = row.first[at]; child >= 0; child = row.next[child]) {
      children.push(child);
      if (row.size[child] > 1 && (largest < 0 || row.size[child] > row.size[largest])) largest = child;
    }
    if (largest >= 0) {
      level[largest] = level[at];
      stack.push(largest);
    }
    for (const child of children.reverse()) {
      if (child === largest) continue;
      level[child] = level[at] + 1;
      stack.push(child);
    }
  }
}
