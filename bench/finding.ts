// What a measurement found, and the table of all findings. A finding says whether its aim is met;
// nothing fails by it.
import { rounded } from './statistics.ts';

export interface Finding {
  /** What was measured, with its unit. */
  what: string;
  /** Number of samples behind the median, on either side. */
  samples: number;
  botel: number;
  /** The same thing without Botel, measured in turn with it; null where nothing compares. */
  beside: { name: string; value: number } | null;
  /** Bound of the ratio Botel / beside, or of Botel's value where nothing is beside it. */
  aim: { atMost: number } | { atLeast: number };
  /** What else is to be known. */
  note?: string;
}

function isMet({ botel, beside, aim }: Finding): boolean {
  const value = beside ? botel / beside.value : botel;
  return 'atMost' in aim ? value <= aim.atMost : value >= aim.atLeast;
}

/** A Markdown table. */
export function tableOf(findings: readonly Finding[]): string {
  const rows = [
    ['measured', 'n', 'Botel', 'beside it', 'ratio', 'aim', 'met', 'note'],
    ['---', '--:', '--:', '---', '--:', '---', '---', '---'],
    ...findings.map(rowOf),
  ];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function rowOf(finding: Finding): string[] {
  const { what, samples, botel, beside, aim, note } = finding;
  const unit = beside ? 'x' : '';
  return [
    what,
    String(samples),
    rounded(botel),
    beside ? `${rounded(beside.value)} (${beside.name})` : '',
    beside ? (botel / beside.value).toFixed(2) : '',
    'atMost' in aim ? `<= ${aim.atMost}${unit}` : `>= ${aim.atLeast}${unit}`,
    isMet(finding) ? 'yes' : 'no',
    note ?? '',
  ];
}
