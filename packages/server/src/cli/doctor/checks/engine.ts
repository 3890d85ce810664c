// The container engine: whether it answers, can limit resources, and lets bots survive its restart.
import { engineInfo } from '../../setup/engine-info.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

/** The relevant parts of the engine's description. */
interface EngineDescription {
  ServerVersion: string;
  CgroupVersion?: string;
  MemoryLimit: boolean;
  SwapLimit: boolean;
  CpuCfsQuota: boolean;
  PidsLimit: boolean;
  LiveRestoreEnabled: boolean;
  DockerRootDir: string;
}

export const engine: Check = {
  name: 'engine',
  async run(config) {
    if (config.engine === 'fake') return [warn('BOTEL_ENGINE is fake: bots do not really run')];
    try {
      return judgeEngine(await engineInfo(config.dockerHost));
    } catch (error) {
      return [
        fix(
          `no engine answers at ${config.dockerHost} (${(error as Error).message})`,
          'Run ./botel up, or start the Docker Engine.',
        ),
      ];
    }
  },
};

function judgeEngine(info: EngineDescription): Finding[] {
  const findings = [ok(`Docker Engine ${info.ServerVersion}, cgroup v${info.CgroupVersion ?? '1'}`)];
  const limits = { memory: info.MemoryLimit, swap: info.SwapLimit, cpu: info.CpuCfsQuota, pids: info.PidsLimit };
  const missing = Object.entries(limits)
    .filter(([, present]) => !present)
    .map(([name]) => name);
  if (missing.length === 0) findings.push(ok('memory, swap, CPU and process limits work'));
  else
    findings.push(
      fix(
        `the kernel cannot limit: ${missing.join(', ')}`,
        'Enable these cgroup controllers (kernel command line: cgroup_enable=memory swapaccount=1).',
      ),
    );
  if (info.LiveRestoreEnabled) findings.push(ok('live-restore is on: bots survive a restart of the engine'));
  else
    findings.push(
      warn(
        'live-restore is off: a restart of the engine restarts all bots',
        'Set "live-restore": true in /etc/docker/daemon.json and reload the engine.',
      ),
    );
  return findings;
}
