// Asks for a name or a folder: for new files and folders, renaming and moving.
import { useEffect, useRef, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { t } from '../texts/text.ts';
import { nameFault } from './file-kinds.ts';

interface NameProps {
  title: string;
  /** The button's label. */
  verb: string;
  initial: string;
  /** The value is a folder path, which may be empty, not a name. */
  isFolder?: boolean;
  /** Resolves with whether it worked. */
  onDone: (name: string) => Promise<boolean>;
  onClose: () => void;
}

export function NameDialog(props: NameProps) {
  return (
    <Dialog open onOpenChange={props.onClose} title={props.title}>
      <NameForm {...props} />
    </Dialog>
  );
}

/** Inside the dialog: its field exists only while that is open. */
function NameForm({ verb, initial, isFolder, onDone, onClose }: NameProps) {
  const [name, setName] = useState(initial);
  const [isTouched, setTouched] = useState(false);
  const [busy, setBusy] = useState(false);
  const parts = isFolder ? name.split('/').filter((part) => part !== '') : [name];
  const fault = parts.map(nameFault).find((each) => each !== null) ?? null;
  const field = useRef<HTMLInputElement>(null);
  // Selects the name without its extension.
  useEffect(() => {
    const ending = initial.lastIndexOf('.');
    field.current?.focus();
    field.current?.setSelectionRange(0, ending > 0 ? ending : initial.length);
  }, [initial]);
  return (
    <form
      className="grid gap-4"
      onSubmit={async (event) => {
        event.preventDefault();
        setTouched(true);
        if (fault || busy) return;
        setBusy(true);
        const worked = await onDone(isFolder ? parts.join('/') : name);
        setBusy(false);
        if (worked) onClose();
      }}
    >
      <Field
        label={t(isFolder ? 'files.move_to' : 'files.name')}
        hint={isFolder ? t('files.move_hint') : undefined}
        fault={isTouched && fault ? t(`files.name_${fault}`) : null}
      >
        <TextInput
          className="font-mono"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
          ref={field}
        />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button type="submit" variant="primary" busy={busy}>
          {verb}
        </Button>
      </div>
    </form>
  );
}
