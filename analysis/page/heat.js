// A figure over two axes: a cell a pair of values. Dark is little, light is much (viridis).
const kHeat = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];

/** The colour at a share from 0 to 1, and what can be read on it. */
function heatColour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (kHeat.length - 1);
  const k = Math.min(Math.floor(at), kHeat.length - 2);
  const part = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const rgb = [0, 1, 2].map((i) => Math.round(part(kHeat[k], i) + (at - k) * (part(kHeat[k + 1], i) - part(kHeat[k], i))));
  return { fill: "rgb(" + rgb.join(",") + ")", text: share > 0.6 ? "#000" : "#fff" };
}

function drawCells(plot, cells, rows, columns) {
  const context = plot.ctx;
  const ratio = devicePixelRatio;
  const wide = plot.bbox.width / columns;
  const high = plot.bbox.height / rows;
  const size = Math.min(13 * ratio, high * 0.5);
  context.save();
  context.font = size + "px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const cell of cells) {
    const left = plot.bbox.left + cell.x * wide;
    const top = plot.bbox.top + plot.bbox.height - (cell.y + 1) * high;
    const colour = heatColour(cell.share);
    context.fillStyle = colour.fill;
    context.fillRect(left + 0.5, top + 0.5, wide - 1, high - 1);
    if (context.measureText(cell.text).width > wide - 6 || size < 8 * ratio) continue;
    context.fillStyle = colour.text;
    context.fillText(cell.text, left + wide / 2, top + high / 2);
  }
  context.restore();
}

/** Ticks of an axis of values: as many as there is room for. */
function valueTicks(values, room) {
  const every = Math.max(1, Math.ceil(values.length / room));
  const shown = values.map((value, k) => k).filter((k) => k % every === 0);
  return {
    splits: () => shown.map((k) => k + 0.5),
    values: () => shown.map((k) => shortened(values[k], 12)),
    grid: { show: false },
  };
}

function heatPlot(place, width, map) {
  const longest = Math.max(...map.y.values.map((value) => Math.min(value.length, 12)));
  const height = Math.min(Math.max(map.y.values.length * 34, 140), 480) + 70;
  const numbers = map.cells.map((cell) => cell.value);
  const least = Math.min(...numbers);
  const greatest = Math.max(...numbers);
  const scale = scaleFor(map.unit, greatest);
  const text = (value) => digits(value / scale.factor) + (scale.name ? " " + scale.name : "");
  for (const cell of map.cells) {
    cell.share = greatest > least ? (cell.value - least) / (greatest - least) : 0.5;
    cell.text = text(cell.value);
  }
  const letters = Math.max(...map.x.values.map((value) => Math.min(value.length, 12)));
  const options = {
    width,
    height,
    legend: { show: false },
    scales: { x: { time: false, range: [0, map.x.values.length] }, y: { range: [0, map.y.values.length] } },
    series: [{}, { points: { show: false } }],
    axes: [
      axisOf(map.x.key, valueTicks(map.x.values, (width - 100) / (letters * 8 + 10))),
      axisOf(map.y.key, Object.assign({ size: 20 + longest * 7 }, valueTicks(map.y.values, height / 20))),
    ],
    cursor: { show: false },
    hooks: { draw: [(plot) => drawCells(plot, map.cells, map.y.values.length, map.x.values.length)] },
  };
  map.key.textContent = map.cells.length === 0 ? "No run of these settings has this figure." : "";
  if (map.cells.length > 0) {
    map.key.append(element("span", text(least)), element("span", "", { className: "ramp" }),
        element("span", text(greatest)));
    map.key.querySelector(".ramp").style.background = "linear-gradient(to right," + kHeat.join(",") + ")";
  }
  return new uPlot(options, [[0, map.x.values.length], [null, null]], place);
}
