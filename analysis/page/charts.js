// Charts by uPlot. Each is built anew when its width or the colours change.
const kHeight = 300;
const drawn = [];

/** `build(element, width)` gives a uPlot, whose place is `element`. */
function keepDrawn(place, build) {
  const chart = { place, build, plot: null, width: 0 };
  drawn.push(chart);
  drawAgain(chart);
  new ResizeObserver(() => {
    if (Math.abs(place.clientWidth - chart.width) > 1) drawAgain(chart);
  }).observe(place);
  return chart;
}

function drawAgain(chart, width) {
  if (chart.plot) chart.plot.destroy();
  chart.width = width || chart.place.clientWidth;
  chart.plot = chart.build(chart.place, chart.width);
}

function drawAllAgain(width) {
  for (const chart of drawn) drawAgain(chart, width);
}

/** An axis in the page's colours; upright ones say how much room they need. */
function axisOf(label, more) {
  return Object.assign({
    label,
    size: 30,
    labelSize: 20,
    labelGap: 2,
    labelFont: "13px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    stroke: () => ink("ink"),
    grid: { stroke: () => ink("grid"), width: 1 },
    ticks: { stroke: () => ink("grid"), width: 1 },
    values: (plot, splits, axis, space, step) => splits.map((value) => (value == null ? "" : tick(value, step))),
  }, more);
}

function curveOf(series, unit, scale) {
  return {
    label: series.name,
    stroke: () => colourOf(series.colour),
    width: 2,
    dash: dashOf(series.colour, series.dashed),
    spanGaps: true,
    points: { size: 6, fill: () => colourOf(series.colour) },
    value: (plot, value) => (value == null ? "–" : words(value * scale.factor, unit)),
  };
}

/** Several curves as uPlot's columns: [x, y of the first, ...], all by their scales. */
function columnsOf(chart, xScale, yScale) {
  const tables = chart.series.map((series) => [
    series.x.map((value) => value / xScale.factor),
    series.y.map((value) => (value == null ? null : value / yScale.factor)),
  ]);
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

function xSeries(chart, xScale) {
  return { label: chart.x.label, value: (plot, value) => (value == null ? "–" : words(value * xScale.factor, chart.x.unit)) };
}

function linesPlot(place, width, chart, height) {
  const xScale = scaleFor(chart.x.unit, greatestOf(chart.series.map((series) => series.x)));
  const yScale = scaleFor(chart.y.unit, greatestOf(chart.series.map((series) => series.y)));
  const series = chart.series.map((one) => curveOf(one, chart.y.unit, yScale));
  if (chart.kind === "steps") {
    for (const one of series) Object.assign(one, { paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } });
  }
  const options = {
    width,
    height: height || kHeight,
    scales: { x: { time: false } },
    series: [xSeries(chart, xScale), ...series],
    axes: [axisOf(labelWith(chart.x.label, xScale)), axisOf(labelWith(chart.y.label, yScale), { size: 58 })],
    cursor: { y: false },
  };
  return new uPlot(options, columnsOf(chart, xScale, yScale), place);
}

/** The greatest sum is drawn first, those below it over it. */
function stackedPlot(place, width, chart) {
  const xScale = scaleFor(chart.x.unit, greatestOf(chart.series.map((series) => series.x)));
  const sums = [];
  let below = chart.series[0].x.map(() => 0);
  for (const series of chart.series) {
    below = below.map((value, k) => value + series.y[k]);
    sums.push(below);
  }
  const order = chart.series.map((series, k) => k).reverse();
  const options = {
    width,
    height: kHeight,
    scales: { x: { time: false }, y: { range: (plot, least, greatest) => [0, greatest] } },
    series: [xSeries(chart, xScale), ...order.map((k) => ({
      label: chart.series[k].name,
      stroke: () => ink("a" + chart.series[k].colour),
      fill: () => ink("a" + chart.series[k].colour),
      width: 0,
      points: { show: false },
      value: (plot, value, series, at) => (at == null ? "–" : digits(chart.series[k].y[at])),
    }))],
    axes: [axisOf(labelWith(chart.x.label, xScale)), axisOf(chart.y.label, { size: 58 })],
    cursor: { y: false },
  };
  return new uPlot(options, [chart.series[0].x.map((value) => value / xScale.factor), ...order.map((k) => sums[k])], place);
}

/** The place of a figure's chart; a person without sight hears its title. */
function plotOf(id) {
  const figure = document.getElementById(id);
  if (!figure) return null;
  const plot = figure.querySelector(".plot");
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", "Chart: " + figure.querySelector("h3").textContent);
  return plot;
}

function drawCharts() {
  for (const chart of page.charts) {
    const build = chart.kind === "stacked" ? stackedPlot : linesPlot;
    keepDrawn(plotOf(chart.id), (place, width) => build(place, width, chart));
  }
}
