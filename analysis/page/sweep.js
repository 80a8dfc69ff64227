// A sweep: what a person chooses, and the charts of it.
const kMostCurves = 8;
const kShownFigures = 4;

/** A labelled choice: [[value, text], ...]. `changed` is called with the number chosen. */
function choice(controls, label, options, chosen, changed) {
  const select = element("select");
  for (const [value, text] of options) select.append(element("option", text, { value, selected: value === chosen }));
  select.addEventListener("change", () => changed(Number(select.value)));
  const around = element("label", label + " ");
  around.append(select);
  controls.append(around);
}

/** Where an axis' values lie: by their numbers, by the logarithms of these where they span much, or one after the other. */
function positionsOf(axis) {
  const numbers = axis.numbers;
  if (!numbers) return axis.values.map((value, k) => k);
  const least = Math.min(...numbers);
  const greatest = Math.max(...numbers);
  return least > 0 && greatest / least >= 20 ? numbers.map(Math.log10) : numbers;
}

function isByRatio(axis) {
  return Boolean(axis.numbers) && Math.min(...axis.numbers) > 0 && Math.max(...axis.numbers) / Math.min(...axis.numbers) >= 20;
}

/** Values of all axes at which there is something to see. */
function firstValues(sweep) {
  const first = sweep.points.findIndex((values, k) => sweep.figures[0].median[k] != null);
  return [...sweep.points[Math.max(first, 0)]];
}

/** Points whose values on all axes but `free` are those that are chosen. */
function pointsAt(sweep, fixed, free) {
  const at = [];
  sweep.points.forEach((values, k) => {
    if (values.every((value, axis) => free.includes(axis) || value === fixed[axis])) at.push(k);
  });
  return at;
}

/** Controls of the axes that are neither x nor the curves'. */
function fixedControls(controls, sweep, state, free, changed) {
  sweep.axes.forEach((axis, k) => {
    if (free.includes(k)) return;
    choice(controls, axis.key, axis.values.map((value, i) => [i, value]), state.fixed[k], (value) => {
      state.fixed[k] = value;
      changed();
    });
  });
}

function evenlyPicked(count, most) {
  const picked = new Set();
  for (let k = 0; k < Math.min(count, most); ++k) picked.add(Math.round(k * (count - 1) / Math.max(Math.min(count, most) - 1, 1)));
  return [...picked];
}

/** The curves of a figure over the axis that is chosen: {name, colour, x, y, low, high}. */
function curvesOf(sweep, figure, state) {
  const axis = sweep.axes[state.x];
  const position = positionsOf(axis);
  const free = state.curve < 0 ? [state.x] : [state.x, state.curve];
  const at = pointsAt(sweep, state.fixed, free);
  const values = state.curve < 0 ? [-1] : evenlyPicked(sweep.axes[state.curve].values.length, kMostCurves);
  return values.map((value, colour) => {
    const own = at.filter((k) => (value < 0 || sweep.points[k][state.curve] === value) && figure.median[k] != null);
    own.sort((a, b) => position[sweep.points[a][state.x]] - position[sweep.points[b][state.x]]);
    const column = (list) => list && own.map((k) => list[k]);
    return {
      name: value < 0 ? figure.key : sweep.axes[state.curve].values[value],
      colour,
      x: own.map((k) => position[sweep.points[k][state.x]]),
      y: column(figure.median),
      low: column(figure.low),
      high: column(figure.high),
    };
  });
}

/** Ticks at the axis' own values, as they were written. */
function axisTicks(axis, width) {
  const position = positionsOf(axis);
  const letters = Math.max(...axis.values.map((value) => Math.min(value.length, 12)));
  const order = axis.values.map((value, k) => k).sort((a, b) => position[a] - position[b]);
  const span = position[order[order.length - 1]] - position[order[0]];
  const apart = span * (letters * 7.5 + 10) / Math.max(width - 100, 100);  // or labels would overlap
  const shown = [];
  for (const k of order) {
    if (shown.length === 0 || position[k] - position[shown[shown.length - 1]] >= apart) shown.push(k);
  }
  return { splits: () => shown.map((k) => position[k]), values: () => shown.map((k) => shortened(axis.values[k], 12)) };
}

