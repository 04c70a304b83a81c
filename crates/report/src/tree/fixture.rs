//! A small tree, and the same tree as another run left it.

use std::path::Path;

use refrain_machine::Place;
use refrain_memo::{
    AskKind, Boundary, CodeUnit, Edge, Ending, Header, Leaf, LogWriter, NamedPoint, NodeId,
    Question, Reading, Tree,
};

use super::Program;

/// Both trees in a folder of their own.
pub struct Trees {
    pub here: Tree,
    pub there: Tree,
    _folder: tempfile::TempDir,
}

/// The second has been cut at the first branch's second alternative, exits with another status at the end of one path,
/// and asks something else on another.
pub fn trees() -> Trees {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path().join("here");
    write(
        &here,
        |writer, first, _| {
            let at = point(writer, 2);
            let second = writer.node(first.edge(1), &question(at, AskKind::Fix, 5));
            leaf(writer, second.edge(0), Ending::Exit(Some(3)), Some(2));
            leaf(
                writer,
                second.edge(1),
                Ending::Error("panic: </script>"),
                Some(3),
            );
        },
        0,
        7,
    );
    let there = folder.path().join("there");
    write(
        &there,
        |writer, first, point| {
            let boundary = Boundary {
                cause: "depth",
                stack: &[point],
            };
            leaf(writer, first.edge(1), Ending::Boundary(boundary), None);
        },
        1,
        8,
    );
    let open = |path: &Path| Tree::open(path, Reading::Strict).expect("a tree");
    Trees {
        here: open(&here),
        there: open(&there),
        _folder: folder,
    }
}

/// A choice of three: a path that exits with a status, what the caller says, and a question with a hash.
fn write(
    directory: &Path,
    more: impl FnOnce(&mut LogWriter, NodeId, NamedPoint),
    status: i32,
    hash: u64,
) {
    let tree = Tree::create(directory, Header::default()).expect("a directory");
    let recording = tree.record().expect("a recording");
    let mut writer = recording.writer().expect("a log");
    let at = point(&mut writer, 1);
    let first = writer.node(Edge::ROOT, &question(at, AskKind::Choose(4), 1));
    leaf(
        &mut writer,
        first.edge(0),
        Ending::Exit(Some(status)),
        Some(1),
    );
    more(&mut writer, first, at);
    let third = writer.node(first.edge(2), &question(at, AskKind::Assume, hash));
    writer.infeasible(third.edge(1), None);
    writer.unknown(first.edge(3), "time is up");
    writer.finish().expect("a whole log");
}

fn point(writer: &mut LogWriter, block: u32) -> NamedPoint {
    NamedPoint {
        symbol: writer.symbol("f"),
        block,
        instruction: 0,
    }
}

fn question(point: NamedPoint, kind: AskKind, hash: u64) -> Question<'static> {
    Question {
        point,
        kind,
        value: (kind == AskKind::Fix).then_some(&[0xab][..]),
        implied: &[0, 1],
        ran: &[],
        hash,
    }
}

fn leaf(writer: &mut LogWriter, edge: Edge, ending: Ending, test: Option<u32>) {
    let symbol = writer.symbol("g");
    let unit = writer.unit(CodeUnit {
        symbol,
        block: Some(4),
        hash: 1,
        part: 0,
    });
    let leaf = Leaf {
        ending,
        implied: &[],
        ran: &[unit],
        test,
    };
    writer.leaf(edge, &leaf, None);
}

/// What there is to know of the program.
pub struct Known;

impl Program for Known {
    fn place(&self, symbol: &str, block: u32, _instruction: u32) -> Option<Place> {
        Some(Place {
            function: format!("{symbol}()"),
            file: "/src/a.c".into(),
            line: block + 1,
            column: 0,
        })
    }

    fn error_of(&self, test: u32) -> Option<Place> {
        Some(Place {
            function: "g()".into(),
            file: "/src/b.c".into(),
            line: test,
            column: 0,
        })
    }

    fn source(&self, file: &str) -> Option<String> {
        (file == "/src/a.c").then(|| "one\ntwo </script>\nthree\n".into())
    }

    fn is_edited(&self, symbol: &str, block: u32, hash: u64) -> bool {
        (symbol, block, hash) == ("g", 4, 1)
    }
}
