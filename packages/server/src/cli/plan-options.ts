// The options of `admin user set-plan`: the changes that they make, and the text of a plan. Pure.
import { diskMinMb } from '@botel/contract/bots';
import { botNetworks } from '@botel/contract/vocabulary';
import { memoryMinMb, type Plan } from '../core/domain/quota.ts';

/** As typed; absent options change nothing. */
export interface PlanOptions {
  memory?: string;
  bots?: string;
  disk?: string;
  apps?: string;
  network?: string;
  networkMbit?: string;
  runtime?: string;
}

/** Throws a plain sentence about an invalid option. */
export function planChange(options: PlanOptions): Partial<Plan> {
  const mbit = wholeNumber('--network-mbit', options.networkMbit, 0);
  return {
    ...given('memoryMb', wholeNumber('--memory', options.memory, memoryMinMb)),
    ...given('bots', wholeNumber('--bots', options.bots, 1)),
    ...given('diskMb', wholeNumber('--disk', options.disk, diskMinMb)),
    ...given('apps', wholeNumber('--apps', options.apps, 0)),
    ...given('internet', internetOf(options.network)),
    ...given('networkMbit', mbit === 0 ? null : mbit),
    ...given('containerRuntime', runtimeOf(options.runtime)),
  };
}

/** Describes the limits of a plan. */
export function planText({ memoryMb, bots, diskMb, apps }: Plan): string {
  return `${memoryMb} MB, ${bots} bots of ${diskMb} MB disk each, ${apps} apps`;
}

function given<K extends keyof Plan>(key: K, value: Plan[K] | undefined): Partial<Plan> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Plan>);
}

function wholeNumber(name: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min)) throw new Error(`${name} must be a whole number, at least ${min}`);
  return value;
}

function internetOf(network: string | undefined): boolean | undefined {
  if (network === undefined) return undefined;
  const known = botNetworks.find((each) => each === network);
  if (!known) throw new Error('--network must be internet or none');
  return known === 'internet';
}

function runtimeOf(runtime: string | undefined): string | null | undefined {
  if (runtime === undefined) return undefined;
  if (!/^[A-Za-z0-9_.-]+$/.test(runtime)) throw new Error('--runtime must be the name of a runtime');
  return runtime === 'default' ? null : runtime;
}
