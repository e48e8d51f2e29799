"""Drives the built page in a headless Chromium as a person would, through the browser's debugging pipe.

In: the page's address, a folder for pictures and state objects. Needs nothing but Python and Chromium. Ends in assertions on
`window.trample`, the state object.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

address, out = sys.argv[1], sys.argv[2]
# Software rendering takes as long as it takes.
PATIENCE = float(os.environ.get("TRAMPLE_WEB_SECONDS", "240"))


class Browser:
    """A page of a headless Chromium. Messages are JSON, each ended by a zero byte."""

    def __init__(self, program, width, height, dots=1):
        self.folder = tempfile.mkdtemp(prefix="trample-web-")
        to_browser, self.writes = os.pipe()
        self.reads, from_browser = os.pipe()
        # The browser reads descriptor 3 and writes descriptor 4.
        def place():
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
                 "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--disable-dev-shm-usage", "--mute-audio", "--remote-debugging-pipe",
                 f"--user-data-dir={self.folder}", f"--window-size={width},{height}",
                 f"--force-device-scale-factor={dots}"]
        self.errors = open(f"{out}/chromium.txt", "w")
        self.process = subprocess.Popen([program, *flags, "about:blank"], close_fds=False, preexec_fn=place,
                                        stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.session, self.console = 0, b"", None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.call("Page.enable")
        self.size(width, height)

    def size(self, width, height, mobile=False):
        # 0: the dots that the browser was started with. Others that are only emulated do not reach the size of a canvas.
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=0, mobile=mobile)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        end = time.time() + PATIENCE
        while True:
            answer = self.receive(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer.get("result", {})

    def receive(self, end):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.reads], [], [], max(0.0, end - time.time()))
            if not ready:
                raise RuntimeError("the browser does not answer")
            got = os.read(self.reads, 1 << 20)
            if not got:
                raise RuntimeError("the browser is gone")
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Runtime.consoleAPICalled":
            words = " ".join(str(a.get("value", a.get("description", ""))) for a in message["params"]["args"])
            self.console.append(f"{message['params']['type']}: {words}")
        elif message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            thrown = details.get("exception", {}).get("description", details.get("text", ""))
            # The engine leaves its start by throwing, which is not a failure.
            if "Using exceptions for control flow" not in thrown:
                self.console.append(f"exception: {thrown}")
        elif message.get("method") == "Log.entryAdded":
            self.console.append(f"{message['params']['entry']['level']}: {message['params']['entry']['text']}")
        return message

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def state(self):
        return self.ask("window.trample ?? null")

    def until(self, what, holds, seconds=PATIENCE):
        """Waits until the state object is as it shall be; the object then, or the last one."""
        end = time.time() + seconds
        state = None
        while time.time() < end:
            state = self.state()
            if state and holds(state):
                print("ok:", what)
                return state
            time.sleep(0.3)
        failures.append(what)
        print("FAILED:", what)
        print(json.dumps({k: v for k, v in (state or {}).items() if k not in ("parameters", "sliders")}))
        return state or {}

    def picture(self, name):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(f"{out}/{name}.png", "wb") as file:
            file.write(base64.b64decode(data))

    def key(self, code, key, down=True):
        kind = "rawKeyDown" if down else "keyUp"
        self.call("Input.dispatchKeyEvent", type=kind, code=code, key=key,
                  windowsVirtualKeyCode=ord(key.upper()) if len(key) == 1 else 0)

    def tap_key(self, code, key):
        self.key(code, key)
        time.sleep(1.0)
        self.key(code, key, False)

    def mouse(self, kind, x, y, held=False):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" or held else "none",
                  buttons=1 if held else 0, clickCount=1 if kind != "mouseMoved" else 0)
        time.sleep(1.0)

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in points])

    def go(self, query):
        self.ask("delete window.trample; 1")
        self.call("Page.navigate", url=address + query)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)


failures = []


def check(claim, holds):
    print(("ok: " if holds else "FAILED: ") + claim)
    if not holds:
        failures.append(claim)


def far(a, b):
    return sum((p - q) ** 2 for p, q in zip(a["walkers"][0]["at"], b["walkers"][0]["at"])) ** 0.5


def visit(browser):
    # A teacher's link: another scene, a heavier walker, another camera.
    began = time.time()
    browser.go("?scene=walk-mud&walker.0.mass=95&quality=low&resolution=0.5&camera=follow&panel=on")
    # The address may be answered before the page is there; what it says is read until it runs.
    loading, end = "", time.time() + PATIENCE
    while not loading and time.time() < end and not browser.state():
        loading = browser.ask("document.querySelector('#words')?.textContent ?? ''")
    check(f"the page says what it does while it loads: {loading!r}", bool(loading))
    start = browser.until("the page starts and shows its state", lambda s: s["steps"] > 0)
    print(f"    {time.time() - began:.1f} s from the address to the first state; first frame after {start['first_frame']:.1f} s")
    browser.until("the cover is gone", lambda _: browser.ask("document.querySelector('#loading').className") == "done")
    check("the link's scene runs", start["scene"] == "walk-mud")
    check("the link's mass is used", abs(start["parameters"]["body.mass"] - 95) < 1e-9)
    check("the link's camera and quality are used", (start["camera"], start["quality"]) == ("follow", "low"))
    check(f"the picture has half the page's resolution: {start['picture']} of {start['window']}",
          [2 * n for n in start["picture"]] == start["window"])

    # Keys.
    before = browser.state()
    browser.key("KeyW", "w")
    walked = browser.until("W walks", lambda s: far(before, s) > 0.4)
    browser.key("KeyW", "w", False)
    check(f"footprints: {1e3 * walked['deepest']:.0f} mm deep", walked["deepest"] > 0.002)
    check(f"what was displaced lies around: {walked['volume_error']:.1e}", walked["volume_error"] < 1e-6)
    browser.tap_key("KeyM", "m")
    browser.until("M shows a map", lambda s: s["overlay"] == "height")
    browser.tap_key("Digit3", "3")
    browser.until("3 is the close-up camera", lambda s: s["camera"] == "print")
    time.sleep(2)
    browser.picture("close-up")

    # A slider dragged with the mouse.
    state = browser.until("the panel shows sliders", lambda s: "ground.youngs_modulus" in s["sliders"])
    left, top, wide, high = state["sliders"]["ground.youngs_modulus"]
    stiff = state["parameters"]["ground.youngs_modulus"]
    y = top + high / 2
    browser.mouse("mouseMoved", left + 0.36 * wide, y)
    browser.mouse("mousePressed", left + 0.36 * wide, y, True)
    browser.mouse("mouseMoved", left + 0.28 * wide, y, True)
    browser.mouse("mouseMoved", left + 0.20 * wide, y, True)
    browser.mouse("mouseReleased", left + 0.20 * wide, y, False)
    browser.until("the dragged slider softens the ground", lambda s: s["parameters"]["ground.youngs_modulus"] < 0.7 * stiff)
    browser.picture("panel")

    # A click on the ground sends the walker there.
    browser.tap_key("Digit4", "4")
    browser.tap_key("KeyM", "m")
    here = browser.until("4 is the map from above", lambda s: s["camera"] == "top")
    width, height = here["window"]
    time.sleep(3)
    browser.mouse("mouseMoved", 0.30 * width, 0.55 * height)
    browser.mouse("mousePressed", 0.30 * width, 0.55 * height, True)
    browser.mouse("mouseReleased", 0.30 * width, 0.55 * height, False)
    browser.until("a click on the ground sends the walker there", lambda s: far(here, s) > 0.3)
    browser.picture("top")
    return here["window"]


def files(browser):
    """Files in and out: a height map and a scene that uses it chosen together; run and maps as a download."""
    folder = tempfile.mkdtemp(prefix="trample-files-")
    rows = "\n".join(" ".join(f"{0.02 * x * (y % 5):.3f}" for x in range(16)) for y in range(16))
    with open(f"{folder}/hill.asc", "w") as file:
        file.write(f"ncols 16\nnrows 16\nxllcorner 0\nyllcorner 0\ncellsize 0.5\n{rows}\n")
    with open(f"{folder}/own.toml", "w") as file:
        file.write('preset = "walk-snow"\nname = "own"\n[terrain]\nbase = { file = "hill.asc" }\n')
    document = browser.call("DOM.getDocument")["root"]["nodeId"]
    chooser = browser.call("DOM.querySelector", nodeId=document, selector="#files")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=chooser, files=[f"{folder}/hill.asc", f"{folder}/own.toml"])
    browser.until("a chosen scene and its height map are used", lambda s: s["scene"] == "own" and s["steps"] > 0)
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
    browser.ask("document.querySelector('canvas').focus(); 1")
    browser.key("ControlLeft", "Control")
    time.sleep(1.0)
    browser.tap_key("KeyS", "s")
    browser.key("ControlLeft", "Control", False)
    browser.until("run and maps are told to be saved", lambda s: "own.zip" in s["notice"])
    end = time.time() + 60
    while time.time() < end and not os.path.exists(f"{folder}/own.zip"):
        time.sleep(0.5)
    names = zipfile.ZipFile(f"{folder}/own.zip").namelist() if os.path.exists(f"{folder}/own.zip") else []
    check(f"the download holds run, scene and maps: {names}",
          any(n.endswith("run.trample") for n in names) and any(n.endswith("height.exr") for n in names))
    browser.picture("own")
    shutil.rmtree(folder, ignore_errors=True)


def fingers(browser, width, height):
    """A touch screen: a stick under the left thumb, buttons under the right one."""
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=3)
    browser.go("?scene=stroll&quality=low&resolution=0.5&panel=off&plants.0.density=8&plants.2.density=2")
    start = browser.until("the default scene starts", lambda s: s["scene"] == "stroll" and s["steps"] > 0)
    browser.touch("touchStart", (0, (0.2 * width, 0.8 * height)))
    time.sleep(1.0)
    browser.touch("touchMove", (0, (0.2 * width, 0.8 * height - 50)))
    browser.until("the left thumb walks", lambda s: far(start, s) > 0.4)
    browser.picture("touch")
    # Both thumbs at once: the camera button, which is the second from below.
    radius = min(max(0.07 * min(width, height), 18), 42)
    at = (width - 1.5 * radius, height - 3.9 * radius)
    browser.touch("touchStart", (0, (0.2 * width, 0.8 * height - 50)), (1, at))
    time.sleep(1.0)
    browser.touch("touchEnd", (0, (0.2 * width, 0.8 * height - 50)))
    browser.until("the right thumb changes the camera meanwhile", lambda s: s["camera"] == "orbit")
    browser.touch("touchEnd")


def layouts(browser):
    """A telephone with two dots for a pixel of the page, upright and on its side: the panel with its sliders lies within the screen."""
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=3)
    for width, height in [(390, 844), (844, 390)]:
        browser.size(width, height, True)
        browser.go("?scene=snow-field&quality=low&resolution=0.25&panel=on")
        state = browser.until(f"a telephone of {width}x{height} shows the panel",
                              lambda s: s["scene"] == "snow-field" and s["steps"] > 0 and s["sliders"])
        check(f"its picture has its dots: {state['window']}", state["window"] == [2 * width, 2 * height])
        inside = [0 <= left and left + wide <= width and 0 <= top and top + high <= height
                  for left, top, wide, high in state.get("sliders", {}).values()]
        check(f"{len(inside)} sliders are within the screen", bool(inside) and all(inside))
        browser.picture(f"telephone-{width}x{height}")


def offline(browser):
    """Without a network the page comes from what the browser kept."""
    kept = ("caches.keys().then(names => Promise.all(names.map(n => caches.open(n).then(c => c.keys()))))"
            ".then(all => all.flat().length)")
    end = time.time() + 60
    while time.time() < end and browser.ask(kept) < 5:
        time.sleep(1.0)
    browser.call("Network.enable")
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    browser.go("?scene=walk-snow&quality=low&resolution=0.25&panel=off")
    browser.until("the page starts without a network", lambda s: s["scene"] == "walk-snow" and s["steps"] > 0)
    browser.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)


def main():
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    browser = Browser(program, 640, 360)
    try:
        width, height = visit(browser)
        files(browser)
        fingers(browser, width, height)
        offline(browser)
        browser.go("?scene=nonsense&quality=low&resolution=0.5")
        browser.until("an unknown scene is said and the default one runs", lambda s: s["scene"] == "stroll" and "nonsense" in s["notice"])
        state = browser.state()
        with open(f"{out}/web.json", "w") as file:
            json.dump(state, file)
        wrong = [line for line in browser.console if line.startswith(("error", "exception"))]
        check(f"nothing is complained of in the console: {wrong[:3]}", not wrong)
    finally:
        with open(f"{out}/console.txt", "w") as file:
            file.write("\n".join(browser.console))
        browser.close()
    telephone = Browser(program, 390, 844, dots=2)
    try:
        layouts(telephone)
    finally:
        telephone.close()


main()
sys.exit(1 if failures else 0)
