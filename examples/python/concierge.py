"""A concierge: recommends a walk every two seconds, keeps its notes in notes.json across restarts, answers on $PORT."""

import json
import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WALKS = ["to the harbour", "through the old town", "up to the castle", "along the river", "around the lake"]

closing = threading.Event()


def open_notes():
    try:
        with open("notes.json", encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"runs": 0, "walks": 0}


def save_notes():
    """Puts the new notes in the old ones' place in one step: a sudden end leaves either, never half of one."""
    with open("notes.json.new", "w", encoding="utf-8") as file:
        json.dump(notes, file)
    os.replace("notes.json.new", "notes.json")


def memory_mb():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024 // 1024


class Desk(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({**notes, "memory_mb": memory_mb()}).encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: closing.set())

notes = open_notes()
notes["runs"] += 1
save_notes()
print(f"The concierge is at the desk: run number {notes['runs']}, {notes['walks']} walks recommended so far.")

desk = ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Desk)
threading.Thread(target=desk.serve_forever, daemon=True).start()

while not closing.wait(2):
    notes["walks"] += 1
    print(f"walk {notes['walks']}: {WALKS[notes['walks'] % len(WALKS)]} ({memory_mb()} MB in use)")
    save_notes()

desk.shutdown()
save_notes()
print(f"bye: the notes are saved with {notes['walks']} walks")
