"""Makes moments_extreme.json: d0, d1, d2 from their definitions in 60-digit arithmetic (needs mpmath).

Run as `python3 moments_extreme.py > moments_extreme.json`. Activations are integrated against the normal
density, kernels f(r) of the squared distance are differentiated; no closed form of the crate is used.
"""
import json

from mpmath import cos, cosh, diff, erf, exp, log, mp, mpf, pi, quad, sin, sqrt, tanh

mp.dps = 60

ACTIVATIONS = {
    "linear": lambda t: t,
    "abs": abs,
    "relu": lambda t: max(t, 0),
    "leaky_relu_0.1": lambda t: t if t > 0 else t / 10,
    "relu_squared": lambda t: max(t, 0) ** 2,
    "sign": lambda t: mpf(1) if t > 0 else mpf(-1),
    "step": lambda t: mpf(1) if t > 0 else mpf(0),
    "quad_0.5t^2+t": lambda t: t * t / 2 + t,
    "cos": cos,
    "sin": sin,
    "exp": exp,
    "bump": lambda t: exp(-t * t / 2),
    "erf": erf,
    "tanh": tanh,
    "sigmoid": lambda t: 1 / (1 + exp(-t)),
    "silu": lambda t: t / (1 + exp(-t)),
    "gelu": lambda t: t * (1 + erf(t / sqrt(2))) / 2,
    "softplus": lambda t: log(1 + exp(t)) if t < 0 else t + log(1 + exp(-t)),
}

KERNELS = {
    "rff": lambda r: exp(-r / 2),
    "gaussian_gamma2": lambda r: exp(-2 * r),
    "laplace_l2_gamma1": lambda r: exp(-sqrt(r)),
    "laplace_l2_gamma0.3": lambda r: exp(-sqrt(r) * 3 / 10),
    "matern_3/2": lambda r: (1 + sqrt(3 * r)) * exp(-sqrt(3 * r)),
    "matern_5/2_length2": lambda r: (1 + sqrt(5 * r) / 2 + 5 * r / 12) * exp(-sqrt(5 * r) / 2),
}


def activation(f, tau):
    root = sqrt(tau)
    # A kink or jump at another t than 0 needs an edge at |t| / root: without it only some seven digits are right.
    # Panels fine enough for sin at the largest tau, and graded towards 0 for what is steep there.
    edges = [0, mpf(1) / 1000, mpf(1) / 100, mpf(1) / 30] + [mpf(k) / 10 for k in range(1, 20)]
    edges += [2 + mpf(k) / 4 for k in range(0, 57)] + [20, 30, 45, 80]

    def mean(g):
        return quad(lambda z: (g(z) + g(-z)) * exp(-z * z / 2), edges, method="gauss-legendre") / sqrt(2 * pi)

    zero = mean(lambda z: f(root * z))
    one = mean(lambda z: z * f(root * z))
    two = mean(lambda z: (z * z - 1) * f(root * z))
    square = mean(lambda z: f(root * z) ** 2)
    return square - zero**2 - one**2, one**2 / tau, two**2 / (4 * tau**2)


def kernel(f, tau):
    r = 2 * tau
    slope = diff(f, r, h=r * mpf(10) ** -18)
    return f(mpf(0)) - f(r) + r * slope, -2 * slope, diff(f, r, 2, h=r * mpf(10) ** -15)


rows = []
for tau in ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]:
    for table, moments in ((ACTIVATIONS, activation), (KERNELS, kernel)):
        for name, f in table.items():
            if name == "exp" and mpf(tau) > 100:
                continue
            values = moments(f, mpf(tau))
            if table is ACTIVATIONS:
                # What exact arithmetic would make 0 is left with the error of the quadrature, squared in d1 and d2.
                values = [d if abs(d) > limit else mpf(0) for d, limit in zip(values, (mpf("1e-45"), mpf("1e-90"), mpf("1e-90")))]
            rows.append({"target": name, "tau": float(tau), **{k: float(v) for k, v in zip(("d0", "d1", "d2"), values)}})
print(json.dumps({"rows": rows}, indent=1))
