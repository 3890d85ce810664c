// `./botel bench`: measures Botel side by side with what it stands on, on this machine, and prints
// a table. `--only a,b` takes some of the measurements. Asserts no time: it fails only when
// something does not work.
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAdoption } from './adopt.ts';
import { measureCollector } from './collect.ts';
import { measureEngineLoss } from './engine-loss.ts';
import { type Finding, tableOf } from './finding.ts';
import { measureGateway } from './gateway.ts';
import { Ground } from './environment.ts';
import { measureHttp } from './http.ts';
import { measureLogs } from './logs.ts';
import { measureMemory } from './memory.ts';
import { measureBuiltStart, measureStart } from './start.ts';
import { measureUpload } from './upload.ts';
import { measureWeb } from './web.ts';

const longestMs = 20 * 60_000;

const measurements: Record<string, (environment: Ground) => Promise<Finding[]>> = {
  start: measureStart,
  http: measureHttp,
  logs: measureLogs,
  memory: measureMemory,
  adopt: measureAdoption,
  built: measureBuiltStart,
  upload: measureUpload,
  collect: measureCollector,
  loss: measureEngineLoss,
  gateway: measureGateway,
  web: measureWeb,
};

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = values.only?.split(',') ?? Object.keys(measurements);
const unknown = chosen.filter((name) => !(name in measurements));
if (unknown.length > 0) {
  const known = Object.keys(measurements).join(', ');
  process.stderr.write(`botel bench: no such measurement: ${unknown.join(', ')}; there are ${known}\n`);
  process.exit(2);
}

const environment = new Ground();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(new Error('Interrupted')));
const timer = setTimeout(() => ending.abort(new Error('The measurements took too long')), longestMs);
const interrupted = new Promise<never>((_resolve, reject) => {
  ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
});
const findings: Finding[] = [];
try {
  await Promise.race([measureAll(), interrupted]);
} catch (error) {
  process.stderr.write(`botel bench: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
await environment.clear();
clearTimeout(timer);
if (findings.length > 0) console.log(`\n${tableOf(findings)}\n`);
process.exit();

async function measureAll(): Promise<void> {
  await environment.prepare();
  console.log(await machine());
  for (const name of chosen) {
    const began = performance.now();
    const load = loadavg()[0]!.toFixed(2);
    const found = await measurements[name]!(environment);
    findings.push(...found);
    console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s, load before ${load}`);
  }
}

async function machine(): Promise<string> {
  const { body } = await environment.engine.request('GET', '/version');
  const { Version, ApiVersion } = body as { Version: string; ApiVersion: string };
  const distribution = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown';
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory} GB, kernel ${release()}, ${distribution}`,
    `engine ${Version} (API ${ApiVersion}), Node ${process.version}`,
  ].join('\n');
}
