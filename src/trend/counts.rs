//! What one series counts, night by night and stratum by stratum.

/// How many nights the recent ones may be that are held against those before.
pub(super) const WINDOWS: [usize; 6] = [1, 2, 3, 5, 7, 14];

/// The counts of a series, in columns. Only nights with exchanges of the series are numbered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts<'a> {
    /// Where the rows of each night begin, and where those of the last one end.
    pub starts: &'a [u32],
    /// The stratum of a row.
    pub stratum: &'a [u32],
    pub of: &'a [u32],
    pub hits: &'a [u32],
    pub strata: usize,
}

/// A row: exchanges of one stratum in one night.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub stratum: usize,
    pub of: f64,
    pub hits: f64,
}

impl<'a> Counts<'a> {
    /// How many nights have exchanges.
    pub(super) fn nights(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(super) fn night(&self, night: usize) -> impl Iterator<Item = Row> + use<'a> {
        let range = self.starts[night] as usize..self.starts[night + 1] as usize;
        let of = &self.of[range.clone()];
        let hits = &self.hits[range.clone()];
        self.stratum[range].iter().zip(of).zip(hits).map(|((stratum, of), hits)| Row {
            stratum: *stratum as usize,
            of: f64::from(*of),
            hits: f64::from(*hits),
        })
    }

    /// Exchanges of a night, and those that count.
    pub(super) fn total(&self, night: usize) -> [u64; 2] {
        let range = self.starts[night] as usize..self.starts[night + 1] as usize;
        let sum =
            |column: &[u32]| column[range.clone()].iter().map(|count| u64::from(*count)).sum();
        [sum(self.of), sum(self.hits)]
    }
}

/// Sums over nights, a pair of exchanges and hits for each stratum, and for all of them.
#[derive(Clone, Debug)]
pub(super) struct Sums(pub Vec<[f64; 2]>, pub [f64; 2]);

impl Sums {
    pub(super) fn new(strata: usize) -> Self {
        Self(vec![[0.0; 2]; strata], [0.0; 2])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill([0.0; 2]);
        self.1 = [0.0; 2];
    }

    pub(super) fn add(&mut self, counts: Counts<'_>, night: usize) {
        for row in counts.night(night) {
            for sum in [&mut self.0[row.stratum], &mut self.1] {
                sum[0] += row.of;
                sum[1] += row.hits;
            }
        }
    }

    /// Counts are whole numbers, so that what was added can be taken away without a rest.
    pub(super) fn take(&mut self, counts: Counts<'_>, night: usize) {
        for row in counts.night(night) {
            for sum in [&mut self.0[row.stratum], &mut self.1] {
                sum[0] -= row.of;
                sum[1] -= row.hits;
            }
        }
    }
}
