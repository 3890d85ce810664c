// Buttons. A disabled one stays focusable and says why.
import { LoaderCircle } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId, useSyncExternalStore } from 'react';
import { classes } from '../lib/classes.ts';
import { serverAway } from '../lib/server-away.ts';
import { t } from '../texts/text.ts';

type Variant = 'primary' | 'plain' | 'quiet' | 'danger';

const variants: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent not-aria-disabled:hover:bg-accent-hover',
  plain: 'bg-surface text-ink ring-1 ring-inset ring-edge/60 not-aria-disabled:hover:bg-sunken',
  quiet: 'text-ink not-aria-disabled:hover:bg-sunken',
  danger: 'bg-bad text-on-bad not-aria-disabled:hover:bg-bad-hover',
};

const shape =
  'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap select-none transition-colors ' +
  'aria-disabled:opacity-55 aria-disabled:cursor-not-allowed touch:min-h-11';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  variant?: Variant;
  size?: 'small' | 'usual';
  icon?: ReactNode;
  /** In progress: can't be pressed again. */
  busy?: boolean;
  /** Why it is disabled; null or '' = it isn't. */
  why?: string | null;
  /** Needs the server, as submit buttons do. */
  sends?: boolean;
}

export function Button({
  variant = 'plain',
  size = 'usual',
  icon,
  busy,
  why: ownWhy,
  sends,
  children,
  className,
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const isAway = useSyncExternalStore(serverAway.subscribe, serverAway.get);
  const needsServer = sends || rest.type === 'submit';
  const why = ownWhy || (isAway && needsServer ? t('why.unreachable') : null);
  const isOff = Boolean(busy || why);
  const sizes = size === 'small' ? 'h-8 px-2.5 text-sm' : 'h-9 px-3.5 text-sm';
  return (
    <button
      type="button"
      {...rest}
      className={classes(shape, variants[variant], sizes, className)}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      aria-describedby={why ? reasonId : rest['aria-describedby']}
      data-tip={why || rest['aria-label'] || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else rest.onClick?.(event);
      }}
    >
      {busy ? <LoaderCircle className="size-4 animate-spin" aria-hidden /> : icon}
      {children}
      {/* Read as its description; what is seen would be part of its name. */}
      {why && (
        <span id={reasonId} hidden>
          {why}
        </span>
      )}
    </button>
  );
}

/** An icon-only button; `label` says what it does. */
export function IconButton({ label, children, className, ...rest }: ButtonProps & { label: string }) {
  return (
    <Button
      variant="quiet"
      {...rest}
      aria-label={label}
      className={classes('w-9 px-0! touch:min-w-11', rest.size === 'small' && 'w-8', className)}
    >
      {children}
    </Button>
  );
}
