//! The platform that the machine gives programs: files, time, the process, Rust's standard library, and what a program
//! says to the engine. Programs are compiled by clang and rustc, where they are there.

use std::path::Path;
use std::process::Command;

use refrain_llvm::load::Options;
use refrain_llvm::machine::{End, ErrorKind, Fault, Machine};
use refrain_llvm::memory::Value;
use refrain_llvm::native::file_system::{HostEntry, HostKind, Seen, Time, USER};
use refrain_llvm::native::{Host, errno};
use refrain_llvm::program;
use refrain_machine::ExitStatus;
use refrain_machine::{Answer, Ask, Machine as _, Stop};
use refrain_term::{Assignment, Bv, Term, Terms, eval, free_vars};

/// Hands out one file, and an input piece by piece.
struct Console {
    input: Vec<u8>,
}

impl Host for Console {
    fn write(&mut self, _descriptor: i32, _bytes: &[u8]) -> bool {
        false
    }

    fn read(&mut self, len: usize) -> Vec<u8> {
        let rest = self.input.split_off(len.min(self.input.len()).min(7));
        std::mem::replace(&mut self.input, rest)
    }

    fn seen(&self) -> Seen {
        Seen::Below
    }

    fn look(&mut self, path: &[u8]) -> Result<HostEntry, i32> {
        match path {
            b"given.txt" => Ok(HostEntry {
                kind: HostKind::File,
                mode: 0o644,
                user: USER,
                group: USER,
                links: 1,
                size: 13,
                identity: (0, 0),
                times: [Time::START; 3],
            }),
            _ => Err(errno::ENOENT),
        }
    }

    fn list(&mut self, _path: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
        Ok(vec![b"given.txt".to_vec()])
    }

    fn read_file(&mut self, _path: &[u8]) -> Result<Vec<u8>, i32> {
        Ok(b"from the host".to_vec())
    }
}

/// What became of a run.
struct Ran {
    end: End,
    out: String,
    err: String,
    inputs: Vec<String>,
    instructions: u64,
}

impl Ran {
    fn error(&self) -> &Fault {
        match &self.end {
            End::Error(error) => error,
            end => panic!("{end:?}, not an error; it said: {}{}", self.out, self.err),
        }
    }

    #[track_caller]
    fn exits(&self, status: i32) -> &str {
        assert_eq!(
            self.end,
            End::Exit(ExitStatus::Known(status)),
            "it said: {}{}",
            self.out,
            self.err
        );
        &self.out
    }
}

/// Runs as if the bytes of the inputs had the values that `choose` gives them by name.
fn run(bitcode: &[u8], input: &[u8], args: &[&str], choose: impl Fn(&str) -> u8) -> Ran {
    let program = program::assemble([("test", bitcode)], &[]).unwrap().program;
    let host = Box::new(Console {
        input: input.to_vec(),
    });
    let (mut machine, mut state) = Machine::new(program, Options::default(), host).unwrap();
    let args: Vec<Vec<u8>> = [&"test"]
        .into_iter()
        .chain(args)
        .map(|arg| arg.as_bytes().to_vec())
        .collect();
    let environment = [b"HOME=/home/user".to_vec()];
    machine
        .start(&mut state, "main", &args, &environment)
        .unwrap();
    let mut terms = Terms::new();
    let value = |terms: &Terms, term: Term| {
        let mut assignment = Assignment::new();
        for var in free_vars(terms, term) {
            let byte = choose(&terms.var_decl(var).name);
            assignment.set(var, Bv::new(8, u64::from(byte)));
        }
        match eval(terms, term, &assignment) {
            refrain_term::Value::Bool(value) => u64::from(value),
            value => value.as_bv().and_then(Bv::to_u64).unwrap(),
        }
    };
    let end = loop {
        match machine.run(&mut terms, &mut state, 50_000_000) {
            Stop::End(end) => break end,
            Stop::OutOfFuel => panic!("it runs for too long"),
            Stop::Ask(Ask::Choose(conditions)) => {
                let holds = |&condition: &Term| value(&terms, condition) == 1;
                let position = conditions
                    .iter()
                    .position(holds)
                    .expect("one of the conditions holds");
                machine.answer(&mut state, &Answer::Choice(position as u32));
            }
            Stop::Ask(Ask::Assume(condition)) => {
                let fails = value(&terms, condition) == 0;
                machine.answer(&mut state, &Answer::Choice(u32::from(fails)));
            }
            Stop::Ask(Ask::Fix(term) | Ask::Witness(term) | Ask::Sample(term)) => {
                let width = terms.sort(term).width().unwrap_or(64);
                let answer = Bv::new(width, value(&terms, term));
                machine.answer(&mut state, &Answer::Value(answer.into()));
            }
        }
    };
    let text = |descriptor: i32| {
        let outputs = state
            .output
            .iter()
            .filter(|output| output.descriptor == descriptor);
        let bytes = outputs
            .flat_map(|output| &output.bytes)
            .map(|byte| match byte {
                Value::Concrete(byte) => *byte as u8,
                Value::Symbolic(term) => value(&terms, *term) as u8,
            });
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    };
    Ran {
        out: text(1),
        err: text(2),
        inputs: state
            .inputs
            .iter()
            .map(|(id, _)| machine.inputs().decl(id).name.to_string())
            .collect(),
        instructions: state.instructions,
        end,
    }
}

