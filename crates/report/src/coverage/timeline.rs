//! How coverage grew while the program was explored: what `timeline.csv` says of it.

/// The state of an exploration at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    pub seconds: f64,
    pub paths: u64,
    pub blocks: u64,
    /// Outcomes of branches.
    pub branches: u64,
}

impl Moment {
    /// The moments of a table with a head. A line that is not whole, as the last one of a run that was killed, is
    /// left out.
    pub fn parse_table(text: &str) -> Vec<Moment> {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let column = |name: &str| head.iter().position(|&known| known == name);
        let columns = ["seconds", "paths", "blocks", "branches"].map(column);
        let [Some(seconds), Some(paths), Some(blocks), Some(branches)] = columns else {
            return Vec::new();
        };
        let moments = lines.filter_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |column: usize| cells[column].parse::<u64>().ok();
            if cells.len() != head.len() {
                return None;
            }
            let seconds: f64 = cells[seconds].parse().ok()?;
            Some(Moment {
                seconds: Some(seconds).filter(|time| time.is_finite() && *time >= 0.0)?,
                paths: number(paths)?,
                blocks: number(blocks)?,
                branches: number(branches)?,
            })
        });
        moments.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_whole_is_left_out() {
        let text = "seconds,paths,x,blocks,branches\n0.1,2,9,3,4\nNaN,1,1,1,1\n0.2,2,9\n0.3,5,9,6,7\n0.4,5,";
        let moment = |seconds, paths, blocks, branches| Moment {
            seconds,
            paths,
            blocks,
            branches,
        };
        assert_eq!(
            Moment::parse_table(text),
            [moment(0.1, 2, 3, 4), moment(0.3, 5, 6, 7)]
        );
        assert_eq!(Moment::parse_table(""), []);
        assert_eq!(Moment::parse_table("a,b\n1,2\n"), []);
    }
}
