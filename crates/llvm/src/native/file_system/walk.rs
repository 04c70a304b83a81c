//! From a path to what it leads to: part by part, through links, as far as the directories' modes let.

use super::inode::{Body, SEARCH};
use super::{AT_FDCWD, FileSystem, MOST_NAME, MOST_PATH, ROOT};
use crate::native::{Host, errno};

/// Whether a link at the end of a path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    Links,
    /// It is, to a name that may be made, except where a slash is behind it: the caller judges that.
    Making,
    /// It is not, except where a slash is behind it.
    NotTheLast,
    /// Nor there: the path names an entry of a directory.
    Entry,
}

/// What the last part of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Name,
    Dot,
    DotDot,
    Root,
}

/// Where a path leads.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The directory with the last part.
    pub parent: usize,
    pub name: Vec<u8>,
    pub last: Last,
    pub node: Option<usize>,
    /// There is a slash behind the last part.
    pub has_slash: bool,
}

impl Found {
    /// What is there.
    pub fn there(&self) -> Result<usize, i32> {
        self.node.ok_or(errno::ENOENT)
    }
}

const MOST_LINKS: u32 = 40;

impl FileSystem {
    /// Where paths start that do not begin with a slash.
    pub(super) fn start(&self, at: i32, path: &[u8]) -> Result<usize, i32> {
        if path.first() == Some(&b'/') {
            return Ok(ROOT);
        }
        match at {
            AT_FDCWD => Ok(self.directory),
            _ if path.is_empty() => Err(errno::ENOENT),
            _ => self.open_directory(at),
        }
    }

    pub(super) fn walk(
        &mut self,
        at: i32,
        path: &[u8],
        follow: Follow,
        host: &mut dyn Host,
    ) -> Result<Found, i32> {
        if path.is_empty() {
            return Err(errno::ENOENT);
        }
        if path.len() >= MOST_PATH {
            return Err(errno::ENAMETOOLONG);
        }
        let mut at = self.start(at, path)?;
        // What is left of the way, the next part last.
        let mut parts: Vec<Vec<u8>> = reversed_parts(path).collect();
        let mut has_slash = path.last() == Some(&b'/');
        let mut links = 0;
        let mut found = Found {
            parent: at,
            name: Vec::new(),
            last: Last::Root,
            node: Some(at),
            has_slash: false,
        };
        while let Some(part) = parts.pop() {
            let inode = self.inode(at);
            if !inode.is_directory() {
                return Err(errno::ENOTDIR);
            }
            inode.check(SEARCH)?;
            let is_last = parts.is_empty();
            let (last, node) = match &part[..] {
                b"." => (Last::Dot, Some(at)),
                b".." => (Last::DotDot, Some(self.parent_of(at))),
                _ if part.len() > MOST_NAME => return Err(errno::ENAMETOOLONG),
                // Nothing gets into a directory that was removed.
                _ if inode.links == 0 => return Err(errno::ENOENT),
                _ => (Last::Name, self.child(at, &part, host)?),
            };
            let follows = match follow {
                Follow::Links => true,
                Follow::Making => !is_last || !has_slash,
                Follow::NotTheLast => !is_last || has_slash,
                Follow::Entry => !is_last,
            };
            match node.map(|node| &self.inode(node).body) {
                Some(Body::Link(target)) if follows => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(errno::ELOOP);
                    }
                    let target = target.clone();
                    if target.is_empty() {
                        return Err(errno::ENOENT);
                    }
                    if let Some(node) = self.descriptor_link(at, &part) {
                        found = Found {
                            parent: at,
                            name: part,
                            last,
                            node: Some(node),
                            has_slash: false,
                        };
                        if is_last {
                            break;
                        }
                        at = node;
                        continue;
                    }
                    if target[0] == b'/' {
                        at = ROOT;
                    }
                    has_slash |= is_last && target.last() == Some(&b'/');
                    found = Found {
                        parent: at,
                        name: Vec::new(),
                        last: Last::Root,
                        node: Some(at),
                        has_slash: false,
                    };
                    parts.extend(reversed_parts(&target));
                    continue;
                }
                _ => {}
            }
            found = Found {
                parent: at,
                name: part,
                last,
                node,
                has_slash: false,
            };
            match node {
                Some(node) => at = node,
                None if is_last => {}
                None => return Err(errno::ENOENT),
            }
        }
        found.has_slash = has_slash;
        let is_file = found
            .node
            .is_some_and(|node| !self.inode(node).is_directory());
        let is_judged = matches!(follow, Follow::Links | Follow::NotTheLast);
        if has_slash && is_file && is_judged {
            return Err(errno::ENOTDIR);
        }
        Ok(found)
    }

    /// What a directory has under a name, the machine's own directories among them.
    fn child(&mut self, at: usize, name: &[u8], host: &mut dyn Host) -> Result<Option<usize>, i32> {
        if let Body::Descriptors = self.inode(at).body {
            let Some(path) = self.descriptor_path(name) else {
                return Ok(None);
            };
            let node = self.add_node(Body::Link(path.to_vec()), 0o700, super::USER);
            return Ok(Some(node));
        }
        self.look_up(at, name, host)
    }

    /// What an entry of `/proc/self/fd` is: the very file, whatever its name is now.
    fn descriptor_link(&self, at: usize, name: &[u8]) -> Option<usize> {
        match self.inode(at).body {
            Body::Descriptors => self.descriptor_named(name),
            _ => None,
        }
    }

    /// The node that a path leads to.
    pub(super) fn find(
        &mut self,
        at: i32,
        path: &[u8],
        follow: Follow,
        host: &mut dyn Host,
    ) -> Result<usize, i32> {
        let found = self.walk(at, path, follow, host)?;
        found.there()
    }
}

/// The parts of a path, the first one last.
fn reversed_parts(path: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    path.rsplit(|&byte| byte == b'/')
        .filter(|part| !part.is_empty())
        .map(<[u8]>::to_vec)
}
