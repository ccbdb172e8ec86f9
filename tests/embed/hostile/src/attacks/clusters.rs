//! Clusters, components and detectors.

use super::{BAD, EXTREME, SIZES, different, packed, refused};
use ternion::learn::{
    Clusters, KMeans, KernelPca, OneClass, OneClassModel, PrincipalComponents, SpectralClustering,
    SpectralClusters,
};
use ternion::{Features, Matrix, TritMatrix};

/// Samples that are all the same.
fn same(samples: usize) -> Features {
    Features::concat(vec![&packed(1, 70); samples]).unwrap()
}

pub fn k_means() {
    let features = different(9, 70);
    for clusters in SIZES.into_iter().chain([2, 9, 10, 65_536]) {
        let Ok(kmeans) = KMeans::new(clusters) else { continue };
        let fitted = kmeans.fit(&features);
        assert_eq!(fitted.is_ok(), clusters <= 9, "{clusters}");
        refused(kmeans.fit(&same(9)).map(|_| ()));
    }
    let kmeans = KMeans::new(2).unwrap();
    for number in BAD.into_iter().chain(EXTREME) {
        if let Ok(kmeans) = kmeans.tolerance(number) {
            kmeans.fit(&features).unwrap();
        }
        let centres = Matrix::from_vec(2, 70, vec![number as f32; 140]).unwrap();
        let fitted = kmeans.centres(&centres).fit(&features);
        assert_eq!(fitted.is_ok(), (number as f32).is_finite(), "{number}");
    }
    refused(kmeans.starts(0).map(|_| ()));
    refused(kmeans.limit(0).map(|_| ()));
    kmeans.limit(usize::MAX).unwrap().fit(&features).unwrap();
    for (rows, cols) in [(1, 70), (3, 70), (2, 69), (2, 71), (70, 2)] {
        let centres = Matrix::from_vec(rows, cols, vec![0.5; rows * cols]).unwrap();
        refused(kmeans.centres(&centres).fit(&features).map(|_| ()));
    }
    let clusters: Clusters = kmeans.fit(&features).unwrap();
    refused(clusters.predict(&different(9, 71)));
    refused(clusters.decision(&different(9, 71)));
    refused(clusters.score(&different(9, 71)));
    clusters.classifier().unwrap();
    // Centres of so many clusters take 8 GB.
    let features = packed(66_000, 16_384);
    refused(KMeans::new(65_536).unwrap().fit(&features).map(|_| ()));
}

/// Distances of 300,000 samples to 2,000 centres: 2.4 GB, and as many floats.
pub fn distances() {
    let features = different(2000, 64);
    let clusters = KMeans::new(2000)
        .unwrap()
        .centres(&Matrix::from_vec(2000, 64, features.unpack::<f32>().unwrap().into_vec()).unwrap())
        .limit(1)
        .unwrap()
        .fit(&features)
        .unwrap();
    refused(clusters.decision(&different(300_000, 64)).map(|_| ()));
}

pub fn spectral() {
    let features = different(9, 70);
    for clusters in SIZES.into_iter().chain([2, 9, 10, 65_536]) {
        let Ok(spectral) = SpectralClustering::new(clusters) else { continue };
        let fitted = spectral.fit(&features);
        assert!(fitted.is_err() || clusters <= 9, "{clusters}");
        let _ = spectral.fit(&same(9));
        let _ = spectral.fit(&same(1));
    }
    let spectral = SpectralClustering::new(2).unwrap();
    refused(spectral.starts(0).map(|_| ()));
    // Two groups without a feature in common but for one that holds the graph together.
    let groups = (0..40).map(|k: u64| {
        if k.is_multiple_of(2) { 0x1F1 << (k % 5) | 1 } else { 0x1F1 << (20 + k % 5) | 1 }
    });
    let groups = TritMatrix::new(40, 70, vec![0; 80], groups.flat_map(|word| [word, 0]).collect());
    let clusters: SpectralClusters = spectral.fit(&Features::new(groups.unwrap())).unwrap();
    refused(clusters.predict(&different(9, 71)));
    refused(clusters.decision(&different(9, 71)));
    let features = different(40_000, 64);
    refused(SpectralClustering::new(20_000).unwrap().fit(&features).map(|_| ()));
}

pub fn components() {
    let features = different(9, 70);
    for count in SIZES.into_iter().chain([2, 9, 10, 65_536]) {
        let Ok(analysis) = KernelPca::new(count) else { continue };
        assert_eq!(analysis.fit(&features).is_ok(), count <= 9, "{count}");
        let _ = (analysis.fit(&same(1)), analysis.fit(&same(9)));
    }
    let components: PrincipalComponents = KernelPca::new(2).unwrap().fit(&features).unwrap();
    refused(components.transform(&different(9, 71)));
    // Weights of 2,000 components of a million features are 8 GB.
    let features = packed(2000, 1 << 20);
    refused(KernelPca::new(2000).unwrap().fit(&features).map(|_| ()));
}

pub fn one_class() {
    let features = different(9, 70);
    for share in BAD.into_iter().chain(EXTREME).chain([1.0, 1.0 - f64::EPSILON, -0.0]) {
        for components in SIZES.into_iter().chain([2, 8, 9, 10, 65_536]) {
            let Ok(one) = OneClass::new(share) else { continue };
            let fitted = one.components(components).fit(&features);
            assert_eq!(fitted.is_ok(), components <= 9, "{share} {components}");
            let _ = (one.components(components).fit(&same(1)), one.fit(&same(9)));
        }
    }
    let model: OneClassModel = OneClass::new(0.0).unwrap().fit(&features).unwrap();
    refused(model.distances(&different(9, 71)));
    refused(model.decision(&different(9, 71)));
    refused(model.predict(&different(9, 71)));
    refused(model.score(&features, &[true; 8]));
}
