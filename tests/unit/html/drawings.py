#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws figures with the program `draw`, parses the drawings with an XML parser, and compares them
with the figures. The program is the argument."""

import base64
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

DRAW = sys.argv.pop()
HOSTILE = "</title></script><script>alert(1)</script>&\"'<![CDATA[\x01\u202e"
UINT64_MAX = 2**64 - 1
MIB = 1 << 20


def draw(lines, zone="UTC"):
    """Returns the document that is drawn from lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "drawings.html")
        source = "\n".join(lines).encode("utf-8", "surrogateescape")
        subprocess.run([DRAW, path], input=source, check=True, env={**os.environ, "TZ": zone})
        with open(path, encoding="utf-8") as file:
            return file.read()


def moments(times, *kinds):
    """Returns lines with kinds and their values at some times."""
    lines = [f"kind {colour} {name}" for colour, name, _ in kinds]
    for i, time in enumerate(times):
        lines.append(f"moment {time} " + " ".join(str(values[i]) for _, _, values in kinds))
    return lines


def drawing(document, start):
    """Returns the <svg> that starts with a text, parsed."""
    at = document.index(start)
    depth = 0
    for tag in re.finditer(r"<svg[\s>]|</svg>", document[at:]):
        depth += -1 if tag[0] == "</svg>" else 1
        if depth == 0:
            return xml.etree.ElementTree.fromstring(document[at : at + tag.end()])
    raise ValueError("no end of the drawing")


def chart_of(document):
    return drawing(document, '<svg id="chart"')


def by_class(element, name):
    return [e for e in element.iter() if name in e.get("class", "").split()]


def edges(chart):
    """Returns, for each area from the bottom to the top, its closed parts: lists of points."""
    (areas,) = by_class(chart, "areas")
    result = []
    for path in reversed(list(areas)):
        data = path.get("d")
        assert re.fullmatch(r"([ML]-?\d+ -?\d+|Z)*", data), data
        parts = [re.findall(r"[ML](-?\d+) (-?\d+)", part) for part in data.split("Z")[:-1]]
        result.append([[(int(x), int(y)) for x, y in part] for part in parts])
    return result


def upper(part, seconds, maximum):
    """Returns the upper edge of a part as pairs of time and bytes, without the ends at 0."""
    assert part[0][1] == 2000 and part[-1][1] == 2000, part
    return [(x / 1000 * seconds, (2000 - y) / 2000 * maximum) for x, y in part[1:-1]]


def value_at(points, when):
    for (t1, v1), (t2, v2) in zip(points, points[1:]):
        if t1 <= when <= t2:
            return v1 + (v2 - v1) * ((when - t1) / (t2 - t1) if t2 > t1 else 1)
    raise ValueError(f"{when} is not in the curve")


def decode(coded):
    values, value = [], 0
    for item in coded:
        for _ in range(item[0] if isinstance(item, list) else 1):
            value += 0 if isinstance(item, list) else item
            values.append(value)
    return values


def data_of(document):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', document, re.S)[1]
    assert "<" not in text
    return json.loads(text)


