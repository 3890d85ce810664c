// The icon of an event: its kind, and whether it was good or bad.
import type { EventType } from '@botel/contract/vocabulary';
import {
  Archive,
  CircleCheck,
  CirclePlus,
  CircleStop,
  Eye,
  Globe,
  HardDrive,
  Lock,
  LockOpen,
  Pencil,
  Play,
  ScrollText,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { classes } from '../lib/classes.ts';

const icons: Record<EventType, [icon: typeof Play, colour: string]> = {
  'bot.created': [CirclePlus, 'text-accent'],
  'bot.starting': [Play, 'text-info'],
  'bot.online': [CircleCheck, 'text-good'],
  'bot.stopping': [CircleStop, 'text-muted'],
  'bot.offline': [CircleStop, 'text-muted'],
  'bot.crashed': [TriangleAlert, 'text-bad'],
  'bot.oom': [TriangleAlert, 'text-bad'],
  'bot.crash_loop': [TriangleAlert, 'text-bad'],
  'bot.recovered': [CircleCheck, 'text-good'],
  'bot.updated': [Pencil, 'text-muted'],
  'bot.suspended': [Lock, 'text-bad'],
  'bot.unsuspended': [LockOpen, 'text-good'],
  'bot.deleted': [Trash2, 'text-muted'],
  'env.read': [Eye, 'text-warn'],
  'disk.warning': [HardDrive, 'text-warn'],
  'disk.full': [HardDrive, 'text-bad'],
  'log.flood': [ScrollText, 'text-warn'],
  'install.failed': [TriangleAlert, 'text-bad'],
  'backup.completed': [Archive, 'text-info'],
  'backup.restored': [Archive, 'text-info'],
  'backup.failed': [Archive, 'text-bad'],
  'schedule.failed': [TriangleAlert, 'text-bad'],
  'app.created': [Globe, 'text-accent'],
  'app.deleted': [Globe, 'text-muted'],
};

export function EventIcon({ type }: { type: EventType }) {
  const [Icon, colour] = icons[type] ?? [CircleCheck, 'text-muted'];
  return <Icon className={classes('mt-1 size-4 shrink-0', colour)} aria-hidden />;
}
