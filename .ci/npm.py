"""Shows the example page of the npm package to a headless Chromium and checks what it sends back.

In: Chromium, a folder with `page` and, if Node has run, `node.txt`; the hashes of library scenes.
"""
import functools
import http.server
import json
import os
import queue
import subprocess
import sys
import threading

chromium, out, hashes = sys.argv[1:]
# Seconds that the page may take.
PATIENCE = 240
answers = queue.Queue()


class Server(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def do_POST(self):
        answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=f"{out}/page"))
threading.Thread(target=server.serve_forever, daemon=True).start()
flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--remote-debugging-port=0",
         f"--user-data-dir={out}/profile"]
with open(f"{out}/chromium.txt", "w") as errors:
    # It stays until it is ended: headless browsers that are not debugged leave when a page has loaded.
    browser = subprocess.Popen([chromium, *flags, f"http://127.0.0.1:{server.server_port}/?test"], stdin=subprocess.DEVNULL, stdout=errors,
                               stderr=errors)
try:
    told = answers.get(timeout=PATIENCE)
except queue.Empty:
    told = {"error": f"nothing came back in {PATIENCE} s"}
finally:
    browser.terminate()
    browser.wait()
plate = next(line.split()[-1] for line in open(hashes) if line.startswith("trample run plate "))
node = f"{out}/node.txt"
walked = [line.split()[-1] for line in open(node) if line.startswith("walked ")] if os.path.exists(node) else []
checks = {
    "the page ran to its end": "error" not in told,
    "the hash of trample run plate": told.get("plate") == plate,
    "boots have walked as in Node": not walked or told.get("walked") == walked[0],
    "the page's own boots walked the same way": "own" in told and told["own"] == told.get("walked"),
    "tiles changed, and their copies are the ground": told.get("changed", 0) > 20 and told.get("same") is True,
    "prints in the snow": told.get("deepest", 0) > 0.01,
}
for what, good in checks.items():
    print("ok:" if good else "FAILED:", what)
print(f"the view: {told.get('view')}")
if not all(checks.values()):
    sys.exit(json.dumps(told))
