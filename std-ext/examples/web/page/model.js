// The model: WebAssembly out of the page itself, and views of the memory that it shares.
'use strict';

const model = (() => {
    const text = document.getElementById('wasm').textContent.trim();
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    if (!WebAssembly.validate(bytes)) {
        document.querySelector('header p').textContent = 'This page needs a browser with WebAssembly SIMD (2023 or later).';
        throw new Error('no WebAssembly SIMD');
    }
    // At once: the program is small, and there is nothing else to do before it is there.
    const wasm = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    const [pixels, classes, features] = [wasm.pixels(), wasm.classes(), wasm.features()];
    const sample = new Uint8Array(wasm.memory.buffer, wasm.sample(), pixels);
    const scores = new Int32Array(wasm.memory.buffer, wasm.scores(), classes);
    const seen = new Uint8Array(wasm.memory.buffer, wasm.seen(), pixels);
    const words = new Uint32Array(wasm.memory.buffer, wasm.trits(), 2 * Math.ceil(features / 32));

    function run(step) {
        if (!wasm[step]()) throw new Error(`the model refused a sample in ${step}`);
    }

    return {
        pixels,
        classes,
        features,
        bits: wasm.bits(),
        scores,
        modelBytes: wasm.model_bytes(),
        featureBytes: words.byteLength,

        /** The class of a digit, the first of equals; its scores and trits are there until the next one. */
        classify(digit) {
            sample.set(digit);
            run('score');
            run('featurize');
            return scores.indexOf(Math.max(...scores));
        },

        /** A feature of the last digit: −1, 0 or +1. */
        trit(feature) {
            const [word, bit] = [feature >> 5, feature & 31];
            const [sign, mask] = [words[2 * word] >>> bit & 1, words[2 * word + 1] >>> bit & 1];
            return mask - 2 * sign;
        },

        /** The pixels that 64 features see, a byte each, or null if they see them all. */
        seen(tile) {
            return wasm.see(tile) ? seen : null;
        },

        /** The 32-bit FNV-1a hash of all features, by which two machines can be compared. */
        hash() {
            const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
            return bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5) >>> 0;
        },

        /** Microseconds from pixels to scores: the shortest of some times, each of many runs, for clocks are coarse. */
        microseconds() {
            const [times, runs] = [5, 20];
            let shortest = Infinity;
            for (let time = 0; time < times; time++) {
                const start = performance.now();
                for (let repeat = 0; repeat < runs; repeat++) run('score');
                shortest = Math.min(shortest, performance.now() - start);
            }
            return 1000 * shortest / runs;
        },
    };
})();
