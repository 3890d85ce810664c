// A guest book as a page on the web: shows the page on $PORT, tells everybody who has it open of new entries by server-sent
// events, and keeps the last hundred in book.json across restarts.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const keptEntries = 100;
const longestText = 200;
const page = readFileSync('page.html');
const book = openBook();
book.runs += 1;
saveBook();
console.log(`The guest book is open: run number ${book.runs}, ${book.entries.length} entries so far.`);

const readers = new Set();

const server = createServer(async (request, response) => {
  const route = `${request.method} ${request.url}`;
  if (route === 'GET /') return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
  if (route === 'GET /health') return response.end('ok\n');
  if (route === 'GET /live') return read(response);
  if (route === 'POST /sign') return sign(request, response);
  response.writeHead(404).end('not found\n');
});

function read(response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  for (const entry of book.entries) tell(response, entry);
  readers.add(response);
  response.once('close', () => readers.delete(response));
}

async function sign(request, response) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > longestText) return response.writeHead(413).end('too long\n');
  }
  const entry = { id: (book.entries.at(-1)?.id ?? 0) + 1, at: Date.now(), text };
  book.entries = [...book.entries, entry].slice(-keptEntries);
  saveBook();
  console.log(`entry ${entry.id}: ${text.replace(/\s+/g, ' ')}`);
  for (const reader of readers) tell(reader, entry);
  response.writeHead(204).end();
}

function tell(reader, entry) {
  reader.write(`data: ${JSON.stringify(entry)}\n\n`);
}

server.listen(process.env.PORT ?? 3000, () => console.log(`listening on port ${server.address().port}`));

process.on('SIGTERM', () => {
  // Requests under way are answered; streams would never end by themselves, and their readers come back.
  for (const reader of readers) reader.end();
  server.close(() => {
    console.log(`bye: the book is kept with ${book.entries.length} entries`);
    process.exit(0);
  });
  server.closeIdleConnections();
});

function openBook() {
  try {
    return JSON.parse(readFileSync('book.json', 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { runs: 0, entries: [] };
  }
}

// The new book takes the old one's place in one step: a sudden end leaves either, never half of one.
function saveBook() {
  writeFileSync('book.json.new', `${JSON.stringify(book)}\n`);
  renameSync('book.json.new', 'book.json');
}
