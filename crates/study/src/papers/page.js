// A click on the head of a column sorts by it: by numbers where cells begin with one, else by text.
"use strict";
function key(row, column) {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text.replace(/,/g, ""));
  return { text, number };
}
function compare(a, b) {
  const [x, y] = [a.number, b.number];
  if (!isNaN(x) && !isNaN(y)) return x - y;
  // What is no number comes last.
  if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
  return a.text.localeCompare(b.text);
}
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, place) => ({ row, place, key: key(row, column) }));
    rows.sort((a, b) => (up ? 1 : -1) * compare(a.key, b.key) || a.place - b.place);
    for (const { row } of rows) body.append(row);
  }));
}
