// A menu behind a button.
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from '../lib/classes.ts';

export interface MenuEntry {
  label: string;
  icon?: ReactNode;
  /** Can't be taken back. */
  isGrave?: boolean;
  /** Why it can't be used now. */
  why?: string | null;
  act: () => void;
}

export function Menu({ trigger, entries }: { trigger: ReactNode; entries: MenuEntry[] }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-40 min-w-44 rounded-xl bg-surface p-1 shadow-float"
        >
          {entries.map(({ label, icon, isGrave, why, act }) => (
            <DropdownMenu.Item
              key={label}
              disabled={Boolean(why)}
              onSelect={act}
              className={classes(
                'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 text-sm outline-none touch:min-h-11',
                'data-highlighted:bg-sunken data-disabled:cursor-not-allowed data-disabled:opacity-60',
                isGrave && 'text-bad',
              )}
            >
              {icon}
              <span>
                {label}
                {why && <span className="block text-xs text-muted">{why}</span>}
              </span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
