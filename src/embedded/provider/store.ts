import { createHmac } from 'node:crypto';
import { errors } from 'oidc-provider';
import type { Adapter, Payload } from 'oidc-provider';
import { DatabaseUnavailable, RightMissing, sqlState } from '../../db/errors.ts';
import type { Database } from '../../db/database.ts';
import type { Parameter, Result } from '../../db/statement.ts';

/** Where the id itself stood in what is kept. */
const PLACE_OF_ID = '{id}';
/** What a program is told of by the token endpoint, and not a browser by a redirect. */
const TOKENS = new Set(['RefreshToken', 'AccessToken']);

/**
 * What the library keeps: in the database, so that it survives every restart, and under digests of its ids with a secret
 * that is not there: whoever can write to the database alone gives nobody an id that is good.
 */
export function storeOn(database: Pick<Database, 'callAsLogin'>, secret: string): (kind: string) => Adapter {
  const digestOf = (id: string): string => createHmac('sha256', secret).update(id).digest('hex');
  return (kind) => {
    const call = (text: string, ...values: Parameter[]): Promise<Result> =>
      database.callAsLogin({ text, values }).catch((error: unknown) => {
        throw inTheirWords(error, kind);
      });
    return {
      async upsert(id, payload, expiresIn) {
        await call(
          'select app.keep_artifact($1, $2, $3, $4, $5, $6, $7, $8)',
          kind,
          digestOf(id),
          withoutId(id, payload),
          accountOf(payload),
          loggedInAt(payload),
          textOf(payload['grantId']),
          kind === 'Session' ? textOf(payload['uid']) : null,
          expiresIn,
        );
      },
      async find(id) {
        const { rows } = await call('select payload, consumed from app.artifact($1, $2)', kind, digestOf(id));
        const [payload, consumed] = rows[0] ?? [];
        if (typeof payload !== 'string') return undefined;
        return withId(id, payload, consumed === 't');
      },
      async findByUid(uid) {
        const { rows } = await call('select app.session_artifact($1)', uid);
        const [payload] = rows[0] ?? [];
        return typeof payload === 'string' ? (JSON.parse(payload) as Payload) : undefined;
      },
      // Of a flow for devices without a browser, which is off.
      findByUserCode: () => Promise.resolve(undefined),
      async consume(id) {
        const { rows } = await call('select app.consume_artifact($1, $2)', kind, digestOf(id));
        // The library has looked before: two who come at the same time have both seen it unused.
        if (rows[0]?.[0] !== 't') throw new errors.InvalidGrant('it was used already');
      },
      async destroy(id) {
        await call('select app.forget_artifact($1, $2)', kind, digestOf(id));
      },
      async revokeByGrantId(grantId) {
        await call('select app.forget_grant($1)', grantId);
      },
    };
  };
}

/** Neither its own id nor that of the browser's session, which an interaction repeats. */
function withoutId(id: string, payload: Payload): string {
  const rest: Record<string, unknown> = { ...payload };
  delete rest['jti'];
  const { returnTo, session } = payload;
  if (typeof returnTo === 'string') rest['returnTo'] = returnTo.replaceAll(id, PLACE_OF_ID);
  if (typeof session === 'object') rest['session'] = { ...session, cookie: undefined };
  return JSON.stringify(rest);
}

function withId(id: string, text: string, consumed: boolean): Payload {
  const payload = JSON.parse(text) as Record<string, unknown>;
  const { returnTo } = payload;
  if (typeof returnTo === 'string') payload['returnTo'] = returnTo.replaceAll(PLACE_OF_ID, id);
  return { ...payload, jti: id, ...(consumed ? { consumed: true } : {}) };
}

/** Whose it is; of an interaction, who has just logged in, or had before. */
function accountOf(payload: Payload): string | null {
  const of = (value: unknown): string | null => textOf((value as Payload | undefined)?.['accountId']);
  return of(payload) ?? of((payload['result'] as Payload | undefined)?.['login']) ?? of(payload['session']);
}

/** When they logged in, in seconds; of what does not say so, when it was made. */
function loggedInAt(payload: Payload): number | null {
  const login = (payload['result'] as Payload | undefined)?.['login'] as Payload | undefined;
  const said = login?.['ts'] ?? payload['loginTs'] ?? payload['authTime'] ?? payload['iat'];
  return typeof said === 'number' ? said : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The library answers its own errors as the protocol says, and all others with 500. */
export function inTheirWords(error: unknown, kind: string): unknown {
  if (error instanceof DatabaseUnavailable || error instanceof RightMissing)
    return new errors.TemporarilyUnavailable('try again in a moment');
  // No text of Postgres holds it, and nobody's request needs it.
  if (sqlState(error) === '22P05') return new errors.InvalidRequest('U+0000 is in no parameter');
  if (sqlState(error) !== 'TX401') return error;
  return TOKENS.has(kind)
    ? new errors.InvalidGrant('the login has ended')
    : new errors.AccessDenied('the login has ended');
}
