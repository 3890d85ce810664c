// Decides how to get an answering engine: use, start or install it, or advise the operator. Pure.
import { type Distribution, isDebianLike } from './os-release.ts';

/** The state of this machine. */
export interface EngineSituation {
  /** `unix:///…` or `tcp://…`. */
  dockerHost: string;
  /** `denied`: the socket exists, but this user may not open it. */
  answer: 'yes' | 'no' | 'denied';
  isRoot: boolean;
  /** Whether the engine's program is on this machine. */
  isInstalled: boolean;
  distribution: Distribution;
}

export type EnginePlan = { step: 'use' } | { step: 'start' } | { step: 'install' } | { step: 'ask'; text: string };

const usualSockets = ['unix:///var/run/docker.sock', 'unix:///run/docker.sock'];
const requirement = 'Docker Engine 20.10 or newer';

export function planEngine(situation: EngineSituation): EnginePlan {
  const { dockerHost, answer, isRoot, isInstalled, distribution } = situation;
  if (answer === 'yes') return { step: 'use' };
  if (answer === 'denied') return ask(`This user may not open ${dockerHost}.`, deniedAdvice);
  if (!usualSockets.includes(dockerHost)) {
    return ask(`No engine answers at ${dockerHost}.`, 'Start it, or correct BOTEL_DOCKER_HOST.');
  }
  if (isInstalled) {
    return isRoot
      ? { step: 'start' }
      : ask('The Docker engine is not running.', 'Start it: sudo systemctl start docker');
  }
  if (!isDebianLike(distribution)) {
    const reason = `No Docker engine answers, and Botel can install one on Debian and Ubuntu only (this is ${distribution.name}).`;
    return ask(reason, `Install ${requirement}, start it and run this command again.`);
  }
  if (isRoot) return { step: 'install' };
  return ask(
    'No Docker engine answers, and only root can install one.',
    'Run this command with sudo, or install the engine yourself: sudo apt-get install docker.io iptables',
  );
}

const deniedAdvice =
  'Run this command with sudo, or let this user open the socket: sudo usermod -aG docker "$USER" (then log in again). ' +
  'Access to the socket equals root.';

function ask(reason: string, advice: string): EnginePlan {
  return { step: 'ask', text: `${reason} ${advice}` };
}
