// Elements and colours, for the report's page and for the status page of a run.
/** A new element with text, and properties. */
function element(name, text, properties) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  return Object.assign(made, properties);
}

/** A colour of page.css, as it is now: light, dark or for print. */
function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

const kColours = 8;
/** The colour of a curve or run; after eight they come again, dashed. */
function colourOf(k) {
  return ink("c" + (k % kColours));
}
function dashOf(k, dashed) {
  const turn = Math.floor(k / kColours);
  return turn > 0 ? [10 / turn, 4] : dashed ? [3, 3] : undefined;
}
