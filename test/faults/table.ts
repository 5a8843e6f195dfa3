import { HEALTH } from './journal.ts';
import type { Entry } from './journal.ts';
import type { Outcome } from './trial.ts';

const TITLES = [
  ...['fault', 'requests', 'acknowledged', '503', 'lost', 'foreign', 'refusals = records', 'slowest answer'],
  ...['worst /health', 'back after', 'holds'],
];

/** Returns a table as text, with one line for each failure that `npm run proofs -- faults` caused. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const lines = [TITLES, ...outcomes.map(cellsOf)];
  const widths = TITLES.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

function cellsOf({ fault, entries, violations, to }: Outcome): string[] {
  const probes = entries.filter(({ operation }) => operation === HEALTH);
  const requests = entries.filter(({ operation }) => operation !== HEALTH);
  const count = (isSo: (entry: Entry) => boolean): string => String(requests.filter(isSo).length);
  const refused = count(({ status }) => status === 401 || status === 403);
  const isEven = !violations.some(({ check }) => check.includes('refus'));
  return [
    fault,
    String(requests.length),
    count((entry) => isWrite(entry) && entry.lost === null && (entry.status ?? 500) < 300),
    count(({ status, lost }) => status === 503 && lost === null),
    count(({ lost }) => lost !== null),
    count(({ foreign }) => foreign.length > 0),
    `${refused} ${isEven ? '=' : '≠'}`,
    seconds(slowest(requests)),
    seconds(slowest(probes)),
    seconds(backAfter(requests, to)),
    violations.length === 0 ? 'yes' : 'NO',
  ];
}

function isWrite({ kind }: Entry): boolean {
  return kind !== 'read' && kind !== 'refuse';
}

function slowest(entries: readonly Entry[]): number {
  return entries.reduce((most, { ms }) => Math.max(most, ms), 0);
}

/** How many milliseconds after the repair of a failure the last failed answer arrived. */
function backAfter(entries: readonly Entry[], to: number): number {
  return entries
    .filter(({ status, lost }) => status === 503 || lost !== null)
    .reduce((most, { at, ms }) => Math.max(most, at + ms - to), 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
