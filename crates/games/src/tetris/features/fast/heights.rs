//! The height-based sets by the instruction set at hand.

use super::{BestPlacement, EachPiece, HeightSet, InstructionSet, Kind, PlacementValues, Query};
#[cfg(all(target_arch = "x86_64", not(portable)))]
use super::{avx2, avx512, height_counts::HeightCounts, placements};

/// What is asked of the evaluator.
pub(in super::super) enum Request<'a, 'b> {
    /// The best placement of the state's piece and its value.
    Best(&'a mut BestPlacement),
    /// The values of the best placements of the state's piece and of the pieces numbered after it.
    Largest(&'a mut [Option<f32>]),
    /// The values of the best placements of some pieces, until a call breaks.
    InOrder(&'a [usize], EachPiece<'b>),
    /// The values of all placements of the state's piece.
    All(&'a mut PlacementValues),
}

/// Answers a request; `false` without vectors.
#[inline]
pub(in super::super) fn answer(
    instructions: InstructionSet,
    query: Query<HeightSet>,
    request: Request,
) -> bool {
    match instructions.0 {
        // SAFETY: a `Token` exists only if these CPU features were detected.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx2(token) => unsafe { answer_avx2(token, query, request) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(portable)))]
        #[allow(unsafe_code)]
        Kind::Avx512(token) => unsafe { answer_avx512(token, query, request) },
        _ => {
            let _ = (query, request);
            return false;
        }
    }
    true
}

/// The four requests, compiled for one instruction set.
#[cfg(all(target_arch = "x86_64", not(portable)))]
macro_rules! answered {
    ($registers:ty, $token:expr, $query:expr, $request:expr) => {
        match $request {
            Request::Best(found) => {
                *found = placements::best::<$registers, HeightCounts<_>>($token, $query);
            }
            Request::Largest(found) => {
                placements::largest::<$registers, HeightCounts<_>>($token, $query, found);
            }
            Request::InOrder(pieces, each) => {
                placements::in_order::<$registers, HeightCounts<_>>($token, $query, pieces, each);
            }
            Request::All(values) => {
                placements::all::<$registers, HeightCounts<_>>($token, $query, values);
            }
        }
    };
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx2,bmi2,lzcnt,popcnt")]
fn answer_avx2(token: avx2::Token, query: Query<HeightSet>, request: Request) {
    answered!(avx2::Pair, token, query, request);
}

#[cfg(all(target_arch = "x86_64", not(portable)))]
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,avx512bw,gfni,bmi2,lzcnt,popcnt")]
fn answer_avx512(token: avx512::Token, query: Query<HeightSet>, request: Request) {
    answered!(avx512::Wide, token, query, request);
}
