// How a bot is started: its command and the version of its language.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/calls.ts';
import { runtimesQuery } from '../api/queries.ts';
import { showBot } from '../bots/act.ts';
import { Button } from '../kit/button.tsx';
import { Card } from '../kit/card.tsx';
import { Field, Select, TextInput } from '../kit/field.tsx';
import { told } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';

export function StartupCard({ bot }: { bot: BotData }) {
  const { data: runtimes } = useQuery(runtimesQuery);
  const [command, setCommand] = useState(bot.startup_command);
  const [version, setVersion] = useState(bot.runtime_version);
  const [busy, setBusy] = useState(false);
  const known = runtimes?.runtimes.find((runtime) => runtime.language === bot.language)?.versions ?? [];
  const versions = known.includes(bot.runtime_version) ? known : [bot.runtime_version, ...known];
  const isChanged = command !== bot.startup_command || version !== bot.runtime_version;
  const save = async () => {
    setBusy(true);
    await told(async () => {
      const change = { bot_id: bot.id, startup_command: command, runtime_version: version };
      const { data } = await call<BotData>('POST', '/bots/update', change);
      showBot(bot.id, data);
    }, t('env.startup_saved'));
    setBusy(false);
  };
  return (
    <Card title={t('env.startup')} className="mb-4">
      <form
        className="grid items-start gap-3 sm:grid-cols-[minmax(0,1fr)_12rem]"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !busy) void save();
        }}
      >
        <Field label={t('env.command')} hint={t('env.command_hint')}>
          <TextInput
            className="font-mono"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={command}
            onChange={(event) => setCommand(event.target.value)}
          />
        </Field>
        <Field label={t('env.version', { language: t(`language.${bot.language}`) })}>
          <Select value={version} onChange={(event) => setVersion(event.target.value)}>
            {versions.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        </Field>
        {isChanged && (
          <div>
            <Button type="submit" look="primary" busy={busy}>
              {t('env.startup_save')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
