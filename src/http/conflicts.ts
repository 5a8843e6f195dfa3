import { constraintOf, sqlState } from '../db/errors.ts';
import type { Statement } from '../db/statement.ts';
import { contextOf } from './checked-request.ts';
import type { CheckedRequest, Sources } from './checked-request.ts';

/* Why a conflict is one, in words for a form. What is looked at here is looked at as the caller, after the refusal. */

export type Details = Readonly<Record<string, string>>;

/** For what nothing else explains: a constraint without words, a record that others changed to and fro meanwhile. */
export const UNEXPLAINED = { body: 'does not fit what is stored' } as const;

export const FIXED = 'cannot change: it is what the record was created with';

const STILL_NEEDED: readonly unknown[] = ['23503', '23001', 'TX409'];

/** Of a change that touched no row of a record which the caller sees: what of it is fixed, and where it has moved. */
export async function whyUntouched(checked: CheckedRequest, sources: Sources): Promise<Details> {
  const { endpoint, input, state } = checked;
  const { fixed = [], hasMoves = false, table = '' } = endpoint.of ?? {};
  const columns = [...fixed, ...(hasMoves ? ['status'] : [])].filter(
    (name) => input.body[name] !== undefined,
  );
  const [row = []] =
    columns.length === 0
      ? []
      : await rowsOf(present(table, state.resourceId ?? '', columns), checked, sources);
  const moves = row.at(-1) ?? '';
  const details = columns.flatMap((name, index): [string, string][] => {
    const [is, wanted] = [row[index] ?? '', String(input.body[name])];
    if (name === 'status')
      return [[name, `${is === wanted ? `is ${is} already` : 'was moved meanwhile'}: ${moves}`]];
    return is === wanted ? [] : [[name, FIXED]];
  });
  return details.length === 0 ? UNEXPLAINED : Object.fromEntries(details);
}

/** The present values, and after them in words where the record can move. */
function present(table: string, id: string, columns: readonly string[]): Statement {
  const moves = columns.includes('status') ? `, app.moves_in_words('${table}', r.status)` : '';
  return {
    text: `select ${columns.map((name) => `r.${name}`).join(', ')}${moves} from public.${table} as r where r.id = $1`,
    values: [id],
  };
}

/** Of a deletion that was refused because something still needs the record: how many of what, as far as the caller sees. */
export async function whatHolds(
  error: unknown,
  checked: CheckedRequest,
  sources: Sources,
): Promise<Details | undefined> {
  const holders = Object.entries(checked.endpoint.heldBy?.(checked.input) ?? {});
  if (holders.length === 0 || !STILL_NEEDED.includes(sqlState(error))) return undefined;
  const counts = await Promise.all(holders.map(async ([, { count }]) => rowsOf(count, checked, sources)));
  const details = holders.flatMap(([field, { words }], index): [string, string][] => {
    const count = counts[index]?.[0]?.[0] ?? '0';
    return count === '0' ? [] : [[field, `${words}: ${count}`]];
  });
  return details.length === 0 ? { id: 'is of a record that is still in use' } : Object.fromEntries(details);
}

/** The id of the record that has what a new one may not have as well, where the caller sees it. */
export async function existingId(
  error: unknown,
  checked: CheckedRequest,
  sources: Sources,
): Promise<string | undefined> {
  const statement = checked.endpoint.existing?.(checked.input)[constraintOf(error) ?? ''];
  if (statement === undefined) return undefined;
  const [row] = await rowsOf(statement, checked, sources);
  return row?.[0] ?? undefined;
}

async function rowsOf(
  statement: Statement,
  checked: CheckedRequest,
  { database }: Sources,
): Promise<readonly (readonly (string | null)[])[]> {
  const [result] = await database.run({ ...contextOf(checked), readOnly: true }, [statement]);
  return result?.rows ?? [];
}
