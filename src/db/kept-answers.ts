import type { Result, Statement } from './statement.ts';

/** A request as its key names it, for the caller of the transaction; both are SHA-256 in hexadecimal. */
export interface KeyedRequest {
  readonly keyDigest: string;
  readonly requestDigest: string;
}

export interface KeptAnswer {
  readonly table: string;
  readonly id: string;
  readonly body: string;
  readonly etag: string | undefined;
  readonly location: string;
}

/** Nothing is kept under the key; until the end of the transaction it is the caller's to use. */
export interface Free {
  readonly standing: 'free';
}

/** How a key stands when a transaction asks for it; `app.claim_key` says what each means. */
export type Claim =
  | Free
  | { readonly standing: 'under way' }
  | { readonly standing: 'other' }
  | {
      readonly standing: 'kept';
      readonly answer: KeptAnswer;
      /** The record is a client that the caller created and whose token may not say it yet. */
      readonly isGained: boolean;
    };

/** Takes the key until the end of the transaction; `claimOf` reads what it gives. */
export function claimKey({ keyDigest, requestDigest }: KeyedRequest): Statement {
  return {
    text: `
select c.standing, c.resource_type, c.resource_id, c.is_gained, c.body, c.etag, c.location
from app.claim_key($1, $2) as c`,
    values: [keyDigest, requestDigest],
  };
}

export function claimOf({ rows }: Result): Claim {
  const [standing, table, id, isGained, body, etag, location] = rows[0] ?? [];
  if (standing === 'free') return { standing };
  if (standing === 'under way' || standing === 'other') return { standing };
  if (standing !== 'kept' || table == null || id == null || body == null || location == null)
    throw new Error('a key without a standing');
  return {
    standing,
    answer: { table, id, body, etag: etag ?? undefined, location },
    isGained: isGained === 't',
  };
}

export function keepAnswer({ keyDigest, requestDigest }: KeyedRequest, answer: KeptAnswer): Statement {
  const { table, id, body, etag, location } = answer;
  return {
    text: 'select app.keep_answer($1, $2, $3, $4, $5, $6, $7)',
    values: [keyDigest, requestDigest, table, id, body, etag ?? null, location],
  };
}
