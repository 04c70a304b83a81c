//! Integers of all widths with wrapping, checked, saturating and overflowing arithmetic; 128 bits; floats and their functions.
fn gcd(a: u128, b: u128) -> u128 { if b == 0 { a } else { gcd(b, a % b) } }
fn power(mut b: u64, mut e: u64, m: u64) -> u64 { let mut r = 1u64; b %= m; while e > 0 { if e & 1 == 1 { r = (r as u128 * b as u128 % m as u128) as u64; } b = (b as u128 * b as u128 % m as u128) as u64; e >>= 1; } r }
fn main() {
    println!("{} {} {} {}", 250u8.wrapping_add(10), 5u8.wrapping_sub(10), i8::MIN.wrapping_neg(), i32::MAX.wrapping_mul(3));
    println!("{:?} {:?} {:?} {:?} {:?}", 250u8.checked_add(5), 250u8.checked_add(6), i32::MIN.checked_div(-1), 7u8.checked_rem(0), 2i64.checked_pow(63));
    println!("{} {} {} {}", 250u8.saturating_add(10), i8::MIN.saturating_sub(1), i16::MAX.saturating_mul(2), u32::MAX.saturating_pow(2));
    println!("{:?} {:?} {:?}", 255u8.overflowing_add(1), i64::MIN.overflowing_neg(), 1u32.overflowing_shl(33));
    println!("{} {} {} {}", (-7i32).rem_euclid(3), (-7i32).div_euclid(3), -7 % 3, -7 / 3);
    println!("{} {} {} {} {}", 40u64.leading_zeros(), 40u8.trailing_zeros(), (-1i16).count_ones(), 0x12345678u32.swap_bytes(), 0x1u8.rotate_right(1));
    println!("{} {} {} {} {}", -1i32 as u8, 300i32 as u8 as i8, 3.99f64 as i32, -1.5f32 as u8, f64::NAN as i32); println!("{} {} {}", 1e20 as i64, u64::MAX as f32, i128::MAX as f64);
    let f: u128 = (1..=30u128).product(); println!("{f} {} {} {}", f / 1_000_000_007, f % 0xffff_ffff_ffff_ffff, gcd(f, 3u128.pow(40))); println!("{} {:x} {}", i128::MIN / 7, u128::MAX >> 3, (-170141183460469231731687303715884105728i128) >> 100);
    println!("{} {} {}", power(3, 1_000_000_006, 1_000_000_007), power(2, u64::MAX, 998_244_353), (1u64 << 40).isqrt()); println!("{:?} {:?} {:?}", u8::try_from(300), i8::try_from(-128i64), u32::from_str_radix("zz", 36)); println!("{:?} {} {}", 0x12345678u32.to_be_bytes(), i16::from_le_bytes([0xff, 0x7f]), u64::from_ne_bytes([1, 0, 0, 0, 0, 0, 0, 0]));
    println!("{} {} {} {} {}", 2.5f64.round(), (-2.5f64).floor(), 2.4f64.ceil(), -2.7f64.trunc(), 3.75f64.fract()); println!("{:.10} {:.10} {:.10} {:.10}", 2f64.sqrt(), 1f64.exp(), 10f64.ln(), 2f64.powf(0.5)); println!("{:.10} {:.10} {:.10} {:.10}", 1f64.sin(), 1f64.cos(), 1f64.tan(), 1f64.atan2(-1.0)); println!("{} {} {} {}", 2f64.powi(-3), 3f64.hypot(4.0), (-3f64).abs(), 5f64.rem_euclid(-3.0)); println!("{} {} {} {}", f64::NAN.max(1.0), 1.0f64.min(2.0), 7.5f64.clamp(0.0, 5.0), (-0.0f64).is_sign_negative());
    println!("{} {} {:?} {}", 0.1f32 + 0.2f32, 0.1 + 0.2, 1.0f64.total_cmp(&f64::NAN), f64::EPSILON); println!("{:x} {} {}", 1.5f64.to_bits(), f32::from_bits(0x40490fdb), (1u64 << 53) as f64 + 1.0); println!("{} {} {}", 10i32.pow(9), 5i32.signum(), 7u32.abs_diff(10)); println!("{} {} {}", u32::MAX.midpoint(1), 17u32.next_power_of_two(), 100u32.ilog2());
    let (mut primes, mut sieve) = (vec![], vec![true; 200]); for i in 2..200usize { if sieve[i] { primes.push(i); for j in (i * i..200).step_by(i) { sieve[j] = false; } } } println!("{} {:?}", primes.len(), &primes[primes.len() - 5..]);
}