class Timeline(unittest.TestCase):
    def check_areas(self, times, kinds, document):
        """Checks that the upper edge of each area is the sum of the kinds below it."""
        chart = chart_of(document)
        seconds, maximum = float(chart.get("data-seconds")), float(chart.get("data-max"))
        order = sorted(range(len(kinds)), key=lambda k: kinds[k][2][-1] - kinds[k][2][0])
        sums = [0] * len(times)
        for area, k in zip(edges(chart), order):
            sums = [s + v for s, v in zip(sums, kinds[k][2])]
            self.assertEqual(len(area), 1)
            points = upper(area[0], seconds, maximum)
            for time, total in zip(times, sums):
                self.assertAlmostEqual(value_at(points, time), total, delta=maximum / 1000)

    def test_heights_are_the_figures(self):
        times = list(range(0, 600, 10))
        kinds = [
            (3, "malloc", [MIB * (10 + i) for i in range(60)]),
            (8, "anon", [MIB * (40 + i % 3 * 0) for i in range(60)]),
            (2, "arena", [MIB * (30 - i // 4) for i in range(60)]),
        ]
        document = draw(moments(times, *kinds))
        self.check_areas(times, kinds, document)
        (areas,) = by_class(chart_of(document), "areas")
        self.assertEqual([path.get("class") for path in areas], ["k3", "k8", "k2"])

    def test_one_kind_is_a_thousand_times_another(self):
        times = list(range(100))
        kinds = [(3, "malloc", [4096 * (10 + i) for i in range(100)]), (8, "anon", [1 << 30] * 100)]
        document = draw(moments(times, *kinds))
        self.check_areas(times, kinds, document)
        # The small one has figures, and a curve with its own scale.
        entry = re.search(r"<li>.*?malloc.*?</li>", document, re.S)[0]
        self.assertIn(">436.0K<", entry)
        self.assertIn(">+396.0K<", entry)
        points = re.search(r'points="([^"]*)"', entry)[1].split()
        self.assertEqual(points[-1], "200,3")

    def test_peaks_are_not_lost(self):
        values = [100 * MIB] * 10000
        values[4321] = 180 * MIB
        values[8765] = 20 * MIB
        document = draw(moments(range(10000), (3, "malloc", values)))
        chart = chart_of(document)
        maximum = float(chart.get("data-max"))
        points = upper(edges(chart)[0][0], float(chart.get("data-seconds")), maximum)
        self.assertAlmostEqual(max(v for _, v in points), 180 * MIB, delta=maximum / 1000)
        self.assertAlmostEqual(min(v for _, v in points), 20 * MIB, delta=maximum / 1000)
        self.assertLess(len(points), 1100)
        self.assertEqual(decode(data_of(document)["kinds"][0]["values"]), [v // 4096 for v in values])
        self.assertIn("10,000 samples", document)

    def test_one_and_two_and_equal(self):
        for times in ([0], [0, 0], [0, 0, 0], [0, 5]):
            values = [MIB * (i + 1) for i in range(len(times))]
            chart = chart_of(draw(moments(times, (3, "malloc", values))))
            (part,) = edges(chart)[0]
            self.assertGreaterEqual(part[-1][0] - part[0][0], 4)
            top = min(y for _, y in part)
            maximum = float(chart.get("data-max"))
            self.assertAlmostEqual((2000 - top) / 2000 * maximum, max(values), delta=maximum / 1000)

    def test_nothing(self):
        self.assertNotIn('<svg id="chart"', draw([]))
        chart = chart_of(draw(moments(range(5), (3, "malloc", [0] * 5))))
        self.assertEqual({y for part in edges(chart)[0] for _, y in part}, {2000})

    def test_gaps(self):
        times = list(range(100)) + list(range(500, 600))
        document = draw(moments(times, (3, "malloc", [MIB] * 200)))
        chart = chart_of(document)
        (gap,) = by_class(chart, "gap")
        seconds = float(chart.get("data-seconds"))
        self.assertAlmostEqual(float(gap.get("x")) / 1000 * seconds, 99, delta=1)
        self.assertAlmostEqual(float(gap.get("width")) / 1000 * seconds, 401, delta=1)
        self.assertEqual(gap[0].text, "no samples for 6m 41s")
        first, second = edges(chart)[0]
        self.assertAlmostEqual(first[-1][0] / 1000 * seconds, 99, delta=1)
        self.assertAlmostEqual(second[0][0] / 1000 * seconds, 500, delta=1)

    def test_limit(self):
        lines = moments([0, 100], (3, "malloc", [10 * MIB, 20 * MIB]))
        lines.append(f"limit {50 * MIB} {40 * MIB} 200000 80 90 cgroup {HOSTILE}")
        document = draw(lines)
        chart = chart_of(document)
        seconds, maximum = float(chart.get("data-seconds")), float(chart.get("data-max"))
        (limit,) = by_class(chart, "limit")
        y = float(re.fullmatch(r"M0 ([\d.]+)H1000", limit.get("d"))[1])
        self.assertAlmostEqual((2000 - y) / 2000 * maximum, 40 * MIB, delta=maximum / 1000)
        ends = []
        for guess in by_class(chart, "guess"):
            x1, y1, x2, y2 = map(float, re.findall(r"[\d.]+", guess.get("d")))
            self.assertAlmostEqual(x1 / 1000 * seconds, 100, delta=0.5)
            self.assertAlmostEqual((2000 - y1) / 2000 * maximum, 20 * MIB, delta=maximum / 1000)
            self.assertAlmostEqual((2000 - y2) / 2000 * maximum, 40 * MIB, delta=maximum / 1000)
            ends.append(round(x2 / 1000 * seconds))
        self.assertEqual(ends, [180, 190])
        self.assertIn("reached in 1m 20s to 1m 31s", document)
        self.assertIn("<b>Limit 50.0M</b>", document)
        self.assertIn("at 40.0M: other memory uses 10.0M of the limit", document)

    def test_limit_far_above(self):
        lines = moments([0, 100], (3, "malloc", [10 * MIB, 20 * MIB]))
        document = draw(lines + [f"limit {4000 * MIB} {4000 * MIB} 1 900 1000 machine"])
        chart = chart_of(document)
        self.assertEqual(by_class(chart, "limit") + by_class(chart, "guess"), [])
        self.assertIn("above this chart", document)
        self.assertEqual(float(chart.get("data-seconds")), 100)

    def test_limit_late(self):
        lines = moments([0, 100], (3, "malloc", [10 * MIB, 20 * MIB]))
        chart = chart_of(draw(lines + [f"limit {40 * MIB} {40 * MIB} 1 1e9 1e300 machine"]))
        self.assertEqual(float(chart.get("data-seconds")), 150)
        for guess in by_class(chart, "guess"):
            self.assertLess(len(guess.get("d")), 60)

    def test_size_marks(self):
        for total in (1, 5, 1000, 4096, 3 * MIB, 174 * MIB, 5 << 30, UINT64_MAX):
            document = draw(moments([0, 1], (3, "malloc", [total] * 2)))
            maximum = float(chart_of(document).get("data-max"))
            labels = drawing(document, '<svg class="sizes"')
            labels = [e for e in labels if e.tag == "text"]
            self.assertIn(len(labels), range(2, 8), total)
            for label in labels:
                units = "BKMGTPEZY"
                text = label.text if label.text[-1] in units else label.text + "B"
                bytes_ = float(text[:-1]) * 1024 ** units.index(text[-1])
                share = 100 - float(label.get("y")[:-1])
                self.assertAlmostEqual(share / 100 * maximum, bytes_, delta=maximum / 1000)

    def test_time_marks(self):
        start = 1764000000  # 2025-11-24 16:00 UTC
        times = [i * 300 for i in range(170)]
        lines = moments(times, (3, "malloc", [MIB] * 170)) + [f"samples 170 {start}"]
        marks = by_class(chart_of(draw(lines, "Etc/GMT-2")), "times")[0]
        texts = [[text.text for text in mark] for mark in marks]
        self.assertEqual(texts, [["18:00", "24 Nov"], ["21:00"], ["00:00", "25 Nov"], ["03:00"], ["06:00"]])
        for mark, hours in zip(marks, (0, 3, 6, 9, 12)):
            self.assertAlmostEqual(float(mark[0].get("x")[:-1]), hours * 3600 / times[-1] * 100, delta=0.01)

    def test_marks_are_whole_seconds(self):
        for start in (1764000000.75, 1764000000.25, 1764000003.999):
            document = draw(moments([0, 5, 10], (3, "malloc", [MIB] * 3)) + [f"samples 3 {start}"])
            for mark in by_class(chart_of(document), "times")[0]:
                at = start + float(mark[0].get("x")[:-1]) / 10
                self.assertAlmostEqual(at, round(at), delta=0.01)
                self.assertEqual(mark[0].text, time.strftime("%H:%M:%S", time.gmtime(round(at))))
            self.assertAlmostEqual(data_of(document)["start"], start, delta=0.001)

    def test_local_time_changes(self):
        start = 1761433200  # 2025-10-25 23:00 UTC; at 01:00 UTC, summer time ends in Berlin
        times = [i * 60 for i in range(240)]
        document = draw(moments(times, (3, "malloc", [MIB] * 240)) + [f"samples 240 {start}"], "Europe/Berlin")
        self.assertEqual(data_of(document)["offsets"], [[0, 7200], [7200000, 3600]])


class Data(unittest.TestCase):
    def test_all_figures(self):
        generator = random.Random(1)
        times = sorted(generator.sample(range(10**6), 500))
        times[0] = 0
        kinds = [(k, f"kind {k}", [generator.randrange(1 << 40) for _ in times]) for k in range(3)]
        data = data_of(draw(moments([t / 1000 for t in times], *kinds)))
        self.assertEqual(decode(data["times"]), times)
        found = {kind["name"]: decode(kind["values"]) for kind in data["kinds"]}
        for _, name, values in kinds:
            self.assertEqual([v * data["unit"] for v in found[name]], values)

    def test_bounded(self):
        generator = random.Random(2)
        kinds = [(k, f"kind {k}", [generator.randrange(1 << 63) for _ in range(10000)]) for k in range(18)]
        document = draw(moments(range(10000), *kinds))
        data = data_of(document)
        self.assertLess(len(document), 1000000)
        self.assertEqual(data["samples"], 10000)
        self.assertEqual(data["moments"], len(decode(data["times"])))
        totals = [sum(values) for values in zip(*(values for _, _, values in kinds))]
        kept = [sum(values) for values in zip(*(decode(kind["values"]) for kind in data["kinds"]))]
        self.assertEqual(max(kept) * data["unit"], max(totals))
        self.assertEqual(min(kept) * data["unit"], min(totals))


class Share(unittest.TestCase):
    def test_widths_are_the_figures(self):
        figures = [("anon", 56), ("malloc", 79), ("arena", 23), ("none", 0), ("small", 1)]
        kinds = [(k, name, [size * MIB] * 2) for k, (name, size) in enumerate(figures)]
        share = drawing(draw(moments([0, 1], *kinds)), '<svg class="share"')
        at = 0
        for part, (name, size) in zip(share, [figure for figure in figures if figure[1]]):
            self.assertAlmostEqual(float(part.get("x")[:-1]), at, delta=0.01)
            self.assertAlmostEqual(float(part.get("width")[:-1]), size / 159 * 100, delta=0.01)
            self.assertTrue(part[0].text.startswith(f"{name} {size}.0M, "))
            at += size / 159 * 100
        self.assertEqual(len(share), 4)
        self.assertIn("malloc 79.0M, 50 %", share.get("aria-label"))


class Small(unittest.TestCase):
    def test_bars(self):
        changes = [(100, 200), (-200, 200), (0, 200), (-(2**63), 2**63), (2**63 - 1, 5), (7, 0)]
        document = draw([f"change {change} {maximum}" for change, maximum in changes])
        bars = re.findall(r'<svg class="cb".*?</svg>', document)
        self.assertEqual(len(bars), len(changes))
        for (change, maximum), bar in zip(changes, bars):
            boxes = [e for e in xml.etree.ElementTree.fromstring(bar) if e.tag == "rect"]
            if change == 0:
                self.assertEqual(boxes, [])
                continue
            (box,) = boxes
            width = min(100, abs(change) / maximum * 100) if maximum else 0
            self.assertAlmostEqual(float(box.get("width")), width, delta=0.01)
            self.assertAlmostEqual(float(box.get("x")), 0 if change > 0 else -width, delta=0.01)
            self.assertEqual(box.get("class"), "fup" if change > 0 else "fdn")

    def test_curves(self):
        lines = ["span 100 200"] + [f"point {100 + t} {v}" for t, v in ((0, 0), (50, 500), (75, 1000))]
        curve = drawing(draw(lines), '<svg class="sp"')
        points = [tuple(map(int, point.split(","))) for point in curve[0].get("points").split()]
        self.assertEqual(points, [(0, 45), (100, 24), (150, 3), (200, 3)])


class Icicle(unittest.TestCase):
    frames = [(-1, 100, "all"), (0, 60, "main"), (0, 40, "start"), (1, 50, "serve"), (2, 40, "loop"), (1, 10, "log")]

    def boxes(self, frames):
        tree = drawing(draw([f"frame {p} {size * MIB} {name}" for p, size, name in frames]), '<svg id="icicle"')
        return tree, {box[0].text.split(":")[0]: box for box in by_class(tree, "f")}

    def test_widths_are_the_figures(self):
        _, boxes = self.boxes(self.frames)
        self.assertEqual(list(boxes), ["all", "main", "serve", "log", "start", "loop"])
        ends = {name: float(box.get("x")[:-1]) for name, box in boxes.items()}
        for parent, size, name in self.frames:
            self.assertAlmostEqual(float(boxes[name].get("width")[:-1]), size, delta=0.01)
            self.assertIn(f"{size}.0M, {size} %", boxes[name][0].text)
            if parent >= 0:
                caller = boxes[self.frames[parent][2]]
                self.assertEqual(int(boxes[name].get("aria-level")), int(caller.get("aria-level")) + 1)
                self.assertGreaterEqual(ends[name], ends[self.frames[parent][2]])

    def test_sums_that_do_not_fit(self):
        tree, _ = self.boxes([(-1, 10, "all"), (0, 90, "a"), (0, 90, "b"), (7, 5, "c")])
        for box in by_class(tree, "f"):
            self.assertLessEqual(float(box.get("x")[:-1]) + float(box.get("width")[:-1]), 100.01)

    def test_deep(self):
        frames = [(i - 1, 100, f"f{i}") for i in range(600)]
        tree, boxes = self.boxes(frames)
        self.assertEqual(len(boxes), 100)
        self.assertLess(int(tree.get("height")), 2000)


class Hostile(unittest.TestCase):
    def check(self, document):
        """Checks that everything but the built-in script and style is inert."""
        body = document[document.index("</style>") :]
        self.assertEqual(len(re.findall(r"<script", body)), 2)
        self.assertIsNone(re.search(r"<[^>]*\s(on\w+|style|href|src)\s*=", body.split('id="data"')[0]))
        for start in ('<svg id="chart"', '<svg class="share"', '<svg id="icicle"', '<svg class="sp"'):
            if start in document:
                drawing(document, start)
        for number in re.findall(r'(?:x|y|d|width|points|data-\w+)="([^"]*)"', body.split('id="data"')[0]):
            self.assertNotRegex(number, "nan|inf")

    def test_names(self):
        lines = moments([0, 1], (3, HOSTILE, [MIB] * 2))
        lines += [f"frame -1 10 {HOSTILE}", f"limit {MIB * 2} {MIB * 2} 1 2 3 {HOSTILE}"]
        document = draw(lines)
        self.check(document)
        self.assertEqual(data_of(document)["kinds"][0]["name"], HOSTILE.replace("\x01", "\\x01").replace("\u202e", "\\xe2\\x80\\xae"))

    def test_extremes(self):
        generator = random.Random(3)
        numbers = [0, 1, 4095, 4096, 2**32, 2**63 - 1, 2**63, UINT64_MAX]
        clocks = ["nan", "inf", "-inf", "0", "0", "1", "1e300", "-5", "1e-9", "100", "2.5e9"]
        for _ in range(150):
            kinds = generator.randrange(1, 6)
            lines = [f"kind {generator.choice([0, 17, 18, 4294967295])} {HOSTILE[k:]}" for k in range(kinds)]
            for _ in range(generator.choice([1, 2, 3, 50])):
                values = " ".join(str(generator.choice(numbers)) for _ in range(kinds))
                lines.append(f"moment {generator.choice(clocks)} {values}")
            lines.append(f"samples {generator.choice(numbers)} {generator.choice(clocks)}")
            clock = lambda: generator.choice(clocks)
            lines.append(f"limit {generator.choice(numbers)} {generator.choice(numbers)} {clock()} {clock()} {clock()} {HOSTILE}")
            lines.append(f"span {clock()} {clock()}")
            for i in range(5):
                lines.append(f"frame {generator.choice([-1, 0, i, 99]) if i else -1} {generator.choice(numbers)} {HOSTILE}")
                lines.append(f"point {clock()} {generator.choice(numbers)}")
                lines.append(f"change {generator.randrange(-2**63, 2**63)} {generator.choice(numbers)}")
            with self.subTest(lines=lines):
                document = draw(lines)
                self.check(document)
                data_of(document)


class Policy(unittest.TestCase):
    def test_hashes(self):
        document = draw([])
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', document)[1]
        style = re.search(r"<style>(.*?)</style>", document, re.S)[1]
        script = re.findall(r"<script>(.*?)</script>", document, re.S)[-1]
        for name, text in (("style", style), ("script", script)):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{name}-src 'sha256-{digest}'", policy)

    def contrast(self, first, second):
        def luminance(colour):
            digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
            parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
            parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        high, low = sorted((luminance(first), luminance(second)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    def test_contrast(self):
        style = re.search(r"<style>(.*?)</style>", draw([]), re.S)[1]
        themes = re.findall(r":root \{(.*?)\}", style, re.S)
        self.assertEqual(len(themes), 3)  # light, dark, print
        for theme in themes:
            colours = dict(re.findall(r"--(\w+): (#[0-9a-f]+)", theme))
            for text in ("text", "faint", "up", "down", "link"):
                for ground in ("page", "card"):
                    self.assertGreaterEqual(self.contrast(colours[text], colours[ground]), 4.5, (text, ground))
        fills = re.findall(r"\.(k\d+) \{ --c: (#[0-9a-f]+)", style) + re.findall(r"\.(h\d+) \{ --c: (#[0-9a-f]+)", style)
        self.assertEqual(len(fills), 18 + 13)
        for name, colour in fills:
            self.assertGreaterEqual(self.contrast("#111", colour), 4.5, name)


if __name__ == "__main__":
    unittest.main()
