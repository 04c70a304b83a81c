use refrain_term::Term;

use super::*;
use crate::memory::Value;
use crate::native::{Detached, Host, errno};

/// A directory of the host with two names of one file, a directory and a link.
struct Shown {
    reads: usize,
}

impl Host for Shown {
    fn write(&mut self, _descriptor: i32, _bytes: &[u8]) -> bool {
        false
    }

    fn read(&mut self, _len: usize) -> Vec<u8> {
        Vec::new()
    }

    fn seen(&self) -> Seen {
        Seen::Below
    }

    fn look(&mut self, path: &[u8]) -> Result<HostEntry, i32> {
        let (kind, mode, user) = match path {
            b"in.txt" | b"again.txt" | b"d/x" => (HostKind::File, 0o644, USER),
            b"secret" => (HostKind::File, 0o600, 7),
            b"d" => (HostKind::Directory, 0o755, USER),
            b"link" => (HostKind::Link(b"d/x".to_vec()), 0o777, USER),
            _ => return Err(errno::ENOENT),
        };
        let has_names = matches!(path, b"in.txt" | b"again.txt");
        Ok(HostEntry {
            kind,
            mode,
            user,
            group: user,
            links: if has_names { 2 } else { 1 },
            size: 4,
            identity: (1, if has_names { 1 } else { path.len() as u64 + 10 }),
            times: [Time::START; 3],
        })
    }

    fn list(&mut self, path: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
        let names: &[&[u8]] = match path {
            b"" => &[b"in.txt", b"again.txt", b"d", b"link", b"secret"],
            b"d" => &[b"x"],
            _ => return Err(errno::ENOENT),
        };
        Ok(names.iter().map(|name| name.to_vec()).collect())
    }

    fn read_file(&mut self, path: &[u8]) -> Result<Vec<u8>, i32> {
        self.reads += 1;
        match path {
            b"in.txt" | b"again.txt" => Ok(b"host".to_vec()),
            b"d/x" => Ok(b"deep".to_vec()),
            _ => Err(errno::EACCES),
        }
    }
}

fn text(bytes: &[u8]) -> Content {
    Content::from(bytes)
}

const HERE: i32 = AT_FDCWD;

fn opens(files: &mut FileSystem, path: &[u8], flags: i32, host: &mut dyn Host) -> Result<i32, i32> {
    files.open(HERE, path, flags, 0o666, host)
}

#[test]
fn what_is_written_is_read_back() {
    let mut files = FileSystem::default();
    let host = &mut Detached;
    assert_eq!(opens(&mut files, b"a", O_RDONLY, host), Err(errno::ENOENT));
    let a = opens(&mut files, b"a", O_RDWR | O_CREAT, host).unwrap();
    assert_eq!(a, 3);
    assert_eq!(files.write(a, &text(b"hello"), None), Ok(5));
    assert_eq!(files.seek(a, 1, 0), Ok(1));
    assert_eq!(files.read(a, 3, None).unwrap().bytes, b"ell");
    assert_eq!(files.read(a, 9, None).unwrap().bytes, b"o");
    assert!(files.read(a, 9, None).unwrap().is_empty());
    assert_eq!(files.write(a, &text(b"J"), Some(0)), Ok(1));
    assert_eq!(files.stat(a).unwrap().size, 5);
    assert_eq!(files.seek(a, -1, 0), Err(errno::EINVAL));
    let again = opens(&mut files, b"/./home/../home/user/a", O_RDONLY, host).unwrap();
    assert_eq!(files.read(again, 9, None).unwrap().bytes, b"Jello");
    assert_eq!(files.write(again, &text(b"x"), None), Err(errno::EBADF));
    assert_eq!(files.truncate(a, 2), Ok(()));
    assert_eq!(files.seek(a, 4, 0), Ok(4));
    assert_eq!(files.write(a, &text(b"!"), None), Ok(1));
    assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"Je\0\0!");
    assert_eq!(files.unlink(HERE, b"a", host), Ok(()));
    assert_eq!(files.unlink(HERE, b"a", host), Err(errno::ENOENT));
    // What is open stays.
    assert_eq!(files.read(a, 9, Some(0)).unwrap().len(), 5);
    assert_eq!(files.stat(a).unwrap().links, 0);
    assert_eq!(files.close(a), Ok(()));
    assert_eq!(files.close(a), Err(errno::EBADF));
}

