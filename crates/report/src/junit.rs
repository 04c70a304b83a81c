//! JUnit's XML, which every server for continuous integration shows: a test case for each test of the run.

use std::path::Path;

use quick_xml::events::BytesText;
use refrain_results::{Outcome, Test, escaped};

use crate::xml::{self, clean};
use crate::{ReportError, Results, places, words};

pub fn junit(results: &Results) -> Result<Vec<u8>, ReportError> {
    let count = |wanted: fn(&Outcome) -> bool| {
        let outcomes = results.tests.iter().map(|test| &test.outcome);
        outcomes
            .filter(|outcome| wanted(outcome))
            .count()
            .to_string()
    };
    let program = clean(&places::shown(&results.root, &results.run.program));
    let mut suite = vec![
        ("name", program.clone()),
        ("tests", results.tests.len().to_string()),
        (
            "failures",
            count(|outcome| matches!(outcome, Outcome::Error(_))),
        ),
        ("errors", "0".to_string()),
        (
            "skipped",
            count(|outcome| matches!(outcome, Outcome::Unfinished(_))),
        ),
        ("timestamp", results.created_text()),
    ];
    if let Some(seconds) = results.seconds() {
        suite.push(("time", format!("{seconds:.3}")));
    }
    let mut document = xml::document(None)?;
    xml::write(
        document
            .create_element("testsuites")
            .write_inner_content(|writer| {
                let suite = suite.iter().map(|(name, value)| (*name, value.as_str()));
                let element = writer.create_element("testsuite").with_attributes(suite);
                if results.tests.is_empty() {
                    return element.write_empty().map(drop);
                }
                element
                    .write_inner_content(|writer| {
                        for test in &results.tests {
                            write_test(writer, test, &program, &results.root)?;
                        }
                        Ok(())
                    })
                    .map(drop)
            }),
    )?;
    Ok(xml::finish(document))
}

fn write_test(
    writer: &mut xml::Document,
    test: &Test,
    program: &str,
    root: &Path,
) -> std::io::Result<()> {
    let mut name = test.name();
    if !test.inputs.is_empty() {
        name += &format!(" {}", words::inputs(test));
    }
    let mut attributes = vec![("classname", program.to_string()), ("name", clean(&name))];
    if let Outcome::Error(fault) = &test.outcome
        && let Some(place) = fault.place().filter(|place| place.line > 0)
    {
        let file = places::shown(root, Path::new(&place.file));
        attributes.push(("file", clean(&file)));
        attributes.push(("line", place.line.to_string()));
    }
    let attributes = attributes
        .iter()
        .map(|(name, value)| (*name, value.as_str()));
    let element = writer
        .create_element("testcase")
        .with_attributes(attributes);
    let streams = [("system-out", &test.stdout), ("system-err", &test.stderr)];
    let is_silent = streams.iter().all(|(_, bytes)| bytes.is_empty());
    if is_silent && matches!(test.outcome, Outcome::Exit { .. }) {
        return element.write_empty().map(drop);
    }
    let inner = |writer: &mut xml::Document| {
        match &test.outcome {
            Outcome::Exit { .. } => {}
            Outcome::Unfinished(cause) => {
                let why = clean(&cause.to_string());
                let skipped = writer.create_element("skipped");
                skipped
                    .with_attribute(("message", why.as_str()))
                    .write_empty()?;
            }
            Outcome::Error(fault) => {
                let headline = clean(&words::headline(fault));
                let report = format!("{headline}\n{}", clean(&words::report(fault, test)));
                let failure = writer.create_element("failure");
                failure
                    .with_attributes([("message", headline.as_str()), ("type", fault.kind.name())])
                    .write_text_content(BytesText::new(&report))?;
            }
        }
        for (name, bytes) in streams {
            if !bytes.is_empty() {
                let text = clean(&escaped(bytes));
                writer
                    .create_element(name)
                    .write_text_content(BytesText::new(&text))?;
            }
        }
        Ok(())
    };
    element.write_inner_content(inner).map(drop)
}
