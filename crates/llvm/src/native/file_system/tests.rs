use refrain_term::Term;

use super::*;
use crate::memory::Value;
use crate::native::errno;

fn nothing(_: &[u8]) -> Option<Vec<u8>> {
    None
}

fn text(bytes: &[u8]) -> Content {
    Content::from(bytes)
}

#[test]
fn what_is_written_is_read_back() {
    let mut files = FileSystem::default();
    assert_eq!(files.open(b"a", O_RDONLY, &mut nothing), Err(errno::ENOENT));
    let a = files.open(b"a", O_RDWR | O_CREAT, &mut nothing).unwrap();
    assert_eq!(a, 3);
    assert_eq!(files.write(a, &text(b"hello"), None), Ok(5));
    assert_eq!(files.seek(a, 1, 0), Ok(1));
    assert_eq!(files.read(a, 3, None).unwrap().bytes, b"ell");
    assert_eq!(files.read(a, 9, None).unwrap().bytes, b"o");
    assert!(files.read(a, 9, None).unwrap().is_empty());
    assert_eq!(files.write(a, &text(b"J"), Some(0)), Ok(1));
    assert_eq!(files.stat(a).unwrap().size, 5);
    assert_eq!(files.seek(a, -1, 0), Err(errno::EINVAL));
    let again = files.open(b"/./x/../a", O_RDONLY, &mut nothing).unwrap();
    assert_eq!(files.read(again, 9, None).unwrap().bytes, b"Jello");
    assert_eq!(files.write(again, &text(b"x"), None), Err(errno::EBADF));
    assert_eq!(files.truncate(a, 2), Ok(()));
    assert_eq!(files.seek(a, 4, 0), Ok(4));
    assert_eq!(files.write(a, &text(b"!"), None), Ok(1));
    assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"Je\0\0!");
    assert_eq!(files.unlink(b"a", &mut nothing), Ok(()));
    assert_eq!(files.unlink(b"a", &mut nothing), Err(errno::ENOENT));
    // What is open stays.
    assert_eq!(files.read(a, 9, Some(0)).unwrap().len(), 5);
    assert_eq!(files.close(a), Ok(()));
    assert_eq!(files.close(a), Err(errno::EBADF));
}

#[test]
fn copies_share_their_place_and_forks_do_not() {
    let mut files = FileSystem::default();
    let a = files.open(b"a", O_RDWR | O_CREAT, &mut nothing).unwrap();
    files.write(a, &text(b"abcd"), None).unwrap();
    files.seek(a, 0, 0).unwrap();
    let b = files.duplicate(a, 10).unwrap();
    assert_eq!(b, 10);
    let mut fork = files.clone();
    assert_eq!(files.read(a, 2, None).unwrap().bytes, b"ab");
    assert_eq!(files.read(b, 2, None).unwrap().bytes, b"cd");
    fork.write(a, &text(b"X"), None).unwrap();
    assert_eq!(fork.read(a, 9, None).unwrap().bytes, b"bcd");
    assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"abcd");
    assert_eq!(files.duplicate_to(a, 1), Ok(1));
    assert_eq!(files.close(a), Ok(()));
    assert_eq!(files.write(1, &text(b"!"), None), Ok(1));
}

#[test]
fn the_host_is_read_and_never_written() {
    let mut files = FileSystem::default();
    let mut host = |path: &[u8]| (path == b"in.txt").then(|| b"host".to_vec());
    let a = files.open(b"in.txt", O_RDONLY, &mut host).unwrap();
    assert_eq!(files.read(a, 9, None).unwrap().bytes, b"host");
    assert_eq!(files.open(b"in.txt", O_RDWR, &mut host), Err(errno::EACCES));
    assert_eq!(files.unlink(b"in.txt", &mut host), Err(errno::EACCES));
    let flags = O_WRONLY | O_CREAT | O_TRUNC;
    let b = files.open(b"in.txt", flags, &mut host).unwrap();
    files.write(b, &text(b"own"), None).unwrap();
    assert_eq!(files.read(a, 9, Some(0)).unwrap().bytes, b"host");
    let c = files.open(b"in.txt", O_RDONLY, &mut host).unwrap();
    assert_eq!(files.read(c, 9, None).unwrap().bytes, b"own");
    assert_eq!(files.unlink(b"in.txt", &mut host), Ok(()));
    assert_eq!(
        files.open(b"in.txt", O_RDONLY, &mut host),
        Err(errno::ENOENT)
    );
}

#[test]
fn directories_hold_what_is_in_them() {
    let mut files = FileSystem::default();
    let create = O_WRONLY | O_CREAT;
    assert_eq!(files.open(b"d/a", create, &mut nothing), Err(errno::ENOENT));
    assert_eq!(files.make_directory(b"d", &mut nothing), Ok(()));
    assert_eq!(files.make_directory(b"d", &mut nothing), Err(errno::EEXIST));
    files.open(b"d/a", create, &mut nothing).unwrap();
    assert_eq!(
        files.open(b"d/a/b", create, &mut nothing),
        Err(errno::ENOTDIR)
    );
    assert_eq!(
        files.remove_directory(b"d", &mut nothing),
        Err(errno::ENOTEMPTY)
    );
    assert_eq!(files.rename(b"d", b"/tmp/e", &mut nothing), Ok(()));
    assert!(files.stat_path(b"d/a", &mut nothing).is_err());
    assert_eq!(
        files.stat_path(b"/tmp/e/a", &mut nothing).unwrap().mode,
        S_IFREG | 0o644
    );
    let d = files.open(b"/tmp/e", O_DIRECTORY, &mut nothing).unwrap();
    let mut names = Vec::new();
    while let Some((name, _)) = files.next_entry(d).unwrap() {
        names.push(String::from_utf8(name).unwrap());
    }
    assert_eq!(names, [".", "..", "a"]);
    assert_eq!(files.at(d, b"a"), Ok(b"/tmp/e/a".to_vec()));
    assert_eq!(files.change_directory(b"/tmp/e", &mut nothing), Ok(()));
    assert!(files.stat_path(b"a", &mut nothing).is_ok());
    assert_eq!(files.unlink(b"a", &mut nothing), Ok(()));
    assert_eq!(
        files.remove_directory(b"/tmp/e", &mut nothing),
        Err(errno::EBUSY)
    );
}

#[test]
fn a_pipe_gives_what_it_was_given() {
    let mut files = FileSystem::default();
    let (read, write) = files.pipe().unwrap();
    assert_eq!(files.write(write, &text(b"abc"), None), Ok(3));
    assert_eq!(files.read(read, 2, None).unwrap().bytes, b"ab");
    assert_eq!(files.read(read, 2, None).unwrap().bytes, b"c");
    assert_eq!(files.read(read, 2, None), Err(errno::EAGAIN));
    files.close(write).unwrap();
    assert!(files.read(read, 2, None).unwrap().is_empty());
    assert_eq!(files.seek(read, 0, 0), Err(errno::ESPIPE));
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
