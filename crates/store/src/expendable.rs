//! Threads that may be lost.
//!
//! LMDB maps its files. Touching a page of a map that the file no longer has (somebody has cut it short), that cannot be
//! read, or that there is no room for, is a signal, `SIGBUS`, which ends the process. It comes in the middle of LMDB's
//! code, which cannot be told: returning would raise it again, jumping out would skip what Rust has to put in order,
//! and putting other pages there would have LMDB work with what it takes for its own.
//!
//! So the maps are touched only on threads that the process can do without. The signal ends such a thread on the spot:
//! it runs no further instruction, and neither what it borrows nor its stack is ever given back. Whoever waits for its
//! result learns that there is none. The kernel marks a lock that the thread held as its owner's inheritance, and LMDB
//! in other processes puts that in order.

use std::io;

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A page of a mapped file was not there.
    Vanished,
    /// There is no thread to be had.
    NoThread(io::Error),
}

/// Runs `work` on a thread that may be lost, and waits for it.
#[cfg(unix)]
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    unix::run(work)
}

/// Elsewhere a mapped file cannot be cut short.
#[cfg(not(unix))]
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    Ok(work())
}

#[cfg(unix)]
mod unix {
    use std::cell::Cell;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::sync::{Arc, OnceLock};
    use std::thread;
    use std::time::Duration;

    use super::Failure;

    /// How often somebody who waits looks whether the thread is lost: a handler of signals cannot wake anybody.
    const PATIENCE: Duration = Duration::from_millis(10);

    /// What was to happen at a `SIGBUS` before us. `None`: it could not be asked, and nothing was changed.
    static PREVIOUS: OnceLock<Option<libc::sigaction>> = OnceLock::new();

    thread_local! {
        /// On a thread that may be lost: where to say that it is.
        static LOST: Cell<*const AtomicBool> = const { Cell::new(ptr::null()) };
    }

    pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        PREVIOUS.get_or_init(install);
        let lost = Arc::new(AtomicBool::new(false));
        let (running, ended) = mpsc::channel::<()>();
        let flag = Arc::clone(&lost);
        let work = move || {
            let _running = running;
            LOST.set(Arc::as_ptr(&flag));
            let done = work();
            LOST.set(ptr::null());
            done
        };
        let builder = thread::Builder::new().name("store map".into());
        // SAFETY: what the thread borrows must outlive its use there. We return when it has ended, or when it is lost:
        // then it is inside the handler below, which touches nothing more and does not return.
        let thread = unsafe { builder.spawn_unchecked(work) }.map_err(Failure::NoThread)?;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PATIENCE) {
            if lost.load(Ordering::Acquire) {
                // There is nothing to join, and its stack must stay.
                std::mem::forget(thread);
                return Err(Failure::Vanished);
            }
        }
        match thread.join() {
            Ok(done) => Ok(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Puts our handler in front of the one that is there (Rust's own, which tells of exhausted stacks).
    fn install() -> Option<libc::sigaction> {
        // SAFETY: an all-zero `sigaction` is a valid value, and both calls get valid pointers.
        unsafe {
            let mut previous: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &mut previous) != 0 {
                return None;
            }
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = on_sigbus as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut ours.sa_mask);
            (libc::sigaction(libc::SIGBUS, &ours, ptr::null_mut()) == 0).then_some(previous)
        }
    }

    /// Async-signal-safe: a thread-local cell without destructor, atomics and system calls.
    extern "C" fn on_sigbus(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        context: *mut libc::c_void,
    ) {
        let lost = LOST.get();
        // SAFETY: the kernel gives a valid `siginfo_t`.
        let is_a_fault = unsafe { (*info).si_code } > 0;
        if is_a_fault && !lost.is_null() {
            // SAFETY: the flag belongs to the closure that this thread runs, which is never dropped from now on.
            unsafe { &*lost }.store(true, Ordering::Release);
            end_thread();
        }
        // SAFETY: what was asked for before us, in the form in which it was asked for.
        unsafe { pass_on(signal, info, context) }
    }

    /// Ends this thread alone, without anything that it would do on its way out.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn end_thread() -> ! {
        loop {
            // SAFETY: the thread is never joined or detached, so nobody takes its memory from under the kernel.
            unsafe { libc::syscall(libc::SYS_exit, 0) };
        }
    }

    /// There is no such call here: the thread sleeps for ever.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn end_thread() -> ! {
        loop {
            // SAFETY: it only waits.
            unsafe { libc::pause() };
        }
    }

    unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let previous = PREVIOUS.get().copied().flatten();
        let (handler, flags) = previous.map_or((libc::SIG_DFL, 0), |action| {
            (action.sa_sigaction, action.sa_flags)
        });
        // SAFETY: `handler` is what was installed, called as its flags say; an all-zero `sigaction` is the default.
        unsafe {
            let is_a_fault = (*info).si_code > 0;
            match handler {
                libc::SIG_IGN if !is_a_fault => {}
                libc::SIG_DFL | libc::SIG_IGN => {
                    let default: libc::sigaction = std::mem::zeroed();
                    libc::sigaction(signal, &default, ptr::null_mut());
                    // A fault comes again by itself, and now ends the process as it would have without us.
                    if !is_a_fault {
                        libc::raise(signal);
                    }
                }
                handler if flags & libc::SA_SIGINFO != 0 => {
                    type Handler =
                        extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                    std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
                }
                handler => {
                    std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler)(signal);
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::fs::File;

        #[test]
        fn a_result_comes_back_and_so_does_a_panic() {
            let text = String::from("borrowed");
            assert_eq!(run(|| text.len()).unwrap(), 8);
            let panicked = std::panic::catch_unwind(|| run(|| panic!("on purpose")));
            assert!(panicked.is_err());
        }

        #[test]
        fn a_missing_page_costs_the_thread_alone() {
            let file = tempfile::tempfile().unwrap();
            for _ in 0..20 {
                file.set_len(8192).unwrap();
                let touched = run(|| touch_after_cutting(&file));
                assert!(matches!(touched, Err(Failure::Vanished)), "{touched:?}");
            }
            assert_eq!(run(|| 1 + 1).unwrap(), 2);
        }

        fn touch_after_cutting(file: &File) -> u8 {
            use std::os::fd::AsRawFd;
            // SAFETY: a new map of a file that is open; reading it is the point.
            unsafe {
                let map = libc::mmap(
                    ptr::null_mut(),
                    8192,
                    libc::PROT_READ,
                    libc::MAP_SHARED,
                    file.as_raw_fd(),
                    0,
                );
                assert_ne!(map, libc::MAP_FAILED);
                file.set_len(0).unwrap();
                ptr::read_volatile(map.cast::<u8>().add(5000))
            }
        }
    }
}
