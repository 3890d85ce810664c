"""A guest book as a page on the web: shows the page on $PORT, tells everybody who has it open of new entries by
server-sent events, and keeps the last hundred in book.json across restarts."""

import json
import os
import queue
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEPT_ENTRIES = 100
LONGEST_TEXT = 200
PING_SECONDS = 15

lock = threading.Lock()
readers = set()
closing = threading.Event()


def open_book():
    try:
        with open("book.json", encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"runs": 0, "entries": []}


def save_book():
    """Puts the new book in the old one's place in one step: a sudden end leaves either, never half of one."""
    with open("book.json.new", "w", encoding="utf-8") as file:
        json.dump(book, file)
    os.replace("book.json.new", "book.json")


class Desk(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/":
            self.answer(200, PAGE, "text/html; charset=utf-8")
        elif self.path == "/health":
            self.answer(200, b"ok\n")
        elif self.path == "/live":
            self.read()
        else:
            self.answer(404, b"not found\n")

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        if self.path != "/sign":
            self.answer(404, b"not found\n")
        elif length > 4 * LONGEST_TEXT:
            self.answer(413, b"too long\n")
        else:
            self.sign(self.rfile.read(length).decode("utf-8", "replace")[:LONGEST_TEXT])
            self.answer(204, b"")

    def answer(self, status, body, kind="text/plain; charset=utf-8"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def read(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        fresh = queue.Queue()
        with lock:
            for entry in book["entries"]:
                fresh.put(entry)
            readers.add(fresh)
        try:
            while not closing.is_set():
                self.wfile.write(next_event(fresh))
        except OSError:
            # The reader closed its page.
            pass
        finally:
            readers.discard(fresh)

    def sign(self, text):
        with lock:
            entries = book["entries"]
            entry = {"id": entries[-1]["id"] + 1 if entries else 1, "at": int(time.time() * 1000), "text": text}
            book["entries"] = [*entries, entry][-KEPT_ENTRIES:]
            save_book()
            for reader in list(readers):
                reader.put(entry)
        print(f"entry {entry['id']}: {' '.join(text.split())}")

    def log_message(self, *_):
        pass


def next_event(fresh):
    """The next entry for a reader; something now and then, or nobody would notice that a reader is gone."""
    try:
        entry = fresh.get(timeout=PING_SECONDS)
    except queue.Empty:
        entry = None
    return b": still here\n\n" if entry is None else b"data: " + json.dumps(entry).encode() + b"\n\n"


for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: closing.set())

with open("page.html", "rb") as file:
    PAGE = file.read()
book = open_book()
book["runs"] += 1
save_book()
print(f"The guest book is open: run number {book['runs']}, {len(book['entries'])} entries so far.")

desk = ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Desk)
threading.Thread(target=desk.serve_forever, daemon=True).start()
print(f"listening on port {desk.server_port}")

closing.wait()
desk.shutdown()
# Requests under way are answered; streams would never end by themselves, and their readers come back.
for reader in list(readers):
    reader.put(None)
print(f"bye: the book is kept with {len(book['entries'])} entries")
