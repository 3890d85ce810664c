// Generates the text of docs/reliability.md from the fault matrix and the requirements.
import { type Neighbour, neighbours } from '../faults/neighbours.ts';
import { requirements } from '../faults/requirements.ts';
import { type Row, rows } from '../faults/rows.ts';

const introduction = `# Reliability

What Botel promises when processes, engines, disks, clocks or other bots fail, and the tests that
prove it. Generated from \`test/faults/rows.ts\`, \`neighbours.ts\` and \`requirements.ts\`.

\`./botel test --faults\` runs the matrix on this machine in about half an hour and prints a row per
fault. \`--rows 1,12\` selects rows, \`--json <file>\` also writes the results, and
\`FAULTS_API_DEAD_SECONDS=600\` extends row 7 to ten minutes. \`./botel test\` runs the rows marked
*short*. The figures come from 2 cores shared with other work, 24 GB, kernel 6.18, cgroup v1, Debian
12, engine 20.10.24, Node.js 24, on 2026-11-21.

That machine cannot show: cgroup v2; project quotas (its kernel lacks XFS_QUOTA and QFMT_V2); a real
reboot or power loss (row 17 kills everything instead; the disk cache is not tested); engines newer
than 20.10; Swarm.

[systemd](../test/docker/systemd.test.ts) tests the systemd units: \`install-service\` installs them
into a systemd in its own namespaces, with the machine's engine. The test checks their privileges,
runs bots in images that the agent mounts, and kills agent, api and gateway in turn: each is ready
again after 5 to 8 s (on a loaded machine). Not tested: a machine booted by systemd, its journal, its
network.
`;

export function reliabilityDocument(): string {
  return `${introduction}
## Faults

| # | injected | expected | tests | figure | not shown |
|--:|---|---|---|---|---|
${rows.map(rowText).join('\n')}

## Neighbours

A 128 MB bot repeatedly sets a 50 ms timer and writes a small file, beside a 1,024 MB bot that takes
all it can get ([neighbours](../test/docker/neighbours.test.ts)). The table shows how late the timers
were and how long the writes took in ms (50th and 95th percentile), and the slowest of 20 answers of
the server. Two cores with a load average of 3 from other work: these are upper bounds.

| beside | timers 50 % | 95 % | writes 50 % | 95 % | slowest answer |
|---|--:|--:|--:|--:|--:|
${neighbours.map(neighbourText).join('\n')}

## Requirements

| # | requirement | proven by |
|--:|---|---|
${requirements.map(requirementText).join('\n')}
`;
}

function rowText({ row, injected, expected, proofs, figure, missing, short }: Row): string {
  const files = [...new Set(proofs.map(({ file }) => linkOf(file)))].join(', ');
  const shown = proofs.length === 0 ? '' : (figure ?? 'not measured');
  const mark = short ? ' (*short*)' : '';
  return `| ${row} | ${injected}${mark} | ${expected} | ${files || '–'} | ${shown} | ${missing ?? ''} |`;
}

function neighbourText({ beside, timers, writes, answer }: Neighbour): string {
  return `| ${[beside, ...timers, ...writes, answer ?? ''].join(' | ')} |`;
}

function requirementText(
  { requirement, rows: faults = [], tests = [], note }: (typeof requirements)[number],
  index: number,
): string {
  const open = faults.filter((number) => rows.find(({ row }) => row === number)?.proofs.length === 0);
  const proofs = [
    ...faults.filter((number) => !open.includes(number)).map((number) => `fault ${number}`),
    ...tests.map(linkOf),
    ...open.map((number) => `fault ${number} is not shown`),
    ...(note ? [note] : []),
  ];
  return `| ${index + 1} | ${requirement} | ${proofs.join('; ')} |`;
}

function linkOf(file: string): string {
  const name = file.replace(/^.*\//, '').replace('.test.ts', '');
  return `[${name}](../${file})`;
}
