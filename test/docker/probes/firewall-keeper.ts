// The firewall of production code in whatever network namespace it is started: one look per line of
// standard input, answered by what it reported and whether all is well. Its first argument is the
// policy, the variant of iptables, and whether another process keeps the rules.
import { createInterface } from 'node:readline';
import { Firewall } from '../../../packages/server/src/agent/network/firewall.ts';
import { systemTables } from '../../../packages/server/src/agent/network/tables.ts';

const { policy, variant, isSecond } = JSON.parse(process.argv[2] ?? '');
let reports: { level: string; repaired: string[] }[] = [];
const firewall = new Firewall({
  tables: systemTables(variant),
  policy: async () => policy,
  installId: 'test',
  lock: () => (isSecond ? null : { release() {} }),
  report: (level, fields) => reports.push({ level, repaired: [], ...fields }),
});
for await (const _ of createInterface({ input: process.stdin })) {
  await firewall.check();
  console.log(JSON.stringify({ fault: firewall.lastFault, reports }));
  reports = [];
}
