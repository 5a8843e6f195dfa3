import { randomUUID, subtle } from 'node:crypto';
import { z } from 'zod';
import { sqlState } from '../../db/errors.ts';
import type { TransactionLimits } from '../../db/database.ts';
import type { StatementResult, Statement } from '../../db/statement.ts';
import type { SavepointStatementRunner, StatementRunner, UndoneWorkRunner } from '../../db/transaction.ts';
import { requireAccessToClients } from '../../http/access.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import { createRecord, findStoredAnswer } from '../../http/creation.ts';
import type { RecordShape } from '../../http/endpoint.ts';
import type { EndpointReply } from '../../http/envelope.ts';
import * as field from '../../http/fields.ts';
import { validateInputPart } from '../../http/input.ts';
import * as column from '../column.ts';
import { record, type RecordDefinition } from '../record.ts';
import {
  splitIntoBatches,
  refuseBrokenConstraints,
  refuseInaccessibleParents,
  type RecordLine,
  type ImportRules,
  refuseRepeatedRecords,
} from './checks.ts';
import { ProblemList, type ReceivedRow } from './given.ts';
import { refuseWrongLines } from './refusals.ts';
import { readRows } from './rows.ts';
import { createCsvColumns } from './sheet.ts';
import { createTurnAwaiter, type TurnAwaiter } from './turns.ts';
import { MAX_SHORT_IMPORT_ROWS, IMPORT_TRANSACTION_TIMEOUT_MS, MAX_BODY_ROWS } from '../../limits.ts';

/* Imports create many records, all or none; docs/decisions/imports.md has the reasons. */

interface ImportOptions extends ImportRules {
  readonly of: RecordDefinition;
  readonly path: string;
}

export const dryRunQuery = z.strictObject({
  dry_run: field
    .describeParameter(field.booleanParameter, 'If true, check the request and report its problems, but store nothing.')
    .optional(),
});

const importCheck = z
  .strictObject({ importable: z.int().meta({ description: 'Number of records that the import would create.' }) })
  .meta({ id: 'ImportCheck' });

export function importEndpoint(options: ImportOptions) {
  const { of } = options;
  const importResult = record(`Imported${of.name}s`, of.table, {
    imported: column.readOnlyWithDescription(column.integer, 'Number of created records.'),
    ids: column.readOnlyWithDescription(column.uuids, 'Ids of the created records, in the order of the body.'),
  });
  return {
    query: dryRunQuery,
    rows: z
      .array(of.newBody)
      .min(1)
      .max(MAX_BODY_ROWS)
      .meta({ id: `New${of.name}s`, example: [of.newBody.meta()?.['example']] }),
    responses: { 200: importCheck, 201: importResult },
    handle: ({ query: { dry_run } }: { readonly query: z.output<typeof dryRunQuery> }, request: CallerRequest) =>
      importRows(options, importResult, dry_run === 'true', request),
  };
}

async function importRows(
  options: ImportOptions,
  imported: RecordShape,
  isDryRun: boolean,
  request: CallerRequest,
): Promise<EndpointReply> {
  const { of, path } = options;
  const nextTurn = createTurnAwaiter(request.incoming);
  const inTurns =
    <Asked extends unknown[], Answer>(ask: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer> => {
      await nextTurn();
      return ask(...asked);
    };
  const run = inTurns((statement: Statement) => request.run(statement));
  const { rows, bytes } = await readRows(request.incoming, createCsvColumns(of), nextTurn);
  const lines = await validateRows(rows, of, nextTurn);
  requireAccessToClients(request.caller, [...new Set(lines.map(({ body }) => String(body['client_id'])))]);
  const fingerprint = request.key && Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
  const stored = isDryRun ? undefined : await findStoredAnswer(request, fingerprint);
  if (stored !== undefined) return stored;
  await refuseInaccessibleParents(lines, options, request, run);
  await refuseBrokenConstraints(lines, options, run, nextTurn);
  await refuseRepeatedRecords(lines, options, nextTurn);
  const ids = lines.map(({ body }) => body.id);
  const [id = ''] = ids;
  const insert = (chosen: readonly RecordLine[]) => (run: StatementRunner) =>
    insertLines(of, chosen, inTurns(run), nextTurn);
  const timeoutMs = lines.length > MAX_SHORT_IMPORT_ROWS ? IMPORT_TRANSACTION_TIMEOUT_MS : undefined;
  try {
    if (!isDryRun)
      return await createRecord(request, {
        of: imported,
        id,
        location: `${path}/${id}`,
        make: insert(lines),
        timeoutMs,
        fingerprint,
      });
    await runAndRollBack(insert(lines), request, { timeoutMs });
    return { status: 200, body: JSON.stringify({ importable: lines.length }) };
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    await refuseInaccessibleParents(lines, options, request, run);
    await refuseWrongLines(error, lines, options, (chosen) => runAndRollBack(insert(chosen), request));
    throw error;
  }
}

class RolledBackError extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super();
    this.result = result;
  }
}

export async function runAndRollBack<T>(
  make: (run: StatementRunner, attempt: SavepointStatementRunner, undo: UndoneWorkRunner) => Promise<T>,
  request: CallerRequest,
  limits?: TransactionLimits,
): Promise<T> {
  const rolledBack = request.transaction(async (run, attempt, undo): Promise<T> => {
    throw new RolledBackError(await make(run, attempt, undo));
  }, limits);
  return rolledBack.catch((error: unknown) => {
    if (error instanceof RolledBackError) return error.result as T;
    throw error;
  });
}

/** @throws RequestError ERROR_VALIDATION with each wrong line and field */
async function validateRows(
  rows: readonly ReceivedRow[],
  of: RecordDefinition,
  nextTurn: TurnAwaiter,
): Promise<RecordLine[]> {
  const problems = new ProblemList();
  const lines: RecordLine[] = [];
  for (const row of rows) {
    await nextTurn();
    const { value, problems: found } = validateInputPart('', of.newBody, row.value);
    for (const [field, broken] of row.cellProblems ?? []) problems.add(row.position, field, broken);
    for (const { field, rule } of found.filter(({ field }) => !row.cellProblems?.has(field)))
      problems.add(row.position, field, rule);
    lines.push({ row, body: { ...value, id: randomUUID() } });
  }
  problems.throwIfAny();
  return lines;
}

async function insertLines(
  of: RecordDefinition,
  lines: readonly RecordLine[],
  run: StatementRunner,
  nextTurn: TurnAwaiter,
): Promise<StatementResult> {
  let count = 0;
  for await (const { json } of splitIntoBatches(lines, nextTurn)) {
    const { rowCount } = await run({
      text: `
insert into public.${of.table} as r (${of.inserted})
select ${of.insertedValues}
from ${of.bodiesAsRows('$1')}`,
      values: [json],
    });
    count += rowCount;
  }
  if (count !== lines.length) throw new Error(`${count} of ${lines.length} rows were made`);
  return { rows: [[String(count), `{${lines.map(({ body }) => body.id).join(',')}}`]], rowCount: 1 };
}
