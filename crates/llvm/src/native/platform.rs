//! The rest of the platform: who the process is, what the machine under it has, memory from the kernel, signals.

use super::file_system::USER;
use super::{Call, Flow, NativeFn, World, errno, kernel};
use crate::code::ArgClass;
use crate::machine::{ErrorKind, Halt, exited};
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("getpid", process),
    ("gettid", process),
    ("getpgrp", process),
    ("getpgid", process),
    ("getsid", process),
    ("setsid", process),
    ("getppid", parent),
    ("getuid", user),
    ("geteuid", user),
    ("getgid", user),
    ("getegid", user),
    ("setuid", zero),
    ("seteuid", zero),
    ("setgid", zero),
    ("setegid", zero),
    ("setpgid", zero),
    ("setreuid", zero),
    ("setregid", zero),
    ("setresuid", zero),
    ("setresgid", zero),
    ("setpgrp", zero),
    ("getgroups", zero),
    ("nice", zero),
    ("getpriority", zero),
    ("setpriority", zero),
    ("prctl", control),
    ("waitpid", no_child),
    ("wait", no_child),
    ("wait4", no_child),
    ("waitid", no_child),
    ("kill", kill),
    ("__refrain_raise", raise),
    ("sysconf", configuration),
    ("__sysconf", configuration),
    ("pathconf", path_configuration),
    ("fpathconf", path_configuration),
    ("confstr", configuration_text),
    ("getpagesize", page_size),
    ("__getpagesize", page_size),
    ("getauxval", auxiliary),
    ("__getauxval", auxiliary),
    ("get_nprocs", one),
    ("get_nprocs_conf", one),
    ("sched_getaffinity", affinity),
    ("sched_setaffinity", zero),
    ("__sched_cpucount", count_processors),
    ("sched_getcpu", zero),
    ("getloadavg", no_load),
    ("uname", system_name),
    ("gethostname", host_name),
    ("getdomainname", host_name),
    ("getlogin", null),
    ("getlogin_r", no_entry),
    ("getrlimit", limit),
    ("getrlimit64", limit),
    ("setrlimit", zero),
    ("setrlimit64", zero),
    ("prlimit", process_limit),
    ("prlimit64", process_limit),
    ("getdtablesize", descriptors),
    ("sched_get_priority_max", zero),
    ("sched_get_priority_min", zero),
    ("sched_getscheduler", zero),
    ("sched_setscheduler", zero),
    ("sched_setparam", zero),
    ("getrandom", random),
    ("getentropy", entropy),
    ("brk", no_break),
    ("sbrk", no_break),
    ("malloc_trim", zero),
    ("mallopt", one),
    ("syslog", zero),
    ("openlog", zero),
    ("closelog", zero),
    ("__res_init", zero),
];

const PROCESS: i64 = kernel::PROCESS as i64;
const PAGE: u64 = 4096;

impl World {
    /// Bytes that look random, and are the same in every run.
    pub fn random_bytes(&mut self, len: usize) -> Vec<u8> {
        kernel::random_bytes(&mut self.random, len)
    }
}

impl Call<'_> {
    /// A number as the result, in as many bits as the caller expects.
    pub fn signed(&self, value: i64) -> Flow {
        let bits = match self.site.result {
            Some(ArgClass::Int(bits)) => bits.clamp(1, 64),
            _ => 64,
        };
        Flow::value(value as u64 & u64::MAX >> (64 - bits))
    }

    pub fn set_errno(&mut self, error: i32) {
        if let Some(address) = self.machine.linked.address_of("__refrain_errno") {
            // Without the library nobody can look.
            let _ = self.state.memory.write_bytes(address, &error.to_le_bytes());
        }
    }

    /// -1, and the reason.
    pub fn fail(&mut self, error: i32) -> Flow {
        self.set_errno(error);
        self.signed(-1)
    }

    /// A result, or -1 and the reason.
    pub fn settle(&mut self, result: Result<u64, i32>) -> Flow {
        match result {
            Ok(value) => self.signed(value as i64),
            Err(error) => self.fail(error),
        }
    }

    /// A pointer, or null and the reason.
    pub fn settle_pointer(&mut self, result: Result<u64, i32>) -> Flow {
        Flow::value(result.unwrap_or_else(|error| {
            self.set_errno(error);
            0
        }))
    }

    /// What one of the program's pointers to a word is to have, if there is one.
    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), Halt> {
        let place = Value::Concrete(address);
        let value = Value::Concrete(value);
        self.machine
            .write(self.terms, self.state, place, bytes, value)
    }
}