fn build(command: &mut Command, output: &Path) -> Vec<u8> {
    let done = command
        .output()
        .expect("a compiler; `cargo xtask install` gets clang");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    std::fs::read(output).unwrap()
}

const C: &str = r#"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#define check(c) do { if (!(c)) { dprint(#c, __LINE__); _exit(1); } } while (0)
static void say(const char *s) { if (write(1, s, strlen(s)) < 0) _exit(2); }
static void dprint(const char *s, int line) {
  char n[8] = {'0' + line / 1000 % 10, '0' + line / 100 % 10, '0' + line / 10 % 10, '0' + line % 10, ' ', 0};
  say(n); say(s); say(errno ? strerror(errno) : "");
}
"#;

/// Runs a C program at two levels of optimisation; both must do the same.
fn c(source: &str, input: &[u8], choose: impl Fn(&str) -> u8 + Copy) -> Ran {
    let directory = tempfile::tempdir().unwrap();
    let (file, output) = (directory.path().join("a.c"), directory.path().join("a.bc"));
    std::fs::write(&file, format!("{C}\n#line 1 \"a.c\"\n{source}")).unwrap();
    let mut runs = ["-O0", "-O2"].map(|level| {
        let mut clang = Command::new("clang");
        clang
            .args([level, "-g", "-w", "-emit-llvm", "-c", "-D_GNU_SOURCE", "-o"])
            .arg(&output)
            .arg(&file);
        run(&build(&mut clang, &output), input, &[], choose)
    });
    let [plain, optimised] = &mut runs;
    assert_eq!((&plain.out, &plain.err), (&optimised.out, &optimised.err));
    let [plain, _] = runs;
    plain
}

fn zero(_: &str) -> u8 {
    0
}

