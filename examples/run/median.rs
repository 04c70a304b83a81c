//! A median that forgets about empty lists.

fn median(values: &mut [i64]) -> i64 {
    values.sort_unstable();
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2
    }
}

fn main() {
    let lists: [&[i64]; 3] = [&[3, 1, 2], &[10, -4, 7, 7], &[]];
    for list in lists {
        println!("{list:?} has the median {}", median(&mut list.to_vec()));
    }
}
