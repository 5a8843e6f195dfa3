import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { RecordShape, Row } from '../http/endpoint.ts';
import { inWords } from '../http/description/names.ts';
import * as field from '../http/fields.ts';
import type { Column, Label } from './column.ts';
import { cellsWriter, jsonWriter } from './json.ts';

export type Expand = z.ZodOptional<z.ZodType<readonly string[]>>;

export type Expansion = ReturnType<typeof expansionOf>;

interface Named {
  readonly as: string;
  readonly column: string;
  readonly label: Label;
}

/** `expand` adds the records that a record names; docs/decisions/expand.md has the reasons. */
export function expansionOf(name: string, columns: Readonly<Record<string, Column>>) {
  const all = Object.entries(columns).flatMap(([column, { names }]) =>
    names === undefined ? [] : [{ column, ...names }],
  );
  const [first, ...others] = all.map(({ as }) => as);
  const those = (asked: readonly string[]): readonly Named[] => all.filter(({ as }) => asked.includes(as));
  return {
    /** Null stands for a missing record, and for one that the caller does not see. */
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
        }) as { readonly expand: Expand },
    /** Adds the columns of the named records to a select of rows `r`. `isWhole`: a CSV, which has no page. */
    around: (rows: string, asked: readonly string[], order = '', isWhole = false): string =>
      asked.length === 0 ? rows : `${around(rows, those(asked), isWhole)}${order && `\n${order}`}`,
    shape: (of: RecordShape, asked: readonly string[]): RecordShape => shapeWith(of, those(asked)),
  };
}

/**
 * Lateral with an offset: only the page's rows look names up. A function, and clients but for a CSV, are read
 * once: a full join is never a nested loop. docs/decisions/expand.md
 */
function around(rows: string, named: readonly Named[], isWhole: boolean): string {
  const columns = named.flatMap(({ as, label }) =>
    Object.keys(label.kinds).map((column) => `"${as}".${column} as "${as}.${column}"`),
  );
  const isOnce = ({ label }: Named): boolean =>
    label.lookUp !== undefined || (label.table === 'clients' && !isWhole);
  const onces = named.filter(isOnce).map(oncePerName);
  const joins = named.map((each) => {
    const { as, column, label } = each;
    return isOnce(each)
      ? `
full join "${as}" on "${as}".id = r.${column}`
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

/** The ETag has a digest of the names behind a dot, which If-Match ignores. */
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
    versionOf: () => undefined,
    tag: (row) => of.tag(row)?.replace(/"$/, `.${hash('sha256', writeNamed(row), 'base64url')}"`),
  };
}
