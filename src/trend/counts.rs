//! What one series counts, night by night and stratum by stratum.

use super::gather::NightRows;

/// How many nights the recent ones may be that are held against those before.
pub(super) const WINDOWS: [usize; 6] = [1, 2, 3, 5, 7, 14];

/// The counts of a series. Its nights are numbered without those in which it has no exchanges.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pub nights: Vec<u32>,
    /// Where the rows of each night begin, and where those of the last one end.
    starts: Vec<usize>,
    rows: Vec<Row>,
    /// The strata that its rows name by their places, as numbers of those that were gathered.
    pub strata: Vec<u32>,
}

/// Exchanges of one stratum in one night.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    stratum: u32,
    of: u32,
    hits: u32,
}

impl Row {
    pub(super) fn stratum(self) -> usize {
        self.stratum as usize
    }

    /// Exchanges, and those that count.
    pub(super) fn pair(self) -> [f64; 2] {
        [f64::from(self.of), f64::from(self.hits)]
    }
}

impl Counts {
    /// Of these rows; `places` has the place of each stratum among those of the series, `of` what each
    /// row has. Rows that have nothing are left out.
    pub(super) fn of(
        gathered: &NightRows,
        rows: impl Iterator<Item = usize>,
        strata: Vec<u32>,
        places: &[u32],
        [of, hits]: [&[u32]; 2],
    ) -> Self {
        let mut counts = Self { nights: Vec::new(), starts: Vec::new(), rows: Vec::new(), strata };
        let mut night = 0_u32;
        for row in rows.filter(|row| of[*row] > 0) {
            while gathered.night(night as usize).end <= row {
                night += 1;
            }
            if counts.nights.last() != Some(&night) {
                counts.nights.push(night);
                counts.starts.push(counts.rows.len());
            }
            let stratum = places[gathered.stratum[row] as usize];
            counts.rows.push(Row { stratum, of: of[row], hits: hits[row] });
        }
        counts.starts.push(counts.rows.len());
        counts
    }

    pub(super) fn since(mut self, night: usize) -> Self {
        let left = self.nights.partition_point(|other| (*other as usize) < night);
        self.nights.drain(..left);
        self.starts.drain(..left);
        self
    }

    pub(super) fn night(&self, night: usize) -> &[Row] {
        &self.rows[self.starts[night]..self.starts[night + 1]]
    }

    /// Exchanges of a night, and those that count.
    pub(super) fn total(&self, night: usize) -> [u64; 2] {
        let rows = self.night(night).iter();
        rows.fold([0, 0], |[of, hits], row| [of + u64::from(row.of), hits + u64::from(row.hits)])
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

    pub(super) fn add(&mut self, counts: &Counts, night: usize) {
        self.count(counts, night, 1.0);
    }

    /// Counts are whole numbers, so that what was added can be taken away without a rest.
    pub(super) fn take(&mut self, counts: &Counts, night: usize) {
        self.count(counts, night, -1.0);
    }

    fn count(&mut self, counts: &Counts, night: usize, sign: f64) {
        for row in counts.night(night) {
            let [of, hits] = row.pair();
            for sum in [&mut self.0[row.stratum()], &mut self.1] {
                sum[0] += sign * of;
                sum[1] += sign * hits;
            }
        }
    }
}
