//! A test in the native program: a process of its own, with a time limit, in the world that the machine showed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use refrain_llvm::native::trace::KEPT_BLOCKS;
use refrain_machine::Surroundings;
use refrain_results::Test;

pub use super::stage::{Ended, Process};
use super::stage::{Play, Set, Stage, Variation};
use crate::host_files::{HostFiles, remove_tree};

/// What the replay runtime has to say, beyond what the program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    Nothing,
    /// The test contradicts an assumption, or has other inputs than the program.
    Contradiction(String),
    /// The program does what only the machine can.
    Impossible(String),
    /// The test could not be read.
    Broken(String),
}

/// What a run did.
pub struct Ran {
    pub ended: Ended,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub word: Word,
    /// How many blocks it ran, their hash, and their hash when there were as many as was asked for.
    pub blocks: u64,
    pub hash: u64,
    pub hash_at: u64,
    /// How many different blocks there are.
    pub different: u64,
    /// Where the program's `__sanitizer_cov_trace_pc_guard` is.
    pub anchor: u64,
}

/// The report's layout is that of `runtime/replay.c`.
const MESSAGE: usize = 64;
const BLOCKS: usize = 1024;
const DIFFERENT: usize = BLOCKS + 4 * KEPT_BLOCKS;
const KEPT_DIFFERENT: usize = 1 << 16;

/// A place for one process at a time.
pub struct Bench {
    stage: Stage,
    folder: tempfile::TempDir,
    site: Site,
    /// Where processes start, if that is always the same.
    start: Option<PathBuf>,
}

/// What benches have in common.
#[derive(Clone)]
pub struct Site {
    /// What processes find where they run, and the results of the run that says what that is.
    pub files: HostFiles,
    pub results: PathBuf,
    /// Where temporary files are.
    pub base: PathBuf,
    /// Processes speak to us by files in the bench's folder.
    pub reports: bool,
    pub confined: bool,
}

impl Bench {
    pub fn new(site: &Site) -> io::Result<Bench> {
        let folder = tempfile::tempdir_in(&site.base)?;
        let (start, below) = site.files.start();
        let mut hidden = site.files.hidden(&site.results).map_err(io::Error::other)?;
        hidden.extend(fs::canonicalize(&site.results));
        match site.reports {
            // Programs find the files by which they speak to us, wherever temporary files are.
            true => hidden.retain(|path| !site.base.starts_with(path)),
            false => hidden.push(site.base.clone()),
        }
        // What is in one of them needs no mention.
        hidden.sort();
        hidden.dedup_by(|path, before| path.starts_with(before));
        let stage = Stage::open(&Set {
            folder: folder.path().to_path_buf(),
            is_shared: site.reports,
            start: start.clone(),
            below,
            hidden,
            confined: site.confined,
        })?;
        let bench = Bench {
            stage,
            folder,
            site: site.clone(),
            start: Some(start).filter(|_| site.confined),
        };
        if site.reports {
            let size = DIFFERENT + 16 * KEPT_DIFFERENT;
            let report = bench.report();
            let created = File::create(&report).and_then(|file| file.set_len(size as u64));
            created.map_err(|error| io::Error::other(format!("{}: {error}", report.display())))?;
        }
        Ok(bench)
    }

    /// Where the process is to be. What is not confined runs in a fresh directory with copies of what the run saw.
    fn place(&self) -> io::Result<PathBuf> {
        if let Some(start) = &self.start {
            return Ok(start.clone());
        }
        let place = self.folder.path().join("place");
        // The program may have removed it.
        remove_tree(&place);
        fs::create_dir(&place)?;
        self.site.files.furnish(&self.site.results, &place)
    }

    fn report(&self) -> std::path::PathBuf {
        self.folder.path().join("report")
    }

    /// Where the process finds its inputs.
    fn inputs(&self) -> std::path::PathBuf {
        self.folder.path().join("test.ktest")
    }