#[test]
fn copies_share_their_place_and_forks_do_not() {
    let mut files = FileSystem::default();
    let a = opens(&mut files, b"a", O_RDWR | O_CREAT, &mut Detached).unwrap();
    files.write(a, &text(b"abcd"), None).unwrap();
    files.seek(a, 0, 0).unwrap();
    let b = files.duplicate(a, 10, false).unwrap();
    assert_eq!(b, 10);
    let mut fork = files.clone();
    assert_eq!(files.read(a, 2, None).unwrap().bytes, b"ab");
    assert_eq!(files.read(b, 2, None).unwrap().bytes, b"cd");
    fork.write(a, &text(b"X"), None).unwrap();
    assert_eq!(fork.read(a, 9, None).unwrap().bytes, b"bcd");
    assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"abcd");
    assert_eq!(files.duplicate_to(a, 1, false), Ok(1));
    assert_eq!(files.close(a), Ok(()));
    assert_eq!(files.write(1, &text(b"!"), None), Ok(1));
}

#[test]
fn the_host_is_read_once_and_what_is_written_is_a_copy() {
    let host = &mut Shown { reads: 0 };
    let mut files = FileSystem::new(host.seen());
    let a = opens(&mut files, b"in.txt", O_RDONLY, host).unwrap();
    assert_eq!(files.read(a, 9, None).unwrap().bytes, b"host");
    let b = opens(&mut files, b"in.txt", O_RDWR | O_APPEND, host).unwrap();
    assert_eq!(files.write(b, &text(b"!"), None), Ok(1));
    // Another name of the same file.
    let c = opens(&mut files, b"again.txt", O_RDONLY, host).unwrap();
    assert_eq!(files.read(c, 9, None).unwrap().bytes, b"host!");
    assert_eq!(host.reads, 1);
    let through = opens(&mut files, b"./link", O_RDONLY, host).unwrap();
    assert_eq!(files.read(through, 9, None).unwrap().bytes, b"deep");
    assert_eq!(
        opens(&mut files, b"secret", O_RDONLY, host),
        Err(errno::EACCES)
    );
    assert_eq!(
        opens(&mut files, b"secret", O_WRONLY | O_TRUNC, host),
        Err(errno::EACCES)
    );
    // It is in a directory of the program's own.
    assert_eq!(files.unlink(HERE, b"secret", host), Ok(()));
    assert_eq!(
        files.rename((HERE, b"d"), (HERE, b"e"), Rename::Replace, host),
        Ok(())
    );
    assert_eq!(
        opens(&mut files, b"d/x", O_RDONLY, host),
        Err(errno::ENOENT)
    );
    let moved = opens(&mut files, b"e/x", O_RDONLY, host).unwrap();
    assert_eq!(files.read(moved, 9, None).unwrap().bytes, b"deep");
    assert_eq!(
        opens(&mut files, b"link", O_RDONLY, host),
        Err(errno::ENOENT)
    );
    let home = opens(&mut files, b".", O_DIRECTORY, host).unwrap();
    let mut names = Vec::new();
    while let Some((name, ..)) = files.next_entry(home, host).unwrap() {
        names.push(String::from_utf8(name).unwrap());
    }
    assert_eq!(names, [".", "..", "again.txt", "e", "in.txt", "link"]);
    assert_eq!(
        files.remove_directory(HERE, b"e", host),
        Err(errno::ENOTEMPTY)
    );
    // Nothing else of it is there.
    assert_eq!(
        opens(&mut files, b"/etc/passwd", O_RDONLY, host),
        Err(errno::ENOENT)
    );
}

