// Duration against cost, a point a choice of values; those on the front are joined.
function settingsOf(sweep, point) {
  return sweep.axes.map((axis, k) => axis.key + "=" + axis.values[sweep.points[point][k]]).join(", ");
}

function frontPlot(place, width, sweep, told) {
  const figure = (key) => sweep.figures.find((one) => one.key === key);
  const duration = figure(sweep.front.duration);
  const cost = figure(sweep.front.cost);
  const xScale = scaleFor(duration.unit, greatestOf([duration.median]));
  const yScale = scaleFor(cost.unit, greatestOf([cost.median]));
  const order = sweep.points.map((values, k) => k).filter((k) => duration.median[k] != null && cost.median[k] != null);
  order.sort((a, b) => duration.median[a] - duration.median[b]);
  const front = new Set(sweep.front.points);
  const x = order.map((k) => duration.median[k] / xScale.factor);
  const y = order.map((k) => cost.median[k] / yScale.factor);
  const best = order.map((k, i) => (front.has(k) ? y[i] : null));
  const told_value = (plot, value) => (value == null ? "–" : words(value * yScale.factor, cost.unit));
  const options = {
    width,
    height: 340,
    scales: { x: { time: false, range: (plot, least, greatest) => padded(least, greatest) } },
    series: [
      { label: duration.key, value: (plot, value) => (value == null ? "–" : words(value * xScale.factor, duration.unit)) },
      { label: "all points", stroke: () => ink("c4"), paths: () => null, points: { show: true, size: 6, fill: () => ink("c4") }, value: told_value },
      { label: "on the front", stroke: () => ink("c1"), width: 2, spanGaps: true, points: { show: true, size: 10, fill: () => ink("c1") }, value: told_value },
    ],
    axes: [axisOf(labelWith(duration.key, xScale)), axisOf(labelWith(cost.key, yScale), { size: 58 })],
    hooks: {
      setCursor: [(plot) => {
        const at = plot.cursor.idx;
        told.textContent = at == null || plot.cursor.left < 0 ? "Point at a point to read its settings." : settingsOf(sweep, order[at]);
      }],
    },
  };
  return new uPlot(options, [x, y, best], place);
}

function drawFront() {
  const place = plotOf("front");
  if (!place) return;
  const told = element("p", "Point at a point to read its settings.", { className: "told" });
  place.after(told);
  keepDrawn(place, (at, width) => frontPlot(at, width, page.sweep, told));
}
