// Which bodies of a create call are a bot's container: field by field, with nothing beside. Written
// a second time, apart from create-body.ts, so that the tests can compare.
import { normalize } from 'node:path';
import { z } from 'zod';
import { labelNames } from '../../src/agent/engine/docker/create-body.ts';

export interface BodyBounds {
  installId: string;
  /** The bots' network. */
  networkName: string;
  /** The data folder: all that may be mounted is at its place in there. */
  directory: string;
}

const uuid = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
export const botName = new RegExp(`^bot_(${uuid})$`);
const minUid = 100_001;
const positive = z.int().positive();

const ulimit = (name: string) => z.strictObject({ Name: z.literal(name), Soft: z.int().min(0), Hard: z.int().min(0) });

/** Places in a container, what is mounted there (below the data folder), and whether it may be
 * written. */
const places: Record<string, { source: (botId: string) => RegExp; isWritable: boolean }> = {
  '/home/bot': { source: (botId) => new RegExp(`^homes/${botId}(/home)?$`), isWritable: true },
  '/etc/passwd': { source: (botId) => new RegExp(`^passwd/${botId}$`), isWritable: false },
  '/botel/launch': { source: () => /^launch$/, isWritable: false },
  '/botel/downloads': { source: () => /^downloads\/[a-z]+$/, isWritable: false },
};

const mount = z.strictObject({
  Type: z.literal('bind'),
  Source: z.string(),
  Target: z.enum(Object.keys(places)),
  ReadOnly: z.boolean(),
  BindOptions: z.strictObject({ Propagation: z.literal('rprivate') }),
});

function hostConfig({ networkName }: BodyBounds) {
  return z
    .strictObject({
      Init: z.literal(true),
      Runtime: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
      Privileged: z.literal(false),
      CapDrop: z.tuple([z.literal('ALL')]),
      SecurityOpt: z.tuple([z.literal('no-new-privileges')]),
      ReadonlyRootfs: z.literal(true),
      Memory: positive,
      MemorySwap: positive,
      CpuPeriod: z.literal(100_000),
      CpuQuota: positive,
      PidsLimit: z.int().min(1).max(512),
      Ulimits: z.tuple([ulimit('nofile'), ulimit('core')]),
      Tmpfs: z.strictObject({ '/tmp': z.string().regex(/^rw,exec,nosuid,nodev,size=\d+,mode=1777$/) }),
      ShmSize: positive,
      IpcMode: z.literal('private'),
      Mounts: z.array(mount).max(Object.keys(places).length),
      RestartPolicy: z.strictObject({ Name: z.literal('no'), MaximumRetryCount: z.literal(0) }),
      LogConfig: z.strictObject({
        Type: z.literal('json-file'),
        Config: z.strictObject({ 'max-size': z.literal('10m'), 'max-file': z.literal('3') }),
      }),
      OomScoreAdj: z.literal(500),
      NetworkMode: z.enum([networkName, 'none']),
      Dns: z.array(z.ipv4()),
      Sysctls: z.strictObject({ 'net.ipv6.conf.all.disable_ipv6': z.literal('1').optional() }),
      PublishAllPorts: z.literal(false),
      AutoRemove: z.literal(false),
    })
    .refine(({ Memory, MemorySwap }) => Memory === MemorySwap);
}

/** Whether a body is that of a bot's container, of the bot with the container's name. */
export function botBody(bounds: BodyBounds): (body: unknown, name: string) => boolean {
  const schema = z.strictObject({
    Image: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    User: z.string().regex(/^(\d{6,10}):\1$/),
    Entrypoint: z.array(z.string()).min(1),
    Cmd: z.tuple([]),
    Env: z.array(z.string()),
    WorkingDir: z.literal('/home/bot'),
    Tty: z.literal(false),
    OpenStdin: z.boolean(),
    StdinOnce: z.literal(false),
    Healthcheck: z.strictObject({ Test: z.tuple([z.literal('NONE')]) }),
    StopSignal: z.string().regex(/^SIG[A-Z]{2,8}$/),
    StopTimeout: z.int().min(0).max(300),
    Labels: z.strictObject({
      [labelNames.install]: z.literal(bounds.installId),
      [labelNames.bot]: z.string(),
      [labelNames.generation]: z.string().regex(/^\d+$/),
      [labelNames.run]: z.string().regex(/^\d+$/),
      [labelNames.spec]: z.string().regex(/^[0-9a-f]{64}$/),
    }),
    HostConfig: hostConfig(bounds),
  });
  return (body, name) => {
    const botId = botName.exec(name)?.[1];
    const read = schema.safeParse(body);
    if (!read.success || botId === undefined || read.data.Labels[labelNames.bot] !== botId) return false;
    if (Number(read.data.User.split(':')[0]) < minUid) return false;
    const mounts = read.data.HostConfig.Mounts;
    const isOnce = new Set(mounts.map(({ Target }) => Target)).size === mounts.length;
    return isOnce && mounts.every((each) => isOwnMount(each, botId, bounds.directory));
  };
}

function isOwnMount({ Source, Target, ReadOnly }: z.output<typeof mount>, botId: string, directory: string): boolean {
  const place = places[Target];
  if (!place || !Source.startsWith(`${directory}/`) || normalize(Source) !== Source) return false;
  return place.source(botId).test(Source.slice(directory.length + 1)) && (place.isWritable || ReadOnly);
}
