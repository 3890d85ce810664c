//! A pastry chef: bakes a croissant every two seconds, keeps count in oven.txt across restarts, and answers on $PORT.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

static CLOSING: AtomicBool = AtomicBool::new(false);
static RUNS: AtomicU64 = AtomicU64::new(0);
static CROISSANTS: AtomicU64 = AtomicU64::new(0);

extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
}

extern "C" fn close(_: i32) {
    CLOSING.store(true, SeqCst);
}

fn main() -> io::Result<()> {
    // SAFETY: the handler does nothing but store an atomic. 2 is SIGINT, 15 is SIGTERM.
    unsafe {
        signal(2, close);
        signal(15, close);
    }
    open()?;
    RUNS.fetch_add(1, SeqCst);
    save()?;
    println!(
        "The oven is hot: run number {}, {} croissants so far.",
        RUNS.load(SeqCst),
        CROISSANTS.load(SeqCst)
    );

    let port = env::var("PORT").unwrap_or_else(|_| "3000".to_string());
    let listener = TcpListener::bind(format!("0.0.0.0:{port}"))?;
    thread::spawn(move || {
        for visitor in listener.incoming().flatten() {
            thread::spawn(move || {
                if let Err(error) = answer(visitor) {
                    eprintln!("a visitor left early: {error}");
                }
            });
        }
    });

    let mut baked_at = Instant::now();
    while !CLOSING.load(SeqCst) {
        thread::sleep(Duration::from_millis(50));
        if baked_at.elapsed() >= Duration::from_secs(2) {
            baked_at = Instant::now();
            let number = CROISSANTS.fetch_add(1, SeqCst) + 1;
            println!("croissant {number} is golden ({} MB in use)", memory_mb());
            save()?;
        }
    }
    save()?;
    println!("bye: the oven is off after {} croissants", CROISSANTS.load(SeqCst));
    Ok(())
}

fn answer(mut visitor: TcpStream) -> io::Result<()> {
    visitor.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut request = [0; 4096];
    visitor.read(&mut request)?;
    let body = format!(
        "{{\"runs\":{},\"croissants\":{},\"memory_mb\":{}}}\n",
        RUNS.load(SeqCst),
        CROISSANTS.load(SeqCst),
        memory_mb()
    );
    let length = body.len();
    write!(
        visitor,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn open() -> io::Result<()> {
    let text = match fs::read_to_string("oven.txt") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let mut numbers = text.split_whitespace().map(|word| word.parse().unwrap_or(0));
    RUNS.store(numbers.next().unwrap_or(0), SeqCst);
    CROISSANTS.store(numbers.next().unwrap_or(0), SeqCst);
    Ok(())
}

/// Puts the new count in the old one's place in one step: a sudden end leaves either, never half of one.
fn save() -> io::Result<()> {
    fs::write("oven.txt.new", format!("{} {}\n", RUNS.load(SeqCst), CROISSANTS.load(SeqCst)))?;
    fs::rename("oven.txt.new", "oven.txt")
}

fn memory_mb() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096 / 1024 / 1024
}
