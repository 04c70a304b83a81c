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

/// Texts of entries, made once.
const described = new Map();
function describe(id) {
  let known = described.get(id);
  if (!known) {
    const { class: number, text, function: name, point, place } = entries[id];
    const { name: file, lines } = place ? files[place[0]] : {};
    const line = place ? `${file}:${place[1]}` : "";
    const code = (lines?.get(place[1]) ?? "").trim();
    const ends = { exit: "exit", node: "" }[data.classes[number]] ?? data.classes[number] + (text ? ":" : "");
    known = { what: number === CLASS.node ? text : `${ends} ${text}`.trim(), code: number === CLASS.node ? code : "",
      where: [name, line.split("/").pop()].filter(Boolean).join(" · "), point };
    known.all = [data.classes[number], known.what, code, name, point, line].join("\n").toLowerCase();
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
  const mark = markOf(at);
  const isTold = mark && (MARKS[mark] === "changed" || mark !== markOf(row.parent[at]));
  if (isTold) line.append(make("span", "tag", MARK_NAMES[mark]));
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
  else if (index < 0) found.textContent = several(matches.length, "match", "matches");
  else found.textContent = `${grouped(index + 1)} of ${grouped(matches.length)}`;
}

function nextMatch(step) {
  if (!matches.length) return;
  const from = position[chosen];
  let index = step > 0 ? matches.findIndex(to => to > from) : matches.findLastIndex(to => to < from);
  if (index < 0) index = step > 0 ? 0 : matches.length - 1;
  reveal(order[matches[index]]);
  tellFound(index);
}
