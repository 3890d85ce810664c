// Attacks a bot's files for as long as is wanted and prints what was tried: `node_modules/.bin/node
// test/attacks/run.ts --seconds 60`. Needs root. Ends with 1 when something got out.
import { parseArgs } from 'node:util';
import { attackFiles } from './attack-files.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const { swaps, tries, escapes, slowestMs } = await attackFiles(Number(values.seconds));
for (const [verb, statuses] of Object.entries(tries)) {
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  console.log(`${verb.padEnd(10)}${counts.join(', ')}`);
}
const total = Object.values(tries).flatMap((statuses) => Object.values(statuses));
console.log(`${total.reduce((sum, count) => sum + count, 0)} calls, ${swaps} swaps, ${escapes.length} escapes`);
console.log(`slowest answer to a bystander: ${Math.round(slowestMs)} ms`);
const kinds = new Map<string, number>();
for (const escape of escapes) kinds.set(escape, (kinds.get(escape) ?? 0) + 1);
for (const [escape, count] of [...kinds].slice(0, 50)) console.log(`${count} x ${escape}`);
process.exit(escapes.length === 0 ? 0 : 1);
