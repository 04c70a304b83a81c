//! Sorting, searching, and trees.

use super::*;

/// The keys compared, in order.
static COMPARED: Mutex<Vec<(u8, u8)>> = Mutex::new(Vec::new());

unsafe extern "C" fn by_first_byte(a: *const c_void, b: *const c_void) -> c_int {
    let (x, y) = (*a.cast::<u8>(), *b.cast::<u8>());
    COMPARED.lock().unwrap().push((x, y));
    x as c_int - y as c_int
}

unsafe extern "C" fn by_first_byte_with(
    a: *const c_void,
    b: *const c_void,
    sign: *mut c_void,
) -> c_int {
    (*a.cast::<u8>() as c_int - *b.cast::<u8>() as c_int) * *sign.cast::<c_int>()
}

#[test]
fn arrays_are_sorted_and_searched_like_the_hosts() {
    let _alone = alone();
    let mut rng = Rng::new(8);
    for round in 0..600 {
        let size = rng.pick(&[1, 4, 8, 12, 40]);
        let count = rng.below(if round % 10 == 0 { 400 } else { 20 });
        let mut ours: Vec<u8> = (0..count * size).map(|_| rng.below(16) as u8).collect();
        let mut theirs = ours.clone();
        let mut expected: Vec<Vec<u8>> = ours.chunks(size).map(<[u8]>::to_vec).collect();
        expected.sort_by_key(|element| element[0]);
        let mut down = ours.clone();
        unsafe {
            COMPARED.lock().unwrap().clear();
            sort::qsort(ours.as_mut_ptr().cast(), count, size, by_first_byte);
            let calls = std::mem::take(&mut *COMPARED.lock().unwrap());
            host::qsort(theirs.as_mut_ptr().cast(), count, size, by_first_byte);
            assert_eq!(ours, expected.concat());
            // A later library sorts in another way, and not stably.
            if ours == theirs {
                assert_eq!(calls, std::mem::take(&mut *COMPARED.lock().unwrap()));
            }
            let mut sign: c_int = -1;
            sort::qsort_r(
                down.as_mut_ptr().cast(),
                count,
                size,
                by_first_byte_with,
                (&raw mut sign).cast(),
            );
            expected.sort_by_key(|element| std::cmp::Reverse(element[0]));
            assert_eq!(down, expected.concat());
            for key in 0..17u8 {
                let k = (&raw const key).cast();
                let base = ours.as_ptr().cast();
                let x = sort::bsearch(k, base, count, size, by_first_byte);
                let y = host::bsearch(k, base, count, size, by_first_byte);
                assert_eq!(x, y);
                let mut n = count;
                let found = sort::lfind(k, base, &mut n, size, by_first_byte);
                let at = ours.chunks(size).position(|element| element[0] == key);
                assert_eq!(offset(ours.as_ptr(), found.cast()), at.map(|at| at * size));
            }
        }
    }
    unsafe {
        let mut bytes = [3u8, 1, 0];
        let mut count = 2;
        let key = 9u8;
        let base = bytes.as_mut_ptr().cast();
        let at = sort::lsearch((&raw const key).cast(), base, &mut count, 1, by_first_byte);
        assert_eq!(
            (offset(base.cast(), at.cast()), count, bytes),
            (Some(2), 3, [3, 1, 9])
        );
    }
}

unsafe extern "C" fn by_address(a: *const c_void, b: *const c_void) -> c_int {
    (a as usize).cmp(&(b as usize)) as c_int
}

static WALKED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

unsafe extern "C" fn collect(node: *const search::Node, when: c_int, _depth: c_int) {
    if when == 1 || when == 3 {
        WALKED.lock().unwrap().push(*node.cast::<usize>());
    }
}

#[test]
fn trees_keep_their_keys_in_order() {
    let _alone = alone();
    let mut rng = Rng::new(16);
    let mut root: *mut search::Node = null_mut();
    let mut model = BTreeSet::new();
    unsafe {
        for _ in 0..3000 {
            let key = 1 + rng.below(40);
            let p = key as *const c_void;
            if rng.below(2) == 0 {
                assert_eq!(
                    *search::tsearch(p, &mut root, by_address).cast::<usize>(),
                    key
                );
                model.insert(key);
            } else {
                let deleted = !search::tdelete(p, &mut root, by_address).is_null();
                assert_eq!(deleted, model.remove(&key));
            }
            assert_eq!(
                !search::tfind(p, &root, by_address).is_null(),
                model.contains(&key)
            );
            WALKED.lock().unwrap().clear();
            search::twalk(root, collect);
            assert!(WALKED.lock().unwrap().iter().eq(model.iter()));
        }
    }
}
