"""The known answers of structured and local seeds, by a program that shares nothing with the crates.

Written from the pages of ternion_core::seed, Structured, Local and periodic alone. Prints, for every case of
tests/tests/structured.rs, the FNV-1a hash (64 bits) of its sums as little-endian 32-bit numbers and its trits as bytes;
then that of its trits by a periodic sigma.

    python3 tests/data/structured.py
"""

from fractions import Fraction
from math import floor

M64, M32 = (1 << 64) - 1, (1 << 32) - 1


def outputs(seed, row):
    """The two outputs of SplitMix64 that belong to a row of a seed."""

    def mix(index):
        z = (seed + index * 0x9E3779B97F4A7C15) & M64
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & M64
        return z ^ z >> 31

    return mix(2 * row + 1), mix(2 * row + 2)


def draws(seed, row):
    """The 32-bit draws of a row of a seed: xoshiro128++ started by SplitMix64."""

    def rotl(x, k):
        return (x << k | x >> (32 - k)) & M32

    a, b = outputs(seed, row)
    s = [a & M32, a >> 32, b & M32, b >> 32]
    while True:
        yield (rotl((s[0] + s[3]) & M32, 7) + s[0]) & M32
        t = s[1] << 9 & M32
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 11)


def signs(stream, count):
    """Signs of 32 numbers per draw, the lowest bit first."""
    out = []
    while len(out) < count:
        draw = next(stream)
        out += [-1 if draw >> bit & 1 else 1 for bit in range(32)]
    return out[:count]


def wrap(x):
    return (x + 32768) % 65536 - 32768


