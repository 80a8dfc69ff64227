// What each worker does over time: a row each, in which a colour stands for an activity.

/** Legend of the names that occur. */
function timelineLegend(line) {
  const used = new Set();
  for (const row of line.rows) for (let k = 1; k < row.spans.length; k += 2) used.add(row.spans[k]);
  const legend = element("ul", "", { className: "legend" });
  const order = line.names.map((name, k) => k).sort((a, b) => (a === 0) - (b === 0));  // down comes last
  order.forEach((k) => {
    if (!used.has(k)) return;
    const item = element("li", line.names[k]);
    const mark = element("span", "", { className: "mark" });
    mark.style.background = "var(--a" + k + ")";
    item.prepend(mark);
    legend.append(item);
  });
  return legend;
}

/** The span of a row at a time: its place in `spans`, or -1. */
function spanAt(spans, time) {
  for (let k = spans.length - 2; k >= 0; k -= 2) if (spans[k] <= time) return k;
  return -1;
}

function drawSpans(plot, line, factor) {
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  const colours = line.names.map((name, k) => ink("a" + k));
  line.rows.forEach((row, place) => {
    const above = plot.valToPos(place + 0.08, "y", true);
    const below = plot.valToPos(place + 0.92, "y", true);
    for (let k = 0; k < row.spans.length; k += 2) {
      if (row.spans[k + 1] < 0) continue;
      const end = k + 2 < row.spans.length ? row.spans[k + 2] : line.end;
      const from = plot.valToPos(row.spans[k] / factor, "x", true);
      const to = plot.valToPos(end / factor, "x", true);
      if (to < left || from > left + width) continue;
      context.fillStyle = colours[row.spans[k + 1]];
      context.fillRect(from, above, Math.max(to - from, 0.5), below - above);
    }
  });
  context.restore();
}

/** Says what is under the pointer. */
function tellSpan(plot, line, factor, told) {
  const row = Math.floor(plot.posToVal(plot.cursor.top, "y"));
  const time = plot.posToVal(plot.cursor.left, "x") * factor;
  const spans = plot.cursor.left >= 0 && line.rows[row] ? line.rows[row].spans : [];
  const k = spanAt(spans, time);
  if (k < 0 || spans[k + 1] < 0) {
    told.textContent = "Point at a row to read it.";
    return;
  }
  const end = k + 2 < spans.length ? spans[k + 2] : line.end;
  told.textContent = line.rows[row].name + ": " + line.names[spans[k + 1]] + ", " + words(end - spans[k], "seconds") + ", from " +
      words(spans[k], "seconds") + " on";
}

function shortened(name, most) {
  return name.length > most ? name.slice(0, most - 1) + "…" : name;
}

function timelinePlot(place, width, line, told) {
  const rows = line.rows.length;
  const scale = scaleFor("seconds", line.end);
  const rowHeight = rows <= 12 ? 24 : rows <= 40 ? 15 : 8;
  const letters = width < 500 ? 12 : 26;
  const longest = Math.max(...line.rows.map((row) => Math.min(row.name.length, letters)));
  const every = Math.ceil(14 / rowHeight);
  const labelled = line.rows.map((row, k) => k).filter((k) => k % every === 0);
  const options = {
    width,
    height: rows * rowHeight + 70,
    legend: { show: false },
    scales: { x: { time: false, range: (plot, least, greatest) => [least, greatest] }, y: { dir: -1, range: [0, rows] } },
    series: [{}, { label: "", points: { show: false } }],
    axes: [
      axisOf(labelWith(line.x.label, scale)),
      axisOf("worker", {
        size: 16 + longest * 7,
        grid: { show: false },
        splits: () => labelled.map((k) => k + 0.5),
        values: () => labelled.map((k) => shortened(line.rows[k].name, letters)),
      }),
    ],
    cursor: { points: { show: false }, drag: { x: true, y: false } },
    hooks: {
      draw: [(plot) => drawSpans(plot, line, scale.factor)],
      setCursor: [(plot) => tellSpan(plot, line, scale.factor, told)],
    },
  };
  return new uPlot(options, [[line.begin / scale.factor, line.end / scale.factor], [null, null]], place);
}

function drawTimelines() {
  for (const id of ["timeline", "slowest"]) {
    const place = plotOf(id);
    if (!place) continue;
    const told = element("p", "Point at a row to read it.", { className: "told" });
    place.before(timelineLegend(page[id]));
    place.after(told);
    keepDrawn(place, (at, width) => timelinePlot(at, width, page[id], told));
  }
}
