#pragma once

namespace dipaco {

// The two parts of the status page that are the same for every run. The server's policy names their hashes, so they
// stand in the page byte by byte as here.

inline constexpr char kStatusStyle[] = R"css(
:root { color-scheme: light dark; --page: #f5f6f8; --card: #fff; --line: #e1e4ea; --text: #1a1d23; --soft: #616976;
  --good: #14803c; --bad: #c0262d; --wait: #9a5b00; --bar: #2f6fde; --track: #e4e8ef; }
@media (prefers-color-scheme: dark) { :root { --page: #121418; --card: #1b1e24; --line: #2d323b; --text: #e7e9ee;
  --soft: #98a1b0; --good: #4ccb7a; --bad: #ff7b7b; --wait: #f0b04a; --bar: #6aa1ff; --track: #2b303a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.45 system-ui, -apple-system, "Segoe UI",
  Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums; }
main, #stale { max-width: 68rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .9rem 1rem;
  margin: 1rem 0; }
small, .soft, dt, th { font-weight: 400; color: var(--soft); }
.state { font-weight: 600; white-space: nowrap; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.wait { color: var(--wait); }
.ends { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
progress { appearance: none; -webkit-appearance: none; display: block; width: 100%; height: .8rem; margin: 0 0 .5rem;
  border: 0; border-radius: .4rem; overflow: hidden; background: var(--track); }
progress::-webkit-progress-bar { background: var(--track); }
progress::-webkit-progress-value { background: var(--bar); }
progress::-moz-progress-bar { background: var(--bar); }
td progress { height: .5rem; margin: 0; min-width: 3rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .9rem 1rem; margin: 0; }
dt { font-size: .85rem; }
dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
dd small { display: block; font-size: .85rem; font-weight: 400; }
ul { margin: 0; padding-left: 1.2rem; }
li { overflow-wrap: anywhere; }
#charts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
#charts[hidden] { display: none; }
#charts figure { margin: 0; min-width: 0; overflow: hidden; }
#charts h3 { font-size: 1rem; margin: 0 0 .3rem; }
#charts td, #charts th { padding: 0 .3rem 0 0; border: 0; }
.late { border-left: .3rem solid var(--wait); }
table { width: 100%; border-collapse: collapse; }
th { font-size: .85rem; font-weight: 400; text-align: left; padding: 0 0 .3rem .75rem; }
td { padding: .35rem 0 .35rem .75rem; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th:first-child, td:first-child { padding-left: 0; }
.number { text-align: right; }
.number, .word { white-space: nowrap; }
.share { width: 30%; vertical-align: middle; }
footer { font-size: .85rem; color: var(--soft); }
a { color: inherit; }
#stale:not([hidden]) + main { opacity: .55; }
#stale p { margin: 0; padding: .7rem 1rem; border-radius: .6rem; color: #fff; background: #a3262c; }
@media (max-width: 56rem) { .wide { display: none; } }
@media (max-width: 40rem) { body { font-size: 15px; } main { padding: .75rem; } section { padding: .8rem; }
  .share, .nodes tr:first-child { display: none; }
  .nodes tr { display: grid; grid-template-columns: 1fr auto 5rem; gap: 0 .75rem; padding: .4rem 0;
    border-top: 1px solid var(--line); }
  .nodes td { border: 0; padding: 0; }
  .nodes .site { grid-row: 2; grid-column: 1 / -1; color: var(--soft); font-size: .85rem; } }
)css";

inline constexpr char kStatusScript[] = R"js(
'use strict';
const stale = document.getElementById('stale');
let heard = new Date();
async function again() {
  try {
    const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(10000) });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const main = page.querySelector('main');
    main.querySelector('#charts').replaceWith(document.getElementById('charts'));
    document.querySelector('main').replaceWith(main);
    document.title = page.title;
    heard = new Date();
    stale.hidden = true;
  } catch (error) {
    stale.firstElementChild.textContent = 'No answer since ' + heard.toLocaleTimeString() +
      ': the run has ended, or cannot be reached from here. What stands below was true then.';
    stale.hidden = false;
  }
  if (!document.querySelector('main[data-finished]')) setTimeout(again, 3000);
}
setTimeout(again, 3000);
// Below this page's own style, which so has the last word.
const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = '/charts.css';
document.head.prepend(style);
const charts = document.createElement('script');
charts.src = '/charts.js';
document.head.append(charts);
)js";

}  // namespace dipaco
