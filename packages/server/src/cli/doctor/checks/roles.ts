// The processes that serve this data folder, and whether they reach each other.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../core/config/config.ts';
import { lockNames } from '../../../core/data-folder/data-lock.ts';
import { groupId } from '../../../core/data-folder/share-data.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

/** The process that holds the lock of a role. */
interface Holder {
  pid: number;
  uid: number;
  groups: number[];
}

interface SocketFacts {
  uid: number;
  gid: number;
  /** Permission bits only. */
  mode: number;
  isSocket: boolean;
}

export interface RoleFacts {
  agent: Holder | null;
  api: Holder | null;
  /** A separate gateway; a whole Botel includes one. */
  gateway: Holder | null;
  /** Whether the settings enable a gateway. */
  wantsGateway: boolean;
  /** Null = does not exist. */
  agentSocket: SocketFacts | null;
  engineSocket: SocketFacts | null;
  /** Group of BOTEL_API_GROUP; null when unset here (it may be set in a systemd unit). */
  apiGroup: number | null;
}

export const roles: Check = {
  name: 'roles',
  async run(config) {
    try {
      return judgeRoles(await inspectRoles(config));
    } catch (error) {
      return [fix((error as Error).message, 'Create the group, or change BOTEL_API_GROUP.')];
    }
  },
};

/** Findings about the processes and the files between them. */
export function judgeRoles(facts: RoleFacts): Finding[] {
  const { agent, api } = facts;
  if (!agent && !api) return [ok('no Botel is running with this data folder')];
  if (!api) {
    const advice = 'Start it: systemctl start botel-api, or botel serve --role api.';
    return [fix(`the agent runs (process ${agent?.pid}), the api does not: no request is answered`, advice)];
  }
  if (!agent) {
    const advice = 'Start it: systemctl start botel-agent, or botel serve --role agent.';
    return [
      fix(
        `the api runs (process ${api.pid}), the agent does not: calls are accepted and carried out once it runs`,
        advice,
      ),
    ];
  }
  if (api.pid === agent.pid) return [ok(`api and agent run in one process (process ${api.pid})`)];
  return [
    ok(`api (process ${api.pid}, user ${api.uid}) and agent (process ${agent.pid}, user ${agent.uid}) run`),
    ...judgeUser('api', api, facts.engineSocket),
    ...judgeSocket(api, agent, facts),
    ...judgeGateway(facts),
  ];
}

function judgeGateway({ gateway, wantsGateway, engineSocket }: RoleFacts): Finding[] {
  if (gateway)
    return [
      ok(`the gateway (process ${gateway.pid}, user ${gateway.uid}) runs`),
      ...judgeUser('gateway', gateway, engineSocket),
    ];
  if (!wantsGateway) return [];
  const advice =
    'Start it: systemctl start botel-gateway, or botel serve --role gateway; or set BOTEL_GATEWAY_PORT=off.';
  return [warn('the gateway does not run: no app can be reached', advice)];
}

function judgeUser(name: string, process: Holder, engineSocket: SocketFacts | null): Finding[] {
  if (process.uid === 0)
    return [warn(`the ${name} runs as root`, 'Give it its own user: botel install-service --role split does.')];
  if (engineSocket && mayWrite(process, engineSocket))
    return [
      warn(`the ${name}'s user can open the engine's socket, which equals root`, 'Remove it from the group docker.'),
    ];
  return [];
}

function judgeSocket(api: Holder, agent: Holder, { agentSocket: socket, apiGroup }: RoleFacts): Finding[] {
  const restart = 'Restart the agent; both must have the same BOTEL_DATA_DIR and BOTEL_AGENT_SOCKET.';
  if (!socket) return [fix("the agent's socket is missing: the api cannot reach the agent", restart)];
  if (!socket.isSocket) return [fix("another file is in place of the agent's socket", 'Remove it. ' + restart)];
  if (socket.uid !== agent.uid || (socket.mode & 0o007) !== 0)
    return [
      fix(`the agent's socket is too open: owner ${socket.uid}, mode ${socket.mode.toString(8)}`, `Restart the agent.`),
    ];
  if (!mayWrite(api, socket))
    return [
      fix(
        `the api's user ${api.uid} is not in the group ${socket.gid} of the agent's socket`,
        "Set BOTEL_API_GROUP to the api's group for the agent, and restart both.",
      ),
    ];
  if (apiGroup !== null && apiGroup !== socket.gid)
    return [warn(`BOTEL_API_GROUP is ${apiGroup}, the agent's socket is for ${socket.gid}`, 'Restart the agent.')];
  return [ok("only the api's group can use the agent's socket")];
}

function mayWrite({ uid, groups }: Holder, socket: SocketFacts): boolean {
  if (uid === 0) return true;
  const bit = socket.uid === uid ? 0o200 : groups.includes(socket.gid) ? 0o020 : 0o002;
  return (socket.mode & bit) !== 0;
}

/** Rejects when BOTEL_API_GROUP is no group of this machine. */
async function inspectRoles(config: Config): Promise<RoleFacts> {
  const { dataDirectory, agentSocket, apiGroup, dockerHost, gatewayPort } = config;
  const locks = await readFile('/proc/locks', 'utf8').catch(() => '');
  const holder = (name: string) => holderOf(locks, join(dataDirectory, name));
  return {
    agent: await holder(lockNames.agent),
    api: await holder(lockNames.api),
    gateway: await holder(lockNames.gateway),
    wantsGateway: gatewayPort !== null,
    agentSocket: await socketAt(agentSocket),
    engineSocket: await socketAt(dockerHost.replace(/^unix:\/\//, '')),
    apiGroup: apiGroup === '' ? null : groupId(apiGroup),
  };
}

async function socketAt(path: string): Promise<SocketFacts | null> {
  const stats = await stat(path).catch(() => null);
  return stats && { uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o777, isSocket: stats.isSocket() };
}

/** Asks the kernel: trying to take the lock could keep a Botel from starting. */
async function holderOf(locks: string, path: string): Promise<Holder | null> {
  const stats = await stat(path).catch(() => null);
  const pid = stats && lockingProcess(locks, stats.ino);
  const status = pid && (await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null));
  if (!status) return null;
  const ids = (key: string) => (new RegExp(`^${key}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '').split(/\s+/).map(Number);
  // Real, effective, saved, file system.
  return { pid, uid: ids('Uid')[1] ?? 0, groups: [ids('Gid')[1] ?? 0, ...ids('Groups')] };
}

/** `locks`: /proc/locks. Ignores devices, since some file systems report two. */
export function lockingProcess(locks: string, inode: number): number | null {
  const sqliteBytes = 0x4000_0000;
  for (const line of locks.split('\n')) {
    const [, pid, on, from] = /POSIX\s+\S+\s+WRITE\s+(\d+)\s+\S+:(\d+)\s+(\d+)\s/.exec(line) ?? [];
    if (Number(on) === inode && Number(from) >= sqliteBytes) return Number(pid);
  }
  return null;
}
