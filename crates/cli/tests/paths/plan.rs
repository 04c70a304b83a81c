//! Which configurations a program is explored in.

use std::fmt;

const MODES: [&str; 2] = ["fork", "concolic"];

/// Those that find all paths: all but the one that is on the way to somewhere.
const SEARCHES: [&str; 6] = [
    "dfs",
    "bfs",
    "random-state",
    "random-path",
    "cover-new",
    "interleaved",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    pub mode: &'static str,
    pub search: &'static str,
    pub reuse: &'static str,
    pub recheck: bool,
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.arguments().join(" "))
    }
}

impl Configuration {
    const fn new(mode: &'static str, search: &'static str, reuse: &'static str) -> Configuration {
        Configuration {
            mode,
            search,
            reuse,
            recheck: false,
        }
    }

    /// As `refrain run` is told it.
    pub fn arguments(&self) -> Vec<&'static str> {
        let mut arguments = vec![
            "--mode",
            self.mode,
            "--search",
            self.search,
            "--reuse",
            self.reuse,
            "--arithmetic",
            "machine",
        ];
        if self.recheck {
            arguments.push("--recheck");
        }
        arguments
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Some for every program, each other search for its share of the programs, and all combinations over the whole
    /// corpus.
    Ordinary,
    Everything,
}

/// The configurations for the program at a position of the corpus.
pub fn of(index: usize, programs: usize, extent: Extent) -> Vec<Configuration> {
    let all = combinations();
    match extent {
        Extent::Everything => {
            let rechecked = all.iter().map(|&configuration| Configuration {
                recheck: true,
                ..configuration
            });
            all.iter().copied().chain(rechecked).collect()
        }
        Extent::Ordinary => {
            let in_turn = [
                Configuration::new("fork", "interleaved", "full"),
                Configuration::new("concolic", "dfs", "full"),
            ];
            let mut chosen = vec![
                Configuration::new("fork", "dfs", "full"),
                in_turn[index % in_turn.len()],
            ];
            let is_of_all = |search: &str| in_turn.iter().any(|one| one.search == search);
            let others = SEARCHES.into_iter().filter(|search| !is_of_all(search));
            let others: Vec<&str> = others.collect();
            let own = others[index % others.len()];
            // Programs with the same search share its combinations.
            let sharing = (programs - index % others.len()).div_ceil(others.len());
            let of_search = all.iter().copied().filter(|one| one.search == own);
            let of_search: Vec<Configuration> = of_search.collect();
            let rank = index / others.len() % of_search.len();
            let dealt = of_search.into_iter().skip(rank).step_by(sharing);
            let rest = all.iter().copied().filter(|one| is_of_all(one.search));
            let rest = rest.skip(index).step_by(programs.max(1));
            let more: Vec<Configuration> = dealt.chain(rest).collect();
            for configuration in more {
                if !chosen.contains(&configuration) {
                    chosen.push(configuration);
                }
            }
            chosen
        }
    }
}

/// Modes, searches and presets, each with each. Neighbours differ in their preset, so that a program meets several.
fn combinations() -> Vec<Configuration> {
    let mut all = Vec::new();
    for search in SEARCHES {
        for mode in MODES {
            for &reuse in refrain_reuse::PRESETS {
                all.push(Configuration::new(mode, search, reuse));
            }
        }
    }
    all
}

#[test]
fn every_combination_occurs() {
    let programs = crate::corpus::all().len();
    let met: Vec<Configuration> = (0..programs)
        .flat_map(|index| of(index, programs, Extent::Ordinary))
        .collect();
    for configuration in combinations() {
        assert!(met.contains(&configuration), "{configuration}");
    }
    for search in SEARCHES {
        let met = met.iter().filter(|one| one.search == search).count();
        assert!(met >= programs / 4, "{search} on {met} of {programs}");
    }
    assert_eq!(of(0, programs, Extent::Everything).len(), 2 * 120);
}
