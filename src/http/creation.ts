import type { Database } from '../db/database.ts';
import { claimKey, claimOf, keepAnswer } from '../db/kept-answers.ts';
import type { Claim, Free, KeptAnswer, KeyedRequest } from '../db/kept-answers.ts';
import type { RequestContext } from '../db/request-settings.ts';
import type { Result } from '../db/statement.ts';
import type { Run } from '../db/transaction.ts';
import type { CallerRequest, NewRecord, Reply } from './endpoint.ts';
import { keyedRequest, underWay, usedOtherwise } from './idempotency-key.ts';
import { look, NothingFound } from './standings.ts';

/** An `Idempotency-Key`, and the body that came with it, unless that is one that the endpoint reads by itself. */
export interface Repeatable {
  readonly key: string;
  readonly content: Buffer | undefined;
}

/**
 * How a request creates: in one pipeline, or, with a key, in a transaction that first looks whether the very request was
 * answered before, and keeps its answer with what it creates.
 */
export function creating(
  context: RequestContext,
  repeatable: Repeatable | undefined,
  database: Database,
): Pick<CallerRequest, 'create' | 'recall' | 'hasKey'> {
  const keyed = (fingerprint: string | undefined): KeyedRequest | undefined =>
    repeatable && keyedRequest(repeatable.key, context.action, fingerprint ?? repeatable.content ?? '');

  /** What a claim that is not free comes to. @throws RequestError ERROR_CONFLICT, NothingFound */
  async function given(claim: Exclude<Claim, Free>): Promise<Reply> {
    if (claim.standing === 'under way') throw underWay();
    if (claim.standing === 'other') throw usedOtherwise();
    await requireSight(claim.answer, claim.isGained);
    return replyOf(claim.answer);
  }

  /** Whoever has lost the record since, or whose record is gone, is told so, and is shown nothing of it. */
  async function requireSight({ table, id }: KeptAnswer, isGained: boolean): Promise<void> {
    const reader = { ...context, readOnly: true, client: isGained ? id : undefined };
    const [seen] = await database.run(reader, [look({ table, id })]);
    if (seen?.rowCount !== 1) throw new NothingFound({ table, id });
  }

  return {
    hasKey: repeatable !== undefined,
    async recall(fingerprint) {
      const request = keyed(fingerprint);
      if (request === undefined) return undefined;
      const [claimed] = await database.run(context, [claimKey(request)]);
      const claim = claimed && claimOf(claimed);
      return claim === undefined || claim.standing === 'free' ? undefined : given(claim);
    },
    async create({ fingerprint, ...record }) {
      const request = keyed(fingerprint);
      if (request === undefined && 'statements' in record)
        return replyOf(answerOf(record, (await database.run(context, record.statements)).at(-1)));
      const make = 'make' in record ? record.make : (run: Run) => run(...record.statements);
      const work = async (run: Run) => {
        const claim = request === undefined ? undefined : claimOf(await run(claimKey(request)));
        if (claim !== undefined && claim.standing !== 'free') return claim;
        const answer = answerOf(record, await make(run));
        if (request !== undefined) await run(keepAnswer(request, answer));
        return { standing: 'free', answer } as const;
      };
      const timeoutMs = 'make' in record ? record.timeoutMs : undefined;
      const done = await database.transaction(context, work, { timeoutMs });
      return done.standing === 'free' ? replyOf(done.answer) : given(done);
    },
  };
}

/** @throws Error where the statements made nothing: a statement that creates fails or has a row. */
function answerOf(
  { of, id, location }: Pick<NewRecord, 'of' | 'id' | 'location'>,
  made: Result | undefined,
): KeptAnswer {
  const row = made?.rows[0];
  if (row === undefined) throw new Error('nothing was created');
  return { table: of.table, id, body: of.write(row), etag: of.tag(row), location };
}

/** The same bytes and headers, whether the record was made now or before. */
function replyOf({ body, etag, location }: KeptAnswer): Reply {
  return { status: 201, body, headers: { ...(etag !== undefined && { ETag: etag }), Location: location } };
}
