//! Serde for what is saved and for what has a text of its own (feature `serde`); plain types derive it where they are.

use crate::fit::Statistics;
use crate::learn::penalty::Penalty;
use crate::learn::{
    Classifier, KernelModel, LinearModel, Moments, TargetMoments, TernaryClassifier,
    TernaryRegressor,
};
use crate::{Policy, Target, TernaryFeatures};
use core::fmt::{self, Display};
use core::str::FromStr;
use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};
use ternion_core::Grid;

/// Implements serde for types with `to_bytes` and `from_bytes`, by these bytes.
macro_rules! by_bytes {
    ($($saved:ty),*) => { $(
        impl Serialize for $saved {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(&self.to_bytes())
            }
        }

        impl<'de> Deserialize<'de> for $saved {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let bytes = deserializer.deserialize_byte_buf(Bytes)?;
                Self::from_bytes(&bytes).map_err(D::Error::custom)
            }
        }
    )* };
}

by_bytes! { Statistics, Moments, TargetMoments, TernaryFeatures, LinearModel, Classifier, KernelModel, TernaryRegressor }

impl<L: Ord + Clone + Display> Serialize for TernaryClassifier<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

impl<'de, L: Ord + Clone + FromStr> Deserialize<'de> for TernaryClassifier<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = deserializer.deserialize_byte_buf(Bytes)?;
        Self::from_bytes(&bytes).map_err(D::Error::custom)
    }
}

/// Takes bytes, also from formats that have only sequences.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a saved object")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<u8>, A::Error> {
        // A declared length is not trusted.
        let mut bytes = Vec::new();
        while let Some(byte) = sequence.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

/// A target as its name. One that is a closure has none.
impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = self.to_string();
        match name.parse::<Self>() {
            Ok(_) => serializer.serialize_str(&name),
            Err(_) => Err(S::Error::custom(format_args!(
                "the target {name:?} is a closure: only targets with a name can be serialised"
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}

/// A policy as its name.
impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}

/// The fields of a [`Penalty`], not yet checked.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum PenaltyFields {
    Relative(f64),
    Absolute(f64),
}

impl Serialize for Penalty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Relative(share) => PenaltyFields::Relative(share),
            Self::Absolute(gamma) => PenaltyFields::Absolute(gamma),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Penalty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let penalty = match PenaltyFields::deserialize(deserializer)? {
            PenaltyFields::Relative(share) => Self::Relative(share),
            PenaltyFields::Absolute(gamma) => Self::Absolute(gamma),
        };
        penalty.check().map_err(D::Error::custom)
    }
}

/// The fields of a [`Grid`], which is of a crate without serde.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Grid")]
pub(crate) struct GridFields {
    width: usize,
    height: usize,
    channels: usize,
}
