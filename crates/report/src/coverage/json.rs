//! All of it for programs.

use serde_json::{Map, Value, json as value};

use super::{Count, Coverage, File, TestRun, Totals};

/// Everything, as one object.
pub fn json(coverage: &Coverage) -> Value {
    let tests = coverage.tests.iter().map(|test| of_test(coverage, test));
    let timeline = coverage.timeline.iter().map(|moment| {
        value!({
            "seconds": moment.seconds,
            "paths": moment.paths,
            "blocks": moment.blocks,
            "branches": moment.branches,
        })
    });
    value!({
        "name": coverage.name,
        "totals": of_totals(coverage.totals()),
        "files": coverage.files.iter().map(of_file).collect::<Vec<_>>(),
        "tests": tests.collect::<Vec<_>>(),
        "timeline": timeline.collect::<Vec<_>>(),
    })
}

fn of_totals(totals: Totals) -> Value {
    let count = |count: Count| value!({ "covered": count.covered, "total": count.total });
    value!({
        "lines": count(totals.lines),
        "branches": count(totals.branches),
        "functions": count(totals.functions),
    })
}

fn of_file(file: &File) -> Value {
    let lines = file.lines.iter();
    let branches = file.branches.iter().map(|branch| {
        value!({ "line": branch.line, "column": branch.column, "outcomes": branch.outcomes })
    });
    let functions = file.functions.iter().map(|function| {
        value!({ "name": function.name, "line": function.line, "tests": function.tests })
    });
    value!({
        "path": file.path,
        "totals": of_totals(file.totals()),
        "lines": lines.map(|(&line, &tests)| value!({ "line": line, "tests": tests })).collect::<Vec<_>>(),
        "branches": branches.collect::<Vec<_>>(),
        "functions": functions.collect::<Vec<_>>(),
    })
}

fn of_test(coverage: &Coverage, test: &TestRun) -> Value {
    let path = |file: usize| coverage.files.get(file).map(|file| file.path.clone());
    let mut lines: Map<String, Value> = Map::new();
    for &(file, line) in &test.lines {
        let known = lines.entry(path(file).unwrap_or_default());
        if let Value::Array(lines) = known.or_insert_with(|| value!([])) {
            lines.push(line.into());
        }
    }
    let only = coverage.only_in(test).into_iter();
    let only: Map<String, Value> = only
        .map(|(file, lines)| (path(file).unwrap_or_default(), value!(lines)))
        .collect();
    value!({
        "test": test.number,
        "outcome": test.outcome,
        "lines": lines,
        "only_here": only,
        "branches": test.branches,
        "functions": test.functions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn everything_is_in_it() {
        let json = json(&small());
        let count = |covered: u64, total: u64| value!({ "covered": covered, "total": total });
        assert_eq!(json["totals"]["lines"], count(4, 5));
        assert_eq!(json["files"][0]["totals"]["branches"], count(3, 4));
        assert_eq!(json["files"][0]["path"], "/work/src/a.c");
        assert_eq!(
            json["files"][0]["lines"][2],
            value!({ "line": 3, "tests": 0 })
        );
        assert_eq!(
            json["files"][0]["branches"][1],
            value!({ "line": 2, "column": 15, "outcomes": [0, 1] })
        );
        assert_eq!(
            json["files"][0]["functions"][1],
            value!({ "name": "f(int, char)", "line": 9, "tests": 0 })
        );
        assert_eq!(
            json["tests"][0],
            value!({
                "test": 1,
                "outcome": "exit with 0",
                "lines": { "/work/src/a.c": [1, 2, 4], "/work/b<&>.h": [7] },
                "only_here": { "/work/src/a.c": [4] },
                "branches": 3,
                "functions": 1,
            })
        );
        assert_eq!(json["tests"][1]["only_here"], value!({}));
        assert_eq!(json["timeline"][1]["paths"], 2);
    }
}
