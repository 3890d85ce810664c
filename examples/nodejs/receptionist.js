// A receptionist: checks a guest in every two seconds, keeps its book in book.json across restarts, and answers on $PORT.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const greeting = process.env.GREETING ?? 'Good evening!';
const book = openBook();
book.runs += 1;
saveBook();
console.log(`${greeting} The reception is open: run number ${book.runs}, ${book.guests} guests in the book so far.`);

const timer = setInterval(() => {
  book.guests += 1;
  const room = 100 * (1 + (book.guests % 4)) + (book.guests % 12) + 1;
  console.log(`guest ${book.guests} checked in, room ${room} (${memoryMb()} MB in use)`);
  saveBook();
}, 2000);

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(`${JSON.stringify({ greeting, ...book, memory_mb: memoryMb() })}\n`);
});
server.listen(process.env.PORT ?? 3000);

process.on('SIGTERM', () => {
  clearInterval(timer);
  saveBook();
  console.log(`bye: the book is saved with ${book.guests} guests`);
  server.close(() => process.exit(0));
  server.closeAllConnections();
});

function openBook() {
  try {
    return JSON.parse(readFileSync('book.json', 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { runs: 0, guests: 0 };
  }
}

// The new book takes the old one's place in one step: a sudden end leaves either, never half of one.
function saveBook() {
  writeFileSync('book.json.new', `${JSON.stringify(book)}\n`);
  renameSync('book.json.new', 'book.json');
}

function memoryMb() {
  return Math.round(process.memoryUsage.rss() / 1024 / 1024);
}
