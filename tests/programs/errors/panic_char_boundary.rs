//! A string cut within a character.
fn main() {
    let text = String::from("grün");
    println!("{}", &text[..std::hint::black_box(3)]);
}
