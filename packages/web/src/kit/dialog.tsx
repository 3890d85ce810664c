// Dialogs, and the confirmation of destructive actions.
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { Button, IconButton } from './button.tsx';
import { Field, TextInput } from './field.tsx';

interface DialogProps {
  open: boolean;
  onOpenChange?: (open: boolean) => void;
  title: string;
  lead?: ReactNode;
  /** Neither Esc nor an outside click closes it. */
  isFirm?: boolean;
  className?: string;
  children?: ReactNode;
}

export function Dialog({ open, onOpenChange, title, lead, isFirm, className, children }: DialogProps) {
  const stay = (event: Event) => {
    if (isFirm) event.preventDefault();
  };
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-30 bg-[rgb(10_8_4/0.5)]" />
        <Radix.Content
          onOpenAutoFocus={focusFirst}
          onEscapeKeyDown={stay}
          onPointerDownOutside={stay}
          {...(!lead && { 'aria-describedby': undefined })}
          className={classes(
            'fixed z-30 inset-x-3 top-[8vh] mx-auto max-h-[84vh] max-w-md overflow-y-auto',
            'rounded-card bg-surface p-5 shadow-float focus:outline-none',
            className,
          )}
        >
          <div className="mb-4 flex items-start gap-3">
            <div className="min-w-0 grow">
              <Radix.Title className="text-lg">{title}</Radix.Title>
              {lead && <Radix.Description className="mt-1 text-sm text-muted">{lead}</Radix.Description>}
            </div>
            {!isFirm && (
              <Radix.Close asChild>
                <IconButton size="small" label={t('action.close')} data-tip-side="end">
                  <X className="size-4" aria-hidden />
                </IconButton>
              </Radix.Close>
            )}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * Focuses the first field, else the form's first button: the close button's tooltip would cover
 * text.
 */
function focusFirst(event: Event): void {
  const form = (event.currentTarget as HTMLElement).querySelector('form');
  const first =
    form?.querySelector<HTMLElement>('input:not([type=checkbox], [type=radio], [type=range])') ??
    form?.querySelector<HTMLElement>('button');
  if (!first) return;
  event.preventDefault();
  first.focus();
}

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  lead: ReactNode;
  /** The button's label. */
  verb: string;
  /** The name to type first, with its label. */
  typed?: { name: string; label: string };
  onConfirm: () => Promise<unknown> | void;
  children?: ReactNode;
}

/** Asks; `onConfirm` reports its own failures. */
export function Confirm({ open, onClose, title, lead, verb, typed, onConfirm, children }: ConfirmProps) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const isRight = !typed || text === typed.name;
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={title} lead={lead}>
      <form
        className="grid gap-4"
        onSubmit={async (event) => {
          event.preventDefault();
          if (!isRight || busy) return;
          setBusy(true);
          try {
            await onConfirm();
            onClose();
          } finally {
            setBusy(false);
            setText('');
          }
        }}
      >
        {children}
        {typed && (
          <Field label={typed.label}>
            <TextInput value={text} autoComplete="off" spellCheck={false} onChange={(e) => setText(e.target.value)} />
          </Field>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="danger" busy={busy} why={isRight ? null : typed?.label}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
