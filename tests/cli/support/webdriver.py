# SPDX-License-Identifier: MIT
"""A headless Chromium, driven by chromedriver over the WebDriver protocol, without any packages.

The browser has no network: every request except those for files is refused, and counted.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

ARGUMENTS = [
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--no-first-run",
    # No name is found, so nothing can leave the machine.
    "--host-resolver-rules=MAP * ~NOTFOUND",
]

# Keys of the protocol that are not characters.
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Escape": "\ue00c",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}


class Failure(Exception):
    """The browser refused a command."""


class Browser:
    """A browser with one tab. Use it in a `with` statement."""

    def __init__(self, width=1180, height=900):
        arguments = ARGUMENTS + [f"--window-size={width},{height}"]
        if os.getuid() == 0:
            arguments.append("--no-sandbox")
        self.profile = tempfile.mkdtemp(prefix="procmem-browser-")
        arguments.append(f"--user-data-dir={self.profile}")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0", "--log-level=SEVERE"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.session = None
        try:
            self.base = f"http://127.0.0.1:{self._port()}"
            self.session = self._open(arguments)
            self.cdp("Network.enable")
            self.cdp(
                "Network.emulateNetworkConditions",
                offline=True,
                latency=0,
                downloadThroughput=0,
                uploadThroughput=0,
            )
            # The first tab has requests of its own.
            self.post("/url", url="about:blank")
            self.requests()
            self.log("browser")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _port(self):
        """Waits until the driver says on which port it listens."""
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip().rstrip(".").rsplit(" ", 1)[1])
        raise Failure("chromedriver did not start")

    def _open(self, arguments):
        options = {"args": arguments}
        browser = shutil.which("chromium")
        if browser:
            options["binary"] = browser
        answer = self._send(
            "POST",
            "/session",
            {
                "capabilities": {
                    "alwaysMatch": {
                        "browserName": "chrome",
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                        "goog:chromeOptions": options,
                    }
                }
            },
        )
        return "/session/" + answer["sessionId"]

    def _send(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Failure(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def post(self, path, **body):
        """Sends a command of WebDriver to the tab."""
        return self._send("POST", self.session + path, body)

    def cdp(self, command, **parameters):
        """Sends a command of the DevTools protocol."""
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)

    def close(self):
        """Ends the browser, also after a failure."""
        try:
            if self.session:
                self._send("DELETE", self.session)
        except (Failure, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def load(self, path):
        """Opens a file, and waits until it and its scripts have run."""
        with open(path, "rb"):
            pass
        self.post("/url", url="file://" + urllib.request.pathname2url(os.path.abspath(path)))

    def run(self, script, *arguments):
        """Runs the body of a function in the page, and returns its result."""
        return self.post("/execute/sync", script=script, args=list(arguments))

    def log(self, kind):
        """Returns and empties a log: `browser` (the console) or `performance` (events)."""
        return self.post("/se/log", type=kind)

    def requests(self):
        """Returns the addresses of all requests since the last call."""
        addresses = []
        for entry in self.log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                addresses.append(event["params"]["request"]["url"])
        return addresses

    def press(self, *keys):
        """Presses keys, one after the other. `Shift+ArrowLeft` holds Shift."""
        steps = []
        for key in keys:
            held = key.split("+") if len(key) > 1 else [key]
            codes = [KEYS.get(name, name) for name in held]
            steps += [{"type": "keyDown", "value": code} for code in codes]
            steps += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self.post("/actions", actions=[{"type": "key", "id": "keys", "actions": steps}])

    def drag(self, x, y, to_x, to_y):
        """Drags with the left button between two points of the window, in pixels."""
        steps = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]
        steps.append({"type": "pointerDown", "button": 0})
        for part in range(1, 5):
            at_x, at_y = x + (to_x - x) * part / 4, y + (to_y - y) * part / 4
            steps.append({"type": "pointerMove", "duration": 20, "x": int(at_x), "y": int(at_y)})
        steps.append({"type": "pointerUp", "button": 0})
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self.post("/actions", actions=[{**mouse, "actions": steps}])

    def scheme(self, name):
        """Makes the page `light` or `dark`, as the settings of a desktop do."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.cdp("Emulation.setEmulatedMedia", features=features)

    def resize(self, width, height, phone=False):
        """Sets the size of the window in CSS pixels."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )

    def scripts(self, enabled):
        """Allows scripts of pages that are loaded from now on, or not."""
        self.cdp("Emulation.setScriptExecutionDisabled", value=not enabled)

    def print(self, path):
        """Prints the page on A4 to a PDF file."""
        answer = self.cdp(
            "Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False
        )
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def picture(self, path, width, height):
        """Writes a PNG file of the top of the page, in CSS pixels."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        answer = self.cdp("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
