"""Makes sklearn_unsupervised.json: principal components, clusters and distances that scikit-learn finds on small problems.

Run as `python3 sklearn_unsupervised.py > sklearn_unsupervised.json` (needs scikit-learn; 1.9.1 made the file).

Features are trits, given as they are; the kernel is G = x @ x.T / m. Groups overlap, so that clusters are no matter of
course, but are so different that every good start leads to the same ones.
"""
import json

import numpy as np
import sklearn
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import spectral_embedding
from sklearn.metrics import euclidean_distances

random = np.random.RandomState(16)


def numbers(x):
    return [float(f"{x:.10g}") for x in np.ravel(x)]


problems = []
for samples, features, clusters in ((40, 20, 2), (90, 70, 3), (150, 200, 5)):
    groups = np.arange(samples) % clusters
    levels = random.choice([-1, 0, 1], size=(clusters, features), p=[0.1, 0.1, 0.8])
    noise = random.choice([-1, 0, 1], size=(samples, features), p=[0.2, 0.2, 0.6])
    x = np.where(random.rand(samples, features) < 0.6, levels[groups], noise)
    new = np.where(random.rand(7, features) < 0.5, levels[np.arange(7) % clusters], noise[:7])
    gram = x @ x.T / features

    pca = KernelPCA(n_components=4, kernel="precomputed", eigen_solver="dense").fit(gram)
    kmeans = KMeans(clusters, n_init=50, tol=0, random_state=0).fit(x)
    spectral = SpectralClustering(clusters, affinity="precomputed", n_init=50, random_state=0).fit(gram)

    # Ternion's coordinates have the unit in which the first, the same for all samples, is 1.
    embedding = spectral_embedding(gram, n_components=clusters, eigen_solver="arpack", random_state=0, drop_first=False)
    embedding *= np.sqrt(gram.sum() - np.trace(gram))
    assert np.allclose(np.abs(embedding[:, 0]), 1)
    embedded = KMeans(clusters, n_init=50, tol=0, random_state=0).fit(embedding)
    assert len(set(zip(embedded.labels_, spectral.labels_))) == clusters

    distances = {}
    for components in (0, 3):
        scaled = x / np.sqrt(features)
        if components == 0:
            shown = np.repeat(scaled.mean(axis=0, keepdims=True), 7, axis=0)
        else:
            model = PCA(components, svd_solver="full").fit(scaled)
            shown = model.inverse_transform(model.transform(new / np.sqrt(features)))
        error = np.diag(euclidean_distances(new / np.sqrt(features), shown, squared=True))
        distances[components] = numbers(error)

    problems.append({
        "features": features,
        "x": x.ravel().tolist(),
        "new": new.ravel().tolist(),
        "eigenvalues": numbers(pca.eigenvalues_),
        "coordinates": numbers(pca.transform(new @ x.T / features)),
        "clusters": clusters,
        "inertia": float(kmeans.inertia_),
        "kmeans": kmeans.labels_.tolist(),
        "kmeans_new": kmeans.predict(new).tolist(),
        "spectral": spectral.labels_.tolist(),
        "spectral_inertia": float(embedded.inertia_),
        "distances": [distances[0], distances[3]],
    })

print(json.dumps({"sklearn": sklearn.__version__, "problems": problems}))
