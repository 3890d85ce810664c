// Versions and permissions of this program.
import { botelVersion } from '../../../core/config/version.ts';
import { type Check, ok, warn } from '../check.ts';

export const program: Check = {
  name: 'program',
  async run() {
    const findings = [ok(`Botel ${botelVersion} on Node ${process.versions.node}`)];
    if (process.getuid?.() === 0) findings.push(ok('runs as root'));
    else
      findings.push(
        warn('does not run as root', 'Log capture and file ownership of bots need root: run Botel as root.'),
      );
    return findings;
  },
};