    /// Runs a program on a test, in its world. Of the blocks that it runs, the first `blocks` are hashed apart.
    pub fn run(
        &self,
        program: &Path,
        test: &Test,
        surroundings: &Surroundings,
        blocks: u64,
        settings: &[(&str, &str)],
        limit: Duration,
    ) -> io::Result<Ran> {
        let report = self.report();
        let mut header = [0; BLOCKS];
        header[24..32].copy_from_slice(&blocks.to_le_bytes());
        let file = File::options().write(true).open(&report)?;
        std::os::unix::fs::FileExt::write_all_at(&file, &header, 0)?;
        drop(file);
        fs::write(self.inputs(), test.objects_to_ktest())?;
        let inputs = self.inputs();
        let own = [
            (OsStr::new("REFRAIN_REPLAY_TEST"), inputs.as_os_str()),
            (OsStr::new("REFRAIN_REPLAY_REPORT"), report.as_os_str()),
        ];
        let settings = settings.iter();
        let settings = settings.map(|(name, value)| (OsStr::new(*name), OsStr::new(*value)));
        let settings: Vec<(&OsStr, &OsStr)> = own.into_iter().chain(settings).collect();
        let Process {
            ended,
            stdout,
            stderr,
        } = self.run_in(program, surroundings, &settings, limit, 0)?;
        let header = self.header()?;
        let number = |at: usize| {
            let bytes = header[at..at + 8].try_into().unwrap_or_default();
            u64::from_le_bytes(bytes)
        };
        let message = header[MESSAGE..].split(|&byte| byte == 0).next();
        let message = String::from_utf8_lossy(message.unwrap_or_default()).into_owned();
        Ok(Ran {
            ended,
            stdout,
            stderr,
            word: match number(0) {
                0 => Word::Nothing,
                1..=3 => Word::Contradiction(message),
                4 => Word::Impossible(message),
                _ => Word::Broken(message),
            },
            blocks: number(8),
            hash: number(16),
            hash_at: number(32),
            different: number(56),
            anchor: number(48),
        })
    }

    /// Runs a program in a world, with more variables in its environment. With a variation, file
    /// systems make other choices.
    pub fn run_in(
        &self,
        program: &Path,
        surroundings: &Surroundings,
        settings: &[(&OsStr, &OsStr)],
        limit: Duration,
        variation: Variation,
    ) -> io::Result<Process> {
        let start = self.place()?;
        // The program was explored with no other environment.
        let more = settings.iter();
        let more = more.map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
        let environment: Vec<Vec<u8>> = surroundings
            .environment
            .iter()
            .cloned()
            .chain(more)
            .collect();
        self.stage.run(&Play {
            program,
            start: &start,
            args: &surroundings.args,
            environment: &environment,
            stdin: &surroundings.stdin,
            files: &surroundings.files,
            limit,
            variation,
        })
    }

    /// Whether file systems can be made to choose otherwise.
    pub fn can_vary(&self) -> bool {
        self.site.confined
    }

    fn header(&self) -> io::Result<[u8; BLOCKS]> {
        let mut header = [0; BLOCKS];
        File::open(self.report())?.read_exact(&mut header)?;
        Ok(header)
    }

    /// The numbers of the first blocks of the last run.
    pub fn first_blocks(&self, count: u64) -> io::Result<Vec<u32>> {
        let count = count.min(KEPT_BLOCKS as u64) as usize;
        let bytes = self.part(BLOCKS, 4 * count)?;
        let words = bytes.chunks_exact(4);
        let number = |word: &[u8]| u32::from_le_bytes(word.try_into().unwrap_or_default());
        Ok(words.map(number).collect())
    }

    /// For the first different blocks of the last run: the address of the guard, and one in the code.
    pub fn different_blocks(&self, count: u64) -> io::Result<Vec<(u64, u64)>> {
        let count = count.min(KEPT_DIFFERENT as u64) as usize;
        let bytes = self.part(DIFFERENT, 16 * count)?;
        let number = |word: &[u8]| u64::from_le_bytes(word.try_into().unwrap_or_default());
        let pairs = bytes.chunks_exact(16);
        Ok(pairs
            .map(|pair| (number(&pair[..8]), number(&pair[8..])))
            .collect())
    }

    fn part(&self, at: usize, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        let file = File::open(self.report())?;
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut bytes, at as u64)?;
        Ok(bytes)
    }
}