function figurePlot(place, width, sweep, figure, state) {
  const curves = curvesOf(sweep, figure, state);
  const axis = sweep.axes[state.x];
  const scale = scaleFor(figure.unit, greatestOf(curves.map((curve) => curve.y)));
  const tables = [];
  const series = [{ label: axis.key, value: (plot, value) => (value == null ? "–" : nearestValue(axis, value)) }];
  const bands = [];
  const scaled = (list) => list.map((value) => (value == null ? null : value / scale.factor));
  for (const curve of curves) {
    tables.push([curve.x, scaled(curve.y)]);
    series.push(curveOf(curve, figure.unit, scale));
    if (!curve.low) continue;
    for (const list of [curve.high, curve.low]) {
      tables.push([curve.x, scaled(list)]);
      series.push({ label: "edge", width: 0, stroke: "transparent", spanGaps: true, points: { show: false } });
    }
    bands.push({ series: [series.length - 2, series.length - 1], fill: () => colourOf(curve.colour) + "33" });
  }
  const options = {
    title: curves.every((curve) => curve.y.length === 0) ? "No run of these settings has this figure." : undefined,
    width,
    height: 260,
    scales: { x: { time: false, range: (plot, least, greatest) => padded(least, greatest) } },
    series,
    bands,
    axes: [
      axisOf(axis.key + (isByRatio(axis) ? ", by ratio" : ""), axisTicks(axis, width)),
      axisOf(labelWith(figure.key, scale), { size: 58 }),
    ],
    cursor: { y: false },
  };
  const columns = tables.length > 1 ? uPlot.join(tables) : tables[0];
  const plot = new uPlot(options, columns, place);
  plot.root.querySelectorAll(".u-legend .u-series").forEach((row, k) => {
    if (series[k].label === "edge") row.style.display = "none";
  });
  return plot;
}

function padded(least, greatest) {
  const space = greatest > least ? (greatest - least) * 0.03 : 0.5;
  return [least - space, greatest + space];
}

function nearestValue(axis, position) {
  const all = positionsOf(axis);
  let nearest = 0;
  all.forEach((value, k) => {
    if (Math.abs(value - position) < Math.abs(all[nearest] - position)) nearest = k;
  });
  return axis.values[nearest];
}

function drawCurves() {
  const place = plotOf("curves");
  if (!place) return;
  const sweep = page.sweep;
  const state = { x: 0, curve: sweep.axes.length > 1 ? 1 : -1, fixed: firstValues(sweep), other: kShownFigures };
  const controls = element("div", "", { className: "controls" });
  place.before(controls);
  place.classList.add("many");
  const charts = [];
  const again = () => charts.forEach((chart) => drawAgain(chart));
  const control = () => {
    controls.textContent = "";
    const axes = sweep.axes.map((axis, k) => [k, axis.key]);
    const set = (key) => (value) => {
      state[key] = value;
      if (state.curve === state.x) state.curve = key === "x" && sweep.axes.length > 1 ? (state.x + 1) % sweep.axes.length : -1;
      control();
      again();
    };
    choice(controls, "over", axes, state.x, set("x"));
    if (axes.length > 1) choice(controls, "a curve for each", [[-1, "none"], ...axes.filter(([k]) => k !== state.x)], state.curve, set("curve"));
    fixedControls(controls, sweep, state, [state.x, state.curve], again);
    const several = state.curve < 0 ? 0 : sweep.axes[state.curve].values.length;
    if (several > kMostCurves) controls.append(element("span", kMostCurves + " of " + several + " values, evenly picked"));
    if (sweep.figures.length > kShownFigures) {
      choice(controls, "below also", sweep.figures.map((figure, k) => [k, figure.key]).slice(kShownFigures), state.other, (value) => {
        state.other = value;
        again();
      });
    }
  };
  control();
  const count = Math.min(sweep.figures.length, kShownFigures + 1);
  for (let k = 0; k < count; ++k) {
    const one = element("div");
    place.append(one);
    charts.push(keepDrawn(one, (at, width) =>
      figurePlot(at, width, sweep, sweep.figures[k === kShownFigures ? state.other : k], state)));
  }
}

function drawHeat() {
  const place = plotOf("heat");
  if (!place) return;
  const sweep = page.sweep;
  const state = { figure: 0, x: 0, y: 1, fixed: firstValues(sweep) };
  const controls = element("div", "", { className: "controls" });
  const key = element("p", "", { className: "key" });
  place.before(controls, key);
  let chart = null;
  const again = () => drawAgain(chart);
  const control = () => {
    controls.textContent = "";
    const axes = sweep.axes.map((axis, k) => [k, axis.key]);
    const set = (side, other) => (value) => {
      if (state[other] === value) state[other] = state[side];
      state[side] = value;
      control();
      again();
    };
    choice(controls, "figure", sweep.figures.map((figure, k) => [k, figure.key]), state.figure, (value) => {
      state.figure = value;
      again();
    });
    choice(controls, "across", axes, state.x, set("x", "y"));
    choice(controls, "up", axes, state.y, set("y", "x"));
    fixedControls(controls, sweep, state, [state.x, state.y], again);
  };
  control();
  chart = keepDrawn(place, (at, width) => {
    const figure = sweep.figures[state.figure];
    const cells = pointsAt(sweep, state.fixed, [state.x, state.y]).filter((k) => figure.median[k] != null)
      .map((k) => ({ x: sweep.points[k][state.x], y: sweep.points[k][state.y], value: figure.median[k] }));
    return heatPlot(at, width, { x: sweep.axes[state.x], y: sweep.axes[state.y], unit: figure.unit, cells, key });
  });
}
