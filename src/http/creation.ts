import { createHmac, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { StatementResult, Statement } from '../db/statement.ts';
import type { StatementRunner } from '../db/transaction.ts';
import { validationError, problemsText, RequestError } from '../errors.ts';
import { findBodyBytes } from './body.ts';
import type { CallerRequest } from './caller-request.ts';
import type { RecordShape } from './endpoint.ts';
import type { EndpointReply } from './envelope.ts';
import { IDEMPOTENCY_KEY_CHARACTERS } from '../limits.ts';
import { rule, type ProblemRule } from '../problems.ts';
import { selectRecord } from './visibility.ts';
import { RecordNotFound } from './errors.ts';

/* A caller may repeat a creation with the same `Idempotency-Key`: draft-ietf-httpapi-idempotency-key-header. */

const KEY_HEADER = 'Idempotency-Key';

const QUOTED_KEY_PATTERN = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/;

/**
 * Matches an Idempotency-Key without quotes, as most callers send it. Commas separate keys and semicolons separate
 * parameters, so a key without quotes must contain neither.
 */
const BARE_KEY_PATTERN = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/**
 * Returns the Idempotency-Key without quotes; undefined if the request has none. @throws RequestError ERROR_VALIDATION
 */
export function readIdempotencyKey({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): string | undefined {
  const values = headersDistinct['idempotency-key'];
  if (values === undefined) return undefined;
  const [value = ''] = values.map((one) => one.trim());
  const key = QUOTED_KEY_PATTERN.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
  const isWellFormed = key !== value || BARE_KEY_PATTERN.test(value);
  if (values.length === 1 && isWellFormed && key !== '' && key.length <= IDEMPOTENCY_KEY_CHARACTERS) return key;
  throw validationError(KEY_HEADER, rule('not_a_key', { max: IDEMPOTENCY_KEY_CHARACTERS }));
}

interface NewRecord {
  readonly of: RecordShape;
  readonly id: string;
  readonly location: string;
  /**
   * Creates the record with SQL statements in one round trip, or with a function that runs statements. The last
   * statement of a creation returns the new record.
   */
  readonly make: readonly [...Statement[], Statement] | ((run: StatementRunner) => Promise<StatementResult>);
  readonly timeoutMs?: number | undefined;
  readonly fingerprint?: string | undefined;
}

type StoredAnswer = ReturnType<typeof buildAnswer>;

/**
 * Creates a record. If the request has an Idempotency-Key, the transaction also stores the answer, and a repeated
 * request gets the stored answer. @throws RequestError ERROR_CONFLICT
 */
export async function createRecord(request: CallerRequest, record: NewRecord): Promise<EndpointReply> {
  const { make, timeoutMs } = record;
  const digests = findDigests(request, record.fingerprint);
  if (digests === undefined && typeof make !== 'function')
    return createReply(buildAnswer(record, await request.run(make)), request);
  const created = await request.transaction(
    async (run) => {
      const earlier = digests && (await lockKey(digests, run));
      if (earlier !== undefined) return earlier;
      const answer = buildAnswer(record, await (typeof make === 'function' ? make(run) : run(...make)));
      if (digests !== undefined) await run(storeAnswer(digests, answer));
      return { answer };
    },
    { timeoutMs },
  );
  return replyAgain(created, request);
}

/**
 * With an Idempotency-Key, runs `operation` once; a repeated request runs `repetition` instead. @throws RequestError
 * ERROR_CONFLICT
 */
export function runOncePerKey<T>(
  request: CallerRequest,
  { table, id }: Pick<StoredAnswer, 'table' | 'id'>,
  operation: (run: StatementRunner) => Promise<T>,
  repetition: (run: StatementRunner) => Promise<T>,
): Promise<T> {
  const digests = findDigests(request);
  return request.transaction(async (run) => {
    if (digests === undefined) return operation(run);
    if ((await lockKey(digests, run)) !== undefined) return repetition(run);
    const result = await operation(run);
    await run(storeAnswer(digests, { table, id, body: '[]', etag: undefined, location: '' }));
    return result;
  });
}

/** Returns the response that is stored under the Idempotency-Key, if any. @throws RequestError ERROR_CONFLICT */
export async function findStoredAnswer(
  request: CallerRequest,
  fingerprint?: string,
): Promise<EndpointReply | undefined> {
  const digests = findDigests(request, fingerprint);
  if (digests === undefined) return undefined;
  const earlier = await lockKey(digests, (statement) => request.run(statement));
  return earlier && replyAgain(earlier, request);
}

/** @throws RecordNotFound if the statement returned no row, because the parent record is missing */
function buildAnswer({ of, id, location }: NewRecord, { rows: [row] }: StatementResult) {
  if (row === undefined) throw new RecordNotFound();
  return { table: of.table, id, body: of.write(row), etag: of.tag(row), location };
}

function createReply({ body, etag, location }: StoredAnswer, { publicPath }: CallerRequest): EndpointReply {
  const headers = { ...(etag !== undefined && { ETag: etag }), Location: publicPath + location };
  return { status: 201, body, headers };
}

type RequestDigests = readonly [key: string, request: string];

/**
 * Returns a digest of the Idempotency-Key and an HMAC of the request under this key. Nobody can guess a password in the
 * request body from the HMAC, because the database does not store the key.
 */
export function computeRequestDigests(key: string, action: string, content: Buffer | string): RequestDigests {
  return [hash('sha256', key), createHmac('sha256', key).update(`${action}\n`).update(content).digest('hex')];
}

function findDigests({ key, state, incoming }: CallerRequest, fingerprint?: string): RequestDigests | undefined {
  if (key === undefined) return undefined;
  return computeRequestDigests(key, state.action, fingerprint ?? findBodyBytes(incoming) ?? '');
}

interface AnswerOfKey {
  readonly answer: StoredAnswer;
  /** True if the stored answer describes a client that the caller created but the caller's token may not list yet. */
  readonly isGained?: boolean;
}

/**
 * Locks the Idempotency-Key until the transaction ends, and returns the answer stored under the key, if any. @throws
 * RequestError ERROR_CONFLICT
 */
async function lockKey(
  digests: RequestDigests,
  run: (statement: Statement) => Promise<StatementResult>,
): Promise<AnswerOfKey | undefined> {
  const { rows } = await run({
    text: `
select c.standing, c.resource_type, c.resource_id, c.is_gained, c.body, c.etag, c.location
from app.claim_key($1, $2) as c`,
    values: digests,
  });
  const [state, table, id, isGained, body, etag, location] = rows[0] ?? [];
  if (state === 'free') return undefined;
  if (state === 'under way') throw keyConflict(rule('key_in_use'), { 'Retry-After': '1' });
  if (state === 'other') throw keyConflict(rule('key_used'));
  if (table == null || id == null || body == null || location == null) throw new Error('a key without a standing');
  return { answer: { table, id, body, etag: etag ?? undefined, location }, isGained: isGained === 't' };
}

function storeAnswer(digests: RequestDigests, { table, id, body, etag, location }: StoredAnswer): Statement {
  return {
    text: 'select app.keep_answer($1, $2, $3, $4, $5, $6, $7)',
    values: [...digests, table, id, body, etag ?? null, location],
  };
}

/** Returns the stored answer if the caller can still see the record in the answer. @throws RecordNotFound */
async function replyAgain({ answer, isGained }: AnswerOfKey, request: CallerRequest): Promise<EndpointReply> {
  if (isGained !== undefined) {
    const { table, id } = answer;
    const { database, state } = request;
    const context = { ...state, readOnly: true, client: isGained ? id : undefined };
    const [visible] = await database.run(context, [selectRecord({ table, id })]);
    if (visible?.rowCount !== 1) throw new RecordNotFound({ table, id });
  }
  return createReply(answer, request);
}

function keyConflict(broken: ProblemRule, headers: Readonly<Record<string, string>> = {}): RequestError {
  const problems = [{ field: KEY_HEADER, rule: broken }];
  return new RequestError('ERROR_CONFLICT', problemsText(problems), { problems, headers });
}
