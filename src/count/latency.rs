//! How long calls took, counted in steps so narrow that a percentile is known within 5 %.

use serde::Serialize;

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

/// Milliseconds for people, with two digits: `0.088 ms`, `110 ms`, `1.3 s`.
pub fn milliseconds_words(milliseconds: f64) -> String {
    match two_digits(milliseconds) {
        milliseconds if milliseconds < 1000.0 => format!("{milliseconds} ms"),
        milliseconds => format!("{} s", two_digits(milliseconds / 1000.0)),
    }
}

/// Bytes for people, with two digits: `940 B`, `12 kB`, `1.3 MB`.
pub fn bytes_words(bytes: f64) -> String {
    match two_digits(bytes) {
        bytes if bytes < 1e3 => format!("{bytes} B"),
        bytes if bytes < 1e6 => format!("{} kB", bytes / 1e3),
        bytes => format!("{} MB", bytes / 1e6),
    }
}

fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// Two digits of it, the rest cut off: what is below a bound is not told as if it had reached it.
pub fn rounded_down(value: f64) -> f64 {
    let text = format!("{value:e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", digits.get(..3).unwrap_or(digits)).parse().unwrap_or(value)
}

/// How many calls took how long, in ascending steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations(Vec<(u16, u64)>);

/// What people read of durations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Took {
    /// Calls with a duration.
    pub timed: u64,
    /// Half of them took at most so many milliseconds.
    pub p50_ms: f64,
    /// And 95 % of them.
    pub p95_ms: f64,
}

impl Durations {
    pub fn add(&mut self, step: u16, calls: u64) {
        match self.0.binary_search_by_key(&step, |(step, _)| *step) {
            Ok(place) => self.0[place].1 += calls,
            Err(place) => self.0.insert(place, (step, calls)),
        }
    }

    pub fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(step, calls)| self.add(*step, *calls));
    }

    pub fn calls(&self) -> u64 {
        self.0.iter().map(|(_, calls)| calls).sum()
    }

    /// How many took longer than a step.
    pub fn above(&self, step: u16) -> u64 {
        let first = self.0.partition_point(|(other, _)| *other <= step);
        self.0[first..].iter().map(|(_, calls)| calls).sum()
    }

    /// The least step that at least so many percent of the calls do not exceed.
    pub fn percentile(&self, percent: u64) -> Option<u16> {
        let wanted = self.calls().saturating_mul(percent).div_ceil(100);
        let mut seen = 0;
        self.0.iter().filter(|(_, calls)| *calls > 0).find_map(|(step, calls)| {
            seen += calls;
            (seen >= wanted).then_some(*step)
        })
    }

    pub fn took(&self) -> Option<Took> {
        let milliseconds = |percent| self.percentile(percent).map(bucket_milliseconds);
        Some(Took { timed: self.calls(), p50_ms: milliseconds(50)?, p95_ms: milliseconds(95)? })
    }
}

impl FromIterator<(u16, u64)> for Durations {
    fn from_iter<I: IntoIterator<Item = (u16, u64)>>(steps: I) -> Self {
        let mut durations = Self::default();
        steps.into_iter().for_each(|(step, calls)| durations.add(step, calls));
        durations
    }
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
    fn durations_are_short_words() {
        let words = [0.0, 0.07, 1.0, 9.4, 118.0, 999.0, 1300.0, 47_000.0]
            .map(|milliseconds| {
                bucket_milliseconds(duration_bucket(milliseconds).expect("a duration"))
            })
            .map(milliseconds_words);
        let wanted = ["0 ms", "0.071 ms", "1 ms", "9.1 ms", "120 ms", "980 ms", "1.3 s", "48 s"];
        assert_eq!(words, wanted);
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let of = |times: &[(u16, u64)], percent| {
            times.iter().copied().collect::<Durations>().percentile(percent)
        };
        assert_eq!(of(&[], 95), None);
        assert_eq!(of(&[(7, 1)], 50), Some(7));
        assert_eq!(
            [50, 95].map(|percent| of(&[(1, 10), (2, 9), (9, 1)], percent)),
            [Some(1), Some(2)]
        );
        assert_eq!(of(&[(1, 18), (2, 2)], 95), Some(2));
    }
}
