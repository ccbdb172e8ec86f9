// What happens: pointers, keys and buttons make strokes, and every change of them is classified and shown.
'use strict';

const state = {
    /** Finished and unfinished strokes. */
    strokes: [],
    /** The pen of the keyboard, once it is used. */
    cursor: null,
    /** The pointer that draws. */
    pointer: null,
    /** Counts the examples, so that a new one or a stroke stops the one that is being written. */
    writing: 0,
    /** The tile of trits that is pointed at. */
    tile: null,
};

// Before anything is added to it.
const pageBytes = new TextEncoder().encode(document.documentElement.outerHTML).length;

/** Classifies the strokes and shows everything. */
function update() {
    const { strokes, cursor } = state;
    const tile = strokes.length ? state.tile : null;
    const { pixels, place } = strokes.length ? digitOf(strokes) : { pixels: null, place: {} };
    const found = pixels && model.classify(pixels);
    showPad(strokes, boxOf(tile, place), document.activeElement === pad && cursor);
    showDigit(pixels);
    showTrits(pixels ? model.trit : () => 0, tile);
    showScores(found);
}

/** Changes the strokes by hand, which ends an example that is being written. */
function change(edit) {
    state.writing++;
    edit(state.strokes);
    update();
}

/** Writes a digit, stroke by stroke, or at once for those who want no motion. */
function write(digit) {
    clear();
    const writing = state.writing;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const points = EXAMPLES[digit].flatMap((stroke) => finely(stroke).map((point, k) => ({ point, begins: k === 0 })));
    const step = still ? points.length : 2;
    (function next() {
        if (writing !== state.writing) return;
        for (const { point, begins } of points.splice(0, step)) {
            if (begins) state.strokes.push([]);
            state.strokes.at(-1).push(point);
        }
        update();
        if (points.length) requestAnimationFrame(next);
        else showTime();
    })();
}

/** A stroke with points between its points, on a smooth curve through all of them (of Catmull and Rom). */
function finely(stroke) {
    return stroke.flatMap((point, k) => {
        if (k === stroke.length - 1) return [point];
        const next = stroke[k + 1];
        const [before, after] = [stroke[k - 1] ?? point, stroke[k + 2] ?? next];
        const steps = Math.ceil(Math.hypot(next.x - point.x, next.y - point.y) / 0.03);
        return Array.from({ length: steps }, (_, step) => {
            const t = step / steps;
            const at = (axis) => point[axis] + t / 2 * (next[axis] - before[axis]
                + t * (2 * before[axis] - 5 * point[axis] + 4 * next[axis] - after[axis]
                + t * (3 * (point[axis] - next[axis]) + after[axis] - before[axis])));
            return { x: at('x'), y: at('y') };
        });
    });
}

const undo = () => change((strokes) => strokes.pop());
const clear = () => change((strokes) => strokes.splice(0));

// Pointers: a mouse, a pen or a finger, one at a time.
function pointsOf(event) {
    const { left, top, width, height } = pad.getBoundingClientRect();
    // All places since the last event, where the browser tells them.
    const events = event.getCoalescedEvents?.() ?? [];
    return (events.length ? events : [event]).map(({ clientX, clientY }) => ({
        x: Math.min(1, Math.max(0, (clientX - left) / width)),
        y: Math.min(1, Math.max(0, (clientY - top) / height)),
    }));
}
pad.addEventListener('pointerdown', (event) => {
    if (state.pointer !== null || event.button !== 0) return;
    state.pointer = event.pointerId;
    pad.setPointerCapture(event.pointerId);
    state.cursor = null;
    change((strokes) => strokes.push(pointsOf(event)));
});
pad.addEventListener('pointermove', (event) => {
    if (event.pointerId !== state.pointer) return;
    change((strokes) => strokes.at(-1)?.push(...pointsOf(event)));
});
for (const end of ['pointerup', 'pointercancel']) {
    pad.addEventListener(end, (event) => {
        if (event.pointerId !== state.pointer) return;
        state.pointer = null;
        showTime();
    });
}

// Keys: the arrows that are held move the pen, two of them at a slant.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const held = new Set();
const STEP = 0.03;

function move() {
    const cursor = state.cursor;
    for (const arrow of held) {
        cursor.x = Math.min(0.97, Math.max(0.03, cursor.x + STEP * ARROWS[arrow][0]));
        cursor.y = Math.min(0.97, Math.max(0.03, cursor.y + STEP * ARROWS[arrow][1]));
    }
    change((strokes) => cursor.down && strokes.at(-1).push({ x: cursor.x, y: cursor.y }));
}
pad.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const cursor = state.cursor ??= { x: 0.5, y: 0.2, down: false };
    if (event.key in ARROWS) {
        held.add(event.key);
        move();
    } else if (event.key === ' ') {
        if (event.repeat) return event.preventDefault();
        cursor.down = !cursor.down;
        change((strokes) => cursor.down && strokes.push([{ x: cursor.x, y: cursor.y }]));
        if (!cursor.down) showTime();
    } else {
        return;
    }
    event.preventDefault();
});
pad.addEventListener('keyup', (event) => held.delete(event.key));
for (const turn of ['focus', 'blur']) {
    pad.addEventListener(turn, () => {
        held.clear();
        if (state.cursor) state.cursor.down = false;
        update();
    });
}
addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' || event.key === 'Backspace') undo();
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === 'Delete' || event.key === 'Escape') clear();
    else if (/^[0-9]$/.test(event.key)) write(Number(event.key));
    else return;
    if (state.cursor) state.cursor.down = false;
    event.preventDefault();
});

// Pointing at a tile shows the box of the digit that its features see.
for (const turn of ['pointermove', 'pointerdown', 'pointerleave']) {
    element('trits').addEventListener(turn, (event) => {
        const tile = turn === 'pointerleave' ? null : tileAt(event);
        if (tile === state.tile) return;
        state.tile = tile;
        update();
    });
}

element('undo').addEventListener('click', undo);
element('clear').addEventListener('click', clear);
EXAMPLES.forEach((_, digit) => {
    const button = document.querySelector('.examples').appendChild(document.createElement('button'));
    button.type = 'button';
    button.textContent = digit;
    button.addEventListener('click', () => write(digit));
});

showFigures(pageBytes);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', update);
new ResizeObserver(update).observe(pad);
write(3);
