//! The stage's side of the conversation.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::confine::{self, Place};
use super::message::{Parts, receive, send};
use super::process::{Children, Ended, Process, Script};
use super::scenery::{Scenery, machine_start, set_times};
use super::{Set, Variation};

/// Run native programs for a replay, which is on standard input.
#[derive(Args)]
pub struct Arguments {}

pub fn run(_: &Arguments) -> Result<u8, String> {
    let stream = own_stream().map_err(|_| "stage: for refrain's own use only")?;
    let served = serve(&stream);
    match served {
        Ok(()) => Ok(0),
        Err(error) => {
            // If nobody hears it nobody wants to know.
            let _ = send(&stream, &[error.to_string().as_bytes()]);
            Ok(super::super::super::CANNOT)
        }
    }
}

/// The socket that is standard input.
fn own_stream() -> io::Result<UnixStream> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    stream.peer_addr()?;
    Ok(stream)
}

fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

impl Set {
    fn read(parts: &mut Parts) -> io::Result<Set> {
        let folder = path_of(parts.next()?);
        let is_shared = parts.next()? == b"1";
        let start = path_of(parts.next()?);
        let is_below = parts.next()? == b"1";
        let below = Some(path_of(parts.next()?)).filter(|_| is_below);
        let confined = parts.next()? == b"1";
        let hidden = parts
            .next_list()?
            .iter()
            .map(|path| path_of(path))
            .collect();
        Ok(Set {
            folder,
            is_shared,
            start,
            below,
            hidden,
            confined,
        })
    }
}

fn serve(stream: &UnixStream) -> io::Result<()> {
    let Some(mut parts) = receive(stream)? else {
        return Ok(());
    };
    let set = Set::read(&mut parts)?;
    if set.confined && confine::enter()? == Place::Outside {
        return Ok(());
    }
    let mut scenery = match set.confined {
        true => Some(Scenery::build(&set)?),
        false => None,
    };
    let children = Children::new()?;
    send(stream, &[b""])?;
    while let Some(mut parts) = receive(stream)? {
        let process = perform(&mut parts, &mut scenery, &children, stream.as_fd())?;
        let (kind, number) = match process.ended {
            Ended::Exit(status) => (&b"exit"[..], status),
            Ended::Signal(signal) => (&b"signal"[..], signal),
            Ended::TimedOut => (&b"late"[..], 0),
        };
        let number = number.to_string();
        let parts = [
            b"",
            kind,
            number.as_bytes(),
            &process.stdout,
            &process.stderr,
        ];
        send(stream, &parts)?;
    }
    Ok(())
}

fn perform(
    parts: &mut Parts,
    scenery: &mut Option<Scenery>,
    children: &Children,
    caller: BorrowedFd,
) -> io::Result<Process> {
    let program = path_of(parts.next()?);
    let start = path_of(parts.next()?);
    let stdin = parts.next()?.to_vec();
    let limit = Duration::from_millis(parts.next_number()? as u64);
    let variation = parts.next_number()? as Variation;
    let (args, environment) = (parts.next_list()?, parts.next_list()?);
    let (names, contents) = (parts.next_list()?, parts.next_list()?);
    let place = match scenery {
        Some(scenery) => scenery.inside(&start),
        None => start.clone(),
    };
    let placed: Vec<PathBuf> = names.iter().map(|name| place.join(path_of(name))).collect();
    let time = fs::metadata(&place)?.modified()?;
    for (path, contents) in placed.iter().zip(&contents) {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, contents)?;
        set_times(path, machine_start())?;
    }
    if !placed.is_empty() {
        set_times(&place, time)?;
    }
    let script = Script {
        root: scenery.as_ref().map(Scenery::root),
        program: &program,
        start: &start,
        args: &args,
        environment: &environment,
        stdin: &stdin,
        limit,
        variation,
    };
    let process = children.run(&script, caller)?;
    if let Some(scenery) = scenery {
        for path in placed {
            // The program may have done so.
            let _ = fs::remove_file(path);
        }
        // Or its directory.
        let _ = set_times(&place, time);
        scenery.restore()?;
    }
    Ok(process)
}
