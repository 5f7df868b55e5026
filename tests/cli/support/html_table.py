# SPDX-License-Identifier: MIT
# usage: html_table.py FILE [SECTION]
#
# Prints the rows of the tables in a section of an HTML report, with tabs between the cells; without
# SECTION, the identifiers of all sections. Fails if elements are not closed in their order, if
# there are style or event attributes, or if the file refers to something outside of it.
import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link", "col"}
ADDRESSES = {"src", "href", "xlink:href", "action", "data", "srcset", "poster"}


class Report(HTMLParser):
    """Collects the rows of a section."""

    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.open, self.sections, self.rows = wanted, [], [], []
        self.inside = self.cell = False

    def check(self, tag, attributes):
        for name, value in attributes:
            if name.startswith("on") or name == "style":
                sys.exit(f"<{tag} {name}> at line {self.getpos()[0]}")
            if name in ADDRESSES and not (value or "").startswith("#"):
                sys.exit(f'<{tag} {name}="{value}"> at line {self.getpos()[0]}')

    def handle_starttag(self, tag, attributes):
        self.check(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.sections.append(dict(attributes).get("id"))
            self.inside = self.sections[-1] == self.wanted
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag in ("th", "td"):
            self.rows[-1].append("")
            self.cell = True

    def handle_startendtag(self, tag, attributes):
        self.check(tag, attributes)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            sys.exit(f"</{tag}> at line {self.getpos()[0]} closes another element")
        if tag == "section":
            self.inside = False
        if tag in ("th", "td"):
            self.cell = False

    def handle_data(self, data):
        if self.inside and self.cell:
            self.rows[-1][-1] += data.strip()


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
report = Report(sys.argv[2] if len(sys.argv) > 2 else None)
report.feed(text)
report.close()
if report.open or not text.endswith("</html>\n"):
    sys.exit(f"the file ends within {report.open}")
for row in report.rows:
    print("\t".join(row))
if len(sys.argv) == 2:
    print("\n".join(report.sections))
