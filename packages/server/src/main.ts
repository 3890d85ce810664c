// The operator's command line: parses arguments and hands over to commands/. Each command is loaded when it is used.
import { Command, CommanderError, Option } from 'commander';
import { SettingsError } from './core/config/env.ts';
import { botelVersion } from './core/config/version.ts';

const program = new Command('botel')
  .description('A hotel for bots: runs programs of others, each in a container of its own.')
  .version(botelVersion)
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) });

program
  .command('up')
  .description('prepare this machine, then serve in the foreground')
  .option('--demo', 'also start a demo bot and show its log')
  .option('--tls', 'with certificates, by a Caddy in front, which is installed where it is missing')
  .option('--yes', 'install the Docker Engine without asking')
  .action(async (options) => (await import('./cli/up.ts')).up(options));

program
  .command('serve')
  .description('serve in the foreground; the engine must be there')
  .addOption(
    new Option(
      '--role <half>',
      'one half of the server, the one that faces the network or the one with the engine; or the gateway of apps alone',
    ).choices(['api', 'agent', 'gateway']),
  )
  .action(async ({ role }) => {
    if (role === 'gateway') await (await import('./cli/serve-gateway.ts')).serveGateway();
    else await (await import('./cli/serve.ts')).serve({ role });
  });

program
  .command('install-service')
  .description('make this checkout a service of systemd')
  .addOption(
    new Option('--role <what>', 'one process with everything, its two halves and the gateway, or one of them')
      .choices(['single', 'split', 'api', 'agent', 'gateway'])
      .default('single'),
  )
  .option('--print', 'show the units and change nothing')
  .action(async (options) => (await import('./cli/install-service.ts')).installService(options));

program
  .command('doctor')
  .description('check engine, network, versions, disk, ports, database and permissions')
  .option('--json', 'print the checks as JSON')
  .action(async (options) => (await import('./cli/doctor.ts')).doctor(options));

program
  .command('test')
  .description(
    'run the tests (--quick: those of seconds; --all: also those of many minutes; --only tidy,unit,api,contract,browser,sim,docker,faults; --faults: the fault matrix; --runtime runsc: in gVisor)',
  );
program.command('bench').description('measure side by side against the raw engine and bare Node');

const admin = program.command('admin').description('accounts and tokens, straight in the database; the firewall');
const user = admin.command('user').description('accounts');
user
  .command('create <email>')
  .description('make an account; the password is read from standard input')
  .option('--admin', 'make it an admin')
  .action(async (email, options) => (await import('./cli/admin.ts')).createUser(email, options));
user
  .command('list')
  .description('list the accounts')
  .action(async () => (await import('./cli/admin.ts')).listUsers());
user
  .command('set-plan <email>')
  .description('give an account a plan of its own; what is left out stays as it is')
  .option('--memory <mb>', 'memory over all bots, in MB')
  .option('--bots <count>', 'number of bots')
  .option('--disk <mb>', 'disk of each bot, in MB; more of it from its next start on')
  .option('--apps <count>', 'number of apps')
  .option('--network <what>', 'what its bots reach: internet or none')
  .option('--runtime <name>', "container runtime of its bots, as the engine knows it; default: the install's")
  .option('--network-mbit <number>', 'bandwidth of each bot in Mbit/s, either way; 0: no limit')
  .action(async (email, options) => (await import('./cli/admin.ts')).setPlan(email, options));
admin
  .command('token <email>')
  .description('print a session token for an account')
  .action(async (email) => (await import('./cli/admin.ts')).printToken(email));

admin
  .command('remove-firewall')
  .description("take the rules of the bots' network out of this machine's firewall")
  .action(async () => (await import('./cli/remove-firewall.ts')).removeFirewall());

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = failure(error);
}

/** Prints what went wrong in one line per fault; returns the exit code: 2 for wrong usage or settings, else 1. */
function failure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof SettingsError) {
    for (const fault of error.faults) process.stderr.write(`botel: ${fault}\n`);
    return 2;
  }
  process.stderr.write(`botel: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}
