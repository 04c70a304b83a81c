//! Times.

use super::*;

fn fields(t: &time::tm) -> ([c_int; 9], c_long) {
    let parts = [
        t.tm_sec, t.tm_min, t.tm_hour, t.tm_mday, t.tm_mon, t.tm_year, t.tm_wday, t.tm_yday,
        t.tm_isdst,
    ];
    (parts, t.tm_gmtoff)
}

fn blank_time() -> time::tm {
    time::tm {
        tm_sec: 0,
        tm_min: 0,
        tm_hour: 0,
        tm_mday: 1,
        tm_mon: 0,
        tm_year: 70,
        tm_wday: 0,
        tm_yday: 0,
        tm_isdst: 0,
        tm_gmtoff: 0,
        tm_zone: c"UTC".as_ptr(),
    }
}

fn in_utc() {
    unsafe {
        host::setenv(c"TZ".as_ptr(), c"UTC0".as_ptr(), 1);
        host::tzset();
    }
}

#[test]
fn times_are_broken_down_and_put_together_like_the_hosts() {
    let _alone = alone();
    in_utc();
    let mut rng = Rng::new(9);
    let mut times = vec![
        0,
        -1,
        86399,
        86400,
        951782400,
        951868800,
        4107542400,
        -2203891200,
    ];
    times.extend([i64::MAX, i64::MIN, 67768036191676799, 67768036191676800]);
    times.extend([
        -67768040609740800,
        -67768040609740801,
        -62135596800,
        -62167219201,
    ]);
    for _ in 0..20000 {
        let bits = rng.below(60) as u32;
        let at = (rng.next() & ((1 << bits) - 1)) as i64;
        times.push(if rng.below(2) == 0 { at } else { -at });
    }
    for &at in &times {
        unsafe {
            let (mut x, mut y) = (blank_time(), blank_time());
            let ours = time::gmtime_r(&at, &mut x);
            let theirs = host::gmtime_r(&at, &mut y);
            assert_eq!(ours.is_null(), theirs.is_null(), "{at}");
            if ours.is_null() {
                continue;
            }
            assert_eq!(fields(&x), fields(&y), "{at}");
            assert_eq!(text(x.tm_zone.cast()), text(y.tm_zone.cast()));
            assert_eq!(time::timegm(&mut x), at);
            let (mut x, mut y) = (blank_time(), blank_time());
            time::localtime_r(&at, &mut x);
            host::localtime_r(&at, &mut y);
            assert_eq!(fields(&x), fields(&y), "{at}");
            assert_eq!(text(x.tm_zone.cast()), text(y.tm_zone.cast()));
            let (mut p, mut q) = ([0u8; 64], [0u8; 64]);
            let ours = time::asctime_r(&x, p.as_mut_ptr());
            let theirs = host::asctime_r(&y, q.as_mut_ptr());
            assert_eq!(text(ours), text(theirs), "{at}");
        }
    }
    for _ in 0..20000 {
        let mut value = |range: usize| rng.below(2 * range) as c_int - range as c_int;
        let mut x = time::tm {
            tm_sec: value(100_000),
            tm_min: value(5000),
            tm_hour: value(1000),
            tm_mday: value(2000),
            tm_mon: value(60),
            tm_year: value(3000),
            ..blank_time()
        };
        let mut y = x;
        unsafe {
            assert_eq!(time::mktime(&mut x), host::mktime(&mut y));
            assert_eq!(fields(&x), fields(&y));
            let mut z = x;
            assert_eq!(time::timegm(&mut x), host::timegm(&mut z));
            assert_eq!(time::difftime(5, 7), host::difftime(5, 7));
        }
    }
}

#[test]
fn times_are_shown_like_the_hosts() {
    let _alone = alone();
    in_utc();
    let mut rng = Rng::new(10);
    for round in 0..60000 {
        let bits = 8 + rng.below(32) as u32;
        let at = (rng.next() & ((1 << bits) - 1)) as i64 - if round % 3 == 0 { 1 << 36 } else { 0 };
        let mut t = blank_time();
        unsafe { host::gmtime_r(&at, &mut t) };
        let conversion = rng.pick(b"aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%Q");
        let mut format = b"<%".to_vec();
        if rng.below(3) == 0 {
            format.push(rng.pick(b"_-0^#"));
        }
        if rng.below(4) == 0 {
            format.push(rng.pick(b"1345679"));
        }
        if rng.below(8) == 0 && b"CxXyYc".contains(&conversion) {
            format.push(b'E');
        } else if rng.below(8) == 0 && b"deHImMSuUVwWy".contains(&conversion) {
            format.push(b'O');
        }
        format.push(conversion);
        format.extend(b">\0");
        let (mut x, mut y) = ([0u8; 100], [0u8; 100]);
        let room = rng.pick(&[0, 3, 5, 8, 100]);
        unsafe {
            let ours = time::strftime(x.as_mut_ptr(), room, format.as_ptr(), &t);
            let theirs = host::strftime(y.as_mut_ptr(), room, format.as_ptr(), &t);
            let shown = String::from_utf8_lossy(&format);
            assert_eq!(ours, theirs, "{shown} of {at} in {room}");
            assert_eq!(
                String::from_utf8_lossy(&x[..ours]),
                String::from_utf8_lossy(&y[..ours]),
                "{shown} of {at}"
            );
        }
    }
}
