//! A report to be read in a browser, from disk: pages that need nothing but themselves.
//!
//! *Invariant:* whatever comes from the program (paths, names, source, messages) goes through [`escape`].

mod escape;
mod index;
mod page;
mod source;
mod tests;

use super::Coverage;

/// File names and what is in them; the first is where to begin.
pub fn pages(coverage: &Coverage) -> Vec<(String, String)> {
    let mut pages = vec![
        ("index.html".into(), index::page(coverage)),
        ("tests.html".into(), tests::page(coverage)),
    ];
    for (number, file) in coverage.files.iter().enumerate() {
        let name = page_name(number, &file.name);
        pages.push((name, source::page(coverage, file)));
    }
    pages
}

/// A name that is its own address, whatever the file is called.
fn page_name(number: usize, file: &str) -> String {
    const LONGEST: usize = 60;
    let last = file.rsplit('/').next().unwrap_or_default();
    let plain = last.chars().take(LONGEST).map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => letter,
        _ => '_',
    });
    format!("file-{}-{}.html", number + 1, plain.collect::<String>())
}

#[cfg(test)]
mod checks {
    use super::*;
    use crate::coverage::fixture::small;

    #[test]
    fn every_link_leads_to_a_page() {
        let pages = pages(&small());
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "index.html",
                "tests.html",
                "file-1-a.c.html",
                "file-2-b___.h.html"
            ]
        );
        for (name, text) in &pages {
            for link in text.split("href=\"").skip(1) {
                let link = link.split('"').next().unwrap_or_default();
                let (page, anchor) = link.split_once('#').unwrap_or((link, ""));
                let page = if page.is_empty() { name } else { page };
                let target = pages.iter().find(|(name, _)| name == page);
                let (_, target) = target.unwrap_or_else(|| panic!("{name}: {link}"));
                let id = format!("id=\"{anchor}\"");
                assert!(anchor.is_empty() || target.contains(&id), "{name}: {link}");
            }
        }
    }

    #[test]
    fn nothing_of_the_program_is_markup() {
        let mut coverage = small();
        let evil = "<script>alert('1')</script>\"&";
        coverage.name = evil.into();
        for file in &mut coverage.files {
            file.path = evil.into();
            file.name = evil.into();
            file.source = Some(evil.into());
            for function in &mut file.functions {
                function.name = evil.into();
            }
        }
        for test in &mut coverage.tests {
            test.outcome = evil.into();
        }
        for (name, text) in pages(&coverage) {
            assert!(!text.contains("<script"), "{name}: {text}");
            assert!(!text.contains("alert('"), "{name}: {text}");
            assert!(!name.contains('<'));
        }
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        for (name, text) in pages(&small()) {
            for outside in ["http:", "https:", "src=", "@import", "url("] {
                assert!(!text.contains(outside), "{name}: {outside}");
            }
        }
    }
}
