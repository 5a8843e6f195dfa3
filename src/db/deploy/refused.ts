import { DatabaseError } from 'pg-protocol';
import { MigrationError, reasonOf } from './migration-error.ts';
import type { Kept } from './take-back.ts';

/** dependent_objects_still_exist names the objects in its detail, invalid_function_definition in its hint. */
const NAMED_IN_DETAIL = '2BP01';
const NAMED_IN_HINT = '42P13';

/** The error of Postgres as one that names the file, the line and the objects. */
export function refusedAt(file: string, text: string, error: unknown, kept: Kept = new Map()): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { code, detail = '', hint = '', position } = error;
  const line = position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`;
  const inTheWay = [...kept].filter(([object]) => text.includes(`${object} `));
  const further = [
    code === NAMED_IN_DETAIL ? detail : '',
    code === NAMED_IN_HINT ? hint : '',
    ...inTheWay.map(([object, reason]) => `${object} was changed by hand, and cannot be dropped: ${reason}`),
  ]
    .filter(Boolean)
    .map((part) => ` (${part.replaceAll(/\s+/g, ' ')})`);
  return new MigrationError(`db/${file}${line}: ${reasonOf(error)}${further.join('')}`, { cause: error });
}
