// Turns a ContainerSpec into the body of the create call, with all hardening of a bot's container.
// Sets every field that matters instead of relying on the engine's defaults. Pure.
import { sha256 } from '../../../core/lib/ids.ts';
import type { ContainerSpec } from '../engine.ts';
import { pidsLimitIn } from './oci-runtime.ts';

/** Placement of containers; the same for all bots of an install. */
export interface Placement {
  installId: string;
  networkName: string;
  /** IPv4 addresses of name servers; [] leaves the choice to the engine. */
  resolvers: string[];
  /** OCI runtime of specs that name none, e.g. `runc`. */
  runtime: string;
  /** False only on a host whose kernel has no IPv6 at all: the sysctl does not exist there. */
  hostHasIpv6: boolean;
}

/** Names of the labels that mark a container as this install's. */
export const labelNames = {
  install: 'botel.install',
  bot: 'botel.bot',
  generation: 'botel.generation',
  run: 'botel.run',
  spec: 'botel.spec',
} as const;

/** Body of `POST /containers/create` (API 1.41). */
export function createBody(spec: ContainerSpec, placement: Placement) {
  return {
    Image: spec.imageId,
    User: `${spec.uid}:${spec.uid}`,
    // Only the entry point: init runs it unchanged, and the image's own Cmd is not used.
    Entrypoint: spec.argv,
    Cmd: [],
    Env: spec.environment,
    WorkingDir: spec.workingDirectory,
    Tty: false,
    // StdinOnce stays false: the end of one write must not end the program's input.
    OpenStdin: spec.stdin,
    StdinOnce: false,
    Healthcheck: { Test: ['NONE'] },
    StopSignal: spec.stopSignal,
    StopTimeout: spec.stopGraceSeconds,
    Labels: labelsOf(spec, placement.installId),
    HostConfig: hostConfig(spec, placement),
  };
}

function hostConfig(spec: ContainerSpec, placement: Placement) {
  const runtime = spec.runtime ?? placement.runtime;
  return {
    Init: true,
    Runtime: runtime,
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    ReadonlyRootfs: true,
    Memory: spec.memoryBytes,
    // Without it the default would be twice the memory.
    MemorySwap: spec.memoryBytes,
    CpuPeriod: spec.cpuPeriodMicros,
    CpuQuota: spec.cpuQuotaMicros,
    PidsLimit: pidsLimitIn(runtime, spec.pidsLimit),
    Ulimits: [
      { Name: 'nofile', Soft: spec.openFilesLimit, Hard: spec.openFilesLimit },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    // The engine adds noexec unless exec is given; just-in-time compilers and native libraries need
    // exec. The image's own /tmp determines the mode where it exists.
    Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,size=${spec.tmpBytes},mode=1777` },
    ShmSize: spec.shmBytes,
    IpcMode: 'private',
    // Not Binds: the engine creates a missing source of those, as root.
    Mounts: spec.mounts.map((mount) => ({
      Type: 'bind',
      Source: mount.source,
      Target: mount.target,
      ReadOnly: mount.readOnly,
      BindOptions: { Propagation: 'rprivate' },
    })),
    RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
    OomScoreAdj: 500,
    NetworkMode: spec.network === 'none' ? 'none' : placement.networkName,
    Dns: spec.network === 'none' ? [] : placement.resolvers,
    Sysctls: placement.hostHasIpv6 ? { 'net.ipv6.conf.all.disable_ipv6': '1' } : {},
    PublishAllPorts: false,
    AutoRemove: false,
  };
}

function labelsOf(spec: ContainerSpec, installId: string): Record<string, string> {
  return {
    [labelNames.install]: installId,
    [labelNames.bot]: spec.botId,
    [labelNames.generation]: String(spec.generation),
    [labelNames.run]: String(spec.run),
    [labelNames.spec]: sha256(JSON.stringify(spec)),
  };
}
