// Cards, and the frame of a page.
import type { ReactNode } from 'react';
import { classes } from '../lib/classes.ts';

interface CardProps {
  title?: string;
  lead?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Card({ title, lead, actions, className, children }: CardProps) {
  return (
    <section className={classes('rounded-card bg-surface shadow-card p-4 sm:p-5', className)}>
      {title && (
        <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
          <div>
            <h2 className="text-base">{title}</h2>
            {lead && <p className="mt-0.5 max-w-prose text-sm text-muted">{lead}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** Title and actions of a page. */
export function PageHead({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-5 flex flex-wrap items-end justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-2xl">{title}</h1>
        {lead && <p className="mt-1 text-muted">{lead}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}