fn zero(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(0))
}

fn one(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(1))
}

fn null(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::value(0))
}

fn process(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(PROCESS))
}

fn parent(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(PROCESS - 1))
}

fn user(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(i64::from(USER)))
}

fn no_child(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::ECHILD))
}

fn kill(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (process, signal) = (i64::from(call.int(0)?), call.arg(1));
    if process == PROCESS || process == 0 || process == -PROCESS {
        return call.enter("__refrain_kill", vec![signal]);
    }
    Ok(call.fail(errno::ESRCH))
}

/// Names are kept; there is nothing else to control.
fn control(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const SET_NAME: i32 = 15;
    const GET_NAME: i32 = 16;
    let name = call.arg(1);
    match call.int(0)? {
        SET_NAME => call.enter("__refrain_set_name", vec![name]),
        GET_NAME => call.enter("__refrain_get_name", vec![name]),
        _ => Ok(call.signed(0)),
    }
}

/// What a signal does that the program does not handle.
fn raise(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let signal = call.int(0)?;
    let (kind, name) = match signal {
        // Those that only tell something, and those that would stop the process until someone lets it go on.
        17..=23 | 28 => return Ok(call.signed(0)),
        3 => (ErrorKind::Abort, "SIGQUIT"),
        4 => (ErrorKind::Trap, "SIGILL"),
        5 => (ErrorKind::Trap, "SIGTRAP"),
        6 => (ErrorKind::Abort, "SIGABRT"),
        7 => (ErrorKind::Abort, "SIGBUS"),
        8 => (ErrorKind::Abort, "SIGFPE"),
        11 => (ErrorKind::Abort, "SIGSEGV"),
        24 => (ErrorKind::Abort, "SIGXCPU"),
        25 => (ErrorKind::Abort, "SIGXFSZ"),
        31 => (ErrorKind::Abort, "SIGSYS"),
        // As a shell reports it.
        _ => return Err(Halt::End(exited(Value::Concrete(128 + signal as u64)))),
    };
    Err(call.error(kind, format!("{name} was raised")))
}

fn configuration(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let value = match call.int(0)? {
        0 => 2_097_152,                                   // ARG_MAX
        1 => 4096,                                        // CHILD_MAX
        2 => 100,                                         // CLK_TCK
        3 => 65_536,                                      // NGROUPS_MAX
        4 => super::file_system::MOST_DESCRIPTORS as i64, // OPEN_MAX
        5 => 16,                                          // STREAM_MAX
        6 => 20,                                          // TZNAME_MAX
        7 | 8 => 1,                                       // JOB_CONTROL, SAVED_IDS
        29 | 46 => 200_809,                               // VERSION, 2_VERSION
        30 => PAGE as i64,                                // PAGESIZE
        43 => 2048,                                       // LINE_MAX
        60 => 1024,                                       // UIO_MAXIOV
        67 | 77 | 78 | 79 => 200_809,                     // THREADS and their attributes
        69 | 70 => 1024,                                  // GETGR_R_SIZE_MAX, GETPW_R_SIZE_MAX
        71 => 256,                                        // LOGIN_NAME_MAX
        72 => 32,                                         // TTY_NAME_MAX
        73 => 4,                                          // THREAD_DESTRUCTOR_ITERATIONS
        74 => 1024,                                       // THREAD_KEYS_MAX
        75 => 16_384,                                     // THREAD_STACK_MIN
        83 | 84 => 1,                                     // NPROCESSORS
        85 | 86 => 1 << 20,                               // PHYS_PAGES, AVPHYS_PAGES
        149 => 200_809,                                   // MONOTONIC_CLOCK
        180 => 64,                                        // HOST_NAME_MAX
        186 | 190 => 64,                                  // sizes of cache lines
        _ => return Ok(call.fail(errno::EINVAL)),
    };
    Ok(call.signed(value))
}

fn path_configuration(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let value = match call.int(1)? {
        0 => 127,  // LINK_MAX
        3 => 255,  // NAME_MAX
        4 => 4096, // PATH_MAX
        5 => 4096, // PIPE_BUF
        _ => return Ok(call.fail(errno::EINVAL)),
    };
    Ok(call.signed(value))
}

