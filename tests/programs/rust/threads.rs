//! Threads that are spawned and joined: results, panics, channels, scopes, locks and variables of their own. The output does not
//! depend on the order in which they run.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, Once, OnceLock, RwLock};
use std::thread;
use std::time::Duration;

static DROPPED: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Named(String);

impl Drop for Named {
    fn drop(&mut self) {
        DROPPED.lock().unwrap().push(self.0.clone());
    }
}

thread_local! {
    static COUNTER: Cell<u32> = const { Cell::new(10) };
    static WORDS: RefCell<Vec<String>> = RefCell::new(vec!["initial".to_string()]);
    static NAMED: RefCell<Option<Named>> = const { RefCell::new(None) };
}

fn results() {
    let handles: Vec<_> = (0..6u64)
        .map(|n| thread::spawn(move || (1..=n).product::<u64>()))
        .collect();
    let products: Vec<u64> = handles
        .into_iter()
        .map(|handle| handle.join().unwrap())
        .collect();
    println!("products {products:?}");
    let named = thread::Builder::new()
        .name("worker".into())
        .stack_size(1 << 16);
    let handle = named
        .spawn(|| thread::current().name().map(str::to_string))
        .unwrap();
    let id = handle.thread().id();
    println!(
        "named {:?}, another {}",
        handle.join().unwrap(),
        id != thread::current().id()
    );
    let text = String::from("moved");
    let handle = thread::spawn(move || {
        let inner = thread::spawn(move || text + " twice");
        inner.join().unwrap() + " and back"
    });
    println!("{}", handle.join().unwrap());
}

fn thread_locals() {
    COUNTER.set(20);
    WORDS.with_borrow_mut(|words| words.push("main".into()));
    for n in 0..3 {
        let seen = thread::spawn(move || {
            let before = COUNTER.replace(n);
            WORDS.with_borrow_mut(|words| words.push(format!("thread {n}")));
            NAMED.set(Some(Named(format!("of thread {n}"))));
            (before, COUNTER.get(), WORDS.take())
        });
        println!("{:?}", seen.join().unwrap());
        COUNTER.set(COUNTER.get() + 1);
    }
    println!("main {} {:?}", COUNTER.get(), WORDS.with_borrow(Vec::clone));
    println!("dropped {:?}", DROPPED.lock().unwrap());
}

