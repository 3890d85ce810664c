// A link that looks like the primary button.
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface LinkButtonProps {
  to: LinkProps['to'];
  search?: LinkProps['search'];
  icon?: ReactNode;
  children: ReactNode;
}

export function LinkButton({ to, search, icon, children }: LinkButtonProps) {
  return (
    <Link
      to={to}
      search={search}
      className="inline-flex h-9 items-center justify-center gap-2 rounded-lg bg-accent px-3.5 text-sm font-medium text-on-accent hover:bg-accent-hover touch:min-h-11"
    >
      {icon}
      {children}
    </Link>
  );
}
