import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { RecordShape, Row } from '../http/endpoint.ts';
import { inWords } from '../http/description/names.ts';
import * as field from '../http/fields.ts';
import type { Column, Label } from './column.ts';
import { cellsWriter, jsonWriter } from './json.ts';

export type Expand = z.ZodOptional<z.ZodType<readonly string[]>>;

/** What a record shows of those that it names, where `expand` asks for them; docs/decisions/expand.md has the reasons. */
export interface Expansion {
  /** The schema of each, by the word that asks for it; null is one that there is not, or that the caller does not see. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
  /** The parameter, where the record names any. */
  readonly query: { readonly expand: Expand };
  /**
   * A select of rows `r` of all columns of the record, with those of what they name behind them; `all` where a row names
   * what no other does.
   */
  around(rows: string, asked: readonly string[], all?: 'all'): string;
  /** The shape of those rows. */
  shape(of: RecordShape, asked: readonly string[]): RecordShape;
}

interface Named {
  readonly as: string;
  readonly column: string;
  readonly label: Label;
}

/** The expansion of a record of that name and these columns. */
export function expansionOf(name: string, columns: Readonly<Record<string, Column>>): Expansion {
  const all = Object.entries(columns).flatMap(([column, { names }]) =>
    names === undefined ? [] : [{ column, ...names }],
  );
  const [first, ...others] = all.map(({ as }) => as);
  const those = (asked: readonly string[]): readonly Named[] => all.filter(({ as }) => asked.includes(as));
  return {
    schemas: Object.fromEntries(all.map(({ as, label }) => [as, label.schema.nullable()])),
    query: (first === undefined
      ? {}
      : {
          expand: field
            .parameter(
              field.several(field.oneOf(`${name}Expansion`, [first, ...others])),
              `Also shows what the ${inWords(name)} names, under the same rights: null where there is nothing, or nothing that the caller may see.`,
            )
            .optional(),
        }) as Expansion['query'],
    around: (rows, asked, all) => around(rows, those(asked), all === 'all'),
    shape: (of, asked) => shapeWith(of, those(asked)),
  };
}

/**
 * Lateral and with an offset, so that each row looks up what it names and nobody's others are read for it. What a function
 * finds is dearer, and asked for once for all rows that name it; so is what `all` rows name, for the policy's list of clients
 * is sorted at each look-up.
 */
function around(rows: string, named: readonly Named[], all: boolean): string {
  const columns = named.flatMap(({ as, label }) =>
    Object.keys(label.kinds).map((column) => `"${as}".${column} as "${as}.${column}"`),
  );
  const isOnce = ({ label }: Named): boolean => all || label.lookUp !== undefined;
  const onces = named.filter(isOnce).map(oncePerName);
  const joins = named.map((each) => {
    const { as, column, label } = each;
    return isOnce(each)
      ? `
left join "${as}" on "${as}".id = r.${column}`
      : `
left join lateral (
    select ${columnsOf(label)}
    from public.${label.table} as n
    where n.id = r.${column}
    offset 0
) as "${as}" on true`;
  });
  const shown = `select r.*, ${columns.join(', ')}`;
  if (onces.length === 0)
    return `
${shown}
from (${rows}
) as r${joins.join('')}`;
  return `
with page as materialized (${rows}
)${onces.join('')}
${shown}
from page as r${joins.join('')}`;
}

function oncePerName({ as, column, label }: Named): string {
  const once =
    label.lookUp === undefined
      ? `public.${label.table} as n
    where n.id = any (array(select p.${column} from page as p))`
      : `${label.lookUp(`array(select distinct p.${column} from page as p)`)} as n`;
  return `,
"${as}" as materialized (
    select ${columnsOf(label)}
    from ${once}
)`;
}

function columnsOf({ kinds }: Label): string {
  return Object.keys(kinds)
    .map((column) => `n.${column}`)
    .join(', ');
}

/**
 * Its tag is that of the record and, behind a dot, what tells these names from others: If-None-Match compares all of it,
 * If-Match what stands before the dot.
 */
function shapeWith(of: RecordShape, named: readonly Named[]): RecordShape {
  if (named.length === 0) return of;
  const parts = named.map(({ as, label }) => {
    const kinds = Object.entries(label.kinds);
    const write = jsonWriter(Object.fromEntries(kinds.map(([column, { toJson }]) => [column, toJson])));
    return { key: `,${JSON.stringify(as)}:`, width: kinds.length, write };
  });
  const cells = cellsWriter(
    named.flatMap(({ label }) => Object.values(label.kinds).map(({ toJson }) => toJson)),
  );
  const writeNamed = (row: Row): string => {
    let at = of.width;
    return parts
      .map(({ key, width, write }) => {
        const columns = row.slice(at, (at += width));
        return key + (columns[0] === null ? 'null' : write(columns));
      })
      .join('');
  };
  return {
    ...of,
    width: parts.reduce((sum, { width }) => sum + width, of.width),
    write: (row) => `${of.write(row).slice(0, -1)}${writeNamed(row)}}`,
    fields: [
      ...of.fields,
      ...named.flatMap(({ as, label }) => Object.keys(label.kinds).map((column) => `${as}.${column}`)),
    ],
    cells: (row) => [...of.cells(row), ...cells(row.slice(of.width))],
    tag: (row) => of.tag(row)?.replace(/"$/, `.${hash('sha256', writeNamed(row), 'base64url')}"`),
  };
}
