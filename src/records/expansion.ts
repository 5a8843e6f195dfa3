import { hash } from 'node:crypto';
import type { z } from 'zod';
import type { RecordShape, Row } from '../http/endpoint.ts';
import { toSpacedWords } from '../http/description/names.ts';
import * as field from '../http/fields.ts';
import type { Column, ColumnKind, RecordLabel } from './column.ts';
import { createCsvCellsWriter, createJsonWriter } from './json.ts';

export type ExpandParameter = z.ZodOptional<z.ZodType<readonly string[]>>;

export type Expansion = ReturnType<typeof createExpansion>;

interface ExpandedReference {
  readonly as: string;
  readonly column: string;
  readonly label: RecordLabel;
}

/** A field whose value SQL computes for each row of a page; `sql` is an expression over the row `r`. */
export interface ComputedField {
  readonly as: string;
  readonly kind: ColumnKind;
  readonly sql: string;
  readonly description: string;
}

/** The parameter `expand` adds to each record the records that it refers to; docs/decisions/expand.md */
export function createExpansion(
  name: string,
  columns: Readonly<Record<string, Column>>,
  computed: readonly ComputedField[] = [],
) {
  const all = Object.entries(columns).flatMap(([column, { names }]) =>
    names === undefined ? [] : [{ column, ...names }],
  );
  const words = [...all, ...computed].map(({ as }) => as);
  const pick = <E extends ExpandedReference | ComputedField>(
    requested: readonly string[],
    of: readonly E[],
  ): readonly E[] => of.filter(({ as }) => requested.includes(as));
  return {
    named: all,
    said: Object.fromEntries([
      ...all.map(({ as, column }) => [
        as,
        `Record of ${column}, if requested with \`expand\`; null if there is none or if the caller may not see it.`,
      ]),
      ...computed.map(({ as, description }) => [as, description]),
    ]) as Readonly<Record<string, string>>,
    /** Null in a response means that the referenced record does not exist or that the caller may not see it. */
    schemas: {
      ...Object.fromEntries(all.map(({ as, label }) => [as, label.schema.nullable()])),
      ...Object.fromEntries(computed.map(({ as, kind }) => [as, kind.output])),
    },
    query: (words.length === 0
      ? {}
      : {
          expand: field
            .describeParameter(
              field.distinctListOf(field.fieldNameEnum(`${name}Expansion`, 'Values of `expand`.', words)),
              `Related records to return with each ${toSpacedWords(name)}; null if there is none or if the caller may not see it.`,
            )
            .optional(),
        }) as { readonly expand: ExpandParameter },
    /** Adds the requested columns to a select of records; `isWhole` is true for a CSV export of a whole list. */
    around: (rows: string, requested: readonly string[], order = '', isWhole = false): string =>
      requested.length === 0
        ? rows
        : `${selectExpanded(rows, pick(requested, all), pick(requested, computed), isWhole)}${order && `\n${order}`}`,
    shape: (of: RecordShape, requested: readonly string[]): RecordShape =>
      createExpandedShape(of, pick(requested, all), pick(requested, computed)),
  };
}

/**
 * Lateral joins with `offset 0` make Postgres look up names only for the rows of the page. CTEs read the referenced
 * users of all rows at once, and also the referenced clients, except for a CSV. The CTEs are joined by full joins,
 * because Postgres would run a left join as a nested loop; docs/decisions/expand.md
 */
function selectExpanded(
  rows: string,
  named: readonly ExpandedReference[],
  computed: readonly ComputedField[],
  isWhole: boolean,
): string {
  const columns = [
    ...named.flatMap(({ as, label }) =>
      Object.keys(label.kinds).map((column) => `"${as}".${column} as "${as}.${column}"`),
    ),
    ...computed.map(({ as, sql }) => `(${sql}) as ${as}`),
  ];
  const isShared = ({ label }: ExpandedReference): boolean =>
    label.lookUp !== undefined || (label.table === 'clients' && !isWhole);
  const shared = named.filter(isShared).map(shareReference);
  const joins = named.map((each) => {
    const { as, column, label } = each;
    return isShared(each)
      ? `
full join "${as}" on "${as}".id = r.${column}`
      : `
left join lateral (
    select ${listLabelColumns(label)}
    from public.${label.table} as n
    where n.id = r.${column}
    offset 0
) as "${as}" on true`;
  });
  const select = `select r.*, ${columns.join(', ')}`;
  if (shared.length === 0)
    return `
${select}
from (${rows}
) as r${joins.join('')}`;
  return `
with page as materialized (${rows}
)${shared.join('')}
${select}
from page as r${joins.join('')}`;
}

function shareReference({ as, column, label }: ExpandedReference): string {
  const source =
    label.lookUp === undefined
      ? `public.${label.table} as n
    where n.id = any (array(select p.${column} from page as p))`
      : `${label.lookUp(`array(select distinct p.${column} from page as p)`)} as n`;
  return `,
"${as}" as materialized (
    select ${listLabelColumns(label)}
    from ${source}
)`;
}

function listLabelColumns({ kinds }: RecordLabel): string {
  return Object.keys(kinds)
    .map((column) => `n.${column}`)
    .join(', ');
}

/** The ETag of an expanded record is its own, a dot and a digest of the added records; If-Match ignores the digest. */
function createExpandedShape(
  of: RecordShape,
  named: readonly ExpandedReference[],
  computed: readonly ComputedField[],
): RecordShape {
  if (named.length + computed.length === 0) return of;
  const parts = [
    ...named.map(({ as, label }) => {
      const entries = Object.entries(label.kinds);
      const write = createJsonWriter(Object.fromEntries(entries.map(([column, { toJson }]) => [column, toJson])));
      return {
        as,
        columns: entries.map(([column]) => `${as}.${column}`),
        kinds: entries.map(([, kind]) => kind),
        write,
      };
    }),
    ...computed.map(({ as, kind }) => ({
      as,
      columns: [as],
      kinds: [kind],
      write: ([value]: Row) => kind.toJson(value ?? ''),
    })),
  ].map((part) => ({ ...part, key: `,${JSON.stringify(part.as)}:`, width: part.kinds.length }));
  const writeCells = createCsvCellsWriter(parts.flatMap(({ kinds }) => kinds.map(({ toJson }) => toJson)));
  const writeAdded = (row: Row): string => {
    let at = of.width;
    return parts
      .map(({ key, width, write }) => {
        const values = row.slice(at, (at += width));
        return key + (values[0] === null ? 'null' : write(values));
      })
      .join('');
  };
  return {
    ...of,
    width: parts.reduce((sum, { width }) => sum + width, of.width),
    write: (row) => `${of.write(row).slice(0, -1)}${writeAdded(row)}}`,
    fields: [...of.fields, ...parts.flatMap(({ columns }) => columns)],
    cells: (row) => [...of.cells(row), ...writeCells(row.slice(of.width))],
    versionOf: () => undefined,
    tag: (row) => of.tag(row)?.replace(/"$/, `.${hash('sha256', writeAdded(row), 'base64url')}"`),
  };
}
