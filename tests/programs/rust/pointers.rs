//! Box, Rc, Weak, RefCell, Cell, Cow, and the order in which things are dropped.
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

struct Noisy(&'static str);
impl Drop for Noisy { fn drop(&mut self) { print!("-{} ", self.0); } }
struct Pair { _a: Noisy, _b: Noisy }
#[derive(Debug)] enum List { Cons(i32, Box<List>), Nil }
use List::{Cons, Nil};
impl List { fn sum(&self) -> i32 { match self { Cons(v, rest) => v + rest.sum(), Nil => 0 } } }
struct Tree { value: i32, parent: RefCell<Weak<Tree>>, children: RefCell<Vec<Rc<Tree>>> }
fn clean(s: &str) -> Cow<'_, str> { if s.contains(' ') { Cow::Owned(s.replace(' ', "_")) } else { Cow::Borrowed(s) } }
fn noisy(n: &'static str) -> Noisy { print!("+{n} "); Noisy(n) }
#[derive(Default)] struct Graph { edges: RefCell<Vec<(u32, u32)>>, reads: Cell<u32> }
impl Graph { fn has(&self, a: u32, b: u32) -> bool { self.reads.set(self.reads.get() + 1); self.edges.borrow().contains(&(a, b)) } }
enum Bst { Leaf, Node(Box<Bst>, i32, Box<Bst>) }
impl Bst { fn insert(self, k: i32) -> Bst { match self { Bst::Leaf => Bst::Node(Box::new(Bst::Leaf), k, Box::new(Bst::Leaf)), Bst::Node(l, v, r) if k < v => Bst::Node(Box::new(l.insert(k)), v, r), Bst::Node(l, v, r) => Bst::Node(l, v, Box::new(r.insert(k))) } } fn walk(&self, out: &mut Vec<i32>) { if let Bst::Node(l, v, r) = self { l.walk(out); out.push(*v); r.walk(out); } } }

fn main() {
    { let _x = noisy("x"); let y = noisy("y"); let _p = Pair { _a: noisy("a"), _b: noisy("b") }; drop(y); let _ = noisy("ignored"); let _moved = { let z = noisy("z"); z }; print!("end "); }
    println!();
    { let mut slot = Some(noisy("first")); print!("{} ", slot.is_some()); slot = None; print!("replaced {} ", slot.is_none()); let v = vec![noisy("v0"), noisy("v1")]; std::mem::forget(noisy("forgotten")); let mut it = v.into_iter(); it.next(); print!("| "); }
    println!();
    let list = Cons(1, Box::new(Cons(2, Box::new(Cons(3, Box::new(Nil)))))); println!("{list:?} {}", list.sum());
    let leaf = Rc::new(Tree { value: 3, parent: RefCell::default(), children: RefCell::default() });
    { let branch = Rc::new(Tree { value: 5, parent: RefCell::default(), children: RefCell::new(vec![Rc::clone(&leaf)]) }); *leaf.parent.borrow_mut() = Rc::downgrade(&branch); println!("{:?} {} {} {}", leaf.parent.borrow().upgrade().map(|p| p.value), Rc::strong_count(&leaf), Rc::weak_count(&branch), branch.children.borrow().iter().map(|c| c.value).sum::<i32>()); }
    println!("{} {}", leaf.parent.borrow().upgrade().is_none(), Rc::strong_count(&leaf));
    let shared = Rc::new(RefCell::new(vec![1])); let other = Rc::clone(&shared); other.borrow_mut().push(2); { let _r = shared.borrow(); println!("{:?} {}", shared.borrow(), shared.try_borrow_mut().is_err()); } println!("{} {}", Rc::ptr_eq(&shared, &other), shared.replace(vec![]).len());
    let mut counted = Rc::new(5); *Rc::make_mut(&mut counted) += 1; let copy = counted.clone(); *Rc::make_mut(&mut counted) += 1; println!("{counted} {:?}", Rc::try_unwrap(copy));
    println!("{} {} {}", clean("no_space"), clean("a b c"), matches!(clean("x"), Cow::Borrowed(_)));
    let g = Graph::default(); g.edges.borrow_mut().push((1, 2)); println!("{} {} {}", g.has(1, 2), g.has(2, 1), g.reads.get());
    let mut t = Bst::Leaf; for k in [5, 2, 8, 1, 9, 3] { t = t.insert(k); } let mut out = vec![]; t.walk(&mut out); println!("{out:?}");
    let text: Rc<str> = Rc::from("shared text"); let slice: Box<[i32]> = vec![1, 2, 3].into_boxed_slice(); println!("{} {} {:?}", text.len(), slice.len(), Box::leak(Box::new(7)));
    let (mut a, mut b) = (Cell::new(1), Cell::new(2)); a.swap(&b); std::mem::swap(&mut a, &mut b); println!("{} {} {}", a.get(), b.take(), std::mem::replace(a.get_mut(), 9));
}
