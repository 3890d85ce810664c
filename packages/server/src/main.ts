// The operator's command line: parses arguments and hands over to cli/. Each command is loaded when
// it is used.
import { Command, CommanderError, Option } from 'commander';
import { SettingsError } from './core/config/env.ts';
import { botelVersion } from './core/config/version.ts';

const program = new Command('botel')
  .description("A hotel for bots: runs other people's programs, each in its own container.")
  .version(botelVersion)
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) });

program
  .command('up')
  .description('prepare this machine, then serve in the foreground')
  .option('--demo', 'also start a demo bot and show its log')
  .option('--tls', 'serve over https with Caddy, installed if missing')
  .option('--yes', 'install the Docker engine without asking')
  .action(async (options) => (await import('./cli/up.ts')).up(options));

program
  .command('serve')
  .description('serve in the foreground with an existing engine')
  .addOption(
    new Option(
      '--role <process>',
      'one process only: api (faces the network), agent (runs bots) or gateway (serves apps)',
    ).choices(['api', 'agent', 'gateway']),
  )
  .action(async ({ role }) => {
    if (role === 'gateway') await (await import('./cli/serve-gateway.ts')).serveGateway();
    else await (await import('./cli/serve.ts')).serve({ role });
  });

program
  .command('install-service')
  .description('install this checkout as a systemd service')
  .addOption(
    new Option('--role <processes>', 'one process (single), three (split), or one of the three')
      .choices(['single', 'split', 'api', 'agent', 'gateway'])
      .default('single'),
  )
  .option('--print', 'print the units without installing them')
  .action(async (options) => (await import('./cli/install-service.ts')).installService(options));

program
  .command('doctor')
  .description('check engine, network, versions, disk, ports, database and permissions')
  .option('--json', 'print the checks as JSON')
  .action(async (options) => (await import('./cli/doctor.ts')).doctor(options));

program
  .command('test')
  .description(
    'run the tests (--quick: those of seconds; --all: also those of many minutes; --only tidy,unit,homes,api,contract,browser,sim,docker,faults; --faults: the fault matrix; --runtime runsc: in gVisor)',
  );
program.command('bench').description('measure against the raw engine and bare Node.js');

const admin = program.command('admin').description('accounts and tokens, directly in the database; firewall removal');
const user = admin.command('user').description('accounts');
user
  .command('create <email>')
  .description('create an account; reads the password from standard input')
  .option('--admin', 'with the role admin')
  .action(async (email, options) => (await import('./cli/admin.ts')).createUser(email, options));
user
  .command('list')
  .description('list the accounts')
  .action(async () => (await import('./cli/admin.ts')).listUsers());
user
  .command('set-plan <email>')
  .description('give an account its own plan; omitted options keep their values')
  .option('--memory <mb>', 'memory over all bots, in MB')
  .option('--bots <count>', 'number of bots')
  .option('--disk <mb>', 'disk per bot, in MB; a larger one applies from the next start')
  .option('--apps <count>', 'number of apps')
  .option('--network <what>', 'what its bots reach: internet or none')
  .option('--runtime <name>', "container runtime of its bots, by the engine's name for it, or default")
  .option('--network-mbit <number>', 'bandwidth per bot in Mbit/s, each direction; 0 for no limit')
  .action(async (email, options) => (await import('./cli/admin.ts')).setPlan(email, options));
admin
  .command('token <email>')
  .description('print a session token for an account')
  .action(async (email) => (await import('./cli/admin.ts')).printToken(email));

admin
  .command('remove-firewall')
  .description("remove Botel's rules from this machine's firewall")
  .action(async () => (await import('./cli/remove-firewall.ts')).removeFirewall());

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = failure(error);
}

/** Prints what went wrong in one line per fault; returns the exit code: 2 for wrong usage or
 * settings, else 1. */
function failure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof SettingsError) {
    for (const fault of error.faults) process.stderr.write(`botel: ${fault}\n`);
    return 2;
  }
  process.stderr.write(`botel: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}
