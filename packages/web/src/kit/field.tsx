// Form fields: label, hint, fault and control, associated for screen readers.
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react';
import { classes } from '../lib/classes.ts';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** The fault of the value; null = none. */
  fault?: string | null;
  className?: string;
  children: ReactNode;
}

interface Joined {
  id: string;
  describedBy: string | undefined;
  isFaulty: boolean;
}

const FieldContext = createContext<Joined | null>(null);

const control =
  'w-full rounded-lg bg-surface text-ink text-base sm:text-sm ring-1 ring-inset ring-edge px-3 ' +
  'focus-visible:outline-offset-0 aria-invalid:ring-bad disabled:opacity-60';

/** Wraps one control, which gets its id and descriptions from here. */
export function Field({ label, hint, fault, className, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  return (
    <div className={classes('grid content-start gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <FieldContext value={{ id, describedBy, isFaulty: Boolean(fault) }}>{children}</FieldContext>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      <p id={`${id}-fault`} role="alert" className={classes('text-sm text-bad', !fault && 'hidden')}>
        {fault}
      </p>
    </div>
  );
}

function useJoined() {
  const joined = useContext(FieldContext);
  return (
    joined && { id: joined.id, 'aria-describedby': joined.describedBy, 'aria-invalid': joined.isFaulty || undefined }
  );
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...useJoined()} {...rest} className={classes(control, 'h-10', className)} />;
}

export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <select {...useJoined()} {...rest} className={classes(control, 'h-10 pe-8', className)}>
      {children}
    </select>
  );
}

/** A checkbox with its label. */
export function CheckBox({ label, hint, ...rest }: ComponentProps<'input'> & { label: string; hint?: string }) {
  const id = useId();
  return (
    <div className="flex gap-2.5 py-0.5">
      <input
        type="checkbox"
        {...rest}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-5 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id} className="text-sm">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
