// `botel admin remove-firewall`: removes the firewall rules of the bots' network, for an uninstall.
import { removeRules } from '../agent/network/table.ts';
import { systemTables } from '../agent/network/tables.ts';
import { ownConfig } from './own-config.ts';

export async function removeFirewall(): Promise<void> {
  const { bridge } = ownConfig().network;
  const tables = systemTables();
  for (const family of tables.families()) {
    const change = removeRules(await tables.read(family), bridge);
    if (change) await tables.restore(family, change);
    console.log(`${family}: ${change ? `removed the rules for ${bridge}` : `no rules for ${bridge}`}`);
  }
}
