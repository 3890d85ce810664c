// The entries of a menu.
import type { ReactElement, ReactNode } from 'react';
import type { ButtonProps } from './button.tsx';

export interface MenuEntry {
  label: string;
  icon?: ReactNode;
  /** Can't be undone. */
  isGrave?: boolean;
  /** Why it is disabled. */
  why?: string | null;
  act: () => void;
}

/** The button of a menu. */
export type MenuTrigger = ReactElement<Partial<ButtonProps>>;
