//! What the machine's kernel answers, for a native program: the time, what looks random, the system's name. So a program
//! that prints them prints what it printed in the machine.
//!
//! The program is traced. Its filter of system calls stops it where it makes one of these, and it gets the answer in
//! place of the call. The library would not make a call to see the time: it reads it from memory that the kernel shares
//! with it. That memory is found by an entry of what the kernel hands to a new program, which is taken out.

use std::io;

use libc::{c_long, pid_t, user_regs_struct};
use refrain_llvm::native::kernel::{self, LOOK, SECOND, Sleeps};

/// The calls that are answered here.
pub const ANSWERED: [c_long; 8] = [
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_time,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_uname,
];

/// As the machine's, at its start.
#[derive(Default)]
pub struct Kernel {
    /// Nanoseconds that have passed.
    clock: u64,
    random: u64,
    /// The C library has asked for the key of its heap.
    has_key: bool,
    sleeps: Sleeps,
    /// The program sleeps again and again, as one does that would never end.
    pub is_dormant: bool,
}

impl Kernel {
    fn pass(&mut self, nanoseconds: u64) {
        self.clock = self.clock.saturating_add(nanoseconds).min(1 << 62);
    }

    fn sleep(&mut self, nanoseconds: u64) {
        self.pass(nanoseconds);
        self.is_dormant |= self.sleeps.note(nanoseconds);
    }

    fn look(&mut self, clock: i32) -> Result<u64, i32> {
        self.pass(LOOK);
        let start = kernel::clock_start(clock).ok_or(libc::EINVAL)?;
        Ok(start * SECOND + self.clock)
    }

    /// Bytes that look random. The first are the C library's, which asks for a key of its heap's without being asked to.
    fn random(&mut self, len: usize, flags: u64) -> Vec<u8> {
        const KEY: usize = 8;
        let is_for_heap = len == KEY && flags == u64::from(libc::GRND_NONBLOCK) && !self.has_key;
        self.has_key |= is_for_heap;
        match is_for_heap {
            true => vec![0x5a; KEY],
            false => kernel::random_bytes(&mut self.random, len),
        }
    }

    /// Answers the call that a process has stopped at.
    pub fn answer(&mut self, process: pid_t) -> io::Result<()> {
        let mut registers = registers_of(process)?;
        let given = [registers.rdi, registers.rsi, registers.rdx];
        let number = registers.orig_rax as c_long;
        let result = self.result(process, number, given);
        // No call has this number: none is made.
        registers.orig_rax = u64::MAX;
        registers.rax = match result {
            Ok(result) => result,
            Err(error) => i64::from(-error) as u64,
        };
        set_registers(process, &registers)
    }

    fn result(&mut self, process: pid_t, number: c_long, given: [u64; 3]) -> Result<u64, i32> {
        let [first, second, third] = given;
        let put = |at: u64, bytes: &[u8]| match at {
            0 => Ok(()),
            at => write(process, at, bytes),
        };
        let pair = |first: u64, second: u64| [first.to_le_bytes(), second.to_le_bytes()].concat();
        match number {
            libc::SYS_clock_gettime => {
                let now = self.look(first as i32)?;
                put(second, &pair(now / SECOND, now % SECOND))?;
            }
            libc::SYS_clock_getres => {
                self.look(first as i32)?;
                put(second, &pair(0, 1))?;
            }
            libc::SYS_gettimeofday => {
                let now = self.look(libc::CLOCK_REALTIME)?;
                put(first, &pair(now / SECOND, now % SECOND / 1000))?;
                put(second, &[0; 8])?;
            }
            libc::SYS_time => {
                let now = self.look(libc::CLOCK_REALTIME)? / SECOND;
                put(first, &now.to_le_bytes())?;
                return Ok(now);
            }
            libc::SYS_nanosleep => self.sleep(span(process, first)?),
            libc::SYS_clock_nanosleep => {
                let mut left = span(process, third)?;
                if second as i32 & libc::TIMER_ABSTIME != 0 {
                    left = left.saturating_sub(self.look(first as i32)?);
                }
                kernel::clock_start(first as i32).ok_or(libc::EINVAL)?;
                self.sleep(left);
            }
            libc::SYS_getrandom => {
                let len = second.min(1 << 25);
                let bytes = self.random(len as usize, third);
                write(process, first, &bytes)?;
                return Ok(len);
            }
            libc::SYS_uname => write(process, first, &kernel::system_name())?,
            _ => return Err(libc::ENOSYS),
        }
        Ok(0)
    }
}