fn configuration_text(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (name, to, room) = (call.int(0)?, call.number(1)?, call.number(2)?);
    let text: &[u8] = match name {
        0 => b"/bin:/usr/bin\0",
        2 => b"glibc 2.36\0",
        3 => b"NPTL 2.36\0",
        _ => {
            call.set_errno(errno::EINVAL);
            return Ok(Flow::value(0));
        }
    };
    cut_text(call, to, room, text)?;
    Ok(Flow::value(text.len() as u64))
}

/// As much of a text as fits, and its end.
fn cut_text(call: &mut Call<'_>, to: u64, room: u64, text: &[u8]) -> Result<(), Halt> {
    if to == 0 || room == 0 {
        return Ok(());
    }
    let mut text = text[..text.len().min(room as usize)].to_vec();
    if let Some(last) = text.last_mut() {
        *last = 0;
    }
    call.write_bytes(to, &text)
}

fn page_size(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(PAGE as i64))
}

fn auxiliary(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const AT_PAGESZ: u64 = 6;
    if call.number(0)? == AT_PAGESZ {
        return Ok(Flow::value(PAGE));
    }
    call.set_errno(errno::ENOENT);
    Ok(Flow::value(0))
}

fn affinity(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (len, to) = (call.number(1)?, call.number(2)?);
    if len == 0 || len % 8 != 0 || len > PAGE {
        return Ok(call.fail(errno::EINVAL));
    }
    let mut set = vec![0; len as usize];
    set[0] = 1;
    call.write_bytes(to, &set)?;
    Ok(call.signed(0))
}

fn count_processors(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (len, at) = (call.number(0)?, call.number(1)?);
    let set = call.bytes(at, len)?;
    let count = set.iter().map(|byte| i64::from(byte.count_ones())).sum();
    Ok(call.signed(count))
}

fn no_load(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(-1))
}

fn system_name(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let to = call.number(0)?;
    call.write_bytes(to, &kernel::system_name())?;
    Ok(call.signed(0))
}

fn host_name(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (to, room) = (call.number(0)?, call.number(1)?);
    let text: &[u8] = if call.name == "gethostname" {
        b"localhost\0"
    } else {
        b"(none)\0"
    };
    if room < text.len() as u64 {
        return Ok(call.fail(errno::ENAMETOOLONG));
    }
    call.write_bytes(to, text)?;
    Ok(call.signed(0))
}

fn no_entry(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(i64::from(errno::ENOENT)))
}

fn limits(resource: i32) -> u64 {
    const STACK: i32 = 3;
    const DESCRIPTORS: i32 = 7;
    match resource {
        STACK => 8 << 20,
        DESCRIPTORS => super::file_system::MOST_DESCRIPTORS as u64,
        _ => u64::MAX,
    }
}

fn descriptors(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.signed(super::file_system::MOST_DESCRIPTORS as i64))
}

fn tell_limit(call: &mut Call<'_>, resource: i32, to: u64) -> Result<Flow, Halt> {
    if !(0..16).contains(&resource) {
        return Ok(call.fail(errno::EINVAL));
    }
    if to != 0 {
        call.store(to, 8, limits(resource))?;
        call.store(to + 8, 8, u64::MAX)?;
    }
    Ok(call.signed(0))
}

fn limit(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (resource, to) = (call.int(0)?, call.number(1)?);
    tell_limit(call, resource, to)
}

fn process_limit(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (resource, to) = (call.int(1)?, call.number(3)?);
    tell_limit(call, resource, to)
}

fn random(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (to, len) = (call.number(0)?, call.number(1)?);
    let len = len.min(1 << 25);
    let bytes = call.state.world.random_bytes(len as usize);
    call.write_bytes(to, &bytes)?;
    Ok(call.signed(len as i64))
}

fn entropy(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const EIO: i32 = 5;
    let (to, len) = (call.number(0)?, call.number(1)?);
    if len > 256 {
        return Ok(call.fail(EIO));
    }
    let bytes = call.state.world.random_bytes(len as usize);
    call.write_bytes(to, &bytes)?;
    Ok(call.signed(0))
}

/// The end of the data segment does not move; memory comes from elsewhere.
fn no_break(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(call.fail(errno::ENOMEM))
}
