// Runs the programs of iptables: reads the filter table and changes it in one atomic step.
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { ProgramError, startProgram, systemPath } from '../../core/lib/program.ts';
import type { Family } from './rules.ts';
import { parseTable, type Table } from './table.ts';

const deadlineMs = 20_000;
const waitForOthersSeconds = '10';

export interface Tables {
  /** The families that the kernel supports. */
  families(): Family[];
  /** Rejects with an Error for the operator to read. */
  read(family: Family): Promise<Table>;
  /** Atomic: applies everything, or nothing and rejects. */
  restore(family: Family, input: string): Promise<void>;
}

/** `variant` is the machine's default when omitted; `-nft` and `-legacy` choose one. */
export function systemTables(variant: '' | '-nft' | '-legacy' = ''): Tables {
  const program = (family: Family, verb: string) => `${family === 'v4' ? 'iptables' : 'ip6tables'}${variant}-${verb}`;
  return {
    families: () => (existsSync('/proc/sys/net/ipv6') ? ['v4', 'v6'] : ['v4']),
    read: async (family) => parseTable(await run(program(family, 'save'), ['-t', 'filter'])),
    async restore(family, input) {
      await run(program(family, 'restore'), ['--noflush', '--wait', waitForOthersSeconds], input);
    },
  };
}

async function run(file: string, args: string[], input?: string): Promise<string> {
  try {
    const program = startProgram(file, args, {
      environment: { PATH: systemPath },
      input,
      signal: AbortSignal.timeout(deadlineMs),
    });
    const printed = await text(program.stdout);
    await program.ended;
    return printed;
  } catch (error) {
    const lines = error instanceof ProgramError && !error.missing ? error.lines.slice(-3) : [];
    throw new Error([(error as Error).message, ...lines].join(': '), { cause: error });
  }
}
