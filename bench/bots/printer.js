// The bot behind the log measurements: does what the file named by ORDERS says, each order once. A line is
// "<order> <index> <monotonic nanoseconds> <padding>", 100 bytes long with its newline.
const fs = require('node:fs');

const batchLines = 256;
let done = '';

function line(order, index) {
  return `${order} ${index} ${process.hrtime.bigint()} `.padEnd(99, '.') + '\n';
}

/** All lines at full speed. */
function burst({ order, lines }) {
  for (let index = 0; index < lines; ) {
    let text = '';
    for (const end = Math.min(lines, index + batchLines); index < end; index++) text += line(order, index);
    // Waits when the pipe is full: nothing here has made it non-blocking.
    fs.writeSync(1, text);
  }
}

/** One line per millisecond. */
function steady({ order, lines }) {
  const began = performance.now();
  let index = 0;
  const timer = setInterval(() => {
    for (const due = Math.min(lines, performance.now() - began); index < due; index++) fs.writeSync(1, line(order, index));
    if (index >= lines) clearInterval(timer);
  }, 1);
}

setInterval(() => {
  let text = '';
  try {
    text = fs.readFileSync(process.env.ORDERS, 'utf8');
  } catch {
    return;
  }
  if (text === done || !text.endsWith('\n')) return;
  done = text;
  const order = JSON.parse(text);
  if (order.kind === 'burst') burst(order);
  else steady(order);
}, 10);
fs.writeSync(1, 'ready\n');
