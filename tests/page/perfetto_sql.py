#!/usr/bin/env python3
"""Opens a trace in Perfetto's own page, in headless Chromium, and asks a question in SQL.

    perfetto_sql.py PERFETTO TRACE.json SQL

PERFETTO is the folder of the page: scripts/setup.sh --tests puts it into the cache. Prints one object of JSON: `rows`, a
list of values for each row of the answer, and `errors`, what Perfetto could not import, by its own statistics. The page
reaches nothing but this script's server on the loopback.
"""

import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

SECONDS = 120

# The page has `app` for whoever debugs it. A trace that cannot be opened at all never gets there.
PROBE = """
"use strict";
async function told(engine, sql) {
  const answer = await engine.query(sql);
  const columns = answer.columns();
  const rows = [];
  const plain = (value) => (typeof value === "bigint" ? Number(value) : value);
  for (const row = answer.iter({}); row.valid(); row.next()) rows.push(columns.map((name) => plain(row.get(name))));
  return rows;
}
async function probe() {
  const trace = window.app && window.app.trace;
  if (!trace) return setTimeout(probe, 200);
  let found;
  try {
    const errors = "select name, value from stats where severity in ('error', 'data_loss') and value > 0";
    found = { rows: await told(trace.engine, SQL), errors: await told(trace.engine, errors) };
  } catch (error) {
    found = { failure: String(error) };
  }
  await fetch("/found", { method: "POST", body: JSON.stringify(found) });
}
probe();
"""


def handler_of(page, trace, sql, found):
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=page)

        def log_message(self, *args):
            pass

        def send(self, body, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            path = self.path.split("?")[0]
            if path == "/":
                index = (pathlib.Path(page) / "index.html").read_text(encoding="utf-8")
                self.send(index.replace("</body>", '<script src="/probe.js"></script></body>').encode(), "text/html")
            elif path == "/probe.js":
                self.send(("const SQL = " + json.dumps(sql) + ";" + PROBE).encode(), "text/javascript")
            elif path == "/trace.json":
                self.send(pathlib.Path(trace).read_bytes(), "application/json")
            else:
                super().do_GET()

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send(b"", "text/plain")
            found.put(json.loads(body))

    return Handler


def browse(address, folder):
    return subprocess.Popen(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--user-data-dir=" + folder, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
         "--remote-debugging-port=0", address],
        env={"HOME": folder, "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main(page, trace, sql):
    found = queue.Queue()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(page, trace, sql, found))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = "http://127.0.0.1:%d/" % server.server_address[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = browse(address + "#!/?url=" + address + "trace.json", folder)
        try:
            answer = found.get(timeout=SECONDS)
        except queue.Empty:
            sys.exit("Perfetto's page did not open " + trace + " within " + str(SECONDS) + " s")
        finally:
            browser.kill()
            browser.wait()
    server.shutdown()
    if "failure" in answer:
        sys.exit("Perfetto could not answer: " + answer["failure"])
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
