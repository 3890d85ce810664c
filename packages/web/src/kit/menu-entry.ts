// What a menu is made of.
import type { ReactElement, ReactNode } from 'react';
import type { ButtonProps } from './button.tsx';

export interface MenuEntry {
  label: string;
  icon?: ReactNode;
  /** Can't be taken back. */
  isGrave?: boolean;
  /** Why it can't be used now. */
  why?: string | null;
  act: () => void;
}

/** The button of a menu. */
export type MenuTrigger = ReactElement<Partial<ButtonProps>>;
