// The legend: what colours mean, how many there are, and the way to the next.

const MARK_NAMES = ["in both", `only in ${data.here}`, `only in ${data.there}`, "changed"];
const isOf = name => at => classOf(at) === CLASS[name];
const KEYS = {
  e: isOf("error"), b: isOf("boundary"), o: isOf("open"), u: isOf("unknown"), d: at => markOf(at) !== 0,
  c: at => row.flags[at] & EDITED,
};

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
    for (const mark of [1, 2, 3]) {
      add(MARKS[mark], MARK_NAMES[mark], marks[mark], MARKS[mark], at => markOf(at) === mark, true);
    }
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
const against = data.there ? `: ${data.here} against ${data.there}` : "";
document.querySelector("h1").textContent = data.title + against;
decode();
arrange();
unfoldFirst();
drawLegend();
refresh();
if (count) choose(order[0]);
element("tree").focus();
