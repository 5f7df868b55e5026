// SPDX-License-Identifier: MIT
// usage: node node_leaks.js kept|cache|buffers|ring RATE
//
// Makes RATE things per second. With `kept`, objects of about 1 KiB stay; with `cache`, only the last
// 1000 do. With `buffers`, buffers of 256 KiB outside of the heap of V8 stay; with `ring`, only the last
// 20 do. Answers `tell` with "made NUMBER".
"use strict";
const [way, rate] = [process.argv[2], Number(process.argv[3])];
const size = { kept: Infinity, buffers: Infinity, cache: 1000, ring: 20 }[way];
const isBuffer = way === "buffers" || way === "ring";
const things = [];
let made = 0, oldest = 0;

function make() {
	if (isBuffer)
		things.push(Buffer.alloc(256 * 1024, 1));
	else
		things.push(Array.from({ length: 128 }, (_, i) => made + i / 2));
	made++;
	if (made - oldest > size)
		things[oldest++] = null;
}

function garbage() {
	const rows = [];
	for (let i = 0; i < 2000; i++)
		rows.push({ i, text: "row " + i });
	return JSON.stringify(rows).length;
}

require("readline").createInterface({ input: process.stdin }).on("line", () => console.log("made " + made));
for (let i = 0; i < 300; i++)
	garbage();
const began = process.hrtime.bigint();
setInterval(() => {
	const due = rate * Number(process.hrtime.bigint() - began) / 1e9;
	while (made < due)
		make();
	garbage();
}, 20);
console.log("ready");