fn channels() {
    let (sender, receiver) = mpsc::channel();
    let producers: Vec<_> = (0..4)
        .map(|id| {
            let sender = sender.clone();
            thread::spawn(move || {
                for n in 0..5 {
                    sender.send((id, n * id)).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    for producer in producers {
        producer.join().unwrap();
    }
    let mut sums = BTreeMap::new();
    for (id, n) in receiver {
        *sums.entry(id).or_insert(0) += n;
    }
    println!("sums {sums:?}");
    let (sender, receiver) = mpsc::sync_channel(8);
    thread::spawn(move || (0..8).for_each(|n| sender.send(n).unwrap()))
        .join()
        .unwrap();
    println!(
        "{:?} {:?}",
        receiver.iter().sum::<i32>(),
        receiver.try_recv()
    );
    let (sender, receiver) = mpsc::channel::<String>();
    println!("{:?}", receiver.recv_timeout(Duration::from_millis(5)));
    drop(receiver);
    let unsent = thread::spawn(move || sender.send("nobody".into()).is_err());
    println!("unsent {}", unsent.join().unwrap());
}

fn scopes() {
    let mut numbers = [1, 2, 3, 4, 5, 6];
    let count = AtomicUsize::new(0);
    let (low, high) = numbers.split_at_mut(3);
    let sum = thread::scope(|scope| {
        scope.spawn(|| {
            low.iter_mut().for_each(|n| *n *= 10);
            count.fetch_add(1, Ordering::SeqCst);
        });
        let handle = scope.spawn(|| {
            high.iter_mut().for_each(|n| *n += 100);
            count.fetch_add(1, Ordering::SeqCst);
            high.iter().sum::<i32>()
        });
        handle.join().unwrap()
    });
    println!("{numbers:?} {sum} {count:?}");
}

fn locks() {
    static ONCE: Once = Once::new();
    static MADE: OnceLock<String> = OnceLock::new();
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let shared = Arc::new(Mutex::new(Vec::new()));
    let table = Arc::new(RwLock::new(BTreeMap::new()));
    let ready = Arc::new((Mutex::new(false), Condvar::new()));
    let handles: Vec<_> = (0..5)
        .map(|n| {
            let (shared, table, ready) = (shared.clone(), table.clone(), ready.clone());
            thread::spawn(move || {
                shared.lock().unwrap().push(n);
                table.write().unwrap().insert(n, n * n);
                ONCE.call_once(|| {
                    CALLS.fetch_add(1, Ordering::SeqCst);
                });
                MADE.get_or_init(|| "made once".into());
                *ready.0.lock().unwrap() = true;
                ready.1.notify_all();
            })
        })
        .collect();
    handles
        .into_iter()
        .for_each(|handle| handle.join().unwrap());
    let mut waiting = ready.0.lock().unwrap();
    while !*waiting {
        waiting = ready.1.wait(waiting).unwrap();
    }
    let mut order = shared.lock().unwrap().clone();
    order.sort();
    println!(
        "{order:?} {:?} {CALLS:?} {:?} {}",
        table.read().unwrap(),
        MADE.get(),
        Arc::strong_count(&shared)
    );
}

/// Prints nothing, for without unwinding a panic would end the program.
fn panics() {
    panic::set_hook(Box::new(|_| {}));
    let lock = Arc::new(Mutex::new(1));
    let inside = lock.clone();
    let failed = thread::spawn(move || {
        let number = inside.lock().unwrap();
        let _named = Named("by unwinding".into());
        panic!("on purpose {number}");
    });
    let payload = failed.join().unwrap_err();
    assert_eq!(
        payload.downcast_ref::<String>().map(String::as_str),
        Some("on purpose 1")
    );
    assert!(lock.is_poisoned());
    assert_eq!(
        DROPPED.lock().unwrap().last().map(String::as_str),
        Some("by unwinding")
    );
    let caught = thread::spawn(|| panic::catch_unwind(|| panic!("caught")).is_err());
    assert!(caught.join().unwrap());
    let outer = panic::catch_unwind(|| {
        thread::scope(|scope| {
            scope.spawn(|| panic!("in a scope"));
        })
    });
    assert_eq!(
        outer.unwrap_err().downcast_ref::<&str>(),
        Some(&"a scoped thread panicked")
    );
    let _ = panic::take_hook();
}

/// Nobody comes: what says so is that the time is over.
fn timeouts() {
    let (lock, changed) = (Mutex::new(false), Condvar::new());
    let most = Duration::from_millis(2);
    let (guard, waited) = changed.wait_timeout(lock.lock().unwrap(), most).unwrap();
    println!("over {}", waited.timed_out());
    drop(guard);
    let guard = lock.lock().unwrap();
    let (guard, waited) = changed
        .wait_timeout_while(guard, most, |ready| !*ready)
        .unwrap();
    println!("still over {}", waited.timed_out());
    drop(guard);
    let (_sender, receiver) = mpsc::channel::<u8>();
    println!("{:?}", receiver.recv_timeout(most));
    thread::park_timeout(most);
}

fn main() {
    results();
    thread_locals();
    channels();
    scopes();
    locks();
    timeouts();
    if cfg!(panic = "unwind") {
        panics();
    }
    NAMED.set(Some(Named("of main".into())));
    println!(
        "{}",
        thread::spawn(|| NAMED.with_borrow(|named| named.is_none()))
            .join()
            .unwrap()
    );
}
