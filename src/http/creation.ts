import { createHmac, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Result, Statement } from '../db/statement.ts';
import type { Run } from '../db/transaction.ts';
import { RequestError } from '../errors.ts';
import { bytesOf } from './body.ts';
import type { CallerRequest } from './caller-request.ts';
import type { RecordShape, Reply } from './endpoint.ts';
import { KEY_CHARACTERS } from '../limits.ts';
import { look, NothingFound } from './why-not.ts';

/* Creations, which a request with an `Idempotency-Key` may repeat: draft-ietf-httpapi-idempotency-key-header. */

const NAME = 'Idempotency-Key';

/** A string of RFC 9651, which is what the draft asks for. */
const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/;

/** What most senders send all the same. A comma would stand between two fields, a semicolon before a parameter. */
const BARE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/**
 * The key of a request, the same whether it came in quotes or not; undefined where it has none.
 * @throws RequestError ERROR_VALIDATION
 */
export function idempotencyKeyOf({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): string | undefined {
  const values = headersDistinct['idempotency-key'];
  if (values === undefined) return undefined;
  const [value = ''] = values.map((one) => one.trim());
  const key = QUOTED.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
  const isKey = key === value ? BARE.test(value) : true;
  if (values.length === 1 && isKey && key !== '' && key.length <= KEY_CHARACTERS) return key;
  const rule = `must be one key of 1 to ${KEY_CHARACTERS} printable ASCII characters, in double quotes or without any`;
  throw new RequestError('ERROR_VALIDATION', `${NAME} ${rule}`, { details: { [NAME]: rule } });
}

/** What a request creates. */
export interface NewRecord {
  readonly of: RecordShape;
  readonly id: string;
  /** Its address. */
  readonly location: string;
  /** Statements for one exchange, or steps that depend on each other; the last gives the record. */
  readonly make: readonly [...Statement[], Statement] | ((run: Run) => Promise<Result>);
  /** Where that may take longer than other requests: so long for all of it. */
  readonly timeoutMs?: number | undefined;
  /** What tells a body that is no JSON from another; the same that `recall` was told. */
  readonly fingerprint?: string | undefined;
}

/** What a request that created a record was answered with. */
interface KeptAnswer {
  readonly table: string;
  readonly id: string;
  readonly body: string;
  readonly etag: string | undefined;
  readonly location: string;
}

/**
 * 201, the record and its `Location`. With an `Idempotency-Key` the answer is kept in the same transaction, and where it
 * was kept before, it is given again and nothing is made.
 * @throws RequestError ERROR_CONFLICT for a key that is in use, or was used for another request
 */
export async function create(request: CallerRequest, record: NewRecord): Promise<Reply> {
  const { make, timeoutMs, fingerprint } = record;
  const digests = keyedDigests(request, fingerprint);
  if (digests === undefined && typeof make !== 'function')
    return replyOf(answerOf(record, await request.run(make)));
  const done = await request.transaction(
    async (run) => {
      const before = digests && (await claimed(digests, run));
      if (before !== undefined) return before;
      const answer = answerOf(record, await (typeof make === 'function' ? make(run) : run(...make)));
      if (digests !== undefined) await run(keeping(digests, answer));
      return { answer };
    },
    { timeoutMs },
  );
  return given(done, request);
}

/**
 * The answer that is kept for this very request, to be asked for before anything is stored outside the database;
 * undefined where there is none, or no key.
 * @throws RequestError as `create` does
 */
export async function recall(request: CallerRequest, fingerprint?: string): Promise<Reply | undefined> {
  const digests = keyedDigests(request, fingerprint);
  if (digests === undefined) return undefined;
  const before = await claimed(digests, (statement) => request.run(statement));
  return before && given(before, request);
}

/** @throws Error where the statements made nothing: a statement that creates fails or has a row. */
function answerOf({ of, id, location }: NewRecord, { rows: [row] }: Result): KeptAnswer {
  if (row === undefined) throw new Error('nothing was created');
  return { table: of.table, id, body: of.write(row), etag: of.tag(row), location };
}

/** The same bytes and headers, whether the record was made now or before. */
function replyOf({ body, etag, location }: KeptAnswer): Reply {
  return { status: 201, body, headers: { ...(etag !== undefined && { ETag: etag }), Location: location } };
}

/** SHA-256 of the key and of the request that it stands for. */
type Digests = readonly [key: string, request: string];

/**
 * The request is its method, its path, and the bytes of its body, or what they are told by. A body may have a password in
 * it, which nobody can try out on the digest without the key, and the key is not kept.
 */
export function digestsOf(key: string, action: string, content: Buffer | string): Digests {
  const request = createHmac('sha256', key).update(`${action}\n`).update(content).digest('hex');
  return [hash('sha256', key), request];
}

function keyedDigests({ key, state, incoming }: CallerRequest, fingerprint?: string): Digests | undefined {
  return key === undefined ? undefined : digestsOf(key, state.action, fingerprint ?? bytesOf(incoming) ?? '');
}

/** What the request was answered with, unless that was in this very transaction. */
interface Answered {
  readonly answer: KeptAnswer;
  /** Whoever asks must see the record; `isGained` for a client of the caller's making, which its token may not say yet. */
  readonly isGained?: boolean;
}

/**
 * Takes the key until the end of the transaction; gives what is kept under it.
 * @throws RequestError ERROR_CONFLICT
 */
async function claimed(
  digests: Digests,
  run: (statement: Statement) => Promise<Result>,
): Promise<Answered | undefined> {
  const { rows } = await run({
    text: `
select c.standing, c.resource_type, c.resource_id, c.is_gained, c.body, c.etag, c.location
from app.claim_key($1, $2) as c`,
    values: digests,
  });
  const [standing, table, id, isGained, body, etag, location] = rows[0] ?? [];
  if (standing === 'free') return undefined;
  // Nothing is done, and a later attempt finds the answer; who sent the first waits about as long as one statement.
  if (standing === 'under way') throw conflict('is of a request that is under way', { 'Retry-After': '1' });
  if (standing === 'other') throw conflict('was used for another request');
  if (table == null || id == null || body == null || location == null)
    throw new Error('a key without a standing');
  return { answer: { table, id, body, etag: etag ?? undefined, location }, isGained: isGained === 't' };
}

function keeping(digests: Digests, { table, id, body, etag, location }: KeptAnswer): Statement {
  return {
    text: 'select app.keep_answer($1, $2, $3, $4, $5, $6, $7)',
    values: [...digests, table, id, body, etag ?? null, location],
  };
}

/** Whoever has lost a kept record since, or whose record is gone, is told so, and is shown nothing of it. */
async function given({ answer, isGained }: Answered, { database, state }: CallerRequest): Promise<Reply> {
  if (isGained !== undefined) {
    const { table, id } = answer;
    const reader = { ...state, readOnly: true, client: isGained ? id : undefined };
    const [seen] = await database.run(reader, [look({ table, id })]);
    if (seen?.rowCount !== 1) throw new NothingFound({ table, id });
  }
  return replyOf(answer);
}

function conflict(rule: string, headers: Readonly<Record<string, string>> = {}): RequestError {
  return new RequestError('ERROR_CONFLICT', `${NAME} ${rule}`, { details: { [NAME]: rule }, headers });
}
