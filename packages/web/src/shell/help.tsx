// The list of keyboard shortcuts, and the switch for single-letter ones.
import { useState } from 'react';
import { Dialog } from '../kit/dialog.tsx';
import { CheckBox } from '../kit/field.tsx';
import { letterKeysOn, remember } from '../lib/preferences.ts';
import { t, type TextKey } from '../texts/text.ts';
import { mainPages } from './main-pages.ts';

const keys: [string, TextKey][] = [
  ['Ctrl K', 'help.palette'],
  ['?', 'help.this'],
  ...mainPages.flatMap(({ shortcut }): [string, TextKey][] => (shortcut ? [[`g ${shortcut[0]}`, shortcut[1]]] : [])),
  ['n', 'help.new'],
  ['Esc', 'help.close'],
];

export function Help({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(letterKeysOn());
  return (
    <Dialog open onOpenChange={onClose} title={t('help.title')}>
      <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
        {keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-md bg-sunken px-2 py-1 font-mono text-xs">{key}</kbd>
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <CheckBox
        label={t('help.letters')}
        hint={t('help.letters_hint')}
        checked={isOn}
        onChange={(event) => {
          remember('letter-keys', event.target.checked ? 'on' : 'off');
          setOn(event.target.checked);
        }}
      />
    </Dialog>
  );
}
