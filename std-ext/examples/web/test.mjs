// The page in a real browser: its bits are those of the desktop, and digits drawn by mouse, touch and keys are read.
//     node test.mjs PLAYWRIGHT CHROMIUM BUILT
// PLAYWRIGHT is a folder with playwright-core in its node_modules, CHROMIUM a browser, BUILT what `run build` made.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [playwright, executablePath, built] = process.argv.slice(2);
const { chromium } = createRequire(resolve(playwright, 'x.js'))('playwright-core');
const file = resolve(built, 'page/index.html');
const page = readFileSync(file);

const requested = [];
const server = createServer((request, response) => {
    requested.push(request.url);
    response.setHeader('content-type', 'text/html').end(page);
}).listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
const served = `http://127.0.0.1:${server.address().port}/`;

// A container has no user namespaces, which the sandbox needs; the only page that is opened is ours.
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const DESKTOP = { viewport: { width: 1180, height: 1000 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** Opens the page, without motion unless told, and closes it after some work. Anything it logs is an error. */
async function open(options, work, address = served) {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    const tab = await context.newPage();
    const logged = [];
    tab.on('console', (message) => logged.push(message.text()));
    tab.on('pageerror', (error) => logged.push(error.message));
    await tab.goto(address);
    await work(tab, context);
    assert.deepEqual(logged, []);
    await context.close();
}

const shown = (tab) => tab.textContent('#class');

/** Points of a line from 0 to 1 as places on the screen, a few between each two. */
async function onPad(tab, points) {
    const { x, y, width } = await tab.locator('#pad').boundingBox();
    return points.flatMap((point, k) => {
        const [next, steps] = [points[k + 1] ?? point, k + 1 < points.length ? 6 : 1];
        return Array.from({ length: steps }, (_, step) => {
            const at = (axis) => point[axis] + (next[axis] - point[axis]) * step / steps;
            return { x: x + width * at(0), y: y + width * at(1) };
        });
    });
}

async function drawByMouse(tab, stroke) {
    const points = await onPad(tab, stroke);
    await tab.mouse.move(points[0].x, points[0].y);
    await tab.mouse.down();
    for (const { x, y } of points) await tab.mouse.move(x, y);
    await tab.mouse.up();
}

async function drawByTouch(tab, stroke) {
    const points = await onPad(tab, stroke);
    const touch = await tab.context().newCDPSession(tab);
    const dispatch = (type, touchPoints) => touch.send('Input.dispatchTouchEvent', { type, touchPoints });
    await dispatch('touchStart', [points[0]]);
    for (const point of points) await dispatch('touchMove', [point]);
    await dispatch('touchEnd', []);
}

const tests = {
    async 'the file is less than 80 KB and needs no other'() {
        assert.ok(page.length < 80_000, `${page.length} bytes`);
        requested.length = 0;
        await open(DESKTOP, async (tab) => assert.equal(await shown(tab), '3'));
        assert.deepEqual(requested, ['/']);
    },

    async 'the classes and features of the desktop come out, bit for bit'() {
        const vectors = readFileSync(resolve(built, 'mnist.vectors'));
        const [count, inputs] = [vectors.readUInt32LE(0), vectors.readUInt32LE(4)];
        assert.ok(count >= 100);
        const [digits, expected] = [[], []];
        for (let k = 0, at = 8; k < count; k++, at += inputs + 5) {
            digits.push([...vectors.subarray(at, at + inputs)]);
            expected.push([vectors[at + inputs], vectors.readUInt32LE(at + inputs + 1)]);
        }
        await open(DESKTOP, async (tab) => {
            const classify = (digits) => digits.map((digit) => [model.classify(digit), model.hash()]);
            assert.deepEqual(await tab.evaluate(classify, digits), expected);
        });
    },

    async 'every example is read, by key and by button'() {
        await open(DESKTOP, async (tab) => {
            for (let digit = 0; digit < 10; digit++) {
                await tab.keyboard.press(String(digit));
                assert.equal(await shown(tab), String(digit));
                await tab.keyboard.press('Delete');
                assert.equal(await shown(tab), '?');
                await tab.click(`.examples button:nth-child(${digit + 1})`);
                assert.equal(await shown(tab), String(digit));
            }
            assert.match(await tab.textContent('#time'), /^[1-9]\d* µs$/);
        });
    },

    async 'a mouse draws, undoes and clears'() {
        await open(DESKTOP, async (tab) => {
            await tab.click('#clear');
            await drawByMouse(tab, [[0.25, 0.2], [0.72, 0.18], [0.55, 0.5], [0.42, 0.85]]);
            assert.equal(await shown(tab), '7');
            await tab.click('#clear');
            await drawByMouse(tab, [[0.38, 0.15], [0.3, 0.55], [0.75, 0.55]]);
            await drawByMouse(tab, [[0.62, 0.3], [0.58, 0.88]]);
            assert.equal(await shown(tab), '4');
            await tab.click('#undo');
            await tab.click('#undo');
            assert.equal(await shown(tab), '?');
        });
    },

    async 'a finger draws, and does not scroll the page'() {
        await open(PHONE, async (tab) => {
            await tab.tap('#clear');
            const round = Array.from({ length: 17 }, (_, k) => k * Math.PI / 8)
                .map((angle) => [0.5 - 0.22 * Math.sin(angle), 0.5 - 0.35 * Math.cos(angle)]);
            await drawByTouch(tab, round);
            assert.equal(await shown(tab), '0');
            assert.equal(await tab.evaluate(() => scrollY), 0);
            const width = await tab.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(width <= 390, `a page of ${width} pixels scrolls sideways`);
        });
    },

    async 'keys draw'() {
        await open(DESKTOP, async (tab) => {
            await tab.keyboard.press('Delete');
            await tab.focus('#pad');
            await tab.keyboard.press('Space');
            for (let step = 0; step < 20; step++) await tab.keyboard.press('ArrowDown');
            await tab.keyboard.press('Space');
            assert.equal(await shown(tab), '1');
            // Across, then two arrows at once: down at a slant.
            await tab.keyboard.press('Delete');
            for (let step = 0; step < 9; step++) await tab.keyboard.press('ArrowLeft');
            for (let step = 0; step < 20; step++) await tab.keyboard.press('ArrowUp');
            await tab.keyboard.press('Space');
            for (let step = 0; step < 16; step++) await tab.keyboard.press('ArrowRight');
            await tab.keyboard.down('ArrowDown');
            for (let step = 0; step < 8; step++) await tab.keyboard.press('ArrowLeft');
            await tab.keyboard.up('ArrowDown');
            for (let step = 0; step < 12; step++) await tab.keyboard.press('ArrowDown');
            assert.equal(await shown(tab), '7');
            await tab.keyboard.press('Backspace');
            assert.equal(await shown(tab), '?');
        });
    },

    async 'a tile shows what it sees'() {
        await open(DESKTOP, async (tab) => {
            const pad = () => tab.locator('#pad').screenshot();
            const before = await pad();
            await tab.hover('#trits', { position: { x: 60, y: 60 } });
            assert.notDeepEqual(await pad(), before);
            await tab.hover('h1');
            assert.deepEqual(await pad(), before);
        });
    },

    async 'it works from a disk and without a network'() {
        await open({ ...DESKTOP, offline: true }, async (tab) => {
            await tab.keyboard.press('8');
            assert.equal(await shown(tab), '8');
        }, `file://${file}`);
    },

    async 'text and trits are readable in light and dark'() {
        for (const colorScheme of ['light', 'dark']) {
            await open({ ...DESKTOP, colorScheme }, async (tab) => {
                const contrasts = await tab.evaluate(() => {
                    const luminance = (name) => [1, 3, 5]
                        .map((at) => parseInt(colour(name).slice(at, at + 2), 16) / 255)
                        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
                        .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
                    const contrast = (one, other) => {
                        const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
                        return (high + 0.05) / (low + 0.05);
                    };
                    const text = ['ink', 'soft'].flatMap((ink) => ['paper', 'card'].map((paper) => [ink, paper, 4.5]));
                    const marks = ['plus', 'minus'].flatMap((mark) => ['card', 'zero'].map((under) => [mark, under, 3]));
                    return [...text, ...marks].map(([one, other, least]) => [one, other, least, contrast(one, other)]);
                });
                for (const [one, other, least, found] of contrasts) {
                    assert.ok(found >= least, `${one} on ${other} in ${colorScheme}: ${found}, at least ${least}`);
                }
            });
        }
    },

    async 'pictures are taken'() {
        const pictures = { light: DESKTOP, dark: { ...DESKTOP, colorScheme: 'dark' }, phone: PHONE };
        for (const [name, options] of Object.entries(pictures)) {
            await open({ ...options, reducedMotion: 'no-preference' }, async (tab) => {
                await tab.waitForFunction(() => document.getElementById('time').textContent !== '–');
                assert.equal(await shown(tab), '3');
                if (options !== PHONE) await tab.hover('#trits', { position: { x: 200, y: 140 } });
                await tab.screenshot({ path: resolve(built, `${name}.png`), fullPage: true });
            });
        }
    },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
    try {
        await test();
        console.log(`${name}: ok`);
    } catch (error) {
        failed++;
        console.log(`${name}: FAILED\n${error.stack}`);
    }
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
