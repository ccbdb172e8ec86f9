//! How forms of W and scalings parse and print.

use super::preprocess::Scaling;
use super::weights::Form;
use crate::Error;
use core::fmt;
use core::str::FromStr;
use ternion_core::Grid;

/// Forms print as they parse: `stored`, `seeded`, `structured`, `boxes:28x28` (width × height), `boxes:32x32x3` (and
/// channels) and `subsets:2-8`. Plain `subsets` is [`Form::SUBSETS`].
///
/// ```
/// use ternion::{Form, Grid};
///
/// assert_eq!("boxes:28x20".parse(), Ok(Form::Boxes(Grid::image(28, 20))));
/// assert_eq!(Form::SUBSETS.to_string(), "subsets:2-8");
/// ```
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Stored => f.write_str("stored"),
            Self::Seeded => f.write_str("seeded"),
            Self::Structured => f.write_str("structured"),
            Self::Boxes(Grid { width, height, channels: 1 }) => write!(f, "boxes:{width}x{height}"),
            Self::Boxes(Grid { width, height, channels }) => {
                write!(f, "boxes:{width}x{height}x{channels}")
            }
            Self::Subsets { least, most } => write!(f, "subsets:{least}-{most}"),
        }
    }
}

impl FromStr for Form {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let form = match name.split_once(':') {
            None => {
                let plain = [Self::Stored, Self::Seeded, Self::Structured];
                let plain = plain.into_iter().find(|form| form.to_string() == name);
                plain.or((name == "subsets").then_some(Self::SUBSETS))
            }
            Some(("boxes", sizes)) => match sizes_between(sizes, 'x').as_deref() {
                Some(&[width, height]) => Some(Self::Boxes(Grid::image(width, height))),
                Some(&[width, height, channels]) => {
                    Some(Self::Boxes(Grid { width, height, channels }))
                }
                _ => None,
            },
            Some(("subsets", sizes)) => match sizes_between(sizes, '-').as_deref() {
                Some(&[least, most]) => Some(Self::Subsets { least, most }),
                _ => None,
            },
            Some(_) => None,
        };
        form.ok_or_else(|| Error::UnknownForm { name: name.to_owned() })
    }
}

fn sizes_between(text: &str, separator: char) -> Option<Vec<usize>> {
    text.split(separator).map(|size| size.parse().ok()).collect()
}

/// Scalings print as they parse: `unit`, `row` and `keep`.
///
/// ```
/// use ternion::Scaling;
///
/// assert_eq!("row".parse(), Ok(Scaling::Row));
/// ```
impl fmt::Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unit => "unit",
            Self::Row => "row",
            Self::Keep => "keep",
        })
    }
}

impl FromStr for Scaling {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let all = [Self::Unit, Self::Row, Self::Keep];
        let named = all.into_iter().find(|scaling| scaling.to_string() == name);
        named.ok_or_else(|| Error::UnknownScaling { name: name.to_owned() })
    }
}
