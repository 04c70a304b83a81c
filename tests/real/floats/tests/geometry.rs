//! `euclid` and `robust`: points, boxes, angles, orientation.
//!
//! `assert!` with `==`: a failed `assert_eq!` would have the digits of floats that depend on input in its message.

use euclid::default::{Box2D, Point2D, Rect};
use euclid::{Angle, point2, size2};
use refrain::assume;
use robust::{Coord, orient2d};

fn finite(all: &[f32]) -> bool {
    all.iter().all(|x| x.is_finite())
}

fn a_box(x: [f32; 4]) -> Box2D<f32> {
    assume(finite(&x) && x[0] <= x[2] && x[1] <= x[3]);
    Box2D::new(point2(x[0], x[1]), point2(x[2], x[3]))
}

#[refrain::test]
fn interpolation_begins_at_the_first_point(a: [f32; 2], b: [f32; 2]) {
    assume(finite(&a) && finite(&b));
    let (a, b) = (Point2D::from(a), Point2D::from(b));
    assert!(a.lerp(b, 0.0) == a && a.lerp(b, 1.0) == b);
}

#[refrain::test]
fn interpolation_stays_between(a: f32, b: f32, t: f32) {
    assume(finite(&[a, b]) && a <= b && (0.0..=1.0).contains(&t));
    let x = point2::<f32, ()>(a, 0.0).lerp(point2(b, 0.0), t).x;
    assert!(a <= x && x <= b);
}

#[refrain::test]
fn what_is_clamped_is_inside(p: [f32; 2], corners: [f32; 4]) {
    let inside = a_box(corners);
    assume(finite(&p));
    let p = Point2D::from(p).clamp(inside.min, inside.max);
    assert!(inside.contains_inclusive(p));
}

#[refrain::test]
fn a_union_contains_both(a: [f32; 4], b: [f32; 4]) {
    let (a, b) = (a_box(a), a_box(b));
    assume(!a.is_empty() && !b.is_empty());
    let both = a.union(&b);
    assert!(both.contains_box(&a) && both.contains_box(&b));
}

#[refrain::test]
fn boxes_intersect_each_other(a: [f32; 4], b: [f32; 4]) {
    let (a, b) = (a_box(a), a_box(b));
    assert_eq!(a.intersects(&b), b.intersects(&a));
    assert_eq!(a.intersects(&b), a.intersection(&b).is_some());
}

#[refrain::test]
fn a_rectangle_is_its_box(x: f32, width: f32) {
    assume(finite(&[x, width]) && width >= 0.0);
    let rectangle: Rect<f32> = Rect::new(point2(x, 0.0), size2(width, 1.0));
    assert!(rectangle.to_box2d().to_rect() == rectangle);
}

#[refrain::test]
fn a_positive_angle_is_within_a_turn(radians: f32) {
    assume(radians.is_finite() && radians.abs() < 100.0);
    let angle = Angle::radians(radians).positive();
    assert!(angle.radians >= 0.0 && angle.radians < Angle::<f32>::two_pi().radians);
}

fn coordinates(x: i8, y: i8) -> Coord<f64> {
    Coord {
        x: f64::from(x) * 0.5,
        y: f64::from(y) * 0.5,
    }
}

#[refrain::test]
fn orientation_changes_with_two_points(a: [i8; 2], b: [i8; 2], c: [i8; 2]) {
    let [a, b, c] = [a, b, c].map(|[x, y]| coordinates(x, y));
    let there = orient2d(a, b, c);
    let back = orient2d(b, a, c);
    assert_eq!(there > 0.0, back < 0.0);
    assert_eq!(there == 0.0, back == 0.0);
}

#[refrain::test]
fn a_point_is_on_no_side_of_itself(a: [f64; 2], b: [f64; 2]) {
    assume(a.iter().chain(&b).all(|x| x.abs() < 1e100));
    let [a, b] = [a, b].map(|[x, y]| Coord { x, y });
    assert!(orient2d(a, a, b) == 0.0);
}

/// Any three points of doubles: products that must be exact.
#[refrain::test]
fn orientation_of_any_points_changes_with_two_of_them(a: [f64; 2], b: [f64; 2], c: [f64; 2]) {
    let sane = |x: &f64| *x == 0.0 || (1e-50..1e50).contains(&x.abs());
    assume(a.iter().chain(&b).chain(&c).all(sane));
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    assert_eq!(orient2d(a, b, c) > 0.0, orient2d(b, a, c) < 0.0);
}
