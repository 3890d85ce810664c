// Usage of the disks of data folder and engine, and how bots' limits are enforced.
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../../core/config/config.ts';
import { type Filling, percentUsed, type StorageMarks, storageLevel, worst } from '../../../core/domain/storage.ts';
import { fillingsOf } from '../../../core/data-folder/host-storage.ts';
import { imageFault } from '../../../agent/homes/image-tools.ts';
import { engineInfo } from '../../setup/engine-info.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

const gibibyte = 1024 ** 3;

export const disks: Check = {
  name: 'disks',
  async run(config) {
    const marks = { warnPercent: config.diskWarnPercent, refusePercent: config.diskRefusePercent };
    const { dataDirectory } = config;
    const there = (await stat(dataDirectory).catch(() => null)) ? dataDirectory : dirname(dataDirectory);
    const findings = [judgeDisk('data folder', await fillingsOf(there), marks)];
    const engine = await engineDirectory(config);
    if (engine) findings.push(judgeDisk('engine', await fillingsOf(engine), marks));
    // The fake engine runs nothing that could fill a disk.
    if (config.engine !== 'fake') findings.push(judgeQuota(config.diskQuota, await imageFault()));
    return findings.filter((finding) => finding !== null);
  },
};

/** The finding about a file system's bytes and files; null when it can't be inspected. */
function judgeDisk(name: string, fillings: readonly Filling[], marks: StorageMarks): Finding | null {
  const [bytes, files] = fillings;
  if (!bytes) return null;
  const shown = [`${(bytes.free / gibibyte).toFixed(1)} GB free`, `${Math.round(percentUsed(bytes))} % used`];
  if (files) shown.push(`${Math.round(percentUsed(files))} % of its files`);
  const text = `disk of the ${name}: ${shown.join(', ')}`;
  switch (worst(fillings.map((filling) => storageLevel(filling, marks)))) {
    case 'ok':
      return ok(text);
    case 'warning':
      return warn(text, `At ${marks.refusePercent} % Botel refuses new bots, uploads, backups and builds.`);
    case 'full':
      return fix(
        text,
        'Free some space: Botel refuses new bots, uploads, backups and builds; running bots keep running.',
      );
  }
}

/** How bots' limits are enforced. `fault`: why this machine can't mount images; null = it can. */
function judgeQuota(quota: Config['diskQuota'], fault: string | null): Finding {
  const hard = 'disk limits of new bots are exact: each gets a disk image (existing homes stay folders)';
  if (quota === 'soft' && fault === null)
    return warn(
      'disk limits are soft: Botel counts files once a minute and stops bots at 110 %',
      'This machine can enforce exact limits: set BOTEL_DISK_QUOTA=auto.',
    );
  if (fault === null) return ok(hard);
  if (quota === 'loop') return fix(`cannot mount disk images: ${fault}`, 'Fix that, or set BOTEL_DISK_QUOTA=soft.');
  return warn(`disk limits are soft: ${fault}`);
}

async function engineDirectory({ engine, dockerHost }: Config): Promise<string | null> {
  if (engine === 'fake') return null;
  // The engine check reports a silent engine.
  const info = await engineInfo<{ DockerRootDir: string }>(dockerHost).catch(() => null);
  return info?.DockerRootDir ?? null;
}
