//! Users and groups, from a table: the superuser, the user that the program
//! runs as, and nobody.

use crate::errno::{self, ERANGE};
use crate::string::{strcmp, strlen};
use core::ffi::{CStr, c_int};
use core::ptr::{null, null_mut};

#[repr(C)]
pub struct passwd {
    pw_name: *const u8,
    pw_passwd: *const u8,
    pw_uid: u32,
    pw_gid: u32,
    pw_gecos: *const u8,
    pw_dir: *const u8,
    pw_shell: *const u8,
}

#[repr(C)]
pub struct group {
    gr_name: *const u8,
    gr_passwd: *const u8,
    gr_gid: u32,
    gr_mem: *mut *const u8,
}

struct User {
    name: &'static CStr,
    number: u32,
    full_name: &'static CStr,
    home: &'static CStr,
    shell: &'static CStr,
    group: &'static CStr,
}

/// The number of the user is that of their group.
const COUNT: usize = 3;
static USERS: [User; COUNT] = [
    User {
        name: c"root",
        number: 0,
        full_name: c"root",
        home: c"/root",
        shell: c"/bin/bash",
        group: c"root",
    },
    User {
        name: c"user",
        number: 1000,
        full_name: c"",
        home: c"/home/user",
        shell: c"/bin/sh",
        group: c"user",
    },
    User {
        name: c"nobody",
        number: 65534,
        full_name: c"nobody",
        home: c"/nonexistent",
        shell: c"/usr/sbin/nologin",
        group: c"nogroup",
    },
];

const NO_USER: passwd = passwd {
    pw_name: null(),
    pw_passwd: null(),
    pw_uid: 0,
    pw_gid: 0,
    pw_gecos: null(),
    pw_dir: null(),
    pw_shell: null(),
};

static mut USER: passwd = NO_USER;
static mut MEMBERS: [*const u8; 1] = [null()];
static mut GROUP: group = group {
    gr_name: null(),
    gr_passwd: null(),
    gr_gid: 0,
    gr_mem: null_mut(),
};
static mut NEXT_USER: usize = 0;
static mut NEXT_GROUP: usize = 0;

unsafe fn entry(index: usize) -> *const User {
    (&raw const USERS).cast::<User>().add(index)
}

fn bytes(text: &'static CStr) -> *const u8 {
    text.as_ptr().cast()
}

unsafe fn by_number(number: u32) -> *const User {
    let mut index = 0;
    while index < COUNT {
        if (*entry(index)).number == number {
            return entry(index);
        }
        index += 1;
    }
    null()
}

unsafe fn by_name(name: *const u8, of_group: bool) -> *const User {
    let mut index = 0;
    while index < COUNT {
        let known = entry(index);
        let own = if of_group {
            (*known).group
        } else {
            (*known).name
        };
        if strcmp(bytes(own), name) == 0 {
            return known;
        }
        index += 1;
    }
    null()
}

/// The home directory of a user, or null.
pub unsafe fn home_of_name(name: *const u8) -> *const u8 {
    let user = by_name(name, false);
    if user.is_null() {
        null()
    } else {
        bytes((*user).home)
    }
}

pub unsafe fn home_of_number(number: u32) -> *const u8 {
    let user = by_number(number);
    if user.is_null() {
        null()
    } else {
        bytes((*user).home)
    }
}

unsafe fn fill_user(to: *mut passwd, user: *const User) -> *mut passwd {
    if user.is_null() {
        return null_mut();
    }
    *to = passwd {
        pw_name: bytes((*user).name),
        pw_passwd: bytes(c"x"),
        pw_uid: (*user).number,
        pw_gid: (*user).number,
        pw_gecos: bytes((*user).full_name),
        pw_dir: bytes((*user).home),
        pw_shell: bytes((*user).shell),
    };
    to
}

