// Strokes: lists of points from 0 to 1, drawn on any canvas, and turned into the pixels that the model was trained on.
'use strict';

/** The side of a digit in pixels, of the box that its ink fills, and the width of its pen: as in MNIST. */
const SIDE = 28;
const BOX = 20;
const PEN = 2.4;

/** Draws strokes as smooth lines, mapped by x ↦ scale · x + left and y ↦ scale · y + top. */
function drawStrokes(context, strokes, pen, { scale, left, top }) {
    context.lineCap = context.lineJoin = 'round';
    context.lineWidth = pen;
    const at = ({ x, y }) => [scale * x + left, scale * y + top];
    for (const stroke of strokes) {
        context.beginPath();
        context.moveTo(...at(stroke[0]));
        // Every point but the ends bends a curve between the middles of its two lines.
        for (let k = 1; k < stroke.length - 1; k++) {
            const [point, next] = [stroke[k], stroke[k + 1]];
            const last = k === stroke.length - 2;
            const end = last ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
            context.quadraticCurveTo(...at(point), ...at(end));
        }
        // A line of no length is a dot.
        context.lineTo(...at(stroke[stroke.length - 1]));
        context.stroke();
    }
}

const raster = new OffscreenCanvas(SIDE, SIDE).getContext('2d', { willReadFrequently: true });

/** The ink of every pixel from 0 to 255, row by row. */
function rasterise(strokes, place) {
    raster.clearRect(0, 0, SIDE, SIDE);
    drawStrokes(raster, strokes, PEN, place);
    const { data } = raster.getImageData(0, 0, SIDE, SIDE);
    return Uint8Array.from({ length: SIDE * SIDE }, (_, pixel) => data[4 * pixel + 3]);
}

/**
 * The digit as MNIST has them, and where it lies among the strokes: in a box of 20 × 20 pixels, its centre of mass in
 * the middle of 28 × 28.
 */
function digitOf(strokes) {
    const points = strokes.flat();
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
    // A dot is no digit that fills the box.
    const scale = (BOX - PEN) / Math.max(width, height, 0.2);
    const place = {
        scale,
        left: SIDE / 2 - scale * (left + width / 2),
        top: SIDE / 2 - scale * (top + height / 2),
    };
    let [ink, x, y] = [0, 0, 0];
    rasterise(strokes, place).forEach((value, pixel) => {
        ink += value;
        x += value * (pixel % SIDE + 0.5);
        y += value * (Math.floor(pixel / SIDE) + 0.5);
    });
    place.left += SIDE / 2 - x / ink;
    place.top += SIDE / 2 - y / ink;
    return { pixels: rasterise(strokes, place), place };
}
