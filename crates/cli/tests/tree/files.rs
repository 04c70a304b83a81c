use crate::scene::shop;

#[test]
fn numbers() {
    let scene = shop();
    println!("{}", scene.says(&["out"]));
    std::fs::write(
        scene.path("shop.c"),
        crate::scene::SHOP.replace("amount > 10", "amount > 12"),
    )
    .expect("a file");
    scene.explore("edited", "shop.c", 8);
    println!("{}", scene.says(&["edited"]));
    println!("{}", scene.says(&["edited", "--against", "out"]));
    println!("{:?}", scene.tree(&["out", "--html", "/tmp/tree.html"]));
    println!(
        "{:?}",
        scene.tree(&["edited", "--html", "/tmp/diff.html", "--against", "out"])
    );
    crate::scene::made_up(&scene.path("big"), 100_000);
    println!("{:?}", scene.tree(&["big", "--html", "/tmp/big.html"]));
    println!(
        "{}",
        std::fs::metadata("/tmp/big.html").expect("a file").len()
    );
}
