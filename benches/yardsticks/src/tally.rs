//! Counts in ordinary hash maps, and the tables made of them.

use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

/// Counts over a run, by everything a rate is asked for.
#[derive(Debug, Default)]
pub struct Tally {
    rates: HashMap<[String; 5], u64>,
    issue_types: HashMap<[String; 5], u64>,
    tools: HashMap<[String; 2], ToolCount>,
}

#[derive(Debug, Default)]
struct ToolCount {
    calls: u64,
    working: u64,
    confidence: f64,
}

/// What one verdict adds.
#[derive(Debug)]
pub struct Counted<'a> {
    /// The day of the recording.
    pub day: &'a str,
    /// Who answered.
    pub server: &'a str,
    /// What was called.
    pub tool: &'a str,
    /// The scenario category, or nothing.
    pub scenario: &'a str,
    /// The classification.
    pub class: &'a str,
    /// The confidence, of 100.
    pub confidence: f64,
    /// Type and severity of each issue.
    pub issues: &'a [(&'static str, &'static str)],
}

impl Tally {
    /// Adds one verdict.
    pub fn add(&mut self, verdict: &Counted<'_>) {
        let Counted { day, server, tool, scenario, class, .. } = verdict;
        let key = [day, server, tool, scenario, class].map(|part| (*part).to_owned());
        *self.rates.entry(key).or_default() += 1;
        for (kind, severity) in verdict.issues {
            let key = [day, server, tool, severity, kind].map(|part| (*part).to_owned());
            *self.issue_types.entry(key).or_default() += 1;
        }
        let count = self.tools.entry([(*server).to_owned(), (*tool).to_owned()]).or_default();
        count.calls += 1;
        count.working += u64::from(*class == "fully_working");
        count.confidence += verdict.confidence;
    }

    /// Writes `rates.csv`, `issue_types.csv`, `tools.csv` and `summary.json`.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        self.write_rates(folder)?;
        self.write_issue_types(folder)?;
        self.write_tools(folder)?;
        let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
        for (key, count) in &self.rates {
            *classes.entry(&key[4]).or_default() += count;
        }
        let summary: Value =
            json!({"exchanges": self.rates.values().sum::<u64>(), "classes": classes});
        std::fs::write(folder.join("summary.json"), summary.to_string())
    }

    fn write_rates(&self, folder: &Path) -> io::Result<()> {
        let mut totals: HashMap<&[String], u64> = HashMap::new();
        for (key, count) in &self.rates {
            *totals.entry(&key[..4]).or_default() += count;
        }
        let mut rows: Vec<_> = self.rates.iter().collect();
        rows.sort();
        let mut csv = csv::Writer::from_path(folder.join("rates.csv"))?;
        csv.write_record([
            "day",
            "server",
            "tool",
            "scenario",
            "classification",
            "count",
            "share",
            "low",
            "high",
        ])?;
        for (key, count) in rows {
            let total = totals[&key[..4]];
            let (low, high) = wilson(*count, total);
            let numbers =
                [*count as f64, *count as f64 / total as f64, low, high].map(|n| n.to_string());
            csv.write_record(key.iter().chain(&numbers))?;
        }
        csv.flush()
    }

    fn write_issue_types(&self, folder: &Path) -> io::Result<()> {
        let mut totals: HashMap<[&str; 3], u64> = HashMap::new();
        for (key, count) in &self.rates {
            *totals.entry([&key[0], &key[1], &key[2]]).or_default() += count;
        }
        let mut rows: Vec<_> = self.issue_types.iter().collect();
        rows.sort();
        let mut csv = csv::Writer::from_path(folder.join("issue_types.csv"))?;
        csv.write_record(["day", "server", "tool", "severity", "type", "count", "share"])?;
        for (key, count) in rows {
            let total = totals[&[key[0].as_str(), &key[1], &key[2]]];
            let numbers = [*count as f64, *count as f64 / total as f64].map(|n| n.to_string());
            csv.write_record(key.iter().chain(&numbers))?;
        }
        csv.flush()
    }

    fn write_tools(&self, folder: &Path) -> io::Result<()> {
        let mut rows: Vec<_> = self.tools.iter().collect();
        rows.sort_by_key(|(key, _)| *key);
        let mut csv = csv::Writer::from_path(folder.join("tools.csv"))?;
        csv.write_record(["server", "tool", "status", "overall_confidence", "calls"])?;
        for ([server, tool], count) in rows {
            let status = match (count.working, count.calls) {
                (working, calls) if working == calls => "working",
                (0, _) => "broken",
                (working, calls) if working * 2 > calls => "mostly_working",
                _ => "partially_working",
            };
            let overall = (count.confidence / count.calls as f64).to_string();
            csv.write_record([server, tool, status, &overall, &count.calls.to_string()])?;
        }
        csv.flush()
    }
}

/// The 95 % Wilson interval of a share.
#[must_use]
pub fn wilson(count: u64, total: u64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let (n, share) = (total as f64, count as f64 / total as f64);
    let middle = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    ((middle - spread) / scale, (middle + spread) / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_matches_a_textbook_value() {
        let (low, high) = wilson(8, 10);
        assert!((low - 0.4902).abs() < 0.0001 && (high - 0.9433).abs() < 0.0001, "{low} {high}");
    }
}
