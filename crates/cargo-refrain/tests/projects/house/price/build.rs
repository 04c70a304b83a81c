fn main() {
    println!("cargo::rustc-env=MOST={}", 100);
}
