// `botel install-service`: installs this checkout as systemd services, in one process or several.
import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkoutPath } from '../core/lib/checkout.ts';
import { runProgram } from '../core/lib/program.ts';
import { closedFolders, type ServiceRole, serviceUnits, type Unit } from './setup/service-units.ts';
import { groupId } from '../core/data-folder/share-data.ts';
import { ownConfig } from './own-config.ts';

const unitDirectory = '/etc/systemd/system';
/** Exists when systemd booted the machine. */
const systemdFolder = '/run/systemd/system';
/** User of the api. The gateway shares its group, which the agent gives access to the database. */
const apiUser = 'botel';
const gatewayUser = 'botel-gateway';
/** Time for the rest of a stop after the grace period of all bots. */
const stopSlackSeconds = 60;

export interface InstallServiceOptions {
  role: ServiceRole;
  /** Prints the units and changes nothing. */
  print?: boolean;
}

export async function installService({ role, print }: InstallServiceOptions): Promise<void> {
  const { dataDirectory, botsOnExit, gatewayPort } = ownConfig();
  const checkout = resolve(checkoutPath('.'));
  const stopSeconds = stopSlackSeconds + (botsOnExit === 'stop' ? 300 : 0);
  const units = serviceUnits(role, { checkout, dataDirectory, stopSeconds }).filter(
    ({ name }) => role === 'gateway' || gatewayPort !== null || name !== 'botel-gateway.service',
  );
  const users = [...new Set(units.flatMap(({ text }) => /^User=(.*)$/m.exec(text)?.[1] ?? []))];
  if (print) {
    for (const { name, text } of units) console.log(`# ${join(unitDirectory, name)}\n${text}`);
    return;
  }
  if (!existsSync(systemdFolder)) {
    const commands = units.map(({ text }) => /^ExecStart=(.*)$/m.exec(text)?.[1] ?? '');
    throw new Error(
      `This machine does not run systemd. Run these under your own supervisor${users.length > 0 ? ' (api and gateway as separate users)' : ''}:\n${commands.map((command) => `  ${command}`).join('\n')}\n--print shows the units.`,
    );
  }
  if (process.getuid?.() !== 0) throw new Error('Only root can install services: use sudo');
  refuseUnmanaged(units);
  if (users.length > 0) await prepareUsers(users, checkout, dataDirectory);
  for (const { name, text } of units) writeFileSync(join(unitDirectory, name), text, { mode: 0o644 });
  await runProgram('systemctl', ['daemon-reload']);
  const names = units.map(({ name }) => name);
  await runProgram('systemctl', ['enable', ...names]);
  console.log(`Installed ${names.join(' and ')}. Start with:\n\n  systemctl start ${names.join(' ')}\n`);
}

/** Refuses to overwrite units that Botel did not write. */
function refuseUnmanaged(units: Unit[]): void {
  for (const { name } of units) {
    const path = join(unitDirectory, name);
    if (existsSync(path) && !readFileSync(path, 'utf8').includes('`botel install-service'))
      throw new Error(`${path} is not a unit of Botel: move it away first`);
  }
}

/** Creates the users of api and gateway, who need access to checkout, settings and data folder. */
async function prepareUsers(users: string[], checkout: string, dataDirectory: string): Promise<void> {
  const closed = [...new Set([...closedFolders(checkout), ...closedFolders(dataDirectory)])];
  if (closed.length > 0)
    throw new Error(`The user ${users[0]} cannot enter ${closed.join(', ')}: move the checkout and the data elsewhere`);
  await makeUser(apiUser, ['--user-group']);
  if (users.includes(gatewayUser)) await makeUser(gatewayUser, ['--gid', apiUser]);
  const settings = join(checkout, '.env');
  if (!existsSync(settings)) return;
  chownSync(settings, 0, groupId(apiUser));
  chmodSync(settings, 0o640);
  console.log(`${settings} is now readable by the group ${apiUser}.`);
}

async function makeUser(name: string, group: string[]): Promise<void> {
  if (
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .some((line) => line.startsWith(`${name}:`))
  )
    return;
  const places = ['--no-create-home', '--home-dir', '/', '--shell', '/usr/sbin/nologin'];
  await runProgram('useradd', ['--system', ...group, ...places, name]);
}
