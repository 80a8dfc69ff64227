// Draws the page; draws it again in other colours, and for print; tests itself when it is opened with #self-test.
makeSortable();
drawCharts();
drawTimelines();
if (page.sweep) {
  drawCurves();
  drawHeat();
  drawFront();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAllAgain());

const kPrintWidth = 660;  // pixels of CSS on a sheet of A4
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("print");
  drawAllAgain(kPrintWidth);
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("print");
  drawAllAgain();
});

/**
 * How many pixels of each canvas are drawn, and how many in colour: axes and grid are grey. And what went wrong, what was
 * asked of the network, and whether the page is wider than its window.
 */
function selfTest() {
  const canvases = [...document.querySelectorAll("canvas")].map((canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let marks = 0;
    let coloured = 0;
    for (let k = 0; k < pixels.length; k += 4) {
      if (pixels[k + 3] === 0) continue;
      ++marks;
      const rgb = [pixels[k], pixels[k + 1], pixels[k + 2]];
      if (Math.max(...rgb) - Math.min(...rgb) > 60) ++coloured;
    }
    return { figure: canvas.closest("figure").id, marks, coloured };
  });
  return { canvases, problems, requests: performance.getEntriesByType("resource").length, width: innerWidth, scrolls: document.documentElement.scrollWidth > innerWidth };
}

/** Clicks each heading once: of those columns that have quantities, whether the rows then rise. */
function sortTest() {
  const wrong = [];
  for (const table of document.querySelectorAll("table[id^=table-]")) {
    table.querySelectorAll("thead button").forEach((button) => {
      const column = button.parentElement.cellIndex;
      button.click();
      const rows = [...table.tBodies[0].rows].filter((row) => row.cells[0].textContent !== "all");
      const numbers = rows.map((row) => row.cells[column].dataset.n).filter((n) => n !== undefined).map(Number);
      if (numbers.some((number, k) => k > 0 && number < numbers[k - 1])) wrong.push(table.id + ": " + button.textContent);
    });
  }
  return { headings: document.querySelectorAll("thead button").length, unsorted: wrong };
}

/** Chooses the last and then the first of each choice, as a person would: how many choices there are. */
function chooseAll() {
  let choices = 0;
  for (const controls of document.querySelectorAll(".controls")) {
    for (let k = 0; k < controls.querySelectorAll("select").length; ++k) {
      ++choices;
      for (const end of [-1, 0]) {
        const select = controls.querySelectorAll("select")[k];  // a choice may make them anew
        if (!select) continue;
        select.selectedIndex = end < 0 ? select.options.length - 1 : 0;
        select.dispatchEvent(new Event("change"));
      }
    }
  }
  return choices;
}

/** Points at the middle of each chart: how many then tell what is there. */
function pointAtAll() {
  for (const chart of drawn) chart.plot.setCursor({ left: chart.plot.over.clientWidth / 2, top: chart.plot.over.clientHeight / 2 });
  return [...document.querySelectorAll(".told")].map((told) => told.textContent);
}

if (location.hash === "#self-test") {
  const result = {};
  addEventListener("load", () => {
    result.milliseconds = Math.round(performance.now());
    result.choices = chooseAll();
  });
  // uPlot draws what was chosen between these two.
  addEventListener("load", () => {
    Object.assign(result, { told: pointAtAll() }, selfTest(), sortTest());
    document.body.append(element("pre", JSON.stringify(result), { id: "self-test" }));
  });
}