#[test]
fn given_files_hide_those_of_the_host() {
    let host = &mut Shown { reads: 0 };
    let mut files = FileSystem::new(host.seen());
    files.add_file(b"in.txt", text(b"mine"));
    files.add_file(b"new/deeper/A", text(b"A"));
    let a = opens(&mut files, b"in.txt", O_RDONLY, host).unwrap();
    assert_eq!(files.read(a, 9, None).unwrap().bytes, b"mine");
    let b = opens(&mut files, b"new/deeper/../deeper/A", O_RDONLY, host).unwrap();
    assert_eq!(files.read(b, 9, None).unwrap().bytes, b"A");
    assert_eq!(host.reads, 0);
}

#[test]
fn directories_are_read_as_they_were_when_reading_began() {
    let mut files = FileSystem::default();
    let host = &mut Detached;
    files.make_directory(HERE, b"d", 0o777, host).unwrap();
    for name in [&b"d/a"[..], b"d/b", b"d/c"] {
        opens(&mut files, name, O_WRONLY | O_CREAT, host).unwrap();
    }
    let d = opens(&mut files, b"d", O_DIRECTORY, host).unwrap();
    let mut names = Vec::new();
    while let Some((name, ..)) = files.next_entry(d, host).unwrap() {
        let mut path = b"d/".to_vec();
        path.extend(&name);
        // What is removed on the way does not hide what is behind it.
        let _ = files.unlink(HERE, &path, host);
        names.push(String::from_utf8(name).unwrap());
    }
    assert_eq!(names, [".", "..", "a", "b", "c"]);
    files.seek_entry(d, 0);
    let mut left = 0;
    while files.next_entry(d, host).unwrap().is_some() {
        left += 1;
    }
    assert_eq!(left, 2);
    assert_eq!(files.change_directory(HERE, b"d", host), Ok(()));
    assert_eq!(files.remove_directory(HERE, b"../d", host), Ok(()));
    assert_eq!(files.current_directory(), Err(errno::ENOENT));
    assert_eq!(
        opens(&mut files, b"x", O_WRONLY | O_CREAT, host),
        Err(errno::ENOENT)
    );
}

#[test]
fn a_pipe_gives_what_it_was_given() {
    let mut files = FileSystem::default();
    let (read, write) = files.pipe(0).unwrap();
    assert_eq!(files.write(write, &text(b"abc"), None), Ok(3));
    assert_eq!(files.read(read, 2, None).unwrap().bytes, b"ab");
    assert_eq!(files.read(read, 2, None).unwrap().bytes, b"c");
    assert_eq!(files.read(read, 2, None), Err(errno::WAITS_FOR_EVER));
    files.set_flags(read, O_NONBLOCK).unwrap();
    assert_eq!(files.read(read, 2, None), Err(errno::EAGAIN));
    files.close(write).unwrap();
    assert!(files.read(read, 2, None).unwrap().is_empty());
    assert_eq!(files.seek(read, 0, 0), Err(errno::ESPIPE));
    let (a, b) = files.socket_pair(0).unwrap();
    assert_eq!(files.write(a, &text(b"to b"), None), Ok(4));
    assert_eq!(files.write(b, &text(b"to a"), None), Ok(4));
    assert_eq!(files.read(a, 9, None).unwrap().bytes, b"to a");
    assert_eq!(files.read(b, 9, None).unwrap().bytes, b"to b");
    files.close(b).unwrap();
    assert_eq!(files.write(a, &text(b"?"), None), Err(errno::EPIPE));
    assert!(files.read(a, 9, None).unwrap().is_empty());
}

#[test]
fn terms_stay_where_they_are_put() {
    let mut content = text(b"abcdef");
    let mut piece = Content::default();
    piece.push(Value::Concrete(1));
    piece.push(Value::Symbolic(Term::FALSE));
    content.put(2, &piece);
    assert_eq!(content.slice(3, 9).terms.len(), 1);
    assert_eq!(content.values()[3], Value::Symbolic(Term::FALSE));
    content.put(3, &text(b"x"));
    assert!(content.terms.is_empty());
    content.put(5, &piece);
    content.set_len(6);
    assert!(content.terms.is_empty());
    assert_eq!(content.len(), 6);
}
