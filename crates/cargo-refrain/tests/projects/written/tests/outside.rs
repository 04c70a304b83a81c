//! An integration test.

#[refrain::test]
fn maps_keep_what_they_are_given(key: u8, value: u8) {
    let mut map = std::collections::HashMap::new();
    map.insert(3u8, 0u8);
    map.insert(key, value);
    assert_eq!(map.get(&key), Some(&value));
    assert_eq!(map.len(), if key == 3 { 1 } else { 2 });
}

#[refrain::test]
fn memory_is_watched(index: u8) {
    let memory = Box::new([1u8, 2, 3]);
    refrain::assume(index < 4);
    // SAFETY: there is none.
    let value = unsafe { *memory.as_ptr().add(usize::from(index)) };
    assert!(value < 4);
}
