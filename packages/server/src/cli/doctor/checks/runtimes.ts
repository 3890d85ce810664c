// Isolation of bots: runtimes and their flags, known vulnerabilities, the kernel's filters.
import { release } from 'node:os';
import { basename } from 'node:path';
import type { Config } from '../../../core/config/config.ts';
import { DockerClient } from '../../../agent/engine/docker/client.ts';
import type { KnownRuntimes } from '../../../agent/engine/docker/oci-runtime.ts';
import { runProgram } from '../../../core/lib/program.ts';
import { findSandbox, registrationAdvice, sandboxLacksNetwork, sandboxName } from '../../setup/sandbox.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';
import { holesOf, isDistributionBuild } from '../known-holes.ts';

/** The relevant parts of `/info`. */
interface WallDescription {
  Runtimes: KnownRuntimes;
  SecurityOptions: string[] | null;
}

/** The parts of `/version`: engine, containerd, runc. */
export interface Component {
  Name: string;
  Version: string;
  Details?: { GitCommit?: string };
}

export const runtimes: Check = {
  name: 'runtimes',
  async run(config) {
    if (config.engine === 'fake') return [ok('fake engine: no runtime is needed')];
    const client = new DockerClient(config.dockerHost);
    try {
      const info = await client.request('GET', '/info', { timeoutMs: 5_000 });
      const version = await client.request('GET', '/version', { timeoutMs: 5_000 });
      const wall = info.body as WallDescription;
      return [
        ...(await judgeChosen(wall.Runtimes, config)),
        ...judgeFlags(wall.Runtimes, config.containerRuntime),
        ...(await sandboxes(wall.Runtimes)),
        ...judgeVersions((version.body as { Components?: Component[] }).Components ?? []),
        ...judgeFilters(wall.SecurityOptions ?? []),
      ];
    } catch (error) {
      return [fix(`the runtimes can't be looked at: ${(error as Error).message}`, 'See the engine check.')];
    } finally {
      await client.close();
    }
  },
};

async function judgeChosen(known: KnownRuntimes, { containerRuntime }: Config): Promise<Finding[]> {
  const others = Object.keys(known).filter((name) => name !== containerRuntime && !name.startsWith('io.containerd.'));
  const note = others.length > 0 ? `; plans may also use ${others.join(', ')}` : '';
  if (Object.hasOwn(known, containerRuntime)) return [ok(`bots run in ${containerRuntime}${note}`)];
  const text = `the engine has no runtime ${containerRuntime}: no bot starts`;
  if (containerRuntime !== sandboxName)
    return [fix(text, `Set BOTEL_CONTAINER_RUNTIME to a runtime that it has${note}.`)];
  return [fix(text, registrationAdvice(await findSandbox()))];
}

const unsafeFlags = [
  { pattern: /^--?ignore-cgroups(=(true|1))?$/, why: 'limits are not enforced' },
  { pattern: /^--?rootless(=(true|1))?$/, why: 'limits are not enforced' },
  { pattern: /^--?network[= ]host$/, why: "bots use the machine's own network stack" },
  { pattern: /^--?host-uds[= ](open|create|all)$/, why: 'bots can reach sockets of the machine' },
  { pattern: /^--?TESTONLY/, why: 'bots are not isolated' },
];

/** Flags that disable isolation: a fault in the configured runtime, a risk in any other. */
export function judgeFlags(known: KnownRuntimes, chosen: string): Finding[] {
  const findings = [];
  for (const [name, { runtimeArgs }] of Object.entries(known)) {
    const args = runtimeArgs ?? [];
    const pairs = args.slice(1).map((value, at) => `${args[at]} ${value}`);
    for (const { pattern, why } of unsafeFlags) {
      const flag = [...args, ...pairs].find((each) => pattern.test(each));
      if (flag === undefined) continue;
      const text = `the runtime ${name} has ${flag}: ${why}`;
      const advice = `Remove ${flag} from the engine's settings.`;
      findings.push(name === chosen ? fix(text, advice) : warn(text, `Do not use it in a plan. ${advice}`));
    }
  }
  return findings;
}

async function sandboxes(known: KnownRuntimes): Promise<Finding[]> {
  const findings = [];
  for (const [name, { path, runtimeArgs }] of Object.entries(known)) {
    if (!path || basename(path) !== sandboxName) continue;
    const version = await runProgram(path, ['--version']).catch(() => null);
    if (version === null) findings.push(fix(`cannot run the runtime ${name}: ${path}`, 'Install it.'));
    else findings.push(...judgeSandbox(name, version.join('\n'), { kernel: release(), flags: runtimeArgs ?? [] }));
  }
  return findings;
}

interface Surroundings {
  kernel: string;
  flags: string[];
}

/** `version` is what `runsc --version` prints. */
export function judgeSandbox(name: string, version: string, { kernel, flags }: Surroundings): Finding[] {
  const hasNone = flags.some((flag) => /^--?network=none$/.test(flag));
  const newer = 'Install a release of gVisor of August 2024 or later (gvisor.dev)';
  if (hasNone) return [warn(`bots in ${name} have no network (--network=none)`, `${newer} and remove the flag.`)];
  if (!sandboxLacksNetwork(version, kernel)) return [];
  const text = `the runtime ${name} is too old for Linux ${kernel}: no bot starts in it, and each attempt leaves processes behind`;
  return [fix(text, `${newer}, or add --network=none to its runtimeArgs, which leaves bots without a network.`)];
}

/** Known container escapes, by the versions of the components. */
export function judgeVersions(components: Component[]): Finding[] {
  const findings: Finding[] = [];
  for (const { Name, Version, Details } of components) {
    const open = holesOf(Name, Version);
    if (open.length === 0) continue;
    // Debian reports the version of its package there.
    const full = [Version, Details?.GitCommit ?? ''].find(isDistributionBuild);
    const text = `${Name} ${full ?? Version} has known vulnerabilities: ${open.join(', ')}`;
    if (full !== undefined)
      findings.push(
        warn(
          `${text}, unless the package has the fixes`,
          "Check your distribution's security tracker and keep the package up to date.",
        ),
      );
    else findings.push(fix(text, `Update ${Name}.`));
  }
  if (findings.length === 0 && components.length > 0) findings.push(ok('no known container escape in these versions'));
  return findings;
}

/** `SecurityOptions` of the engine: `name=seccomp,profile=default`. */
export function judgeFilters(options: string[]): Finding[] {
  const has = (name: string) => options.find((option) => option === name || option.startsWith(`name=${name}`));
  const findings: Finding[] = [];
  const seccomp = has('seccomp');
  if (!seccomp || /profile=unconfined/.test(seccomp))
    findings.push(
      fix(
        'the engine does not filter system calls (seccomp)',
        "Use a kernel with seccomp and the engine's default profile.",
      ),
    );
  else
    findings.push(ok(`system calls are filtered (seccomp)${has('apparmor') ? ', AppArmor is on' : '; no AppArmor'}`));
  if (has('rootless'))
    findings.push(
      fix(
        'the engine is rootless: it cannot give bots the uids from 100001 up',
        'Use an engine that runs as root; bots never run as root.',
      ),
    );
  if (has('userns'))
    findings.push(
      fix(
        'the engine remaps users (userns-remap): its map lacks the uids of bots, from 100001 up',
        'Remove userns-remap from daemon.json; each bot has its own unprivileged user anyway.',
      ),
    );
  return findings;
}
