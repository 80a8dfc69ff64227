"use strict";
// What goes wrong is told by #self-test: page.js.
const problems = [];
addEventListener("error", (event) => problems.push(String(event.message)));

const page = JSON.parse(document.getElementById("page-data").textContent);
