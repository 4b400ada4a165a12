//! How long calls took, counted in steps so narrow that a percentile is known within 5 %.

use std::borrow::Borrow;

/// Steps between a power of two and the next.
const STEPS: u16 = 8;
/// Where they begin: two to the power of k eighths.
const EIGHTHS: [f64; STEPS as usize - 1] = [
    1.090_507_732_665_257_7,
    1.189_207_115_002_721,
    1.296_839_554_651_009_6,
    std::f64::consts::SQRT_2,
    1.542_210_825_407_940_7,
    1.681_792_830_507_429,
    1.834_008_086_409_342_4,
];
/// What takes less than two to this power of milliseconds counts as nothing.
const LEAST_POWER: i16 = -4;
/// What takes longer than fifty days counts as fifty days.
const MOST_POWER: i16 = 31;

/// The number of a duration: 0 below a sixteenth of a millisecond; `None` of what is no duration.
pub fn duration_bucket(milliseconds: f64) -> Option<u16> {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    if milliseconds.is_nan() || milliseconds < 0.0 {
        return None;
    }
    let bits = milliseconds.to_bits();
    let power = i16::try_from(bits >> MANTISSA).ok()? - 1023;
    if power < LEAST_POWER {
        return Some(0);
    }
    let step = if power > MOST_POWER {
        STEPS - 1
    } else {
        let within = f64::from_bits(bits & ((1 << MANTISSA) - 1) | 1.0_f64.to_bits());
        u16::try_from(EIGHTHS.iter().filter(|eighth| within >= **eighth).count()).ok()?
    };
    let power = u16::try_from(power.min(MOST_POWER) - LEAST_POWER).ok()?;
    Some(1 + power * STEPS + step)
}

/// The middle of a step, in milliseconds with three digits: at most 5 % from any duration in it.
pub fn bucket_milliseconds(bucket: u16) -> f64 {
    let Some(place) = bucket.checked_sub(1) else { return 0.0 };
    let eighths = f64::from(place) + 0.5;
    let middle = (eighths / f64::from(STEPS) + f64::from(LEAST_POWER)).exp2();
    format!("{middle:.2e}").parse().unwrap_or(middle)
}

/// The least step that at least so many percent of the durations do not exceed; they come in order.
pub fn percentile<T: Borrow<(u16, u64)>>(
    durations: impl Iterator<Item = T> + Clone,
    percent: u64,
) -> Option<u16> {
    let all: u64 = durations.clone().map(|step| step.borrow().1).sum();
    let wanted = all.saturating_mul(percent).div_ceil(100);
    let mut seen = 0;
    durations.filter(|step| step.borrow().1 > 0).find_map(|step| {
        let (bucket, times) = *step.borrow();
        seen += times;
        (seen >= wanted).then_some(bucket)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_narrow_and_bounded() {
        let mut before = 0;
        let mut milliseconds: f64 = 0.0625;
        while milliseconds < 4e9 {
            let bucket = duration_bucket(milliseconds).expect("a duration");
            assert!(bucket == before || bucket == before + 1, "{milliseconds}");
            let told = bucket_milliseconds(bucket);
            assert!((told / milliseconds - 1.0).abs() < 0.05, "{told} for {milliseconds}");
            assert_eq!(duration_bucket(told), Some(bucket), "{told} is in its own step");
            (before, milliseconds) = (bucket, milliseconds * 1.003);
        }
        assert_eq!(duration_bucket(0.0), Some(0));
        assert_eq!(duration_bucket(0.06), Some(0));
        assert_eq!(duration_bucket(f64::INFINITY), Some(before));
        assert_eq!((duration_bucket(-1.0), duration_bucket(f64::NAN)), (None, None));
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let of = |times: &[(u16, u64)], percent| percentile(times.iter(), percent);
        assert_eq!(of(&[], 95), None);
        assert_eq!(of(&[(7, 1)], 50), Some(7));
        assert_eq!(
            [50, 95].map(|percent| of(&[(1, 10), (2, 9), (9, 1)], percent)),
            [Some(1), Some(2)]
        );
        assert_eq!(of(&[(1, 18), (2, 2)], 95), Some(2));
    }
}
