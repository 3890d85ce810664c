// The user's display settings for logs, stored in this browser.
import { remember, remembered } from '../lib/preferences.ts';
import { ValueStore } from '../lib/value-store.ts';
import { type StampMode, stampModes } from './stamps.ts';

export interface LogSettings {
  stamps: StampMode;
  wraps: boolean;
}

export const logSettings = new ValueStore<LogSettings>({
  stamps: stampModes.find((mode) => mode === remembered('log.stamps')) ?? 'local',
  wraps: remembered('log.wraps') !== 'false',
});

export function changeLogSettings(change: Partial<LogSettings>): void {
  const settings = { ...logSettings.get(), ...change };
  logSettings.set(settings);
  remember('log.stamps', settings.stamps);
  remember('log.wraps', String(settings.wraps));
}
