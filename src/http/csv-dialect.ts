import { findParisInstants, showParisClock } from '../paris-clock.ts';

/* How a spreadsheet reads a CSV file that a user opens with a double click; docs/decisions/csv.md */

export interface CsvDialect {
  readonly delimiter: string;
  /** Converts a value that no person wrote from its form in JSON: a number, a truth value, a date or a time. */
  readonly write: (value: string) => string;
}

const PLAIN: CsvDialect = { delimiter: ',', write: (value) => value };

const FRENCH: CsvDialect = { delimiter: ';', write: writeFrench };

/** Returns the dialect that a request asks for with `dialect`. */
export function chooseDialect(name: unknown): CsvDialect {
  return name === 'fr' ? FRENCH : PLAIN;
}

const DECIMAL_PATTERN = /^-?\d+\.\d+$/;
const DATE_PATTERN = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME_PATTERN = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const BOOLEANS: Readonly<Record<string, string>> = { true: 'VRAI', false: 'FAUX' };

function writeFrench(text: string): string {
  if (DECIMAL_PATTERN.test(text)) return text.replace('.', ',');
  if (DATE_PATTERN.test(text)) return writeDay(text);
  return TIME_PATTERN.test(text) ? writeTime(text) : (BOOLEANS[text] ?? text);
}

function writeDay(day: string): string {
  return day.replace(DATE_PATTERN, '$3/$2/$1');
}

/** Leaves a time as it is in JSON if the clock in Paris showed it twice or never, because an import could not read it. */
function writeTime(text: string): string {
  const shown = showParisClock(Date.parse(text));
  if (findParisInstants(shown).length !== 1) return text;
  return `${writeDay(shown.slice(0, 10))} ${shown.slice(11)}`;
}
