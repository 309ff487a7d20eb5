"use strict";
// Tables of class "sortable": the titles of columns are buttons that sort the rows.

document.addEventListener("click", event => {
  const button = event.target.closest("table.sortable th button");
  if (!button) return;
  const head = button.closest("th"), table = head.closest("table"), column = head.cellIndex;
  const before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : head.classList.contains("number");
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = ({ dataset, textContent }) => dataset.key === undefined ? textContent : Number(dataset.key);
  const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
  const rows = [...table.tBodies[0].rows].map(row => [key(row.cells[column]), row]);
  rows.sort((a, b) => compare(a[0], b[0]) * (down ? -1 : 1));
  table.tBodies[0].append(...rows.map(([, row]) => row));
});
