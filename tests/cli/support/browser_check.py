# SPDX-License-Identifier: MIT
# usage: browser_check.py FILE CHECK...
#
# Opens an HTML report in a headless Chromium without a network, and checks what a reader needs:
#
#   quiet      nothing on the console and no request, also while the report is used
#   policy     the policy (CSP) is strict: foreign scripts, styles and requests are refused
#   keyboard   Tab reaches the timeline; arrows move, + zooms, Escape shows all again
#   drag       dragging over the timeline zooms, Escape shows all again
#   contrast   text can be read in the light and in the dark theme
#   print      on paper, no page but the last is half empty, and every heading is there
#   plain      everything is drawn without scripts
#   narrow     390 pixels are enough without scrolling the page sideways
#   axe        axe-core (its path is in $PROCMEM_AXE) finds no violations in both themes
#   times      prints the times of the script and of a redraw in milliseconds; checks nothing
#
# Prints each defect, and ends with status 1 if there are some.
import json
import os
import re
import subprocess
import sys
import tempfile

from webdriver import Browser

# The timeline is the first drawing that the keyboard reaches.
CHART = "document.querySelector('svg[tabindex=\"0\"]')"

# Shapes of all drawings that are visible: name, section, size.
SHAPES = """
let found = 0, empty = [];
for (const svg of document.querySelectorAll('svg:not(svg svg)')) {
    const box = svg.getBoundingClientRect();
    const shapes = [...svg.querySelectorAll('path, rect, line, polyline, polygon')];
    const drawn = shapes.filter(s => { const b = s.getBoundingClientRect(); return b.width + b.height > 0; });
    if (box.width > 0 && drawn.length > 0)
        found++;
    else if (getComputedStyle(svg).display != 'none')
        empty.push(svg.outerHTML.slice(0, 80));
}
return [found, empty];
"""

# Texts that have too little contrast to what is behind them. WCAG 2: 4.5, and 3 for large text.
CONTRASTS = r"""
const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
function rgba(colour) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
}
function luminance([r, g, b]) {
    const [x, y, z] = [r, g, b].map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}
function mix(over, under) {
    const a = over[3];
    return [0, 1, 2].map(i => over[i] * a + under[i] * (1 - a)).concat(1);
}
const shapes = new Set(['path', 'rect', 'polygon', 'circle']);
function background(element, x, y) {
    let colours = [];
    for (const under of document.elementsFromPoint(x, y)) {
        if (under == element)
            continue;
        const style = getComputedStyle(under);
        const colour = shapes.has(under.tagName) ? style.fill : under instanceof SVGElement ? 'none' : style.backgroundColor;
        if (colour != 'none')
            colours.push(rgba(colour));
        if (colour != 'none' && colours[colours.length - 1][3] == 1)
            break;
    }
    colours.push(rgba('Canvas'));
    return colours.reduceRight((under, over) => mix(over, under));
}
let bad = [], checked = 0;
for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].filter(n => n.nodeType == 3 && n.data.trim());
    if (own.length == 0 || !element.checkVisibility() || element.closest('title, script, style'))
        continue;
    element.scrollIntoView({ block: 'center' });
    const range = document.createRange();
    range.selectNodeContents(own[0]);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2)
        continue;
    const style = getComputedStyle(element);
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const behind = background(element, x, y);
    const front = mix(rgba(element instanceof SVGElement ? style.fill : style.color), behind);
    const [a, b] = [luminance(front), luminance(behind)].sort((p, q) => q - p);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700;
    checked++;
    if (ratio < (large ? 3 : 4.5))
        bad.push(ratio.toFixed(1) + ': ' + own[0].data.trim().slice(0, 40));
}
return [checked, bad, luminance(rgba(getComputedStyle(document.body).backgroundColor))];
"""

# Things that a strict policy refuses. Each would set `hacked`.
INJECTIONS = """
window.hacked = [];
const script = document.createElement('script');
script.textContent = "hacked.push('script')";
document.body.append(script);
const div = document.createElement('div');
div.innerHTML = '<img src="x:" onerror="hacked.push(1)"><b style="width: 123px; display: block">x</b>';
document.body.append(div);
const sheet = document.createElement('style');
sheet.textContent = 'body { outline: 7px solid red }';
document.head.append(sheet);
const done = arguments[0];
fetch('data:text/plain,x').then(() => hacked.push('fetch'), () => 0).finally(() => {
    if (getComputedStyle(document.body).outlineWidth == '7px') hacked.push('style element');
    if (getComputedStyle(div.querySelector('b')).width == '123px') hacked.push('style attribute');
    setTimeout(() => done(hacked), 100);
});
"""


