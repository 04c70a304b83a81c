//! How far a run was when.

/// How far it was at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub seconds: f64,
    pub paths: u64,
    /// Branches covered.
    pub branches: u64,
    /// Calls of the solver.
    pub calls: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Timeline(Vec<Point>);

impl Timeline {
    /// Reads `timeline.csv`, which does not know how it ended.
    pub fn read(csv: &str, end: Point) -> Result<Timeline, String> {
        let mut lines = csv.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let column = |wanted: &str| {
            let found = names.iter().position(|name| *name == wanted);
            found.ok_or_else(|| format!("no column {wanted} in timeline.csv"))
        };
        let places = [
            column("seconds")?,
            column("paths")?,
            column("branches")?,
            column("by_solver")?,
        ];
        let mut points = Vec::new();
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |place: usize| cells.get(place)?.parse::<f64>().ok();
            let [Some(seconds), Some(paths), Some(branches), Some(calls)] = places.map(number)
            else {
                return Err(format!("not a line of timeline.csv: {line}"));
            };
            if seconds <= end.seconds {
                points.push(Point {
                    seconds,
                    paths: paths as u64,
                    branches: branches as u64,
                    calls: calls as u64,
                });
            }
        }
        points.push(end);
        Ok(Timeline(points))
    }

    /// How far it was at a time: what it had told by then.
    pub fn at(&self, seconds: f64) -> Point {
        let told = self.0.iter().rfind(|point| point.seconds <= seconds);
        told.copied().unwrap_or_default()
    }

    /// When it was known to have got somewhere; `None` if it never did.
    pub fn reached(&self, is_there: impl Fn(&Point) -> bool) -> Option<f64> {
        let first = self.0.iter().find(|point| is_there(point));
        first.map(|point| point.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_tells_what_was_known_when() {
        let csv = "seconds,paths,pending,branches,by_solver\n0.5,10,3,4,2\n1.0,30,2,6,5\n";
        let end = Point {
            seconds: 1.25,
            paths: 40,
            branches: 7,
            calls: 5,
        };
        let timeline = Timeline::read(csv, end).expect("complete");
        assert_eq!(timeline.at(0.4), Point::default());
        assert_eq!(timeline.at(1.1).paths, 30);
        assert_eq!(timeline.at(0.6).calls, 2);
        assert_eq!(timeline.at(9.0), end);
        assert_eq!(timeline.reached(|point| point.branches >= 5), Some(1.0));
        assert_eq!(timeline.reached(|point| point.paths > 40), None);
        assert!(Timeline::read("seconds,paths\n", end).is_err());
    }
}
