// A name for an app, checked while it is typed: by the rules at once, by the server when the typing rests.
import type { Availability } from '@botel/contract/apps';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../api/calls.ts';
import { Field, TextInput } from '../kit/field.tsx';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { subdomainFault } from './subdomain.ts';

const restMs = 300;

/** The value once it has not changed for a while. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

interface SubdomainFieldProps {
  value: string;
  /** The name that it has already: nobody is asked for it. */
  own?: string;
  onChange: (value: string) => void;
  onState: (isFree: boolean) => void;
}

export function SubdomainField({ value, own, onChange, onState }: SubdomainFieldProps) {
  const rested = useRested(value);
  const fault = value === '' ? null : subdomainFault(value);
  const isAsked = rested === value && value !== '' && value !== own && fault === null;
  const { data } = useQuery({
    queryKey: ['name', rested],
    queryFn: ({ signal }) => read<Availability>(`/apps/check/${encodeURIComponent(rested)}`, signal),
    enabled: isAsked,
    staleTime: 10_000,
  });
  const answer = isAsked ? data : undefined;
  const isFree = answer?.available === true;
  useEffect(() => onState(isFree), [isFree, onState]);
  return (
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
                  ? t('apps.free', { url: answer.url })
                  : answer.reason}
        </span>
      }
    >
      <TextInput
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value.toLowerCase())}
      />
    </Field>
  );
}
