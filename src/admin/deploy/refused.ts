import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import { MigrationError } from './migration-error.ts';
import { convertToSingleLine, oneLineReason } from '../../single-line.ts';
import type { UndroppedObjects } from './take-back.ts';

/** SQLSTATE invalid_function_definition, whose error names the function only in its hint. */
const INVALID_FUNCTION_SQLSTATE = '42P13';
const DEPENDENT_OBJECTS_SQLSTATE = '2BP01';

export function sqlFileError(
  file: string,
  text: string,
  error: unknown,
  undropped: UndroppedObjects = new Map(),
): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const errorLineSuffix =
    error.position === undefined ? '' : `, line ${String(text.slice(0, Number(error.position)).split('\n').length)}`;
  const blockingObjects = [...undropped].filter(([object]) => text.includes(`${object} `));
  const errorDetails = [
    ...(error.code === DEPENDENT_OBJECTS_SQLSTATE && error.detail !== undefined ? [error.detail] : []),
    ...(error.code === INVALID_FUNCTION_SQLSTATE && error.hint !== undefined ? [error.hint] : []),
    ...blockingObjects.map(([object, reason]) => `${object} was changed by hand, and cannot be dropped: ${reason}`),
  ].map((part) => ` (${convertToSingleLine(part)})`);
  return new MigrationError(`db/${file}${errorLineSuffix}: ${oneLineReason(error)}${errorDetails.join('')}`, {
    cause: error,
  });
}

/** SQL that finds each object named $1 that no role of the service owns, with the object's schema and owner. */
const OWNERS_QUERY = `
  select found.object, pg_get_userbyid(found.owner) as owner
  from (
      select
          format('%s %I.%I', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, n.nspname, c.relname) as object,
          c.relname as name,
          c.relowner as owner,
          n.nspname
      from pg_class as c
      join pg_namespace as n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f')
      union all
      select
          format('routine %I.%I(%s)', n.nspname, f.proname, pg_get_function_identity_arguments(f.oid)),
          f.proname,
          f.proowner,
          n.nspname
      from pg_proc as f
      join pg_namespace as n on n.oid = f.pronamespace
      union all
      select format('schema %I', n.nspname), n.nspname, n.nspowner, n.nspname from pg_namespace as n
  ) as found
  where found.nspname in ('public', 'app', 'reporting', 'audit')
      and found.name = $1
      and pg_get_userbyid(found.owner) not in ('taxclaims_owner', 'taxclaims_definer', 'taxclaims_housekeeper')`;

export async function addOwnerToError(client: pg.Client, error: unknown): Promise<unknown> {
  if (!(error instanceof DatabaseError || error instanceof MigrationError)) return error;
  const [, name] = /(?:must be owner of|permission denied for) (?:\w+ )+(\w+)$/.exec(error.message) ?? [];
  if (name === undefined) return error;
  const { rows } = await client.query<{ object: string; owner: string }>(OWNERS_QUERY, [name]);
  if (rows.length === 0) return error;
  const ownerChangeTexts = rows.map(
    ({ object, owner }) => `${object} belongs to ${owner}: alter ${object} owner to taxclaims_owner`,
  );
  return new MigrationError(`${error.message} (${ownerChangeTexts.join('; ')})`, { cause: error });
}
