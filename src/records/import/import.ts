import { randomUUID, subtle } from 'node:crypto';
import { z } from 'zod';
import { sqlState } from '../../db/errors.ts';
import type { TransactionLimits } from '../../db/database.ts';
import type { Result, Statement } from '../../db/statement.ts';
import type { AttemptStatements, RunStatements } from '../../db/transaction.ts';
import { requireClients } from '../../http/access.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import { createRecord, storedAnswer } from '../../http/creation.ts';
import type { RecordShape, Reply } from '../../http/endpoint.ts';
import * as field from '../../http/fields.ts';
import { validate } from '../../http/input.ts';
import * as column from '../column.ts';
import { record, type Rec } from '../record.ts';
import { batchesOf, refuseBroken, refuseOutOfReach, type Given, type Rules } from './checks.ts';
import { Problems, type GivenRow } from './given.ts';
import { refuseByLine } from './refusals.ts';
import { readRows } from './rows.ts';
import { sheetOf } from './sheet.ts';
import { turnsOf, type NextTurn } from './turns.ts';
import { SHORT_IMPORT_ROWS, IMPORT_MS, MAX_BODY_ROWS } from '../../limits.ts';

/* Imports create many records, all or none; docs/decisions/imports.md has the reasons. */

interface ImportOptions extends Rules {
  readonly of: Rec;
  readonly path: string;
}

export const dryRun = z.strictObject({
  dry_run: field
    .describeParameter(
      field.booleanParameter,
      'With true everything is tried, and told, and nothing is kept.',
    )
    .optional(),
});

const importCheck = z
  .strictObject({ importable: z.int().meta({ description: 'How many records would be made.' }) })
  .meta({ id: 'ImportCheck' });

export function importing(options: ImportOptions) {
  const { of } = options;
  const imported = record(`Imported${of.name}s`, of.table, {
    imported: column.said(column.integer, 'How many records were made.'),
    ids: column.said(column.uuids, 'Their ids, in the order of the body.'),
  });
  return {
    query: dryRun,
    rows: z
      .array(of.newBody)
      .min(1)
      .max(MAX_BODY_ROWS)
      .meta({ id: `New${of.name}s`, example: [of.newBody.meta()?.['example']] }),
    responses: { 200: importCheck, 201: imported },
    handle: ({ query: { dry_run } }: { readonly query: z.output<typeof dryRun> }, request: CallerRequest) =>
      importRows(options, imported, dry_run === 'true', request),
  };
}

async function importRows(
  options: ImportOptions,
  imported: RecordShape,
  isDry: boolean,
  request: CallerRequest,
): Promise<Reply> {
  const { of, path } = options;
  const nextTurn = turnsOf(request.incoming);
  const inTurn =
    <Asked extends unknown[], Answer>(ask: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer> => {
      await nextTurn();
      return ask(...asked);
    };
  const ask = inTurn((statement: Statement) => request.run(statement));
  const { rows, bytes } = await readRows(request.incoming, sheetOf(of), nextTurn);
  const given = await validated(rows, of, nextTurn);
  requireClients(request.caller, [...new Set(given.map(({ body }) => String(body['client_id'])))]);
  const fingerprint = request.key && Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
  const kept = isDry ? undefined : await storedAnswer(request, fingerprint);
  if (kept !== undefined) return kept;
  await refuseOutOfReach(given, options, request, ask);
  await refuseBroken(given, options, ask, nextTurn);
  const ids = given.map(({ body }) => body.id);
  const [id = ''] = ids;
  const insertion = (lines: readonly Given[]) => (run: RunStatements) =>
    insert(of, lines, inTurn(run), nextTurn);
  const timeoutMs = given.length > SHORT_IMPORT_ROWS ? IMPORT_MS : undefined;
  try {
    if (!isDry)
      return await createRecord(request, {
        of: imported,
        id,
        location: `${path}/${id}`,
        make: insertion(given),
        timeoutMs,
        fingerprint,
      });
    await tried(insertion(given), request, { timeoutMs });
    return { status: 200, body: JSON.stringify({ importable: given.length }) };
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    await refuseOutOfReach(given, options, request, ask);
    await refuseByLine(error, given, options, (lines) => tried(insertion(lines), request));
    throw error;
  }
}

class Undone extends Error {
  readonly made: unknown;

  constructor(made: unknown) {
    super();
    this.made = made;
  }
}

/** Does the work in a transaction, rolls it back, and returns the result. */
export async function tried<T>(
  make: (run: RunStatements, attempt: AttemptStatements) => Promise<T>,
  request: CallerRequest,
  limits?: TransactionLimits,
): Promise<T> {
  const undone = request.transaction(async (run, attempt): Promise<T> => {
    throw new Undone(await make(run, attempt));
  }, limits);
  return undone.catch((error: unknown) => {
    if (error instanceof Undone) return error.made as T;
    throw error;
  });
}

/** @throws RequestError ERROR_VALIDATION with each wrong line and field */
async function validated(rows: readonly GivenRow[], of: Rec, nextTurn: NextTurn): Promise<Given[]> {
  const problems = new Problems();
  const given: Given[] = [];
  for (const row of rows) {
    await nextTurn();
    const { value, problems: found } = validate('', of.newBody, row.value);
    for (const [field, broken] of row.misread ?? []) problems.add(row.place, field, broken);
    for (const { field, rule } of found.filter(({ field }) => !row.misread?.has(field)))
      problems.add(row.place, field, rule);
    given.push({ row, body: { ...value, id: randomUUID() } });
  }
  problems.refuse();
  return given;
}

async function insert(
  of: Rec,
  given: readonly Given[],
  run: RunStatements,
  nextTurn: NextTurn,
): Promise<Result> {
  let made = 0;
  for await (const { json } of batchesOf(given, nextTurn)) {
    const statement: Statement = {
      text: `
insert into public.${of.table} as r (${of.inserted})
select ${of.given}
from ${of.bodiesAsRows('$1')}`,
      values: [json],
    };
    made += (await run(statement)).rowCount;
  }
  if (made !== given.length) throw new Error(`${made} of ${given.length} rows were made`);
  return { rows: [[String(made), `{${given.map(({ body }) => body.id).join(',')}}`]], rowCount: 1 };
}
