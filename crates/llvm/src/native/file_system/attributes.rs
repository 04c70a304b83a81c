//! What is said about files: modes, owners and times.

use super::inode::{READ, SEARCH, WRITE};
use super::{FileSystem, Follow, Stat, Time, USER};
use crate::native::{Host, errno};

/// What a time is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    Now,
    Kept,
    To(Time),
}

/// Of access and of modification.
pub type Times = [SetTime; 2];

impl FileSystem {
    pub fn stat_path(
        &mut self,
        at: i32,
        path: &[u8],
        follow: Follow,
        host: &mut dyn Host,
    ) -> Result<Stat, i32> {
        let node = self.find(at, path, follow, host)?;
        Ok(self.stat_node(node))
    }

    /// Whether the program may read (4), write (2) or execute (1) a file; whether it is there (0).
    pub fn access(
        &mut self,
        at: i32,
        path: &[u8],
        wanted: i32,
        follow: Follow,
        host: &mut dyn Host,
    ) -> Result<(), i32> {
        const ALL: i32 = (READ | WRITE | SEARCH) as i32;
        if wanted & !ALL != 0 {
            return Err(errno::EINVAL);
        }
        let node = self.find(at, path, follow, host)?;
        self.inode(node).check(wanted as u32)
    }

    /// The node that a path leads to or, without one, that is open.
    pub fn node_of(
        &mut self,
        at: i32,
        path: Option<&[u8]>,
        follow: Follow,
        host: &mut dyn Host,
    ) -> Result<usize, i32> {
        match path {
            Some(path) => self.find(at, path, follow, host),
            None => Ok(self.get(at)?.node),
        }
    }

    pub fn is_link(&self, node: usize) -> bool {
        matches!(self.inode(node).body, super::inode::Body::Link(_))
    }

    fn check_owner(&self, node: usize) -> Result<(), i32> {
        match self.inode(node).user == USER {
            true => Ok(()),
            false => Err(errno::EPERM),
        }
    }

    pub fn change_mode(&mut self, node: usize, mode: u32) -> Result<(), i32> {
        const SET_GROUP: u32 = 0o2000;
        self.check_owner(node)?;
        let inode = self.inode_mut(node);
        inode.mode = mode & 0o7777;
        if inode.group != USER {
            inode.mode &= !SET_GROUP;
        }
        self.stamp_changed(node);
        Ok(())
    }

    /// Who is not root cannot give files away; -1 leaves things as they are.
    pub fn change_owner(&mut self, node: usize, user: u32, group: u32) -> Result<(), i32> {
        const KEPT: u32 = u32::MAX;
        const SET_IDS: u32 = 0o6000;
        let inode = self.inode(node);
        if user == KEPT && group == KEPT {
            return Ok(());
        }
        let is_owner = inode.user == USER;
        let keeps_user = user == KEPT || (user == inode.user && is_owner);
        let keeps_group = group == KEPT || (is_owner && (group == inode.group || group == USER));
        if !keeps_user || !keeps_group {
            return Err(errno::EPERM);
        }
        let is_directory = inode.is_directory();
        let inode = self.inode_mut(node);
        if group != KEPT {
            inode.group = group;
        }
        if !is_directory && inode.mode & 0o111 != 0 {
            inode.mode &= !SET_IDS;
        }
        self.stamp_changed(node);
        Ok(())
    }

    pub fn set_times(&mut self, node: usize, times: Times) -> Result<(), i32> {
        if times == [SetTime::Kept; 2] {
            return Ok(());
        }
        let inode = self.inode(node);
        if inode.user != USER {
            match times {
                [SetTime::Now, SetTime::Now] => inode.check(WRITE)?,
                _ => return Err(errno::EPERM),
            }
        }
        let now = self.now;
        let inode = self.inode_mut(node);
        for (time, set) in inode.times.iter_mut().zip(times) {
            match set {
                SetTime::Now => *time = now,
                SetTime::Kept => {}
                SetTime::To(given) => *time = given,
            }
        }
        self.stamp_changed(node);
        Ok(())
    }
}
