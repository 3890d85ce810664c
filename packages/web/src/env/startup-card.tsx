// The startup of a bot: command, build command and language version, with suggestions from its
// files.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api/calls.ts';
import { runtimesQuery } from '../api/queries.ts';
import { showBot } from '../bots/act.ts';
import { Button } from '../kit/button.tsx';
import { Card } from '../kit/card.tsx';
import { Field, Select, TextInput } from '../kit/field.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';
import { detect } from '../wizard/detect.ts';
import { projectQuery } from './project-query.ts';
import { guessVersion } from './version-guess.ts';

function draftOf({ startup_command: command, build_command: build, runtime_version: version }: BotData) {
  return { command, build: build ?? '', version };
}

export function StartupCard({ bot }: { bot: BotData }) {
  const { data: runtimes } = useQuery(runtimesQuery);
  const [draft, setDraft] = useState(() => draftOf(bot));
  const [busy, setBusy] = useState(false);
  const change = (fields: Partial<typeof draft>) => setDraft({ ...draft, ...fields });
  const known = runtimes?.runtimes.find((runtime) => runtime.language === bot.language)?.versions ?? [];
  const versions = known.includes(bot.runtime_version) ? known : [bot.runtime_version, ...known];
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(bot));
  const save = async () => {
    setBusy(true);
    await withToast(async () => {
      const { command: startup_command, build: build_command, version: runtime_version } = draft;
      const input = { bot_id: bot.id, startup_command, build_command, runtime_version };
      const { data } = await call<BotData>('POST', '/bots/update', input);
      showBot(bot.id, data);
      setDraft(draftOf(data));
    }, t('env.startup_saved'));
    setBusy(false);
  };
  return (
    <Card title={t('env.startup')}>
      <form
        className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_12rem]"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !busy) void save();
        }}
      >
        <Field label={t('env.command')} hint={t('env.command_hint')}>
          <Command value={draft.command} onChange={(command) => change({ command })} isRequired />
        </Field>
        <Field label={t('env.version', { language: t(`language.${bot.language}`) })}>
          <Select value={draft.version} onChange={(event) => change({ version: event.target.value })}>
            {versions.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        </Field>
        <Field label={t('env.build')} hint={t('env.build_hint')} className="sm:col-span-2">
          <Command value={draft.build} onChange={(build) => change({ build })} />
        </Field>
        <Advice bot={bot} draft={draft} versions={known} onTake={change} />
        {isChanged && (
          <div className="flex gap-2 sm:col-span-2">
            <Button type="submit" variant="primary" busy={busy}>
              {t('env.startup_save')}
            </Button>
            <Button onClick={() => setDraft(draftOf(bot))}>{t('env.discard')}</Button>
          </div>
        )}
      </form>
    </Card>
  );
}

interface CommandProps {
  value: string;
  onChange: (value: string) => void;
  isRequired?: boolean;
}

function Command({ value, onChange, isRequired }: CommandProps) {
  return (
    <TextInput
      className="font-mono"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={2000}
      required={isRequired}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface AdviceProps {
  bot: BotData;
  draft: { command: string; version: string };
  versions: readonly string[];
  onTake: (fields: { command?: string; version?: string }) => void;
}

/** What the bot's files suggest, if it differs. */
function Advice({ bot, draft, versions, onTake }: AdviceProps) {
  const { data: project } = useQuery(projectQuery(bot.id));
  if (!project) return null;
  const found = detect(project.names, project.texts['package.json'] ?? null);
  const command = found?.language === bot.language && found.command !== draft.command ? found : null;
  const present = { language: bot.language, runtime_version: draft.version };
  const version = guessVersion(present, versions, project.texts);
  return (
    <>
      {command && (
        <Suggestion
          text={t('env.found_command', { file: command.because })}
          value={command.command}
          onTake={() => onTake({ command: command.command })}
        />
      )}
      {version && (
        <Suggestion
          text={t('env.found_version', { file: version.because })}
          value={version.version}
          onTake={() => onTake({ version: version.version })}
        />
      )}
    </>
  );
}

function Suggestion({ text, value, onTake }: { text: string; value: string; onTake: () => void }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-info-soft p-2 ps-3 text-sm sm:col-span-2">
      <Lightbulb className="size-4 shrink-0 text-info" aria-hidden />
      <p className="me-auto min-w-0">
        {text} <code className="font-mono font-medium">{value}</code>
      </p>
      <Button size="small" onClick={onTake} aria-label={t('env.take', { value })}>
        {t('env.take_short')}
      </Button>
    </div>
  );
}