unsafe fn fill_group(to: *mut group, user: *const User) -> *mut group {
    if user.is_null() {
        return null_mut();
    }
    *to = group {
        gr_name: bytes((*user).group),
        gr_passwd: bytes(c"x"),
        gr_gid: (*user).number,
        gr_mem: (&raw mut MEMBERS).cast(),
    };
    to
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getpwuid(number: u32) -> *mut passwd {
    fill_user(&raw mut USER, by_number(number))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getpwnam(name: *const u8) -> *mut passwd {
    fill_user(&raw mut USER, by_name(name, false))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getgrgid(number: u32) -> *mut group {
    fill_group(&raw mut GROUP, by_number(number))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getgrnam(name: *const u8) -> *mut group {
    fill_group(&raw mut GROUP, by_name(name, true))
}

/// What the program must have room for, though the texts are elsewhere.
unsafe fn text_len(user: *const User) -> usize {
    strlen(bytes((*user).name))
        + strlen(bytes((*user).full_name))
        + strlen(bytes((*user).home))
        + strlen(bytes((*user).shell))
        + 6
}

unsafe fn tell_user(
    user: *const User,
    to: *mut passwd,
    room: usize,
    result: *mut *mut passwd,
) -> c_int {
    *result = null_mut();
    if user.is_null() {
        return 0;
    }
    if room < text_len(user) {
        errno::set(ERANGE);
        return ERANGE;
    }
    *result = fill_user(to, user);
    0
}

unsafe fn tell_group(
    user: *const User,
    to: *mut group,
    room: usize,
    result: *mut *mut group,
) -> c_int {
    *result = null_mut();
    if user.is_null() {
        return 0;
    }
    if room < strlen(bytes((*user).group)) + 16 {
        errno::set(ERANGE);
        return ERANGE;
    }
    *result = fill_group(to, user);
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getpwuid_r(
    number: u32,
    to: *mut passwd,
    _text: *mut u8,
    room: usize,
    result: *mut *mut passwd,
) -> c_int {
    tell_user(by_number(number), to, room, result)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getpwnam_r(
    name: *const u8,
    to: *mut passwd,
    _text: *mut u8,
    room: usize,
    result: *mut *mut passwd,
) -> c_int {
    tell_user(by_name(name, false), to, room, result)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getgrgid_r(
    number: u32,
    to: *mut group,
    _text: *mut u8,
    room: usize,
    result: *mut *mut group,
) -> c_int {
    tell_group(by_number(number), to, room, result)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getgrnam_r(
    name: *const u8,
    to: *mut group,
    _text: *mut u8,
    room: usize,
    result: *mut *mut group,
) -> c_int {
    tell_group(by_name(name, true), to, room, result)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setpwent() {
    NEXT_USER = 0;
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn endpwent() {
    NEXT_USER = 0;
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getpwent() -> *mut passwd {
    if NEXT_USER == COUNT {
        return null_mut();
    }
    NEXT_USER += 1;
    fill_user(&raw mut USER, entry(NEXT_USER - 1))
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setgrent() {
    NEXT_GROUP = 0;
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn endgrent() {
    NEXT_GROUP = 0;
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getgrent() -> *mut group {
    if NEXT_GROUP == COUNT {
        return null_mut();
    }
    NEXT_GROUP += 1;
    fill_group(&raw mut GROUP, entry(NEXT_GROUP - 1))
}

/// Nobody is in a group but their own.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getgrouplist(
    _user: *const u8,
    own: u32,
    to: *mut u32,
    count: *mut c_int,
) -> c_int {
    let room = *count;
    *count = 1;
    if room < 1 {
        return -1;
    }
    *to = own;
    1
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn initgroups(_user: *const u8, _own: u32) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setgroups(_count: usize, _groups: *const u32) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn group_member(number: u32) -> c_int {
    (number == 1000) as c_int
}

// Those that are logged in: nobody is.

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setutxent() {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn endutxent() {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getutxent() -> *mut u8 {
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn utmpxname(_file: *const u8) -> c_int {
    0
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setutent() {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn endutent() {}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getutent() -> *mut u8 {
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn utmpname(_file: *const u8) -> c_int {
    0
}

// Services and protocols of the network, of those that everybody knows.

#[repr(C)]
pub struct servent {
    s_name: *const u8,
    s_aliases: *mut *const u8,
    s_port: c_int,
    s_proto: *const u8,
}

struct Service {
    name: &'static CStr,
    port: u16,
    protocol: &'static CStr,
}

const fn service(name: &'static CStr, port: u16, protocol: &'static CStr) -> Service {
    Service {
        name,
        port,
        protocol,
    }
}

const SERVICES: usize = 12;
static KNOWN: [Service; SERVICES] = [
    service(c"echo", 7, c"tcp"),
    service(c"ftp", 21, c"tcp"),
    service(c"ssh", 22, c"tcp"),
    service(c"telnet", 23, c"tcp"),
    service(c"smtp", 25, c"tcp"),
    service(c"domain", 53, c"tcp"),
    service(c"domain", 53, c"udp"),
    service(c"http", 80, c"tcp"),
    service(c"pop3", 110, c"tcp"),
    service(c"ntp", 123, c"udp"),
    service(c"imap2", 143, c"tcp"),
    service(c"https", 443, c"tcp"),
];
static mut SERVICE: servent = servent {
    s_name: null(),
    s_aliases: null_mut(),
    s_port: 0,
    s_proto: null(),
};

unsafe fn find_service(name: *const u8, port: c_int, protocol: *const u8) -> *mut servent {
    let mut index = 0;
    while index < SERVICES {
        let known = (&raw const KNOWN).cast::<Service>().add(index);
        let port_here = (*known).port.swap_bytes() as c_int;
        let same = if name.is_null() {
            port == port_here
        } else {
            strcmp(name, bytes((*known).name)) == 0
        };
        if same && (protocol.is_null() || strcmp(protocol, bytes((*known).protocol)) == 0) {
            SERVICE = servent {
                s_name: bytes((*known).name),
                s_aliases: (&raw mut MEMBERS).cast(),
                s_port: port_here,
                s_proto: bytes((*known).protocol),
            };
            return &raw mut SERVICE;
        }
        index += 1;
    }
    null_mut()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getservbyname(name: *const u8, protocol: *const u8) -> *mut servent {
    find_service(name, 0, protocol)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getservbyport(port: c_int, protocol: *const u8) -> *mut servent {
    find_service(null(), port, protocol)
}
