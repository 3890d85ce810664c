// A systemd of the test's own, as the first process in namespaces of its own, with this checkout
// and a data folder that the machine's engine sees.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { runProgram } from '../../packages/server/src/core/lib/program.ts';
import { until } from '../../packages/server/test/support/until.ts';

const systemd = '/lib/systemd/systemd';
const controlGroups = '/sys/fs/cgroup';
const engineSocket = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace('unix://', '');
const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--propagation=unchanged'];

/** Why there can't be one here; null when there can. */
export function systemdFault(): string | null {
  if (process.getuid?.() !== 0) return 'namespaces of one’s own need root';
  if (!existsSync(systemd)) return 'there is no systemd on this machine';
  return null;
}

/** Where the checkout is in there. */
export const checkoutInside = '/srv/botel';

export class SystemdMachine {
  /** The same inside and outside, and shared: what is mounted in it is seen by both. */
  readonly directory: string;
  readonly #name: string;
  #process: ChildProcess | null = null;
  #pid = 0;

  private constructor(directory: string) {
    this.directory = directory;
    this.#name = `botel-systemd-${process.pid}`;
  }

  /** Resolves when systemd has begun its work. */
  static async open(): Promise<SystemdMachine> {
    // Not in /tmp, of which the api has one of its own.
    const machine = new SystemdMachine(mkdtempSync('/var/lib/botel-test-'));
    chmodSync(machine.directory, 0o711);
    try {
      await machine.#start();
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs a program in there; resolves with the last lines that it printed. Rejects with
   * ProgramError. */
  run(program: string, args: readonly string[], environment: Record<string, string> = {}): Promise<string[]> {
    const enter = [`--target=${this.#pid}`, '--mount', '--pid', '--ipc', '--uts', `--wdns=${checkoutInside}`];
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    return runProgram('nsenter', [...enter, '/usr/bin/env', ...variables, program, ...args]);
  }

  /** What a unit's processes get beside what it says, and where they print: /run/<unit>.log. */
  async addSettings(unit: string, settings: Record<string, string>): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `Environment="${name}=${value}"`);
    const output = ['StandardOutput', 'StandardError'].map((key) => `${key}=append:/run/${unit}.log`);
    const folder = this.#inside(`/etc/systemd/system/${unit}.service.d`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'test.conf'), ['[Service]', ...output, ...lines, ''].join('\n'));
    await this.run('systemctl', ['daemon-reload']);
  }

  /** One property of a unit. */
  async show(unit: string, property: string): Promise<string> {
    return (await this.run('systemctl', ['show', unit, '--value', `--property=${property}`])).join('\n');
  }

  /** Lines of /proc/<pid>/status of the unit's main process that say what it may do. */
  async rights(unit: string): Promise<string> {
    const path = `/proc/${await this.show(unit, 'MainPID')}/status`;
    return (await this.run('grep', ['-E', '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):', path])).join('\n');
  }

  /** The mount namespace of the unit's main process, and of systemd where there is none. */
  async mountNamespace(unit?: string): Promise<string> {
    const pid = unit ? await this.show(unit, 'MainPID') : '1';
    return (await this.run('readlink', [`/proc/${pid}/ns/mnt`])).join('');
  }

  /** Ends systemd and all that it started; what is mounted in the folder is gone, the folder is
   * left. */
  async end(): Promise<void> {
    if (this.#process && this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await exited;
    }
    await runProgram('umount', ['--recursive', '--lazy', this.directory]).catch(() => {
      // It was not mounted yet.
    });
    for (const group of this.#groups()) await until(async () => removeGroup(group));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.directory, { recursive: true });
  }

  async #start(): Promise<void> {
    await runProgram('mount', ['--bind', this.directory, this.directory]);
    await runProgram('mount', ['--make-shared', this.directory]);
    for (const group of this.#groups()) mkdirSync(group);
    const root = join(import.meta.dirname, 'probes/systemd-root.sh');
    const program = [root, this.directory, resolve(checkoutPath('.')), engineSocket, ...this.#groups()];
    // Whatever becomes of the test, it takes systemd with it.
    const enter = ['--pdeathsig=KILL', 'unshare', ...namespaces, '--fork', '--kill-child=KILL', ...program];
    this.#process = spawn('setpriv', enter, { stdio: ['ignore', 'ignore', 'inherit'] });
    this.#pid = await until(async () => this.#firstProcess());
    await until(() => this.run('systemctl', ['is-active', 'default.target']).catch(() => null));
  }

  /** As the machine sees it. */
  #firstProcess(): number | null {
    if (this.#process?.exitCode !== null) throw new Error('systemd did not start');
    const { pid } = this.#process;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()) || null;
  }

  #inside(path: string): string {
    return `/proc/${this.#pid}/root${path}`;
  }

  #groups(): string[] {
    const roots = ['systemd', 'unified', '.'].map((name) => join(controlGroups, name));
    return roots.filter((root) => existsSync(join(root, 'cgroup.procs'))).map((root) => join(root, this.#name));
  }
}

/** Whether it is gone; its processes may take a moment to be. */
function removeGroup(group: string): boolean {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(group, entry.name));
    rmdirSync(group);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code === 'EBUSY') return false;
    throw error;
  }
}
