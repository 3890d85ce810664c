// The rows of admin lists: title, facts and actions. One column on phones.
import type { ReactNode } from 'react';

export function Rows({ children }: { children: ReactNode }) {
  return <ul className="grid">{children}</ul>;
}

interface RowProps {
  title: ReactNode;
  /** Short facts, side by side. */
  facts: ReactNode[];
  children?: ReactNode;
}

export function Row({ title, facts, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line py-3 first:pt-0 last:border-0 last:pb-0">
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="flex flex-wrap gap-x-4 text-sm text-muted tabular-nums">
          {facts.map((fact, place) => fact && <span key={place}>{fact}</span>)}
        </p>
      </div>
      {children && <div className="flex flex-wrap gap-1.5">{children}</div>}
    </li>
  );
}

/** A badge beside a title. */
export function Badge({ children, isBad }: { children: ReactNode; isBad?: boolean }) {
  return (
    <span
      className={`ms-2 inline-block rounded-full px-2 py-0.5 text-xs font-medium ${isBad ? 'bg-bad-soft text-bad' : 'bg-accent-soft text-accent'}`}
    >
      {children}
    </span>
  );
}
