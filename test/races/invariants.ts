import { contentsAfter, STORED_FILE } from './contents-after.ts';
import type { Exchange } from './exchange.ts';
import type { Lane } from './lane.ts';
import { EFFECTS } from './invariants-of-effects.ts';
import { INVOICES, ORDER } from './invariants-of-order.ts';
import { RIGHTS } from './invariants-of-rights.ts';
import { FIRST_VERSION } from './people.ts';
import type { Outcome } from './race.ts';
import { QUEUE_STATES, PROVIDER_RIGHTS, providerViolations } from './provider-violations.ts';
import { OLDER_TOKEN, tokensAfter } from './tokens-after.ts';

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

/**
 * Rules that must hold after simultaneous requests, by name. Each is an SQL query whose rows describe the violations.
 */
export type Invariants = Readonly<Record<string, string>>;

const IN_SQL: Invariants = { ...EFFECTS, ...ORDER, ...INVOICES, ...RIGHTS };

export const ANSWERED = 'no request gets a 5xx other than 503';
export const DESCRIBED = 'each response is as the OpenAPI description says';

export const INVARIANTS = [
  ANSWERED,
  DESCRIBED,
  ...Object.keys(IN_SQL),
  OLDER_TOKEN,
  QUEUE_STATES,
  PROVIDER_RIGHTS,
  STORED_FILE,
];

/*
 * The parameters of the SQL that checks simultaneous requests: $1 is the list of requests, and $2 is the tenant’s
 * client. $3 is the time when the lock for which the requests waited was released, or null if the first request wrote
 * before it waited.
 */
const ALL = `
with requests as materialized (
    select *
    from jsonb_to_recordset($1) as r (
        request_id text, endpoint text, status integer, subject text, issued_at bigint, is_unlimited boolean,
        client uuid, created uuid, version timestamptz, may_write_nothing boolean
    )
),
own as materialized (
    select w.*, coalesce(w.after, w.before) as row, r.endpoint, r.status, r.subject, r.issued_at, r.client
    from races.writes as w
    join requests as r on r.request_id = w.request_id
),
records as materialized (
    select a.*
    from public.audit_logs as a
    join requests as r on r.request_id = a.request_id
),
changes as materialized (
    select
        o.*,
        o.before ->> 'access_digest' <> o.after ->> 'access_digest' as changed_list,
        (o.before -> 'access_digest', o.before -> 'is_active')
            <> (o.after -> 'access_digest', o.after -> 'is_active') as changed_rights,
        o.endpoint not in (
            'POST /api/auth/login', 'POST /api/clients', 'PUT /api/users/me/reminders', 'POST /api/users/me/calendar',
            'DELETE /api/users/me/calendar'
        ) as by_another
    from own as o
    where o.table_name = 'users' and o.command = 'UPDATE'
)
${Object.entries(IN_SQL)
  .map(([name, sql]) => `select '${name}' as invariant, detail from (${sql}) as v (detail)`)
  .join('\nunion all\n')}`;

/** Checks all rules after two or three simultaneous requests, and returns the violations. */
export async function violations(lane: Lane, outcome: Outcome): Promise<Violation[]> {
  const { exchanges, tenant, hold, releasedAt } = outcome;
  const { rows } = await lane.watcher.query<Violation>({
    name: 'invariants',
    text: ALL,
    values: [
      JSON.stringify(exchanges.map((one) => request(one, tenant))),
      tenant.clients,
      hold === 'audit' ? null : releasedAt,
    ],
  });
  return [
    ...exchanges.flatMap(answered),
    ...rows,
    ...(await tokensAfter(lane, outcome)),
    ...(await providerViolations(lane, outcome)),
    ...(await contentsAfter(lane, outcome)),
  ];
}

function request({ operation, answer, claims }: Exchange, tenant: Outcome['tenant']): object {
  const created = operation.endpoint === 'POST /api/clients' && answer.status === 201;
  return {
    request_id: answer.headers['x-request-id'],
    endpoint: operation.endpoint,
    status: answer.status,
    subject: claims.sub,
    issued_at: claims.iat,
    is_unlimited: claims.role === 'ADMIN' && claims.client_access.length === 0,
    client: operation.client?.(tenant) ?? null,
    created: created ? (answer.json as { id: string }).id : null,
    version: operation.isTagged === true ? FIRST_VERSION : null,
    may_write_nothing: operation.mayWriteNothing === true,
  };
}

function answered({ operation, answer, difference }: Exchange): Violation[] {
  const detail = `${operation.name} was answered ${answer.status} ${answer.text}`;
  return [
    ...(answer.status >= 500 && answer.status !== 503 ? [{ invariant: ANSWERED, detail }] : []),
    ...(difference === undefined ? [] : [{ invariant: DESCRIBED, detail: difference }]),
  ];
}
