/* SPDX-License-Identifier: MIT */
'use strict';
/* Everything is drawn without this script. It zooms the timeline and reads values at the cursor,
   and zooms the stacks. Text is only set by textContent. */
(function () {
	const find = (selector, from = document) => from.querySelector(selector);
	const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
	const set = (element, values) => Object.keys(values).forEach((name) => element.setAttribute(name, values[name]));
	const make = (name) => document.createElementNS('http://www.w3.org/2000/svg', name);
	const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
	all('.keys').forEach((hint) => { hint.hidden = false; });

	/* Arrays are differences to the element before; [n] means n differences of 0. */
	function decode(coded) {
		const values = [];
		let value = 0;
		coded.forEach((item) => {
			if (!Array.isArray(item)) values.push(value += item);
			else for (let i = 0; i < item[0]; i++) values.push(value);
		});
		return values;
	}

	function timeline(chart, data) {
		const WIDE = 1000, HIGH = 2000, BUCKETS = 250;
		const inner = find('.inner', chart), areas = all('.areas path', chart).reverse();
		const figures = all('.legend b').reverse(), reading = find('#reading'), selection = find('.selection', chart);
		const seconds = +chart.dataset.seconds, max = +chart.dataset.max, gap = +chart.dataset.gap;
		const times = decode(data.times).map((time) => time / 1000), last = times.length - 1;
		const kinds = data.kinds.map((kind) => decode(kind.values).map((value) => value * data.unit));
		const totals = times.map((_, i) => kinds.reduce((sum, values) => sum + values[i], 0));
		let from = 0, to = seconds, cursor = -1, pressed = null;

		const x = (time) => time / seconds * WIDE;
		const y = (bytes) => HIGH - bytes / max * HIGH;
		const indexAt = (time) => {
			let low = 0, high = last;
			while (low < high) {
				const middle = (low + high) >> 1;
				if (times[middle] < time) low = middle + 1; else high = middle;
			}
			return low > 0 && time - times[low - 1] < times[low] - time ? low - 1 : low;
		};
		const size = (bytes) => {
			let unit = 0;
			for (; bytes >= 1023.95 && unit < 6; unit++) bytes /= 1024;
			if (bytes === 0) return '-';
			return unit === 0 ? bytes + 'B' : bytes.toFixed(1) + 'BKMGTPE'[unit];
		};
		const local = (time) => {
			const offset = data.offsets.reduce((found, item) => item[0] <= time * 1000 ? item[1] : found, 0);
			return new Date((data.start + offset + time) * 1000).toUTCString();
		};
		const clock = (time) => local(time).slice(17, 25);
		/* Tenths of a second, where a neighbour is closer than a second. */
		const tenths = (at) => {
			const close = times[at] - times[at - 1] < 0.95 || times[at + 1] - times[at] < 0.95;
			return close ? '.' + Math.floor((data.start + times[at]) * 10 + 0.001) % 10 : '';
		};
		const date = (time) => local(time).slice(5, 11).replace(/^0/, '');

		/* The moments that are drawn: of each part the lowest and the highest total. */
		function choose() {
			const first = Math.max(0, indexAt(from) - 1), count = Math.min(last, indexAt(to) + 1) - first + 1;
			const chosen = [], width = Math.max(1, count / BUCKETS);
			for (let part = 0; part * width < count; part++) {
				const start = first + Math.floor(part * width), end = first + Math.min(count, Math.floor((part + 1) * width));
				let low = start, high = start;
				for (let i = start; i < end; i++) {
					if (totals[i] < totals[low]) low = i;
					if (totals[i] > totals[high]) high = i;
				}
				for (let i = start; i < end; i++)
					if (i === low || i === high || i === first || i === first + count - 1 || times[i] - times[i - 1] > gap || times[i + 1] - times[i] > gap) chosen.push(i);
			}
			return chosen;
		}

		function drawAreas() {
			const chosen = choose(), sums = new Float64Array(chosen.length);
			/* What comes before and after the height of each point is the same for all kinds. */
			const before = [], after = [];
			chosen.forEach((index, i) => {
				const left = x(times[index]).toFixed(3), next = i + 1 < chosen.length ? chosen[i + 1] : -1;
				const starts = i === 0 || (chosen[i - 1] === index - 1 && times[index] - times[index - 1] > gap);
				const ends = next < 0 || (next === index + 1 && times[next] - times[index] > gap);
				const alone = starts && ends ? 'h' + ((x(to) - x(from)) / BUCKETS).toFixed(3) : '';
				before.push((starts ? 'M' + left + ' ' + HIGH : '') + 'L' + left + ' ');
				after.push(ends ? alone + 'V' + HIGH + 'Z' : '');
			});
			areas.forEach((area, k) => {
				const parts = chosen.map((index, i) => before[i] + Math.round(y(sums[i] += kinds[k][index])) + after[i]);
				area.setAttribute('d', parts.join(''));
			});
			inner.setAttribute('viewBox', [x(from), 0, x(to) - x(from), HIGH].join(' '));
		}

		function drawTimes() {
			const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
			let step = steps.find((value) => (to - from) / value <= 7) || 86400, shown = '';
			while ((to - from) / step > 7) step *= 2;
			const start = data.start + data.offsets[0][1], group = find('.times', chart), marks = [];
			for (let time = Math.ceil((start + from) / step) * step - start; time <= to; time += step) {
				const mark = make('g'), left = (time - from) / (to - from) * 100 + '%';
				const put = (words, below) => {
					const text = mark.appendChild(make('text'));
					set(text, { x: left, y: '100%', dy: below });
					text.textContent = words;
				};
				if (step < 86400) put(clock(time).slice(0, step < 60 ? 8 : 5), 16);
				if (date(time) !== shown && date(0) !== date(seconds)) put(shown = date(time), step < 86400 ? 30 : 16);
				marks.push(mark);
			}
			group.replaceChildren(...marks);
		}

		/* The values at the cursor, or the last ones. */
		function read() {
			const at = cursor < 0 ? last : cursor;
			figures.forEach((figure, k) => { figure.textContent = size(kinds[k][at]); });
			set(find('.cursor', chart), { d: cursor < 0 ? '' : 'M' + x(times[at]) + ' 0V' + HIGH });
			reading.textContent = cursor < 0 ? '' : date(times[at]) + ' ' + clock(times[at]) + tenths(at) + ': ' + size(totals[at]) + ' in all';
		}

		function zoom(start, end) {
			if (end - start < seconds / 5000) return;
			from = clamp(start, 0, seconds);
			to = clamp(end, 0, seconds);
			drawAreas();
			drawTimes();
			read();
		}

		function timeAt(event) {
			const box = chart.getBoundingClientRect();
			return from + clamp((event.clientX - box.left) / box.width, 0, 1) * (to - from);
		}

		chart.addEventListener('pointerdown', (event) => {
			pressed = timeAt(event);
			chart.setPointerCapture(event.pointerId);
		});
		chart.addEventListener('pointermove', (event) => {
			const time = timeAt(event);
			cursor = indexAt(time);
			read();
			if (pressed !== null)
				set(selection, { x: x(Math.min(pressed, time)), width: x(Math.abs(pressed - time)) });
		});
		['pointerup', 'pointercancel'].forEach((name) => chart.addEventListener(name, (event) => {
			const time = timeAt(event);
			set(selection, { width: 0 });
			if (pressed !== null && name === 'pointerup' && Math.abs(pressed - time) > (to - from) / 100)
				zoom(Math.min(pressed, time), Math.max(pressed, time));
			pressed = null;
		}));
		chart.addEventListener('dblclick', () => zoom(0, seconds));

		chart.addEventListener('keydown', (event) => {
			const low = indexAt(from), high = indexAt(to), now = cursor < 0 ? high : cursor, middle = times[now];
			const step = Math.max(1, Math.round((high - low) / (event.shiftKey ? 20 : 200)));
			const actions = {
				ArrowLeft: () => { cursor = clamp(now - step, low, high); },
				ArrowRight: () => { cursor = clamp(now + step, low, high); },
				Home: () => { cursor = low; },
				End: () => { cursor = high; },
				'+': () => zoom(Math.max(0, middle - (to - from) / 4), Math.min(seconds, middle + (to - from) / 4)),
				'-': () => zoom(middle - (to - from), middle + (to - from)),
				Escape: () => { cursor = -1; zoom(0, seconds); },
			};
			const action = actions[event.key === '=' ? '+' : event.key];
			if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
			event.preventDefault();
			action();
			read();
		});
	}

	/* The boxes follow each other in the order of a walk through the tree. */
	function icicle(tree) {
		const boxes = all('.f', tree).map((element) => ({
			element, x: parseFloat(element.getAttribute('x')), width: parseFloat(element.getAttribute('width')),
			level: +element.getAttribute('aria-level'), name: find('title', element).textContent.replace(/: [^:]*$/, ''),
		}));
		let chosen = 0;

		/* A name, cut to the letters for which there is room. */
		function cut(name, room) {
			const letters = Array.from(name);
			if (room < 3) return '';
			return letters.length <= room ? name : letters.slice(0, room - 1).join('') + '\u2026';
		}

		function zoom(root) {
			const room = tree.getBoundingClientRect().width / 6.5;
			boxes.forEach((box) => {
				const left = clamp((box.x - root.x) / root.width, 0, 1), right = clamp((box.x + box.width - root.x) / root.width, 0, 1);
				const words = find('text', box.element) || box.element.appendChild(make('text'));
				set(box.element, { x: left * 100 + '%', width: (right - left) * 100 + '%', display: right - left > 0.0005 ? 'inline' : 'none' });
				set(words, { x: 4, y: 13 });
				words.textContent = cut(box.name, Math.floor((right - left) * room));
			});
		}

		function choose(index) {
			boxes[chosen].element.setAttribute('tabindex', -1);
			chosen = index;
			boxes[chosen].element.setAttribute('tabindex', 0);
			boxes[chosen].element.focus();
		}

		/* The next box on the same level, or the caller, or a function that is called; -1: none. */
		function neighbour(key) {
			const level = boxes[chosen].level, step = key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1;
			if (key === 'ArrowDown') return boxes[chosen + 1] && boxes[chosen + 1].level > level ? chosen + 1 : -1;
			for (let i = chosen + step; i >= 0 && i < boxes.length; i += step) {
				if (key === 'ArrowUp' ? boxes[i].level < level : boxes[i].level === level) return i;
			}
			return -1;
		}

		tree.addEventListener('click', (event) => {
			const index = boxes.findIndex((box) => box.element === event.target.closest('.f'));
			if (index < 0) return;
			choose(index);
			zoom(boxes[index]);
		});
		tree.addEventListener('keydown', (event) => {
			if (event.key === 'Enter') zoom(boxes[chosen]);
			else if (event.key === 'Escape') zoom(boxes[0]);
			else if (!event.key.startsWith('Arrow')) return;
			else if (neighbour(event.key) >= 0) choose(neighbour(event.key));
			event.preventDefault();
		});
	}

	const data = JSON.parse(find('#data').textContent), chart = find('#chart'), tree = find('#icicle');
	if (chart && data.times && data.times.length > 0) timeline(chart, data);
	if (tree && find('.f', tree)) icicle(tree);
}());
