"""A Chromium without a window, driven through a pipe (--remote-debugging-pipe): messages are JSON, each
ends in a zero byte. The standard library is enough, so the test of the page needs no driver."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def find():
    """The program, or none."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of one browser."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="ccsched-page-", ignore_cleanup_errors=True)
        there, self.write = os.pipe()
        self.read, back = os.pipe()
        # The browser reads commands from 3 and writes answers to 4.
        shell = 'exec "$@" 3<&%d 4>&%d' % (there, back)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
                   "--disable-background-networking", "--user-data-dir=" + self.folder.name, "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", shell, "bash", program, *options], pass_fds=(there, back),
                                        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(there)
        os.close(back)
        self.number, self.buffer, self.session = 0, b"", None
        self.events = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attach = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attach["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def receive(self, limit):
        """The next message; none after the limit."""
        while b"\0" not in self.buffer:
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                return None
            piece = os.read(self.read, 1 << 20)
            if not piece:
                raise SystemExit("the browser has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        """Calls a method; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        limit = time.monotonic() + 120
        while True:
            answer = self.receive(limit)
            if answer is None:
                raise SystemExit(f"{method}: no answer from the browser")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1280, height=1000, mark=""):
        """Opens a file, and waits until its scripts have run."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + mark)
        limit = time.monotonic() + 120
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            event = self.receive(limit)
            if event is None:
                raise SystemExit(f"{path}: not loaded after 120 s")
            self.events.append(event)
        self.settle()

    def settle(self):
        """Waits for two frames, so that what was changed is drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def value(self, expression):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def text(self, name):
        """The text of the element of this id."""
        return self.value(f"document.getElementById({json.dumps(name)}).textContent")

    def key(self, key, code=0, text=""):
        """Presses a key as a user does."""
        press = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **press, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **press)
        self.settle()

    def mouse(self, kind, x, y):
        """Moves or presses the mouse."""
        button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def complaints(self):
        """Errors in the console, exceptions, and requests beyond the file."""
        self.settle()
        said = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                said.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                said.append("console: " + json.dumps(params["args"])[:300])
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                said.append("log: " + params["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    said.append("request: " + url)
        return said

    def close(self):
        """Ends the browser."""
        try:
            self.session = None
            self.call("Browser.close")
        except SystemExit:
            self.process.kill()
        self.process.wait(20)
        self.folder.cleanup()
