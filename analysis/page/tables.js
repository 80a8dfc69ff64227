// Tables that a click on a heading sorts: by data-n where the cells are quantities, else as words.
function keyOf(row, column) {
  const cell = row.cells[column];
  const number = cell.dataset.n;
  return number === undefined ? { number: NaN, words: cell.textContent } : { number: Number(number), words: "" };
}

/** What has no number comes last, whichever way. */
function compared(a, b, down) {
  const none = Number.isNaN(a.number) - Number.isNaN(b.number);
  if (none !== 0) return none;
  const order = Number.isNaN(a.number) ? a.words.localeCompare(b.words, "en", { numeric: true }) : a.number - b.number;
  return down ? -order : order;
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const down = heads[column].getAttribute("aria-sort") === "ascending";
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: keyOf(row, column), sum: row.cells[0].textContent === "all" }));
  rows.sort((a, b) => a.sum - b.sum || compared(a.key, b.key, down));
  table.tBodies[0].append(...rows.map((one) => one.row));
}

/** The colour of a run, where its name heads a column. */
function markRun(head, name) {
  const run = (page.runs || []).indexOf(name);
  if (run < 0) return;
  const mark = element("span", "", { className: "mark" });
  mark.style.background = "var(--c" + (run % kColours) + ")";
  head.prepend(mark);
}

function makeSortable() {
  for (const table of document.querySelectorAll("table[id^=table-]")) {
    if (table.tHead.textContent.trim() === "value") table.tHead.hidden = true;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const name = head.textContent;
      if (!name) return;
      head.textContent = "";
      const button = element("button", name, { type: "button", title: "sort" });
      button.addEventListener("click", () => sortBy(table, column));
      head.append(button);
      markRun(head, name);
      if (table.tBodies[0].rows[0].cells[column].classList.contains("n")) head.classList.add("n");
    });
  }
}
