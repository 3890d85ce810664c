"""The web bot of bot.js in Python."""

import base64
import hashlib
import json
import os
import signal
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

BLOCK = bytes(index % 251 for index in range(65_536))
streams = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        place = urlsplit(self.path)
        if place.path == "/plain":
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.answer(json.dumps({"language": "python", "httpVersion": self.request_version[5:], "headers": headers}))
        elif place.path == "/events":
            self.events()
        elif place.path == "/ws":
            self.web_socket()
        elif place.path == "/down":
            self.down(int(parse_qs(place.query)["bytes"][0]))
        else:
            self.answer("", 404)

    def do_POST(self):
        if self.path == "/echo":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for chunk in self.body():
                self.chunk(chunk)
            self.chunk(b"")
        elif self.path == "/publish":
            text = b"".join(self.body())
            for stream in list(streams):
                stream.event(text)
            self.answer(str(len(streams)))
        elif self.path == "/up":
            self.answer(str(sum(len(chunk) for chunk in self.body())))
        else:
            self.answer("", 404)

    def answer(self, text, status=200):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        """Parts of the body as they come."""
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return
        left = int(self.headers.get("Content-Length", "0"))
        while left:
            part = self.rfile.read1(min(left, 1_048_576))
            if not part:
                return
            left -= len(part)
            yield part

    def chunk(self, part):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))

    def event(self, text):
        self.chunk(b"data: %b\n\n" % text)

    def events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.event(b"open")
        streams.append(self)
        # Until the client is gone.
        self.rfile.read(1)
        streams.remove(self)
        self.close_connection = True

    def web_socket(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while len(head := self.rfile.read(2)) == 2:
            length = head[1] & 127
            mask, payload = self.rfile.read(4), self.rfile.read(length)
            echo = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
            self.wfile.write(struct.pack("BB", head[0], length) + echo)
            if head[0] & 15 == 8:
                return

    def down(self, left):
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left > 0:
            self.wfile.write(BLOCK[:left])
            left -= len(BLOCK)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


server = Server(("", int(os.environ["PORT"])), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
print("listening", flush=True)
server.serve_forever()
