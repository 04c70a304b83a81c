//! How an exploration went over time, as pictures that are part of a page. Colours are the page's.

use std::fmt::Write as _;

use super::Moment;

/// A line of a plot: its name, the class that gives it a colour, and its values.
struct Series<'a> {
    name: &'a str,
    class: &'a str,
    value: fn(&Moment) -> u64,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
/// Room for the names at the ends of lines.
const RIGHT: f64 = 84.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;
/// As many as can be told apart.
const MOST_POINTS: usize = 400;

/// Covered blocks and outcomes of branches over time.
pub fn coverage(timeline: &[Moment]) -> String {
    let series = [
        Series {
            name: "blocks",
            class: "first",
            value: |moment| moment.blocks,
        },
        Series {
            name: "branches",
            class: "second",
            value: |moment| moment.branches,
        },
    ];
    plot(
        "Blocks and branch outcomes covered over time",
        timeline,
        &series,
    )
}

pub fn paths(timeline: &[Moment]) -> String {
    let series = [Series {
        name: "paths",
        class: "first",
        value: |moment| moment.paths,
    }];
    plot("Paths explored over time", timeline, &series)
}

fn plot(title: &str, timeline: &[Moment], series: &[Series<'_>]) -> String {
    let mut moments = thinned(timeline);
    // Every exploration begins with nothing.
    if moments.first().is_some_and(|first| first.seconds > 0.0) {
        moments.insert(0, Moment::default());
    }
    let values = moments.iter().flat_map(|moment| {
        let value = |series: &Series<'_>| (series.value)(moment) as f64;
        series.iter().map(value)
    });
    let (step_y, top) = scale(values.fold(1.0, f64::max), 1.0);
    let longest = moments.last().map_or(0.0, |moment| moment.seconds);
    let (step_x, right) = scale(longest.max(0.001), 0.0);
    let x = |seconds: f64| LEFT + (WIDTH - LEFT - RIGHT) * (seconds / right).min(1.0);
    let y = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top;
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n"
    );
    // Writing to a string does not fail.
    for value in ticks(step_y, top) {
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {0:.1}H{1}\"/><text class=\"tick\" x=\"{2}\" y=\"{3:.1}\" text-anchor=\"end\">{value}</text>",
            y(value),
            WIDTH - RIGHT,
            LEFT - 8.0,
            y(value) + 4.0,
        );
    }
    for seconds in ticks(step_x, right) {
        let digits = (-step_x.log10().floor()).max(0.0) as usize;
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{seconds:.digits$} s</text>",
            x(seconds),
            HEIGHT - BOTTOM + 18.0,
        );
    }
    let mut taken: Vec<f64> = Vec::new();
    for Series { name, class, value } in series {
        let mut path = String::new();
        let mut last = (LEFT, y(0.0));
        for (index, moment) in moments.iter().enumerate() {
            last = (x(moment.seconds), y(value(moment) as f64));
            // A count stays what it is until the next one is known.
            let _ = match index {
                0 => write!(path, "M{:.1} {:.1}", last.0, last.1),
                _ => write!(path, "H{:.1}V{:.1}", last.0, last.1),
            };
        }
        let mut label = last.1 + 4.0;
        while taken.iter().any(|other| (other - label).abs() < 14.0) {
            label += 14.0;
        }
        taken.push(label);
        let _ = writeln!(
            svg,
            "<path class=\"series {class}\" d=\"{path}\"/><circle class=\"end {class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/><text class=\"name\" x=\"{:.1}\" y=\"{label:.1}\">{name}</text>",
            last.0,
            last.1,
            last.0 + 8.0,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The first, the last, and evenly many in between.
fn thinned(timeline: &[Moment]) -> Vec<Moment> {
    let every = timeline.len().div_ceil(MOST_POINTS).max(1);
    let last = timeline.len().saturating_sub(1);
    let moments = timeline.iter().enumerate();
    let kept = moments.filter(|&(index, _)| index % every == 0 || index == last);
    kept.map(|(_, moment)| *moment).collect()
}

/// The distance of marks at round numbers, and the number at the upper end.
fn scale(largest: f64, least_step: f64) -> (f64, f64) {
    let rough = largest / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power).max(least_step);
    (step, (largest / step).ceil() * step)
}

fn ticks(step: f64, top: f64) -> impl Iterator<Item = f64> {
    let count = (top / step).round() as u32;
    (0..=count).map(move |index| f64::from(index) * step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn marks_are_at_round_numbers() {
        assert_eq!(scale(9.0, 1.0), (5.0, 10.0));
        assert_eq!(scale(1.0, 1.0), (1.0, 1.0));
        assert_eq!(scale(400.0, 1.0), (100.0, 400.0));
        let numbers: Vec<f64> = ticks(5.0, 10.0).collect();
        assert_eq!(numbers, [0.0, 5.0, 10.0]);
    }

    #[test]
    fn lines_go_in_steps_to_where_the_counts_are() {
        let svg = coverage(&small().timeline);
        // From one of ten blocks to nine, at the right end.
        assert!(svg.contains("d=\"M56.0 168.6H472.7"), "{svg}");
        assert!(svg.contains(">blocks</text>") && svg.contains(">branches</text>"));
        assert!(!paths(&small().timeline).contains("branches"));
    }

    #[test]
    fn any_timeline_can_be_drawn() {
        let moment = |seconds: f64, paths: u64| Moment {
            seconds,
            paths,
            blocks: paths,
            branches: paths,
        };
        let long: Vec<Moment> = (0..100_000).map(|i| moment(i as f64, u64::MAX)).collect();
        let timelines = [vec![], vec![moment(0.0, 0)], vec![moment(1e300, 1)], long];
        for timeline in timelines {
            for svg in [coverage(&timeline), paths(&timeline)] {
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(svg.len() < 50_000, "{}", svg.len());
            }
        }
    }
}