def hadamard(doubled):
    """H times numbers n + 1/2, given as 2n + 1, modulo 2^16; by recursion on halves."""

    def transform(x):
        if len(x) == 1:
            return x
        half = len(x) // 2
        a, b = transform(x[:half]), transform(x[half:])
        return [p + q for p, q in zip(a, b)] + [p - q for p, q in zip(a, b)]

    return [wrap(x // 2) for x in transform(doubled)]


def shift_of(x):
    n = sum(v * v for v in x)
    return -((24 - n.bit_length()) // 2)


def floor_shift(v, s):
    return v >> s if s >= 0 else v << -s


def nearest_shift(v, s):
    """v times 2^s, rounded to the nearest integer, halves up."""
    return v << s if s >= 0 else (v + (1 << (-s - 1))) >> -s


def structured(seed, x, features, factor=None):
    """The shift and the sums; with the factor F of a periodic sigma, angles."""
    size = 64
    while size < len(x):
        size *= 2
    s = shift_of(x)
    u = [2 * floor_shift(v, s) + 1 for v in x] + [1 - 2 * (j % 2) for j in range(len(x), size)]
    row = lambda r: signs(draws(seed, r), size)
    y = hadamard([d * v for d, v in zip(row(0), u)])
    back = (size.bit_length() - 1 + 1) // 2
    v = [2 * (value >> back) + 1 for value in y]
    if factor is not None:
        g = floor(Fraction(factor) * Fraction(2) ** (s - 1) + Fraction(1, 2))
        v = [2 * (value * g >> 16) + 1 for value in v]
    sums = []
    for block in range(-(-features // size)):
        z = hadamard([d * n for d, n in zip(row(2 * block + 1), v)])
        sums += z if factor is not None else [d * n for d, n in zip(row(2 * block + 2), z)]
    return s, sums[:features]


def choose(below, count, of):
    if count == of:
        return list(range(of))
    chosen = set()
    for j in range(of - count, of):
        t = below(j + 1)
        chosen.add(j if t in chosen else t)
    return sorted(chosen)


def local(seed, view, x, features, factor=None):
    """The shift and the sums; with the factor F of a periodic sigma, angles."""
    s = shift_of(x)
    if factor is not None:
        s, x = 0, in_turns(x, factor)
    sums = []
    for word in range(-(-features // 64)):
        stream = draws(seed, word)
        below = lambda n: next(stream) * n >> 32
        before = signs(stream, 64)
        if view[0] == "boxes":
            _, width, height, channels = view
            rows, columns = min(5 + below(10), height), min(5 + below(10), width)
            top, left = below(height - rows + 1), below(width - columns + 1)
            places = [
                ((top + i) * width + left + j) * channels + c
                for i in range(rows)
                for j in range(columns)
                for c in range(channels)
            ]
            if len(places) > 64:
                places = [places[i * len(places) // 64] for i in range(64)]
            blocks = [places]
        else:
            _, least, most = view
            count = min(least + below(most - least + 1), len(x))
            size = 2
            while size < count:
                size *= 2
            blocks = [choose(below, count, len(x)) for _ in range(64 // size)]
        size = 64 // len(blocks)
        after = signs(stream, 64)
        for block, inputs in enumerate(blocks):
            u = [2 * floor_shift(x[k], s) + 1 for k in inputs] + [1] * (size - len(inputs))
            place = slice(block * size, (block + 1) * size)
            z = hadamard([d * v for d, v in zip(before[place], u)])
            sums += z if factor is not None else [d * v for d, v in zip(after[place], z)]
    return s, sums[:features]


def trit(z, s, lower, upper):
    """The trit of z times 2^s, with the saturation of cuts."""
    below, above = [min(max(Fraction(cut) / Fraction(2) ** s, -32767), 32767) for cut in (lower, upper)]
    return -1 if z < below else 1 if z > above else 0


def in_turns(x, factor):
    return [v * factor + (1 << 15) >> 16 for v in x]


def independent(seed, x, features, factor):
    """The angles of independent weights without zeros."""
    x = in_turns(x, factor)
    return [sum(d * v for d, v in zip(signs(draws(seed, row), len(x)), x)) for row in range(features)]


def periodic(angles, seed):
    trits = []
    for feature, angle in enumerate(angles):
        a, b = outputs(seed, (1 << 62) + feature // 64)
        beta = [(a | b << 64) >> 16 * k & 0xFFFF for k in range(7)]
        phase = beta[0] + sum(-beta[k + 1] if feature >> k & 1 else beta[k + 1] for k in range(6))
        distance = abs(Fraction(wrap(angle + phase)) + Fraction(1, 2))
        trits.append(-1 if distance < Fraction(65536, 6) else 1 if distance > Fraction(65536, 3) else 0)
    return trits


def fnv(data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 & M64
    return state


def small(inputs):
    return [k * 37 % 101 - 50 for k in range(inputs)]


def large(inputs):
    return [k * 7919 % 65536 - 32768 for k in range(inputs)]


def answer(w, inputs):
    """The hash of the sums and the trits of both samples."""
    data = b""
    for x, lower, upper in [(small(inputs), -100.5, 250.25), (large(inputs), -30000.5, 100000.25)]:
        s, sums = w(x)
        data += b"".join((nearest_shift(z, s) & M32).to_bytes(4, "little") for z in sums)
        data += bytes(trit(z, s, lower, upper) & 255 for z in sums)
    return hex(fnv(data))


def periodic_answer(seed, angles, inputs):
    """The hash of the trits of both samples by a periodic sigma."""
    data = b""
    for x, period in [(small(inputs), 250.25), (large(inputs), 100000.5)]:
        factor = floor(Fraction(2) ** 32 / Fraction(period) + Fraction(1, 2))
        data += bytes(t & 255 for t in periodic(angles(x, factor), seed + 1))
    return hex(fnv(data))


for seed, inputs, features in [(42, 100, 300), (7, 10, 70), (1, 5000, 9000), (3, 784, 1100)]:
    w = lambda x, factor=None: structured(seed, x, features, factor)
    angles = lambda x, factor: w(x, factor)[1]
    print("structured", seed, inputs, features, answer(w, inputs), periodic_answer(seed, angles, inputs))
for seed, view, inputs, features in [
    (42, ("boxes", 28, 28, 1), 784, 700),
    (7, ("boxes", 6, 9, 3), 162, 300),
    (1, ("boxes", 100, 1, 1), 100, 200),
    (42, ("subsets", 2, 8), 20, 700),
    (7, ("subsets", 1, 64), 54, 1000),
]:
    w = lambda x, factor=None: local(seed, view, x, features, factor)
    angles = lambda x, factor: w(x, factor)[1]
    print("local", seed, view, features, answer(w, inputs), periodic_answer(seed, angles, inputs))
angles = lambda x, factor: independent(5, x, 300, factor)
print("independent", 5, 70, 300, periodic_answer(5, angles, 70))