/// A span of time in a program's memory, in nanoseconds.
fn span(process: pid_t, at: u64) -> Result<u64, i32> {
    let mut bytes = [0; 16];
    if read(process, at, &mut bytes) != bytes.len() {
        return Err(libc::EFAULT);
    }
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    let (seconds, rest) = (number(0), number(8));
    if (seconds as i64) < 0 || rest >= SECOND {
        return Err(libc::EINVAL);
    }
    Ok(seconds.saturating_mul(SECOND).saturating_add(rest))
}

/// Takes out, of what a process finds at its start, where the time is in memory.
pub fn hide_shared_time(process: pid_t) -> io::Result<()> {
    const WORD: usize = 8;
    let stack = registers_of(process)?.rsp;
    let mut words = Vec::new();
    let mut room = vec![0; 1 << 12];
    // The number of arguments, their addresses and a zero, those of variables and a zero, and pairs up to one of zeros.
    let mut zeros = 0;
    let mut at = 1;
    loop {
        while words.len() < at + 2 {
            let from = stack + (words.len() * WORD) as u64;
            let len = read(process, from, &mut room) / WORD * WORD;
            if len == 0 {
                return Ok(());
            }
            let word = |word: &[u8]| u64::from_le_bytes(word.try_into().unwrap_or_default());
            words.extend(room[..len].chunks_exact(WORD).map(word));
        }
        match (zeros, words[at]) {
            (0 | 1, word) => {
                zeros += usize::from(word == 0);
                at += 1;
            }
            (_, libc::AT_NULL) => return Ok(()),
            (_, libc::AT_SYSINFO_EHDR) => {
                let place = stack + (at * WORD) as u64;
                let written = write(process, place, &libc::AT_IGNORE.to_le_bytes());
                return written.map_err(io::Error::from_raw_os_error);
            }
            _ => at += 2,
        }
    }
}

pub fn registers_of(process: pid_t) -> io::Result<user_regs_struct> {
    // SAFETY: all zeros are registers.
    let mut registers: user_regs_struct = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills in what has this type.
    let result = unsafe { libc::ptrace(libc::PTRACE_GETREGS, process, 0, &raw mut registers) };
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(registers),
    }
}

fn set_registers(process: pid_t, registers: &user_regs_struct) -> io::Result<()> {
    // SAFETY: the kernel reads what has this type.
    match unsafe { libc::ptrace(libc::PTRACE_SETREGS, process, 0, registers) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// How many bytes could be read.
pub fn read(process: pid_t, at: u64, bytes: &mut [u8]) -> usize {
    let own = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let mut done = 0;
    // What is not there ends a transfer at its page, or makes it fail.
    for len in [bytes.len(), bytes.len().min(4096 - (at % 4096) as usize)] {
        let other = libc::iovec {
            iov_base: at as *mut libc::c_void,
            iov_len: len,
        };
        // SAFETY: the kernel writes no more than these bytes.
        done =
            unsafe { libc::process_vm_readv(process, &raw const own, 1, &raw const other, 1, 0) };
        if done > 0 {
            break;
        }
    }
    done.max(0) as usize
}

pub fn write(process: pid_t, at: u64, bytes: &[u8]) -> Result<(), i32> {
    let own = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    let other = libc::iovec {
        iov_base: at as *mut libc::c_void,
        iov_len: bytes.len(),
    };
    // SAFETY: the kernel reads these bytes, and writes into the other process.
    let done =
        unsafe { libc::process_vm_writev(process, &raw const own, 1, &raw const other, 1, 0) };
    match done as usize == bytes.len() {
        true => Ok(()),
        false => Err(libc::EFAULT),
    }
}
