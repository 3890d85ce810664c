// Usage of a limit: a bar and the numbers, readable without colours.
import { classes } from '../lib/classes.ts';
import { badFrom, warnFrom } from './meter-levels.ts';

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  /** The numbers in words: `1,024 of 4,096 MB`. */
  text: string;
}

export function Meter({ label, used, limit, text }: MeterProps) {
  const part = limit > 0 ? Math.min(1, used / limit) : 0;
  const fill = part >= badFrom ? 'bg-bad' : part >= warnFrom ? 'bg-warn' : 'bg-accent';
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span className="text-muted">{label}</span>
        <span className="tabular-nums">{text}</span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={Math.max(limit, used)}
        aria-valuetext={text}
        className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div className={classes('h-full rounded-full', fill)} style={{ width: `${part * 100}%` }} />
      </div>
    </div>
  );
}
