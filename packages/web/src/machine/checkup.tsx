// The results of `botel doctor` by subject, with fixes. For admins and the first run.
import type { CheckupData, FindingData } from '@botel/contract/admin';
import type { DoctorCheck } from '@botel/contract/vocabulary';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, RotateCw, TriangleAlert } from 'lucide-react';
import { read } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { Ago } from '../kit/time.tsx';
import { t } from '../texts/text.ts';

const subjects = {
  docker: ['engine', 'images', 'runtimes'],
  network: ['network'],
  disk: ['data', 'disks'],
  ports: ['port', 'gateway'],
  apps: ['apps', 'tls'],
  clock: ['clock'],
  botel: ['program', 'roles'],
} as const satisfies Record<string, DoctorCheck[]>;
type Subject = keyof typeof subjects;
type State = FindingData['state'];

const looks = {
  ok: { icon: CircleCheck, colour: 'text-good' },
  warn: { icon: TriangleAlert, colour: 'text-warn' },
  fix: { icon: CircleAlert, colour: 'text-bad' },
} as const;
const gravest: State[] = ['fix', 'warn', 'ok'];

const checkupQuery = queryOptions({
  queryKey: ['admin', 'doctor'],
  queryFn: ({ signal }) => read<CheckupData>('/admin/doctor', signal),
  retry: false,
});

export function Checkup() {
  const { data, error, isFetching, refetch } = useQuery(checkupQuery);
  const again = () => void refetch();
  if (!data)
    return error ? <ErrorCard error={error} retry={again} /> : <Skeleton rows={5} height="2.5rem" retry={again} />;
  return (
    <div className="grid gap-4">
      {error && <ErrorCard error={error} retry={again} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="text-sm">
          <span className="font-medium">{summaryOf(data.findings)}</span>{' '}
          <span className="text-muted">
            <Ago at={data.checked_at} />
          </span>
        </p>
        <Button size="small" busy={isFetching} icon={<RotateCw className="size-4" aria-hidden />} onClick={again}>
          {t('checkup.again')}
        </Button>
      </div>
      <ul className="grid">
        {(Object.keys(subjects) as Subject[]).map((subject) => (
          <SubjectRow key={subject} subject={subject} findings={data.findings.filter(isOf(subject))} />
        ))}
      </ul>
    </div>
  );
}

function SubjectRow({ subject, findings }: { subject: Subject; findings: FindingData[] }) {
  const worst = gravest.find((state) => findings.some((finding) => finding.state === state)) ?? 'ok';
  const sorted = gravest.flatMap((state) => findings.filter((finding) => finding.state === state));
  const { icon: Icon, colour } = looks[worst];
  return (
    <li className="flex gap-3 border-t border-line py-3 first:border-0 first:pt-0 last:pb-0">
      <Icon className={`mt-0.5 size-5 shrink-0 ${colour}`} aria-hidden />
      <div className="min-w-0 grow">
        <p className="text-sm font-semibold">
          {t(`checkup.${subject}`)} <span className="font-normal text-muted">{t(`checkup.state.${worst}`)}</span>
        </p>
        <ul className="mt-1 grid gap-2">
          {sorted.map(({ check, state, text, advice }) => (
            <li
              key={`${check} ${text}`}
              lang="en"
              className={`text-sm break-words ${state === 'ok' ? 'text-muted' : ''}`}
            >
              {state !== 'ok' && worst !== state && (
                <span className="sr-only">{`${t(`checkup.state.${state}`)}: `}</span>
              )}
              {text}
              {advice && (
                <p className={`mt-0.5 border-s-2 ps-2 text-muted ${state === 'fix' ? 'border-bad' : 'border-warn'}`}>
                  {advice}
                </p>
              )}
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}

function isOf(subject: Subject) {
  const checks: readonly DoctorCheck[] = subjects[subject];
  return ({ check }: FindingData) => checks.includes(check);
}

function summaryOf(findings: FindingData[]): string {
  const count = (state: State) => findings.filter((finding) => finding.state === state).length;
  const [toFix, toKnow] = [count('fix'), count('warn')];
  if (toFix + toKnow === 0) return t('checkup.all_fine');
  return [toFix > 0 && t('checkup.to_fix', { count: toFix }), toKnow > 0 && t('checkup.to_know', { count: toKnow })]
    .filter(Boolean)
    .join(', ');
}
