// Makes docs/reliability.md of the rows of the fault matrix and of the requirements. Makes the
// text.
import { type Neighbour, neighbours } from '../faults/neighbours.ts';
import { requirements } from '../faults/requirements.ts';
import { type Row, rows } from '../faults/rows.ts';

const introduction = `# Reliability

What Botel promises when processes, engines, disks, clocks or neighbours fail, and what proves it. This document is made of
\`test/faults/rows.ts\`, \`neighbours.ts\` and \`requirements.ts\`.

\`./botel test --faults\` runs the matrix on this machine, in about half an hour, and prints a row per fault; \`--rows 1,12\` runs some,
\`--json <file>\` also writes the results, \`FAULTS_API_DEAD_SECONDS=600\` makes row 7 last ten minutes. The rows marked *short* are a
phase of \`./botel test\`. Figures are of 2 cores shared with other work, 24 GB, kernel 6.18, cgroup v1, Debian 12, engine 20.10.24,
Node 24, on 2026-11-21; "not measured" means that.

What can't be shown on that machine: cgroup v2; project quotas (its kernel has no XFS_QUOTA and no QFMT_V2); a real reboot or
loss of power (row 17 kills everything instead; what a disk does with its cache is not seen); engines newer than 20.10; Swarm.

The units of systemd run in [systemd](../test/docker/systemd.test.ts): installed by the command on a systemd in namespaces of its own, with the
machine's engine. What they may do is looked up, bots live in images that the agent mounts, and each of agent, api and gateway is
killed: all is ready again after 5 to 8 s (machine loaded). Not shown: a machine that systemd itself booted, its journal, its network.
`;

export function reliabilityDocument(): string {
  return `${introduction}
## Faults

| # | injected | expected | tests | figure | not shown |
|--:|---|---|---|---|---|
${rows.map(rowText).join('\n')}

## Neighbours

A small bot of 128 MB sets a timer of 50 ms and writes a small file, again and again, beside a bot of 1,024 MB that takes all it
can get ([neighbours](../test/docker/neighbours.test.ts)). How late the timers were and how long the writes took, in ms, 50 % and
95 % of them; and the slowest of 20 answers of the server. Two cores with a load average of 3 by other work: these are bounds.

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
