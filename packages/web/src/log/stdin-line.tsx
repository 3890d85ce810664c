// An input line for the bot's stdin, with history on the arrow keys.
import type { BotData } from '@botel/contract/bots';
import { SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';

const maxSent = 50;

export function StdinLine({ bot }: { bot: BotData }) {
  const [text, setText] = useState('');
  const [sent, setSent] = useState<string[]>([]);
  const [position, setPosition] = useState(0);
  const [busy, setBusy] = useState(false);
  const why = bot.status === 'online' ? null : t('input.offline');
  const send = async () => {
    if (why || busy) return;
    setBusy(true);
    const worked = await withToast(() =>
      call('POST', '/bots/input', { bot_id: bot.id, text: `${text}\n` }).then(() => undefined),
    );
    setBusy(false);
    if (!worked) return;
    setSent([...sent, text].slice(-maxSent));
    setPosition(0);
    setText('');
  };
  /** Back (1) or forward (-1) in the history. */
  const recall = (step: 1 | -1) => {
    const next = Math.min(sent.length, Math.max(0, position + step));
    setPosition(next);
    setText(next === 0 ? '' : (sent.at(-next) ?? ''));
  };
  return (
    <form
      className="mt-3 flex gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <input
        aria-label={t('input.label')}
        placeholder={t('input.placeholder')}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowUp') recall(1);
          else if (event.key === 'ArrowDown') recall(-1);
        }}
        className="h-9 min-w-0 grow rounded-lg bg-surface px-3 font-mono text-base ring-1 ring-edge ring-inset focus-visible:outline-offset-0 sm:text-sm touch:min-h-11"
      />
      <Button type="submit" busy={busy} why={why} icon={<SendHorizontal className="size-4" aria-hidden />}>
        {t('input.send')}
      </Button>
    </form>
  );
}
