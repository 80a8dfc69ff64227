// How numbers are written. A scale is {factor, name}: what is shown is the value by the factor.
const kScales = {
  seconds: [[259200, 86400, "days"], [7200, 3600, "h"], [120, 60, "min"], [0.5, 1, "s"], [0, 1e-3, "ms"]],
  bytes: [[1e15, 1e15, "PB"], [1e12, 1e12, "TB"], [1e9, 1e9, "GB"], [1e6, 1e6, "MB"], [1e3, 1e3, "kB"], [0, 1, "B"]],
  share: [[0, 0.01, "%"]],
};
kScales.bytes_per_second = kScales.bytes.map(([from, factor, name]) => [from, factor, name + "/s"]);

/** For values up to `greatest`. */
function scaleFor(unit, greatest) {
  const steps = kScales[unit];
  if (!steps) return { factor: 1, name: "" };
  const step = steps.find(([from]) => Math.abs(greatest) >= from) || steps[steps.length - 1];
  return { factor: step[1], name: step[2] };
}

function greatestOf(lists) {
  let greatest = 0;
  for (const list of lists) for (const value of list) if (value > greatest) greatest = value;
  return greatest;
}

/** With commas, and no more digits than a person reads. */
function digits(value) {
  if (value == null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return value.toPrecision(3);
  const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4;
  const exact = Number.isInteger(value) ? 0 : places;
  return value.toLocaleString("en-US", { maximumFractionDigits: exact });
}

/** A tick of an axis, with as many digits as its steps need. */
function tick(value, step) {
  const places = (Number(step.toPrecision(6)).toString().split(".")[1] || "").length;
  return Math.abs(value) >= 1e9 ? value.toPrecision(3) : value.toLocaleString("en-US", { maximumFractionDigits: places });
}

/** A value for a person, with its unit. */
function words(value, unit) {
  if (value == null) return "–";
  const scale = scaleFor(unit, value);
  return digits(value / scale.factor) + (scale.name ? " " + scale.name : "");
}

function labelWith(label, scale) {
  return scale.name ? label + ", in " + scale.name : label;
}
