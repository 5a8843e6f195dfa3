import { hash, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { sqlState } from '../db/errors.ts';
import type { TransactionLimits } from '../db/database.ts';
import type { Result, Statement } from '../db/statement.ts';
import type { Run } from '../db/transaction.ts';
import { requireClients } from '../http/access.ts';
import type { CallerRequest, RecordShape, Reply } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { check } from '../http/input.ts';
import { Problems } from '../http/problems.ts';
import { MOST_ROWS } from '../http/given-row.ts';
import type { GivenRow } from '../http/given-row.ts';
import { readRows } from '../http/rows.ts';
import * as column from './column.ts';
import { refuseBroken, refuseOutOfReach } from './import-checks.ts';
import type { Given, Rules } from './import-checks.ts';
import { refuseByLine } from './import-refusals.ts';
import { record } from './record.ts';
import type { Rec } from './record.ts';
import { sheetOf } from './sheet.ts';

/* Many records at once, all or none. docs/decisions/imports.md has the reasons. */

interface Shape extends Rules {
  readonly of: Rec;
  /** The address of the record's list. */
  readonly path: string;
}

/** Rows of a statement: a few of them are soon sent and soon undone. */
const BATCH = 1_000;
/** Up to so many are a request like any other. */
const FEW = 250;
const TIMEOUT_MS = 30_000;
/** How many are held against their schema before others have their turn. */
const AT_ONCE = 200;

const query = z.strictObject({
  dry_run: field
    .parameter(field.flag, 'With true everything is tried, and told, and nothing is kept.')
    .optional(),
});

const importCheck = z
  .strictObject({ importable: z.int().meta({ description: 'How many records would be made.' }) })
  .meta({ id: 'ImportCheck' });

/** What an endpoint that imports is made of, besides its name, its path and who may. */
export function importing(shape: Shape) {
  const { of } = shape;
  const imported = record(`Imported${of.name}s`, of.table, {
    imported: column.read(column.described(column.integer, { description: 'How many records were made.' })),
    ids: column.read(column.described(column.uuids, { description: 'Their ids, in the order of the body.' })),
  });
  return {
    query,
    rows: z
      .array(of.newBody)
      .min(1)
      .max(MOST_ROWS)
      .meta({ id: `New${of.name}s`, example: [of.newBody.meta()?.['example']] }),
    responses: { 200: importCheck, 201: imported },
    handle: ({ query: { dry_run } }: { readonly query: z.output<typeof query> }, request: CallerRequest) =>
      importRows(shape, imported, dry_run === 'true', request),
  };
}

async function importRows(
  shape: Shape,
  imported: RecordShape,
  isDry: boolean,
  request: CallerRequest,
): Promise<Reply> {
  const { of, path } = shape;
  const { rows, bytes } = await readRows(request.incoming, request.inviteBody, sheetOf(of));
  const given = await held(rows, of);
  requireClients(request.caller, [...new Set(given.map(({ body }) => String(body['client_id'])))]);
  const fingerprint = hash('sha256', bytes);
  const kept = isDry ? undefined : await request.recall(fingerprint);
  if (kept !== undefined) return kept;
  await refuseOutOfReach(given, shape, request);
  await refuseBroken(given, shape, request);
  const ids = given.map(() => randomUUID());
  const [id = ''] = ids;
  const make = (run: Run): Promise<Result> => insert(of, given, ids, run);
  const timeoutMs = given.length > FEW ? TIMEOUT_MS : undefined;
  try {
    if (!isDry)
      return await request.create({
        of: imported,
        id,
        location: `${path}/${id}`,
        make,
        timeoutMs,
        fingerprint,
      });
    await tried(make, request, { timeoutMs });
    return { status: 200, body: JSON.stringify({ importable: given.length }) };
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    // What they name may have gone since it was looked at.
    await refuseOutOfReach(given, shape, request);
    await refuseByLine(error, given, shape, (lines) =>
      tried((run) => insert(of, lines, ids.slice(0, lines.length), run), request),
    );
    throw error;
  }
}

/** Thrown so that nothing is kept of what was tried. */
class Undone extends Error {}

/** Does it all and takes it back. */
async function tried(
  make: (run: Run) => Promise<Result>,
  request: CallerRequest,
  limits?: TransactionLimits,
): Promise<void> {
  const undone = request.transaction(async (run) => {
    await make(run);
    throw new Undone();
  }, limits);
  await undone.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
}

/** @throws RequestError ERROR_VALIDATION that names each line and field */
async function held(rows: readonly GivenRow[], of: Rec): Promise<Given[]> {
  const problems = new Problems();
  const given: Given[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % AT_ONCE === 0) await setImmediate();
    const { value, problems: found } = check('', of.newBody, row.value);
    for (const [name, rule] of [...(row.misread ?? []), ...found.filter(([name]) => !row.misread?.has(name))])
      problems.add(row.name(name === '' ? undefined : name), rule);
    given.push({ row, body: value });
  }
  problems.refuse();
  return given;
}

/** As the creation of one does, for a thousand in each statement. */
async function insert(of: Rec, given: readonly Given[], ids: readonly string[], run: Run): Promise<Result> {
  let made = 0;
  for (let from = 0; from < given.length; from += BATCH) {
    const bodies = given
      .slice(from, from + BATCH)
      .map(({ body }, index) => ({ ...body, id: ids[from + index] }));
    const statement: Statement = {
      text: `
insert into public.${of.table} as r (${of.inserted})
select ${of.given}
from ${of.allLaidOut('$1')}`,
      values: [JSON.stringify(bodies)],
    };
    made += (await run(statement)).rowCount;
  }
  if (made !== given.length) throw new Error(`${made} of ${given.length} rows were made`);
  return { rows: [[String(made), `{${ids.join(',')}}`]], rowCount: 1 };
}
