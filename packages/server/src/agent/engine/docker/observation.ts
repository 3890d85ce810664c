// Turns an inspect answer into an Observation. Pure.
import type { Observation } from '../engine.ts';
import { labelNames } from './create-body.ts';

/** The used parts of an inspect answer. */
export interface InspectBody {
  Id: string;
  Config: { Labels: Record<string, string> | null; OpenStdin?: boolean };
  State: {
    Status: string;
    ExitCode: number;
    OOMKilled: boolean;
    Error: string;
    StartedAt: string;
    FinishedAt: string;
  };
  NetworkSettings?: { Networks?: Record<string, { IPAddress?: string }> | null };
}

/** True when the container carries this install's label. */
export function isOwn(body: InspectBody, installId: string): boolean {
  return body.Config.Labels?.[labelNames.install] === installId;
}

/** True when the container runs a program with an open stdin. */
export function hasStdin(body: InspectBody | null): boolean {
  return body?.State.Status === 'running' && body.Config.OpenStdin === true;
}

/** The observation of an own container; its address is the one on the network `networkName`. */
export function observationOf(body: InspectBody, networkName: string): Observation {
  const labels = body.Config.Labels ?? {};
  const state = stateOf(body.State.Status);
  const startedAt = timeOf(body.State.StartedAt);
  const finishedAt = timeOf(body.State.FinishedAt);
  return {
    containerId: body.Id,
    botId: labels[labelNames.bot] ?? '',
    generation: wholeNumber(labels[labelNames.generation]),
    run: wholeNumber(labels[labelNames.run]),
    state,
    startedAt,
    // The engine stamps a start only after the program began: a quick end lies before it.
    finishedAt: finishedAt && Math.max(finishedAt, startedAt ?? 0),
    exitCode: state === 'exited' ? body.State.ExitCode : null,
    oomKilled: body.State.OOMKilled,
    error: body.State.Error,
    // An ended container has ''.
    address: (state === 'running' && body.NetworkSettings?.Networks?.[networkName]?.IPAddress) || null,
  };
}

function stateOf(status: string): Observation['state'] {
  switch (status) {
    case 'created':
      return 'created';
    case 'removing':
      return 'removing';
    case 'exited':
    case 'dead':
      return 'exited';
    default:
      return 'running';
  }
}

/** Docker writes "never" as year 1. */
function timeOf(text: string): number | null {
  const time = Date.parse(text);
  return Number.isNaN(time) || time <= 0 ? null : time;
}

function wholeNumber(text: string | undefined): number {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : 0;
}
