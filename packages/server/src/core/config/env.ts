// The only reader of process.env: each setting with its name, default, meaning and check.
import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { addressList, proxyList, rangeList, targetList } from './addresses.ts';
import { appSettings } from './app-settings.ts';
import { checked, oneOf, packageNames, text, wholeNumber } from './setting-kinds.ts';
import { testHookNames } from './test-hooks.ts';

const mebibyte = 1024 * 1024;

/** Packages that authors need most often; none of them starts a service. */
const usualPackages = [
  'build-essential',
  'curl',
  'espeak-ng',
  'ffmpeg',
  'fonts-dejavu-core',
  'fonts-noto-color-emoji',
  'ghostscript',
  'git',
  'graphviz',
  'imagemagick',
  'jq',
  'poppler-utils',
  'python3',
  'sox',
  'sqlite3',
  'tesseract-ocr',
  'tzdata',
  'unzip',
  'webp',
  'zip',
];

/** All settings, in the order of .env.example. */
export const settings = {
  host: text('BOTEL_HOST', '127.0.0.1', 'Address the API listens on.'),
  port: wholeNumber('BOTEL_PORT', [8080, 0, 65_535], 'Port the API listens on; 0 picks a free one.'),
  publicUrl: checked(
    text('BOTEL_PUBLIC_URL', '', 'Public address of Botel; default http://<host>:<port>.'),
    /^https?:\/\/[^\s/?#]+$/,
    'must be an http or https address without a path',
  ),
  trustedProxies: {
    ...text(
      'BOTEL_TRUST_PROXY',
      '127.0.0.1,::1',
      'Comma-separated addresses and ranges of trusted proxies, whose X-Forwarded-For counts; none trusts no proxy.',
    ),
    read: proxyList,
  },
  dataDirectory: text('BOTEL_DATA_DIR', './data', "Folder of the database and the bots' files."),
  agentSocket: text(
    'BOTEL_AGENT_SOCKET',
    '',
    'Unix socket of the agent (serve --role); default agent.sock in the data folder.',
  ),
  apiGroup: checked(
    text(
      'BOTEL_API_GROUP',
      '',
      'Group of the api process (serve --role api), by name or number; the agent gives it access to database, key and socket.',
    ),
    /^([a-z_][a-z0-9_-]{0,31}|\d{1,10})$/,
    'must be the name or number of a group',
  ),
  secretKeyFile: text(
    'BOTEL_SECRET_KEY_FILE',
    '',
    "File with the key that encrypts bots' variables; default secret.key in the data folder. Created at the first start.",
  ),
  ...appSettings,
  engine: oneOf(
    'BOTEL_ENGINE',
    ['docker', 'fake'],
    'What runs the bots: docker, or fake (runs nothing; for trying the API).',
  ),
  dockerHost: checked(
    text(
      'BOTEL_DOCKER_HOST',
      '',
      'Address of the Docker engine on this machine; default DOCKER_HOST, else the local socket.',
    ),
    /^(unix:\/\/\/.+|tcp:\/\/[^\s/]+)$/,
    'must begin with unix:/// or tcp://',
  ),
  containerRuntime: checked(
    text('BOTEL_CONTAINER_RUNTIME', 'runc', "OCI runtime of the bots, by the engine's name for it."),
    /^[A-Za-z0-9_.-]+$/,
    'must be the name of a runtime',
  ),
  network: checked(
    text(
      'BOTEL_NETWORK',
      'botel',
      'Docker network of the bots. Installs with different firewall settings need different networks.',
    ),
    /^[a-z0-9][a-z0-9-]{0,13}$/,
    'must be 1 to 14 lower case letters, digits and hyphens',
  ),
  firewall: oneOf(
    'BOTEL_FIREWALL',
    ['on', 'off'],
    'Whether Botel maintains firewall rules that limit bots to the internet; off if you do that yourself.',
  ),
  resolvers: {
    ...text('BOTEL_RESOLVERS', '', "IPv4 addresses of the bots' name servers; default this machine's."),
    read: addressList,
  },
  allowCidrs: {
    ...text(
      'BOTEL_ALLOW_CIDRS',
      '',
      'Private addresses that bots may reach: 192.0.2.10, 192.0.2.0/24, 192.0.2.10:5432/tcp.',
    ),
    read: targetList,
  },
  blockCidrs: {
    ...text('BOTEL_BLOCK_CIDRS', '', 'More addresses that bots may not reach, such as 192.0.2.0/24.'),
    read: rangeList,
  },
  imageSource: oneOf(
    'BOTEL_IMAGE_SOURCE',
    ['auto', 'pull', 'build'],
    'Source of runtime images: pull (from a registry), build (on this machine), or auto (pull if a registry answers).',
  ),
  extraCaFile: text('BOTEL_EXTRA_CA_FILE', '', 'PEM file of additional certificate authorities that bots trust.'),
  packages: packageNames(
    'BOTEL_PACKAGES',
    usualPackages,
    'Comma-separated Debian packages that bots may request; none allows none.',
  ),
  adminEmail: text('BOTEL_ADMIN_EMAIL', '', 'Email of the first admin, created at the start if no account exists.'),
  adminPassword: text('BOTEL_ADMIN_PASSWORD', '', 'Password of the first admin, 12 to 200 characters.'),
  registration: oneOf('BOTEL_REGISTRATION', ['closed', 'open'], 'Who may register: no one (closed) or anyone (open).'),
  registrationPercent: wholeNumber(
    'BOTEL_REGISTRATION_MEMORY_PERCENT',
    [400, 1, 1_000_000],
    "Open registration is refused once all accounts' plans promise more than this percent of the machine's memory.",
  ),
  maxConnections: wholeNumber(
    'BOTEL_MAX_CONNECTIONS',
    [4096, 16, 1_000_000],
    'Maximum open connections; beyond it Botel closes those that have been idle longest.',
  ),
  connectionsPerAddress: wholeNumber(
    'BOTEL_CONNECTIONS_PER_ADDRESS',
    [256, 1, 1_000_000],
    'Maximum open connections per address; trusted proxies are exempt.',
  ),
  rateUser: wholeNumber('BOTEL_RATE_USER', [600, 1, 1_000_000], 'Requests per account and minute.'),
  rateLifecycle: wholeNumber(
    'BOTEL_RATE_LIFECYCLE',
    [30, 1, 1_000_000],
    'Starts, stops, restarts, kills and reinstalls per bot and minute.',
  ),
  rateSignIn: wholeNumber(
    'BOTEL_RATE_SIGN_IN',
    [10, 1, 1_000_000],
    'Logins, registrations and set-ups per minute, counted per address and per account.',
  ),
  ratePublic: wholeNumber(
    'BOTEL_RATE_PUBLIC',
    [120, 1, 1_000_000],
    'Requests without a valid token per address and minute.',
  ),
  streamsPerUser: wholeNumber('BOTEL_STREAMS_PER_USER', [10, 1, 10_000], 'Open streams and log downloads per account.'),
  planMemoryMb: wholeNumber(
    'BOTEL_DEFAULT_PLAN_MEMORY_MB',
    [4096, 128, 1_048_576],
    'Memory in the default plan for all bots of an account, in MB.',
  ),
  planBots: wholeNumber('BOTEL_DEFAULT_PLAN_BOTS', [10, 1, 100_000], 'Number of bots in the default plan.'),
  logBytesPerBot: wholeNumber(
    'BOTEL_LOG_BYTES_PER_BOT',
    [256 * mebibyte, mebibyte, 1024 * 1024 * mebibyte],
    'Bytes of log kept per bot; the oldest lines are deleted first.',
  ),
  uploadBytes: wholeNumber(
    'BOTEL_UPLOAD_BYTES',
    [100 * mebibyte, 1024, 1024 * 1024 * mebibyte],
    'Largest upload in bytes.',
  ),
  buildMemoryMb: wholeNumber(
    'BOTEL_BUILD_MEMORY_MB',
    [1024, 256, 1_048_576],
    'Minimum memory of a build, in MB; larger bots build with their own.',
  ),
  buildSeconds: wholeNumber('BOTEL_BUILD_SECONDS', [600, 10, 86_400], 'Maximum duration of a build, in seconds.'),
  downloadCacheMb: wholeNumber(
    'BOTEL_DOWNLOAD_CACHE_MB',
    [2048, 0, 1_048_576],
    'Size of the cache of public npm packages shared by all builds, in MB; 0 disables it.',
  ),
  npmRegistry: checked(
    text(
      'BOTEL_NPM_REGISTRY',
      'https://registry.npmjs.org/',
      'Registry of those packages, used without credentials; whatever it serves without a login counts as public.',
    ),
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?$/,
    'must be an http or https address without credentials, query and fragment',
  ),
  diskQuota: oneOf(
    'BOTEL_DISK_QUOTA',
    ['auto', 'soft', 'loop'],
    'How disk limits are enforced: soft (files are counted), loop (each new bot gets an ext4 image), or auto (loop if this machine can).',
  ),
  diskWarnPercent: wholeNumber(
    'BOTEL_DISK_WARN_PERCENT',
    [85, 1, 100],
    'Disk usage, of the data folder or the engine, from which the log and the doctor warn.',
  ),
  diskRefusePercent: wholeNumber(
    'BOTEL_DISK_REFUSE_PERCENT',
    [95, 1, 100],
    'Disk usage from which Botel refuses new work (uploads, new bots, backups, builds, images); 100 never refuses.',
  ),
  stopGraceSeconds: wholeNumber(
    'BOTEL_STOP_GRACE_SECONDS',
    [10, 1, 300],
    'Seconds between the stop signal and SIGKILL, for new bots.',
  ),
  botsOnExit: oneOf(
    'BOTEL_BOTS_ON_EXIT',
    ['keep', 'stop'],
    'Running bots when Botel ends: keep them running, or stop them until its next start.',
  ),
  logLevel: oneOf('BOTEL_LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent'], "Minimum level of Botel's own log."),
} as const;

