// The name of an app, checked while typing: by the rules at once, by the server once typing pauses.
import type { Availability } from '@botel/contract/apps';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { behindName, namesLike, subdomainFault } from './subdomain.ts';

const restMs = 300;

/** The value once it hasn't changed for a while. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

function checkQuery(name: string, isAsked: boolean) {
  return {
    queryKey: ['name', name],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      read<Availability>(`/apps/check/${encodeURIComponent(name)}`, signal),
    enabled: isAsked,
    staleTime: 10_000,
  };
}

interface SubdomainFieldProps {
  value: string;
  /** App URL with `*` for its name. */
  address: string;
  /** The current name, which needs no check. */
  own?: string;
  onChange: (value: string) => void;
  onState: (isFree: boolean) => void;
}

export function SubdomainField({ value, address, own, onChange, onState }: SubdomainFieldProps) {
  const rested = useRested(value);
  const fault = value === '' ? null : subdomainFault(value);
  const isAsked = rested === value && value !== '' && value !== own && fault === null;
  const { data } = useQuery(checkQuery(rested, isAsked));
  const answer = isAsked ? data : undefined;
  const isFree = answer?.available === true;
  useEffect(() => onState(isFree), [isFree, onState]);
  const field = (
    <Field
      label={t('apps.name')}
      hint={
        <span role="status" className={classes(isFree && 'text-good', answer?.available === false && 'text-bad')}>
          {fault
            ? t(`apps.fault_${fault}`)
            : value === '' || value === own
              ? t('apps.name_hint')
              : answer === undefined
                ? t('apps.checking')
                : answer.available
                  ? t('apps.free', { url: address.replace('*', value) })
                  : answer.reason}
        </span>
      }
    >
      <div className="flex min-w-0 items-center gap-1.5">
        <TextInput
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="min-w-24"
          value={value}
          onChange={(event) => onChange(event.target.value.toLowerCase())}
        />
        <span className="min-w-0 shrink-0 text-sm text-muted max-[26rem]:shrink wrap-anywhere">
          {behindName(address)}
        </span>
      </div>
    </Field>
  );
  return (
    <div className="grid content-start gap-2">
      {field}
      {answer?.available === false && <Proposals name={value} onChoose={onChange} />}
    </div>
  );
}

/** Available names similar to a taken one, each a button. */
function Proposals({ name, onChoose }: { name: string; onChoose: (name: string) => void }) {
  const names = namesLike(name);
  const free = useQueries({
    queries: names.map((each) => checkQuery(each, true)),
    combine: (results) => names.filter((_, place) => results[place]?.data?.available),
  });
  if (free.length === 0) return null;
  return (
    <fieldset className="flex flex-wrap items-center gap-1.5">
      <legend className="sr-only">{t('apps.proposals')}</legend>
      {free.map((each) => (
        <Button key={each} size="small" onClick={() => onChoose(each)}>
          {each}
        </Button>
      ))}
    </fieldset>
  );
}
