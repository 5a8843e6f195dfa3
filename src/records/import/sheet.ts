import { z } from 'zod';
import type { CellValue, CsvColumns } from './csv-rows.ts';
import type { Column, ColumnKind } from '../column.ts';
import type { RecordDefinition } from '../record.ts';
import { readLine } from '../../http/typed-text.ts';
import { findParisInstants } from '../../paris-clock.ts';
import { rule, type ProblemRule } from '../../problems.ts';

/** docs/decisions/imports.md */
export function createCsvColumns({ columns, newBody }: RecordDefinition): CsvColumns {
  const rules = Object.entries<z.ZodType>(newBody.shape);
  const schemas = new Map(rules);
  const references = Object.values<Column>(columns).flatMap(({ names }) => (names === undefined ? [] : [names]));
  const expanded = references.flatMap(({ as, label }) => Object.keys(label.kinds).map((column) => `${as}.${column}`));
  return {
    fields: [...schemas.keys()],
    required: rules.flatMap(([name, rule]) => (rule.safeParse(undefined).success ? [] : [name])),
    // An import ignores the column `client.company_name` of a CSV export with `expand`, but refuses a column `client`.
    ignored: [...Object.keys(columns).filter((column) => !schemas.has(column)), ...expanded],
    read: (name, cell, isContinental) => {
      const kind = columns[name]?.kind;
      return kind === undefined || !schemas.has(name) ? { value: cell } : readCell(cell, kind, isContinental);
    },
  };
}

function readCell(cell: string, kind: ColumnKind, isContinental: boolean): CellValue {
  const value = readLine(cell);
  if (value === '') return undefined;
  if (kind.type === 'text') return readText(cell, value, kind);
  if (kind.type === 'integer') return { value: /^-?\d{1,15}$/.test(value) ? Number(value) : value };
  if (kind.type === 'boolean') return { value: BOOLEAN_WORDS[value.toLowerCase()] ?? value };
  if (kind.type === 'numeric') return readAmount(value);
  if (kind.type === 'date') return readDate(value, isContinental);
  if (kind.type === 'timestamptz') return readTime(value, isContinental);
  return { value };
}

/** What the API exports, and what spreadsheets and people write. */
const BOOLEAN_WORDS: Readonly<Record<string, boolean>> = {
  ...{ true: true, vrai: true, oui: true, yes: true },
  ...{ false: false, faux: false, non: false, no: false },
};

/** A text of digits as a spreadsheet shows it once it has taken the text for a number: `2,46912E+11`. */
const SHORTENED_NUMBER_PATTERN = /^[+-]?\d(?:[.,]\d+)?E\+\d{2,3}$/;

/** An enum value may have any letter case. The rule of the field reads any other text. */
function readText(cell: string, line: string, { output }: ColumnKind): CellValue {
  if (SHORTENED_NUMBER_PATTERN.test(line)) return { rule: rule('shortened_number', { rule: line }) };
  const words = output instanceof z.ZodEnum ? output.options.map(String) : [];
  return { value: words.find((one) => one.toLowerCase() === line.toLowerCase()) ?? cell };
}

const AMOUNT_PATTERN =
  /^(-?(?:\d+|\d{1,3}(?:\s\d{3})+|\d{1,3}(?:\.\d{3})+(?=,)|\d{1,3}(?:,\d{3})+(?=\.)))(?:[.,](\d{1,2}))?$/;
/** An amount such as 1.234 is ambiguous: the three digits after the separator may be thousands or decimals. */
const AMBIGUOUS_AMOUNT = /^-?[1-9]\d{0,2}[.,]\d{3}$/;

function readAmount(cell: string): CellValue {
  const value = cell.endsWith('€') ? cell.slice(0, -1).trimEnd() : cell;
  if (AMBIGUOUS_AMOUNT.test(value)) {
    const readings = ['', '.'].map((sign) => value.replace(/[.,]/, sign));
    return { rule: rule('ambiguous.amount', { readings }) };
  }
  const [, whole, decimals] = AMOUNT_PATTERN.exec(value) ?? [];
  if (whole === undefined) return { value };
  return { value: [whole.replaceAll(/[\s.,]/g, ''), decimals].filter((part) => part !== undefined).join('.') };
}

const DAY_PATTERN = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const MIDNIGHT_PATTERN = /[ T]00:00(?::00)?$/;

function readDate(cell: string, isContinental: boolean): CellValue {
  const value = cell.replace(MIDNIGHT_PATTERN, '');
  const day = readDay(value, isContinental);
  if (day !== undefined) return day;
  if (/^\d{1,2}[/.-]\d{1,2}[/.-]\d{2}$/.test(value)) return { rule: rule('not_a_date.year') };
  if (/^\d{5}$/.test(value)) return { rule: rule('not_a_date.number') };
  if (isContinental && !/^\d{4}-\d\d-\d\d$/.test(value)) return { rule: rule('not_a_date.sheet') };
  return { value };
}

/** Reads 31/12/2024 with the day first, unless the first number may also be the month in a table without semicolons. */
function readDay(value: string, isContinental: boolean): { value: string } | { rule: ProblemRule } | undefined {
  const [, first = '', second = '', year] = DAY_PATTERN.exec(value) ?? [];
  if (year === undefined) return undefined;
  const [dayFirst, monthFirst] = [
    [second, first],
    [first, second],
  ].map((parts) => [year, ...parts.map((part) => part.padStart(2, '0'))].join('-'));
  if (isContinental || Number(first) > 12 || dayFirst === monthFirst) return { value: String(dayFirst) };
  if (Number(second) > 12) return { rule: rule('not_a_date.month_first') };
  return { rule: rule('ambiguous.date', { readings: [String(dayFirst), String(monthFirst)] }) };
}

const CLOCK_PATTERN = /^(\S+) ((?:[01]?\d|2[0-3]):[0-5]\d)(:[0-5]\d)?$/;

/** A time without an offset is that of the clock in Paris. */
function readTime(cell: string, isContinental: boolean): CellValue {
  if (/\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/i.test(cell)) return { value: cell };
  const [, date = '', minutes = '', seconds = ':00'] = CLOCK_PATTERN.exec(cell) ?? [];
  const day = readDay(date, isContinental);
  if (day === undefined) return { rule: rule('not_a_time.sheet') };
  if ('rule' in day) return day;
  const shown = `${day.value}T${minutes.padStart(5, '0')}${seconds}`;
  if (!z.iso.date().safeParse(day.value).success) return { rule: rule('not_a_time.sheet') };
  const readings = findParisInstants(shown).map((instant) => new Date(instant).toISOString());
  const [value, other] = readings;
  if (value === undefined) return { rule: rule('not_a_time.skipped') };
  return other === undefined ? { value } : { rule: rule('ambiguous.time', { readings }) };
}