class Checks:
    """The checks of one report in one browser."""

    def __init__(self, browser, path):
        self.browser, self.path, self.defects = browser, path, []
        browser.load(path)

    def expect(self, condition, defect):
        if not condition:
            self.defects.append(defect)

    def _shown(self):
        """What the timeline shows."""
        return self.browser.run(f"const c = {CHART}; return c && c.innerHTML")

    def _focus_chart(self):
        """Presses Tab until the timeline has the focus."""
        for _ in range(30):
            self.browser.press("Tab")
            if self.browser.run(f"return document.activeElement == {CHART}"):
                return True
        return False

    def _drag_over_chart(self):
        box = self.browser.run(
            f"const c = {CHART}; if (!c) return null; c.scrollIntoView({{ block: 'center' }});"
            "const b = c.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]"
        )
        if box:
            x, y, width, height = box
            at = y + height * 0.6
            self.browser.drag(x + width * 0.4, at, x + width * 0.6, at)

    def quiet(self):
        self._focus_chart()
        self.browser.press("End", "ArrowLeft", "+", "-", "Escape")
        self._drag_over_chart()
        self.browser.scheme("dark")
        requests = self.browser.requests()
        own = [r for r in requests if r.endswith(os.path.basename(self.path))]
        self.expect(len(own) == 1, "the file was not requested once")
        for request in requests:
            self.expect(request in own, f"request: {request[:100]}")
        for line in self.browser.log("browser"):
            self.expect(False, f"console: {line['message'][:200]}")
        # Text of the target that has become a script could have left this mark.
        self.expect(self.browser.run("return window.hacked === undefined"), "a foreign script ran")

    def policy(self):
        policy = self.browser.run(
            "const m = document.querySelector('meta[http-equiv=\"Content-Security-Policy\"]');"
            "return m ? m.content : ''"
        )
        rules = dict((r.split() + [""])[:1] + [r.split()[1:]] for r in policy.split(";") if r.strip())
        self.expect(rules.get("default-src") == ["'none'"], "default-src is not 'none'")
        for name in ("script-src", "style-src"):
            for source in rules.get(name, ["missing"]):
                self.expect(re.match(r"'sha256-[A-Za-z0-9+/]{43}='$", source), f"{name}: {source}")
        for name in ("base-uri", "form-action"):
            self.expect(rules.get(name) == ["'none'"], f"{name} is not 'none'")
        for ran in self.browser.post("/execute/async", script=INJECTIONS, args=[]):
            self.expect(False, f"the policy allows: {ran}")

    def _moves(self, action, word):
        """Checks that an action changes what is shown, and that Escape shows all again."""
        before = self._shown()
        action()
        during = self._shown()
        self.expect(before and during != before, f"{word} does not zoom")
        self.browser.press("Escape")
        self.expect(self._shown() == before or during == before, f"Escape does not undo {word}")

    def keyboard(self):
        if not self._focus_chart():
            self.expect(False, "Tab does not reach the timeline")
            return
        live = "return [...document.querySelectorAll('[aria-live], [role=status], output')].map(e => e.textContent)"
        self.browser.press("Home")
        start = self.browser.run(live)
        shown = self._shown()
        self.browser.press("ArrowRight")
        self.expect(self._shown() != shown, "an arrow does not move the cursor")
        self.browser.press("End")
        self.expect(self.browser.run(live) != start, "it is not said where the cursor is")
        self.browser.press("Escape")
        self._moves(lambda: self.browser.press("+"), "+")

    def drag(self):
        self._drag_over_chart()
        self.browser.press("Escape")
        self._moves(self._drag_over_chart, "a drag")

    def contrast(self):
        for theme in ("light", "dark"):
            self.browser.scheme(theme)
            checked, bad, behind = self.browser.run(CONTRASTS)
            self.expect(checked > 10, f"{theme}: only {checked} texts")
            self.expect((behind > 0.5) == (theme == "light"), f"{theme}: wrong background")
            for text in bad[:20]:
                self.expect(False, f"{theme}: contrast {text}")

    def print(self):
        with tempfile.TemporaryDirectory() as folder:
            paper = os.path.join(folder, "report.pdf")
            self.browser.print(paper)
            text = subprocess.run(["pdftotext", "-layout", paper, "-"], check=True, capture_output=True, text=True)
            for heading in self.browser.run("return [...document.querySelectorAll('h1, h2')].map(e => e.innerText)"):
                squeezed = "".join(heading.split())
                self.expect(squeezed in "".join(text.stdout.split()), f"not on paper: {heading[:60]}")
            subprocess.run(["pdftoppm", "-r", "40", "-gray", paper, os.path.join(folder, "page")], check=True)
            pages = sorted(name for name in os.listdir(folder) if name.endswith(".pgm"))
            for number, name in enumerate(pages, 1):
                self._look_at_page(os.path.join(folder, name), number, number == len(pages))

    def _look_at_page(self, path, number, last):
        with open(path, "rb") as file:
            head, size, _, pixels = file.read().split(b"\n", 3)
        width, height = map(int, size.split())
        assert head == b"P5"
        inked = [min(pixels[y * width : (y + 1) * width]) < 200 for y in range(height)]
        self.expect(any(inked), f"page {number} is empty")
        lowest = max((y for y in range(height) if inked[y]), default=0)
        self.expect(last or lowest >= height // 2, f"the lower half of page {number} is empty")
        gap = longest = 0
        for y in range(lowest):
            gap = 0 if inked[y] else gap + 1
            longest = max(longest, gap)
        self.expect(longest < height // 4, f"page {number} has a gap")

    def plain(self):
        drawn, _ = self.browser.run(SHAPES)
        self.browser.scripts(False)
        self.browser.load(self.path)
        plain, empty = self.browser.run(SHAPES)
        self.browser.scripts(True)
        self.expect(plain > 0, "nothing is drawn without scripts")
        self.expect(plain == drawn, f"drawings: {plain} without scripts, {drawn} with them")
        for svg in empty:
            self.expect(False, f"empty: {svg}")

    def narrow(self):
        self.browser.resize(390, 800, phone=True)
        self.browser.load(self.path)
        width, inner = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        self.expect(inner == 390, f"the page asks for {inner} pixels")
        self.expect(width <= 390, f"the page is {width} pixels wide")

    def axe(self):
        with open(os.environ["PROCMEM_AXE"], encoding="utf-8") as file:
            axe = file.read()
        self.browser.cdp("Page.setBypassCSP", enabled=True)
        for theme in ("light", "dark"):
            self.browser.scheme(theme)
            self.browser.load(self.path)
            self.browser.run(axe)
            violations = self.browser.post(
                "/execute/async",
                script="const done = arguments[0];"
                "axe.run(document, { resultTypes: ['violations'] }).then(r => done(r.violations.map("
                "v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 120)])))",
                args=[],
            )
            for name, count, first in violations:
                self.expect(False, f"{theme}: {name}, {count} times: {first}")

    def times(self):
        """Prints the time of the script at load, and of a redraw, at a slow computer's speed."""
        self.browser.cdp("Performance.enable")
        self.browser.load(self.path)
        metrics = self.browser.cdp("Performance.getMetrics")["metrics"]
        script = next(m["value"] for m in metrics if m["name"] == "ScriptDuration") * 1000
        redraw = self.browser.run(
            f"const c = {CHART}; c.focus(); const times = [];"
            "for (let i = 0; i < 40; i++) { const start = performance.now();"
            "c.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? 'Escape' : '+', bubbles: true }));"
            "c.getBoundingClientRect(); times.push(performance.now() - start); }"
            "return times.sort((a, b) => a - b)[20]"
        )
        print(json.dumps({"script_ms": round(script, 1), "redraw_ms": round(redraw, 1)}))


def main():
    path, names = sys.argv[1], sys.argv[2:]
    failed = False
    with Browser() as browser:
        for name in names:
            browser.scheme("light")
            browser.cdp("Emulation.clearDeviceMetricsOverride")
            checks = Checks(browser, path)
            getattr(checks, name)()
            for defect in checks.defects:
                print(f"{name}: {defect}")
            failed = failed or checks.defects
    return 1 if failed else 0


sys.exit(main())
