import type { z } from 'zod';
import type { Sheet } from '../http/rows.ts';
import type { Rec } from './record.ts';

/** Digits in threes, as a French spreadsheet shows an amount: with a blank, often one that does not break. */
const GROUPED = /^-?\d{1,3}(?:[ \u00A0\u202F]\d{3})+(?:,\d*)?$/;
const DAY = /^(\d{2})\/(\d{2})\/(\d{4})$/;

/** The columns that a table of new records may have, and what their cells say. */
export function sheetOf({ columns, newBody }: Rec): Sheet {
  const rules = Object.entries<z.ZodType>(newBody.shape);
  return {
    fields: rules.map(([name]) => name),
    required: rules.flatMap(([name, rule]) => (rule.safeParse(undefined).success ? [] : [name])),
    valueOf: (name, cell, isContinental) => {
      const type = columns[name]?.kind.type;
      if (type === 'text') return cell;
      const value = cell.trim();
      if (type === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
      if (!isContinental) return value;
      if (type === 'numeric')
        return (GROUPED.test(value) ? value.replaceAll(/[ \u00A0\u202F]/g, '') : value).replace(',', '.');
      return type === 'date' ? value.replace(DAY, '$3-$2-$1') : value;
    },
  };
}
