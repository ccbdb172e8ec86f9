// What the page shows: the strokes, the pixels that the model sees, the trits, the scores and the figures.
'use strict';

const element = (id) => document.getElementById(id);
const pad = element('pad');

/** A colour of the style sheet, which differs between light and dark. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const bytes = (count) => (count < 10_000 ? `${count.toLocaleString('en')} bytes` : `${Math.round(count / 1000)} KB`);

/** The pad, as sharp as the screen, with the box that a tile sees and a ring where the pen of the keyboard is. */
function showPad(strokes, box, cursor) {
    const side = Math.round(pad.clientWidth * devicePixelRatio);
    if (pad.width !== side) pad.width = pad.height = side;
    const context = pad.getContext('2d');
    context.clearRect(0, 0, side, side);
    context.strokeStyle = colour('ink');
    drawStrokes(context, strokes, side * 0.07, { scale: side, left: 0, top: 0 });
    if (box) {
        context.lineWidth = side * 0.006;
        context.strokeStyle = context.fillStyle = colour('minus');
        context.strokeRect(...box.map((length) => length * side));
        context.globalAlpha = 0.15;
        context.fillRect(...box.map((length) => length * side));
        context.globalAlpha = 1;
    }
    if (!cursor) return;
    context.strokeStyle = colour(cursor.down ? 'plus' : 'minus');
    context.lineWidth = side * 0.01;
    context.beginPath();
    context.arc(cursor.x * side, cursor.y * side, side * 0.045, 0, 2 * Math.PI);
    context.stroke();
}

/** The 28 × 28 pixels. */
function showDigit(digit) {
    const context = element('seen').getContext('2d');
    context.clearRect(0, 0, SIDE, SIDE);
    context.fillStyle = colour('ink');
    digit?.forEach((ink, pixel) => {
        context.globalAlpha = ink / 255;
        context.fillRect(pixel % SIDE, Math.floor(pixel / SIDE), 1, 1);
    });
    context.globalAlpha = 1;
}

/** The box around the pixels that a tile sees, on the pad: left, top, width and height from 0 to 1. */
function boxOf(tile, { scale, left, top }) {
    const seen = tile === null ? null : model.seen(tile);
    if (!seen) return null;
    const pixels = [...seen.keys()].filter((pixel) => seen[pixel]);
    const [xs, ys] = [pixels.map((pixel) => pixel % SIDE), pixels.map((pixel) => Math.floor(pixel / SIDE))];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    const [width, height] = [Math.max(...xs) + 1 - x, Math.max(...ys) + 1 - y];
    return [(x - left) / scale, (y - top) / scale, width / scale, height / scale];
}

/** Tiles, and how many in a row: as many as leave the fewest places empty. */
const TILES = Math.ceil(model.features / 64);
const ACROSS = [14, 13, 12, 11, 10, 9, 8].reduce((best, across) => {
    const empty = (columns) => Math.ceil(TILES / columns) * columns - TILES;
    return empty(across) < empty(best) ? across : best;
});

/** The number of the tile where an event happened, or null. */
function tileAt({ offsetX, offsetY }) {
    const { clientWidth, clientHeight } = element('trits');
    const [column, row] = [offsetX / clientWidth * ACROSS, offsetY / clientHeight * Math.ceil(TILES / ACROSS)];
    const tile = ACROSS * Math.floor(row) + Math.floor(column);
    return tile >= 0 && tile < TILES && column < ACROSS ? tile : null;
}

/** The trits, in tiles of 8 × 8, which are 64 features each; one of them may be marked. */
function showTrits(trit, marked) {
    const canvas = element('trits');
    const down = Math.ceil(TILES / ACROSS);
    // Whole pixels of the screen for every trit, and half a trit between tiles.
    const room = canvas.parentElement.clientWidth * devicePixelRatio;
    const size = Math.max(1, Math.floor(room / (8.5 * ACROSS)));
    const gap = Math.max(1, Math.round(size / 2));
    const tile = 8 * size + gap;
    const [width, height] = [ACROSS * tile - gap, down * tile - gap];
    if (canvas.width !== width || canvas.height !== height) {
        [canvas.width, canvas.height] = [width, height];
        canvas.style.width = `${width / devicePixelRatio}px`;
    }
    const context = canvas.getContext('2d');
    context.clearRect(0, 0, width, height);
    for (const [value, name] of [[0, 'zero'], [1, 'plus'], [-1, 'minus']]) {
        context.fillStyle = colour(name);
        for (let feature = 0; feature < model.features; feature++) {
            if (trit(feature) !== value) continue;
            const [word, cell] = [feature >> 6, feature & 63];
            const x = (word % ACROSS) * tile + (cell & 7) * size;
            const y = Math.floor(word / ACROSS) * tile + (cell >> 3) * size;
            context.fillRect(x, y, size, size);
        }
    }
    if (marked === null) return;
    context.strokeStyle = colour('ink');
    context.lineWidth = gap;
    const [x, y] = [(marked % ACROSS) * tile, Math.floor(marked / ACROSS) * tile];
    context.strokeRect(x + gap / 2, y + gap / 2, 8 * size - gap, 8 * size - gap);
}

// The widest that scores lay apart: digits that are hard to tell have shorter bars.
let widest = 1;

/** The class, and the scores above the lowest one. */
function showScores(found) {
    const output = element('class');
    output.textContent = found === null ? '?' : String(found);
    output.classList.toggle('none', found === null);
    const lowest = Math.min(...model.scores);
    widest = Math.max(widest, Math.max(...model.scores) - lowest);
    element('scores').childNodes.forEach((row, digit) => {
        row.classList.toggle('best', digit === found);
        row.style.setProperty('--share', found === null ? 0 : (model.scores[digit] - lowest) / widest);
    });
}

/** How long a digit takes. */
function showTime() {
    element('time').textContent = `${Math.round(model.microseconds())} µs`;
}

/** All that does not change. */
function showFigures(pageBytes) {
    element('kilobytes').textContent = Math.round(model.modelBytes / 1000);
    for (const count of document.querySelectorAll('[data-count]')) {
        count.textContent = model[count.dataset.count].toLocaleString('en');
    }
    element('feature-bytes').textContent = bytes(model.featureBytes);
    element('model-bytes').textContent = bytes(model.modelBytes);
    element('page-bytes').textContent = bytes(pageBytes);
    for (let digit = 0; digit < model.classes; digit++) {
        const row = element('scores').appendChild(document.createElement('li'));
        row.append(String(digit), document.createElement('i'));
    }
}
