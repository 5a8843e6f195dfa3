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
  const line =
    error.position === undefined ? '' : `, line ${String(text.slice(0, Number(error.position)).split('\n').length)}`;
  const blocking = [...undropped].filter(([object]) => text.includes(`${object} `));
  const details = [
    ...(error.code === DEPENDENT_OBJECTS_SQLSTATE && error.detail !== undefined ? [error.detail] : []),
    ...(error.code === INVALID_FUNCTION_SQLSTATE && error.hint !== undefined ? [error.hint] : []),
    ...blocking.map(([object, reason]) => `${object} was changed by hand, and cannot be dropped: ${reason}`),
  ].map((part) => ` (${convertToSingleLine(part)})`);
  return new MigrationError(`db/${file}${line}: ${oneLineReason(error)}${details.join('')}`, {
    cause: error,
  });
}

/** Adds to an error of Postgres about rights on an object how the object is given to the service's owner. */
export function addOwnerToError(error: unknown): unknown {
  if (!(error instanceof DatabaseError || error instanceof MigrationError)) return error;
  const [, kind, name] =
    /(?:must be owner of|permission denied for) (schema|table|relation|view|function) (\w+)$/.exec(error.message) ?? [];
  if (kind === undefined) return error;
  const object = `${kind === 'relation' ? 'table' : kind} ${name ?? ''}`;
  return new MigrationError(
    `${error.message} (if it belongs to none of the service’s roles: alter ${object} owner to taxclaims_owner)`,
    { cause: error },
  );
}
