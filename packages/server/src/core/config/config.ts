// The program's configuration: absolute paths, dependent defaults, cross-checks.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArmedFailpoint } from '../lib/failpoint.ts';
import { readSettings, SettingsError, type SettingValues } from './env.ts';
import { readCheapPasswords, readFailpoint } from './test-hooks.ts';

/** Typed and complete; paths are absolute. Sizes in bytes or MB, times in seconds, as named. */
export interface Config extends Omit<SettingValues, 'network' | 'gatewayPort'> {
  /** 0 = any free port; null = no gateway. */
  gatewayPort: number | null;
  /** Whether the operator set the port: the server then fails to start when the port is taken. */
  gatewayPortIsGiven: boolean;
  /** The engine's bridge network for bots, and the name of its interface on the machine. */
  network: { name: string; bridge: string };
  /** Whether responses are validated against their schema before sending (tests). */
  checkResponses: boolean;
  /** The failpoint that a test armed. */
  failpoint: ArmedFailpoint | null;
  /** Whether a test wants nearly free password hashes. */
  cheapPasswords: boolean;
}

/** Builds a Config; relative paths start at `directory`. Throws SettingsError. */
export function loadConfig(environment: Record<string, string | undefined>, directory: string): Config {
  const values = readSettings(environment);
  const faults: string[] = [];
  if (Boolean(values.adminEmail) !== Boolean(values.adminPassword)) {
    faults.push('BOTEL_ADMIN_EMAIL and BOTEL_ADMIN_PASSWORD must be set together');
  }
  if (values.adminPassword && (values.adminPassword.length < 12 || values.adminPassword.length > 200)) {
    faults.push('BOTEL_ADMIN_PASSWORD must be between 12 and 200 characters');
  }
  if (values.adminEmail && !/^[^\s@]+@[^\s@]+$/.test(values.adminEmail))
    faults.push('BOTEL_ADMIN_EMAIL must be an email address');
  if (values.extraCaFile && !existsSync(resolve(directory, values.extraCaFile))) {
    faults.push('BOTEL_EXTRA_CA_FILE must name a file that exists');
  }
  if (values.diskWarnPercent > values.diskRefusePercent) {
    faults.push('BOTEL_DISK_WARN_PERCENT must not be more than BOTEL_DISK_REFUSE_PERCENT');
  }
  if (!URL.canParse(values.npmRegistry)) faults.push('BOTEL_NPM_REGISTRY must be an http or https address');
  const appsUrl = values.appsUrl || `https://*.${values.appsDomain}`;
  if (values.appsUrl && URL.parse(appsUrl.replace('*', 'app'))?.hostname !== `app.${values.appsDomain}`) {
    faults.push('BOTEL_APPS_URL must be an address below BOTEL_APPS_DOMAIN');
  }
  const gatewayPort = values.gatewayPort === undefined ? (values.port === 0 ? 0 : values.port + 1) : values.gatewayPort;
  if (gatewayPort !== null && gatewayPort > 65_535)
    faults.push('BOTEL_GATEWAY_PORT must be set, as there is no port after BOTEL_PORT');
  const failpoint = collect(faults, () => readFailpoint(environment));
  const cheapPasswords = collect(faults, () => readCheapPasswords(environment)) ?? false;
  if (faults.length > 0) throw new SettingsError(faults);
  return {
    ...values,
    appsUrl,
    dataDirectory: resolve(directory, values.dataDirectory),
    secretKeyFile: resolve(directory, values.secretKeyFile || join(values.dataDirectory, 'secret.key')),
    agentSocket: resolve(directory, values.agentSocket || join(values.dataDirectory, 'agent.sock')),
    npmRegistry: new URL(`${values.npmRegistry.replace(/\/+$/, '')}/`).href,
    extraCaFile: values.extraCaFile && resolve(directory, values.extraCaFile),
    dockerHost: values.dockerHost || environment.DOCKER_HOST || 'unix:///var/run/docker.sock',
    diskQuota: values.diskQuota === 'auto' && values.engine === 'fake' ? 'soft' : values.diskQuota,
    gatewayPort,
    gatewayPortIsGiven: values.gatewayPort !== undefined,
    network: { name: values.network, bridge: `${values.network}0` },
    checkResponses: false,
    failpoint,
    cheapPasswords,
  };
}

/** Returns the value, or null after adding the fault to the list. */
function collect<T>(faults: string[], read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    faults.push((error as Error).message);
    return null;
  }
}