export type SettingValues = { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]['read']> };

/** Invalid settings; one line per fault. */
export class SettingsError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** An empty value counts as unset. Throws SettingsError with every fault. */
export function readSettings(environment: Record<string, string | undefined>): SettingValues {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings)) {
    try {
      values[key] = setting.read(environment[setting.name] || setting.fallback);
    } catch (error) {
      faults.push(`${setting.name} ${(error as Error).message}`);
    }
  }
  const known = new Set<string>([...Object.values(settings).map((setting) => setting.name), ...testHookNames]);
  for (const name of Object.keys(environment)) {
    if (name.startsWith('BOTEL_') && !known.has(name)) faults.push(`${name} is not a setting of Botel`);
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return values as SettingValues;
}

/** Of these, programs that Botel starts need none, and some are secrets. */
const withheld = /^BOTEL_|PASSWORD|SECRET|TOKEN|_KEY$/i;

/**
 * The process environment, over the `.env` file in `directory` when there is one. Removes settings
 * and secrets from it, so that child programs don't inherit them: call it once.
 */
export function processEnvironment(directory: string): Record<string, string | undefined> {
  const file = `${directory}/.env`;
  if (existsSync(file)) loadEnvFile(file);
  const environment = { ...process.env };
  for (const name of Object.keys(environment)) if (withheld.test(name)) delete process.env[name];
  return environment;
}
