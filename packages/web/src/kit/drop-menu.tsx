// The menu behind a button. Rendered open: the first press of the button mounts it.
import { DropdownMenu } from 'radix-ui';
import { classes } from '../lib/classes.ts';
import type { MenuEntry, MenuTrigger } from './menu-entry.ts';

export function DropMenu({ trigger, entries }: { trigger: MenuTrigger; entries: MenuEntry[] }) {
  return (
    <DropdownMenu.Root defaultOpen>
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
