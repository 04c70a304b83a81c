"use strict";
const HEIGHT = 24;
const data = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const CLASS = Object.fromEntries(data.classes.map((name, number) => [name, number]));
const MARKS = ["same", "here", "there", "changed"];
const EDITED = 4;

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

// What is shown.

const shown = words();
let shownCount = 0, chosen = 0, matches = [], isMatch = null;

function refresh() {
  const hides = element("hide").checked;
  shownCount = 0;
  for (let to = 0; to < count;) {
    const at = order[to];
    if (!(hides && classOf(at) === CLASS.infeasible)) shown[shownCount++] = at;
    to += folded[at] ? row.size[at] : 1;
  }
  element("rows").style.height = shownCount * HEIGHT + "px";
  draw();
}

/// The place of a row among those that are shown; that of the one before it, if it is hidden.
function shownAt(at) {
  let low = 0, high = shownCount;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (position[shown[middle]] <= position[at]) low = middle; else high = middle;
  }
  return low;
}

function make(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const grouped = number => number.toLocaleString("en");
const several = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

/// The answer that leads to a row.
function way(at) {
  const parent = row.parent[at];
  if (parent < 0) return "start";
  const alternative = row.alternative[at];
  const value = row.value[parent] ? data.texts[row.value[parent] - 1] : "";
  switch (entries[row.entry[parent]].text) {
    case "assume": return alternative ? "fails" : "holds";
    case "fix": case "sample": case "witness": return alternative ? "other" : "= " + value;
    default: return String(alternative);
  }
}

function lineOf(file, number) {
  for (const [first, text] of data.files[file].pieces) {
    const lines = text.split("\n");
    if (number >= first && number < first + lines.length) return lines[number - first].trim();
  }
  return "";
}

/// Texts of entries, made once.
const described = new Map();
function describe(id) {
  let known = described.get(id);
  if (!known) {
    const { class: number, text, function: name, point, place } = entries[id];
    const file = place ? data.files[place[0]].name.split("/").pop() + ":" + place[1] : "";
    const code = place ? lineOf(place[0], place[1]) : "";
    const ends = { exit: "exit", node: "" }[data.classes[number]] ?? data.classes[number] + (text ? ":" : "");
    known = { what: number === CLASS.node ? text : `${ends} ${text}`.trim(), code: number === CLASS.node ? code : "",
      where: [name, file].filter(Boolean).join(" · "), point };
    known.all = [data.classes[number], known.what, code, name, point, place ? data.files[place[0]].name + ":" + place[1] : ""]
      .join("\n").toLowerCase();
    described.set(id, known);
  }
  return known;
}

function drawRow(at, to, isOnPath) {
  const name = data.classes[classOf(at)];
  const line = make("div", `row ${name} ${MARKS[markOf(at)]}`);
  line.id = "row-" + at;
  line.dataset.row = at;
  line.style.top = to * HEIGHT + "px";
  line.style.setProperty("--class", `var(--${name})`);
  line.setAttribute("role", "treeitem");
  line.setAttribute("aria-level", level[at] + 1);
  line.setAttribute("aria-selected", at === chosen);
  line.classList.toggle("chosen", at === chosen);
  line.classList.toggle("path", isOnPath);
  line.classList.toggle("found", Boolean(isMatch && isMatch(at)));
  for (let guide = 0; guide < Math.min(level[at], 60); guide++) line.append(make("span", "guide"));
  const fold = make("span", "fold");
  if (row.size[at] > 1) {
    fold.textContent = folded[at] ? "▸" : "▾";
    line.setAttribute("aria-expanded", !folded[at]);
  }
  line.append(fold, make("span", "way", way(at)));
  const { what, code, where } = describe(row.entry[at]);
  const text = make("span", "what");
  if (code) text.append(make("code", "", code)); else text.textContent = what;
  if (row.before[at] >= 0) text.textContent = `${describe(row.before[at]).what} → ${what}`;
  line.append(text);
  if (where) line.append(make("span", "where", where));
  if (row.test[at]) line.append(make("span", "small", "test " + (row.test[at] - 1)));
  if (data.there && markOf(at)) line.append(make("span", "tag", MARK_NAMES[markOf(at)]));
  if (row.flags[at] & EDITED) line.append(make("span", "tag edited", "edited"));
  if (row.size[at] > 1 || classOf(at) === CLASS.summary) line.append(badges(at));
  return line;
}

function badges(at) {
  const found = make("span", "badges");
  const badge = (number, one, many, color) => {
    if (!number) return;
    const made = make(color ? "b" : "span", "", several(number, one, many));
    if (color) made.style.setProperty("--class", `var(--${color})`);
    found.append(made);
  };
  badge(below.errors[at], "error", "errors", "error");
  badge(below.cut[at], "cut", "cut", "boundary");
  badge(below.open[at], "open", "open", "open");
  if (markOf(at) === 0) badge(below.differences[at], "difference", "differences", "link");
  badge(below.paths[at], "path", "paths");
  return found;
}

function draw() {
  const tree = element("tree");
  const first = Math.max(0, Math.floor(tree.scrollTop / HEIGHT) - 5);
  const last = Math.min(shownCount, Math.ceil((tree.scrollTop + tree.clientHeight) / HEIGHT) + 5);
  const path = new Set();
  for (let up = row.parent[chosen]; up >= 0; up = row.parent[up]) path.add(up);
  const made = [];
  for (let to = first; to < last; to++) made.push(drawRow(shown[to], to, path.has(shown[to])));
  element("rows").replaceChildren(...made);
  tree.setAttribute("aria-activedescendant", "row-" + chosen);
}

// Moving about.

function choose(at) {
  chosen = at;
  const tree = element("tree");
  const top = shownAt(at) * HEIGHT;
  if (top < tree.scrollTop || top + HEIGHT > tree.scrollTop + tree.clientHeight) {
    tree.scrollTop = Math.max(0, top - tree.clientHeight / 2);
  }
  draw();
  explain(at);
}

/// Unfolds what a row is in.
function reveal(at) {
  let changes = false;
  for (let parent = row.parent[at]; parent >= 0; parent = row.parent[parent]) {
    changes = changes || folded[parent];
    folded[parent] = 0;
  }
  if (classOf(at) === CLASS.infeasible && element("hide").checked) {
    element("hide").checked = false;
    changes = true;
  }
  if (changes) refresh();
  choose(at);
}

function toggle(at, to = !folded[at]) {
  if (row.size[at] === 1 || Boolean(folded[at]) === to) return;
  folded[at] = Number(to);
  refresh();
}

function foldAll(to) {
  folded.fill(0);
  if (to) for (let at = 0; at < count; at++) folded[at] = Number(row.size[at] > 1);
  refresh();
  choose(to ? rootOf(chosen) : chosen);
}

function rootOf(at) {
  while (row.parent[at] >= 0) at = row.parent[at];
  return at;
}

/// The next row of which something is true, after the chosen one in the order of the page.
function jump(isWanted, step = 1) {
  for (let more = 1; more <= count; more++) {
    const at = order[(position[chosen] + step * more + count) % count];
    if (isWanted(at)) return reveal(at);
  }
}

// Search.

function search() {
  const query = element("query").value.trim().toLowerCase();
  const test = /^(?:test\s*|#)?(\d+)$/.exec(query);
  isMatch = null;
  if (test) {
    isMatch = at => row.test[at] === Number(test[1]) + 1;
  } else if (query) {
    const has = entries.map((_, id) => describe(id).all.includes(query));
    isMatch = at => has[row.entry[at]] || (row.before[at] >= 0 && has[row.before[at]]);
  }
  matches = [];
  if (isMatch) for (let to = 0; to < count; to++) if (isMatch(order[to])) matches.push(to);
  tellFound(-1);
  draw();
}

function tellFound(index) {
  const found = element("found");
  if (!isMatch) found.textContent = "";
  else if (!matches.length) found.textContent = "no match";
  else found.textContent = index < 0 ? several(matches.length, "match", "matches") : `${grouped(index + 1)} of ${grouped(matches.length)}`;
}

function nextMatch(step) {
  if (!matches.length) return;
  const from = position[chosen];
  let index = step > 0 ? matches.findIndex(to => to > from) : matches.findLastIndex(to => to < from);
  if (index < 0) index = step > 0 ? 0 : matches.length - 1;
  reveal(order[matches[index]]);
  tellFound(index);
}

// The chosen row: what it is, how one gets there, and its source.

const MOST_STEPS = 40;

function explain(at) {
  const detail = element("detail");
  const entry = entries[row.entry[at]];
  const { what, where, point } = describe(row.entry[at]);
  const title = make("h2");
  const dot = make("span", "dot");
  dot.style.setProperty("--class", `var(--${data.classes[entry.class]})`);
  const kind = entry.class === CLASS.node ? `${what}: ${several(childrenOf(at), "alternative", "alternatives")}` : what;
  title.append(dot, row.before[at] >= 0 ? `${describe(row.before[at]).what} → ${what}` : kind);
  const list = make("dl");
  const say = (name, text) => text && list.append(make("dt", "", name), make("dd", "", text));
  say("at", [where, point && `point ${point}`].filter(Boolean).join(" · "));
  if (row.value[at]) say("value", data.texts[row.value[at] - 1]);
  if (row.implied[at]) say("implied before it", several(row.implied[at], "choice", "choices"));
  if (row.test[at]) say("test", `${row.test[at] - 1} (refrain show ${data.here} --test ${row.test[at] - 1})`);
  if (data.there) say("difference", MARK_NAMES[markOf(at)]);
  if (row.flags[at] & EDITED) say("edited", "code that ran on the way here is another now");
  if (row.size[at] > 1 || entry.class === CLASS.summary) {
    say("below", [several(below.nodes[at], "node", "nodes"), several(below.paths[at], "path", "paths"),
      several(below.errors[at], "error", "errors"), `${grouped(below.infeasible[at])} infeasible`,
      `${grouped(below.cut[at] + below.open[at])} open or cut`].join(", "));
  }
  const steps = [];
  for (let up = at; row.parent[up] >= 0; up = row.parent[up]) steps.push(up);
  say("depth", grouped(steps.length));
  const way_there = make("ol");
  for (const step of steps.slice(0, MOST_STEPS).reverse()) {
    const from = row.parent[step];
    const { what, code, where } = describe(row.entry[from]);
    const button = make("button", "", `${code || what} `);
    button.type = "button";
    button.append(make("span", "small", `${where} `), make("span", "way", way(step)));
    button.addEventListener("click", () => reveal(from));
    const item = make("li");
    item.append(button);
    way_there.append(item);
  }
  if (steps.length > MOST_STEPS) way_there.prepend(make("li", "small", `… ${grouped(steps.length - MOST_STEPS)} before`));
  detail.replaceChildren(title, list, way_there);
  showSource(at);
}

function childrenOf(at) {
  const ways = new Set();
  for (let child = row.first[at]; child >= 0; child = row.next[child]) ways.add(row.alternative[child]);
  return ways.size;
}

/// The place of a row, or of the question before it.
function placeOf(at) {
  for (; at >= 0; at = row.parent[at]) {
    const { place } = entries[row.entry[at]];
    if (place) return place;
  }
  return null;
}

const AROUND = 150;

function showSource(at) {
  const source = element("source");
  const place = placeOf(at);
  if (!place) return source.replaceChildren(make("div", "name", "no source"));
  const [file, number] = place;
  const passed = new Set();
  for (let up = at; up >= 0; up = row.parent[up]) {
    const { place } = entries[row.entry[up]];
    if (place && place[0] === file) passed.add(place[1]);
  }
  const { name, pieces } = data.files[file];
  const lines = [make("div", "name", pieces.length ? name : `${name}:${number} (the file cannot be read)`)];
  let center = null, last = 0;
  for (const [first, text] of pieces) {
    for (const [index, code] of text.split("\n").entries()) {
      const here = first + index;
      if (Math.abs(here - number) > AROUND) continue;
      if (last && here !== last + 1) lines.push(make("div", "line gap", "        ⋮"));
      last = here;
      const line = make("div", "line");
      line.classList.toggle("passed", passed.has(here));
      line.append(make("span", "number", here), make("span", "", code));
      if (here === number) {
        line.classList.add("at");
        center = line;
      }
      lines.push(line);
    }
  }
  source.replaceChildren(...lines);
  if (center) source.scrollTop = center.offsetTop - source.offsetTop - source.clientHeight / 3;
}

// The legend: what colours mean, how many there are, and the way to the next.

const MARK_NAMES = ["in both", `only in ${data.here}`, `only in ${data.there}`, "changed"];
const isOf = name => at => classOf(at) === CLASS[name];
const KEYS = { e: isOf("error"), b: isOf("boundary"), o: isOf("open"), u: isOf("unknown"), d: at => markOf(at) !== 0, c: at => row.flags[at] & EDITED };

function drawLegend() {
  const numbers = new Array(data.classes.length).fill(0), marks = [0, 0, 0, 0];
  let edited = 0;
  for (let at = 0; at < count; at++) {
    numbers[classOf(at)]++;
    marks[markOf(at)]++;
    edited += Number((row.flags[at] & EDITED) !== 0);
  }
  const add = (key, name, number, color, isWanted, isSquare) => {
    const button = make("button");
    button.type = "button";
    button.dataset.legend = key;
    button.disabled = number === 0;
    const dot = make("span", isSquare ? "dot square" : "dot");
    dot.style.setProperty("--class", `var(--${color})`);
    button.append(dot, `${name} ${grouped(number)}`);
    button.addEventListener("click", () => jump(isWanted));
    element("legend").append(button);
  };
  for (const [number, name] of data.classes.entries()) {
    if (numbers[number] || ["node", "exit", "error", "boundary", "infeasible", "open"].includes(name)) {
      add(name, name, numbers[number], name, isOf(name), false);
    }
  }
  if (data.there) {
    for (const mark of [1, 2, 3]) add(MARKS[mark], MARK_NAMES[mark], marks[mark], MARKS[mark], at => markOf(at) === mark, true);
  }
  if (edited) add("edited", "edited code", edited, "edited", KEYS.c, true);
}

// What people do.

element("tree").addEventListener("scroll", () => requestAnimationFrame(draw));
window.addEventListener("resize", draw);
element("rows").addEventListener("click", event => {
  const line = event.target.closest(".row");
  if (!line) return;
  const at = Number(line.dataset.row);
  if (event.target.closest(".fold")) toggle(at);
  choose(at);
});
element("rows").addEventListener("dblclick", event => {
  const line = event.target.closest(".row");
  if (line && !event.target.closest(".fold")) toggle(Number(line.dataset.row));
});
element("search").addEventListener("submit", event => {
  event.preventDefault();
  nextMatch(1);
});
element("query").addEventListener("input", search);
element("unfold").addEventListener("click", () => foldAll(false));
element("fold").addEventListener("click", () => foldAll(true));
element("hide").addEventListener("change", () => {
  refresh();
  choose(shown[shownAt(chosen)]);
});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === element("query")) {
    if (event.key === "Escape") element("tree").focus();
    return;
  }
  const page = Math.floor(element("tree").clientHeight / HEIGHT) - 1;
  const move = step => choose(shown[Math.min(shownCount - 1, Math.max(0, shownAt(chosen) + step))]);
  const keys = {
    ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(page), PageUp: () => move(-page),
    Home: () => move(-shownCount), End: () => move(shownCount),
    ArrowRight: () => folded[chosen] ? toggle(chosen, false) : move(1),
    ArrowLeft: () => {
      if (row.size[chosen] > 1 && !folded[chosen]) toggle(chosen, true);
      else if (row.parent[chosen] >= 0) choose(row.parent[chosen]);
    },
    Enter: () => toggle(chosen), " ": () => toggle(chosen),
    "/": () => element("query").focus(), n: () => nextMatch(1), p: () => nextMatch(-1),
  };
  for (const [key, isWanted] of Object.entries(KEYS)) {
    keys[key] = () => jump(isWanted);
    keys[key.toUpperCase()] = () => jump(isWanted, -1);
  }
  const isButton = event.target.closest?.("button, label") && (event.key === "Enter" || event.key === " ");
  if (!keys[event.key] || isButton) return;
  event.preventDefault();
  keys[event.key]();
});

/// Rows that are unfolded at first: all of a small tree, the largest paths of a large one.
const AT_FIRST = 300;

function unfoldFirst() {
  if (count <= AT_FIRST) return;
  for (let at = 0; at < count; at++) folded[at] = Number(row.size[at] > 1);
  let rows = 0;
  for (let to = 0; to < count && rows < AT_FIRST;) {
    const at = order[to];
    rows++;
    if (level[at] === 0) folded[at] = 0;
    to += folded[at] ? row.size[at] : 1;
  }
}

document.title = data.title;
document.querySelector("h1").textContent = data.there ? `${data.title}: ${data.here} against ${data.there}` : data.title;
decode();
arrange();
unfoldFirst();
drawLegend();
refresh();
if (count) choose(order[0]);
element("tree").focus();
