// The charts of a run under way, in the section #charts of the status page: from /history.json, again and again.
const shown = new Map();

function show(chart) {
  const known = shown.get(chart.id);
  if (known) {
    known.chart = chart;
    return drawAgain(known.drawn);
  }
  const section = document.getElementById("charts");
  section.hidden = false;
  const figure = element("figure", "", { id: chart.id });
  const place = element("div", "", { className: "plot" });
  figure.append(element("h3", chart.title), place);
  section.append(figure);
  const entry = { chart };
  shown.set(chart.id, entry);
  entry.drawn = keepDrawn(place, (at, width) => linesPlot(at, width, entry.chart, 220));
}

async function drawHistory() {
  try {
    const answer = await fetch("/history.json", { cache: "no-store", signal: AbortSignal.timeout(10000) });
    if (answer.ok) for (const chart of (await answer.json()).charts) show(chart);
  } catch (error) {
    // The page itself says that nobody answers.
  }
  if (!document.querySelector("main[data-finished]")) setTimeout(drawHistory, 5000);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAllAgain());
drawHistory();