#[test]
fn files_are_written_and_read_back() {
    let source = r#"
    int main() {
      char b[32] = {0};
      check(open("a", O_RDONLY) == -1 && errno == ENOENT);
      int f = open("a", O_RDWR | O_CREAT | O_EXCL, 0600);
      check(f == 3);
      check(open("a", O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
      check(write(f, "hello, world", 12) == 12);
      check(lseek(f, 0, SEEK_CUR) == 12 && lseek(f, 7, SEEK_SET) == 7);
      check(read(f, b, 32) == 5 && !memcmp(b, "world", 5));
      check(read(f, b, 32) == 0);
      check(pread(f, b, 5, 0) == 5 && !memcmp(b, "hello", 5));
      check(pwrite(f, "J", 1, 0) == 1);
      struct stat s;
      check(fstat(f, &s) == 0 && s.st_size == 12 && S_ISREG(s.st_mode));
      check(stat("./a", &s) == 0 && s.st_size == 12);
      check(ftruncate(f, 5) == 0 && lseek(f, 0, SEEK_END) == 5);
      struct iovec v[2] = {{"ab", 2}, {"cde", 3}};
      check(writev(f, v, 2) == 5);
      check(lseek(f, 0, SEEK_SET) == 0);
      char x[3], y[10];
      struct iovec r[2] = {{x, 3}, {y, 10}};
      check(readv(f, r, 2) == 10 && !memcmp(x, "Jel", 3) && !memcmp(y, "loabcde", 7));
      int g = dup(f);
      check(g == 4 && lseek(g, 1, SEEK_SET) == 1 && lseek(f, 0, SEEK_CUR) == 1);
      check(close(f) == 0 && close(f) == -1 && errno == EBADF);
      check(read(g, b, 1) == 1 && b[0] == 'e');
      check(rename("a", "/tmp/b") == 0 && access("a", F_OK) == -1 && access("/tmp/b", W_OK) == 0);
      check(unlink("/tmp/b") == 0 && unlink("/tmp/b") == -1 && errno == ENOENT);
      check(mkdir("d", 0755) == 0 && chdir("d") == 0 && getcwd(b, 32) && !strcmp(b, "/home/user/d"));
      check(close(creat("z", 0600)) == 0 && chdir("..") == 0);
      DIR *d = opendir("d");
      struct dirent *e;
      while ((e = readdir(d))) { say(e->d_name); say(" "); }
      check(closedir(d) == 0);
      check(rmdir("d") == -1 && errno == ENOTEMPTY);
      char *p = realpath("d/../d/z", 0);
      say(p); free(p);
      int t[2];
      check(pipe(t) == 0 && write(t[1], "pipe", 4) == 4 && read(t[0], b, 32) == 4 && !memcmp(b, "pipe", 4));
      check(isatty(1) == 0 && lseek(1, 0, SEEK_CUR) == -1 && errno == ESPIPE);
      check(write(99, "x", 1) == -1 && errno == EBADF && write(0, "x", 1) == -1);
      check(dup2(1, 7) == 7 && write(7, "!", 1) == 1);
      struct pollfd q[3] = {{1, POLLOUT}, {50, POLLIN}, {-1, POLLIN}};
      check(poll(q, 3, 0) == 2 && q[0].revents == POLLOUT && q[1].revents == POLLNVAL && q[2].revents == 0);
      return 0;
    }"#;
    let ran = c(source, b"", zero);
    assert_eq!(ran.exits(0), ". .. z /home/user/d/z!");
}

#[test]
fn streams_are_over_files() {
    let source = r#"
    int main() {
      char b[32];
      FILE *f = fopen("a.txt", "w");
      check(f && fputs("one\ntwo\n", f) >= 0 && fclose(f) == 0);
      f = fopen("a.txt", "a+");
      check(f && fputs("three\n", f) >= 0 && fseek(f, 0, SEEK_SET) == 0);
      while (fgets(b, 32, f)) { say(b); }
      fclose(f);
      f = tmpfile();
      check(f && fwrite("xyz", 1, 3, f) == 3);
      rewind(f);
      check(fgetc(f) == 'x');
      check(remove("a.txt") == 0 && !fopen("a.txt", "r") && errno == ENOENT);
      check(f = fopen("given.txt", "r"));
      check(fgets(b, 32, f) && !strcmp(b, "from the host"));
      check((f = fopen("given.txt", "r+")) && fputs("FROM", f) >= 0 && fclose(f) == 0);
      check((f = fopen("given.txt", "r")) && fgets(b, 32, f) && !strcmp(b, "FROM the host"));
      check(!fopen("other.txt", "r") && errno == ENOENT);
      return 0;
    }"#;
    let ran = c(source, b"", zero);
    assert_eq!(ran.exits(0), "one\ntwo\nthree\n");
}

#[test]
fn input_comes_from_the_host() {
    let source = r#"
    int main() {
      char b[100];
      ssize_t n, sum = 0;
      while ((n = read(0, b, sizeof b)) > 0) { if (write(1, b, n) != n) return 1; sum += n; }
      return n == 0 ? sum : 1;
    }"#;
    let ran = c(source, b"twenty bytes, it is.", zero);
    assert_eq!(ran.exits(20), "twenty bytes, it is.");
}

#[test]
fn reading_beyond_a_buffer_is_an_error() {
    let source = r#"
    int main() { char b[4]; return read(0, b, 100); }"#;
    let ran = c(source, b"sixsix", zero);
    assert_eq!(ran.error().kind, ErrorKind::OutOfBoundsWrite);
}

#[test]
fn time_is_the_same_in_every_run() {
    let source = r#"
    int main() {
      struct timespec a, b;
      check(time(0) == 1000000000);
      check(clock_gettime(CLOCK_MONOTONIC, &a) == 0 && sleep(2) == 0 && usleep(500000) == 0);
      check(clock_gettime(CLOCK_MONOTONIC, &b) == 0);
      check((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec == 2500001000L);
      struct timeval t;
      check(gettimeofday(&t, 0) == 0 && t.tv_sec == 1000000002 && t.tv_usec == 500004);
      struct timespec bad = {0, 1000000000};
      check(nanosleep(&bad, 0) == -1 && errno == EINVAL);
      check(clock_gettime(77, &a) == -1 && errno == EINVAL);
      check(clock() > 0);
      time_t now = time(0);
      char text[64];
      strftime(text, 64, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
      say(text);
      return 0;
    }"#;
    let ran = c(source, b"", zero);
    assert_eq!(ran.exits(0), "2001-09-09T01:46:42Z");
}

#[test]
fn the_process_knows_itself() {
    let source = r#"
    int main() {
      check(getpid() == getpid() && getuid() == geteuid() && getppid() != getpid());
      check(sysconf(_SC_PAGESIZE) == 4096 && getpagesize() == 4096 && sysconf(_SC_NPROCESSORS_ONLN) == 1);
      check(sysconf(9999) == -1 && errno == EINVAL);
      struct utsname u;
      check(uname(&u) == 0 && !strcmp(u.sysname, "Linux") && !strcmp(u.machine, "x86_64"));
      char b[16];
      check(gethostname(b, 16) == 0 && !strcmp(b, "localhost"));
      check(umask(077) == 022 && umask(0) == 077);
      char *p = mmap(0, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      check(p != MAP_FAILED && ((uintptr_t)p & 4095) == 0 && p[9999] == 0);
      p[5] = 'x';
      p = mremap(p, 12288, 40960, MREMAP_MAYMOVE);
      check(p != MAP_FAILED && p[5] == 'x' && p[40959] == 0);
      check(munmap(p, 40960) == 0);
      check(sbrk(16) == (void *)-1 && errno == ENOMEM);
      check(kill(12345, SIGTERM) == -1 && errno == ESRCH);
      unsigned char r[8] = {0}, s[8] = {0};
      check(getentropy(r, 8) == 0 && getentropy(s, 8) == 0 && memcmp(r, s, 8));
      check(getenv("HOME") && !strcmp(getenv("HOME"), "/home/user"));
      check(fork == 0 || 1);
      raise(SIGTERM);
      return 0;
    }"#;
    let ran = c(source, b"", zero);
    assert_eq!(ran.exits(128 + 15), "");
}

#[test]
fn touching_unmapped_memory_is_an_error() {
    let source = r#"
    int main() {
      volatile char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      munmap((void *)p, 4096);
      return p[1];
    }"#;
    let ran = c(source, b"", zero);
    assert_eq!(ran.error().kind, ErrorKind::UseAfterFree);
}

const KLEE: &str = r"
void klee_make_symbolic(void *, size_t, const char *);
void klee_assume(uintptr_t);
int klee_range(int, int, const char *);
int klee_int(const char *);
unsigned klee_is_symbolic(uintptr_t);
int klee_get_value_i32(int);
void klee_silent_exit(int);
void klee_warning_once(const char *);
void klee_report_error(const char *, int, const char *, const char *);
size_t klee_get_obj_size(void *);
void klee_check_memory_access(const void *, size_t);
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned short __VERIFIER_nondet_ushort(void);
long __VERIFIER_nondet_long(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
void reach_error(void);
";

fn klee(source: &str, choose: impl Fn(&str) -> u8 + Copy) -> Ran {
    c(&format!("{KLEE}\n{source}"), b"", choose)
}

#[test]
fn symbolic_inputs_have_names_and_bytes() {
    let source = r#"
    int main() {
      unsigned a, b;
      unsigned char c[3];
      klee_make_symbolic(&a, sizeof a, "a");
      klee_make_symbolic(&b, sizeof b, "a");
      klee_make_symbolic(c, sizeof c, "c");
      check(klee_is_symbolic(a) && !klee_is_symbolic(7) && klee_get_obj_size(c) == 3);
      check(a == 0x04030201 && b == 0x05 && c[2] == 9);
      check(klee_get_value_i32(a) == 0x04030201);
      check(write(1, c, 3) == 3);
      FILE *f = fopen("copy", "w+");
      fwrite(c, 1, 3, f);
      rewind(f);
      fgetc(f); fgetc(f);
      int d = fgetc(f);
      check(klee_is_symbolic(d) && d == 9);
      return 0;
    }"#;
    let choose = |name: &str| match name {
        "a[0]" => 1,
        "a[1]" => 2,
        "a[2]" => 3,
        "a[3]" => 4,
        "a_2[0]" => 5,
        "c[0]" => b'o',
        "c[1]" => b'k',
        "c[2]" => 9,
        _ => 0,
    };
    let ran = klee(source, choose);
    assert_eq!(ran.exits(0), "ok\t");
    assert_eq!(ran.inputs, ["a", "a_2", "c"]);
}

#[test]
fn assumptions_that_cannot_hold_end_paths() {
    let source = r#"
    int main() {
      int x = klee_int("x");
      klee_assume(x > 10);
      int y = klee_range(-5, 5, "y");
      __VERIFIER_assert(x > 10 && y >= -5 && y < 5 && x != 77);
      return 0;
    }"#;
    let with = |x: u8, y: u8| {
        move |name: &str| match name {
            "x[0]" => x,
            "y[0]" => y,
            _ => 0,
        }
    };
    let ran = klee(source, with(3, 0));
    assert_eq!(ran.error().kind, ErrorKind::ImpossibleAssumption);
    let ran = klee(source, with(20, 7));
    assert_eq!(ran.error().kind, ErrorKind::ImpossibleAssumption);
    klee(source, with(20, 4)).exits(0);
    assert_eq!(klee(source, with(77, 0)).error().kind, ErrorKind::Assertion);
}

#[test]
fn nondeterministic_values_have_their_types() {
    let source = r#"
    int main() {
      _Bool b = __VERIFIER_nondet_bool();
      char c = __VERIFIER_nondet_char();
      unsigned short s = __VERIFIER_nondet_ushort();
      long l = __VERIFIER_nondet_long();
      __VERIFIER_assume(b);
      check(c == -1 && s == 0xffff && l == -1);
      klee_warning_once("once"); klee_warning_once("once");
      reach_error();
    }"#;
    let ran = klee(source, |_| 0xff);
    assert_eq!(ran.error().kind, ErrorKind::Assertion);
    assert_eq!(
        ran.inputs,
        ["nondet_bool", "nondet_char", "nondet_ushort", "nondet_long"]
    );
    assert_eq!(ran.err, "warning: once\n");
    assert_eq!(klee(source, zero).end, End::Silent);
}

#[test]
fn what_a_program_reports_is_an_error() {
    let source = r#"
    int main() {
      char b[4];
      klee_check_memory_access(b, 4);
      klee_report_error("f.c", 3, "so it is", "user.err");
    }"#;
    let ran = klee(source, zero);
    assert_eq!(ran.error().message, "f.c:3: so it is");
    let source = "int main() { char b[4]; klee_check_memory_access(b + 1, 4); }";
    assert_eq!(klee(source, zero).error().kind, ErrorKind::OutOfBoundsRead);
    let source = "int main() { klee_silent_exit(0); }";
    assert_eq!(klee(source, zero).end, End::Silent);
}

/// Runs a program with the whole of Rust's standard library in its bitcode.
fn rust(source: &str, input: &[u8], args: &[&str]) -> Vec<Ran> {
    let directory = tempfile::tempdir().unwrap();
    let (file, output) = (directory.path().join("a.rs"), directory.path().join("a.bc"));
    std::fs::write(&file, source).unwrap();
    let run_at = |level: &str| {
        let mut rustc = Command::new("rustc");
        // rustc optimises the whole program only when it believes that it links.
        rustc
            .args([
                "--edition=2024",
                "-g",
                "-Clto=fat",
                "-Cpanic=abort",
                "-Ccodegen-units=1",
                "-Clinker=true",
                level,
            ])
            .arg(format!(
                "--emit=llvm-bc={},link={}",
                output.display(),
                directory.path().join("a").display()
            ))
            .arg("a.rs")
            .current_dir(directory.path());
        run(&build(&mut rustc, &output), input, args, zero)
    };
    ["-Copt-level=0", "-Copt-level=2"].map(run_at).into()
}

#[test]
fn rust_programs_have_their_library() {
    let source = r#"
    use std::collections::HashMap;
    use std::io::{BufRead, Read, Write};
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
    fn main() {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let counts: HashMap<&str, usize> = args.iter().map(|arg| (arg.as_str(), arg.len())).collect();
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort();
        println!("{counts:?} {:?} {:?}", std::env::var("HOME"), std::env::var("NONE"));
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).unwrap();
        let number: f64 = line.trim().parse().unwrap();
        let mut rest = Vec::new();
        std::io::stdin().read_to_end(&mut rest).unwrap();
        println!("{:.3} {}", number * 2.0, rest.len());
        let start = Instant::now();
        std::thread::sleep(Duration::from_millis(1500));
        println!("{} {:?}", start.elapsed().as_millis(), std::thread::current().name());
        println!("{}", SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs());
        std::fs::write("a.txt", "text").unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open("a.txt").unwrap();
        file.write_all(b"!").unwrap();
        println!("{:?} {}", std::fs::read_to_string("a.txt").unwrap(), std::fs::metadata("a.txt").unwrap().len());
        std::fs::remove_file("a.txt").unwrap();
        println!("{:?}", std::fs::read("a.txt").map_err(|error| error.kind()));
        eprintln!("to the other");
        std::process::exit(3);
    }"#;
    let runs = rust(source, b"1.25\nand more\n", &["bb", "a"]);
    for ran in runs {
        let expected = "[(\"a\", 1), (\"bb\", 2)] Ok(\"/home/user\") Err(NotPresent)\n2.500 9\n1500 Some(\"main\")\n\
            1000000001\n\"text!\" 5\nErr(NotFound)\n";
        assert_eq!(ran.exits(3), expected);
        assert_eq!(ran.err, "to the other\n");
        assert!(ran.instructions > 1000);
    }
}

#[test]
fn panics_are_errors_with_their_words() {
    let source = r#"fn main() {
    let numbers = vec![1, 2, 3];
    println!("{}", numbers[std::env::args().count() + 5]);
}"#;
    let runs = rust(source, b"", &[]);
    for ran in runs {
        let error = ran.error();
        assert_eq!(error.kind, ErrorKind::Panic);
        assert_eq!(
            error.message,
            "a.rs:3:27: index out of bounds: the len is 3 but the index is 6"
        );
        assert!(
            ran.err
                .contains("panicked at a.rs:3:27:\nindex out of bounds"),
            "{}",
            ran.err
        );
    }
    let source = r#"fn main() {
    assert_eq!(std::env::args().count(), 7, "it is {}", "so");
}"#;
    for ran in rust(source, b"", &[]) {
        let message = "a.rs:2:5: assertion `left == right` failed: it is so\n  left: 1\n right: 7";
        assert_eq!(
            (ran.error().kind, ran.error().message.as_str()),
            (ErrorKind::Panic, message)
        );
    }
}
