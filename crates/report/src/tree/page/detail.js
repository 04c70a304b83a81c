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
  const run = markOf(at) === 2 ? data.there : data.here;
  if (row.test[at]) say("test", `${row.test[at] - 1} (refrain show ${run} --test ${row.test[at] - 1})`);
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
  const wayThere = make("ol");
  for (const step of steps.slice(0, MOST_STEPS).reverse()) {
    const from = row.parent[step];
    const { what, code, where } = describe(row.entry[from]);
    const button = make("button", "", `${code || what} `);
    button.type = "button";
    button.append(make("span", "small", `${where} `), make("span", "way", way(step)));
    button.addEventListener("click", () => reveal(from));
    const item = make("li");
    item.append(button);
    wayThere.append(item);
  }
  const more = steps.length - MOST_STEPS;
  if (more > 0) wayThere.prepend(make("li", "small", `… ${grouped(more)} before`));
  detail.replaceChildren(title, list, wayThere);
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
  const { name, lines } = files[file];
  const made = [make("div", "name", lines.size ? name : `${name}:${number} (the file cannot be read)`)];
  let center = null;
  for (let here = Math.max(1, number - AROUND); here <= number + AROUND; here++) {
    if (!lines.has(here)) {
      if (lines.has(here - 1) && made.length > 1) made.push(make("div", "line gap", "⋮"));
      continue;
    }
    const line = make("div", "line");
    line.classList.toggle("passed", passed.has(here));
    line.append(make("span", "number", here), make("span", "", lines.get(here)));
    if (here === number) {
      line.classList.add("at");
      center = line;
    }
    made.push(line);
  }
  source.replaceChildren(...made);
  if (center) source.scrollTop = center.offsetTop - source.offsetTop - source.clientHeight / 3;
}
