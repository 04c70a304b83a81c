//! Figures that tables are made of.

/// The geometric mean of ratios; `None` of none.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    mean(&logarithms).map(f64::exp)
}

/// The mean; `None` of none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The smallest and the largest; `None` of none.
pub fn range(values: &[f64]) -> Option<(f64, f64)> {
    let first = *values.first()?;
    let widen = |(low, high): (f64, f64), &value: &f64| (low.min(value), high.max(value));
    Some(values.iter().fold((first, first), widen))
}

pub fn milliseconds(seconds: f64) -> String {
    format!("{:.2}", seconds * 1000.0)
}

pub fn ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}

pub fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// What to show where there is nothing.
pub const NOTHING: &str = "-";

/// What to show in place of the figures of a run that failed.
pub const FAILED: &str = "failed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_ranges() {
        let mean_ratio = geometric_mean(&[1.0, 4.0]).expect("a mean");
        assert!((mean_ratio - 2.0).abs() < 1e-12);
        assert_eq!(range(&[2.0, 1.0, 3.0]), Some((1.0, 3.0)));
        assert_eq!(
            (mean(&[]), geometric_mean(&[]), range(&[])),
            (None, None, None)
        );
    }
}
