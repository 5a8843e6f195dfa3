import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/identity/caller.ts';
import { createSubjectUuid } from '../../src/identity/subject.ts';
import type { Question } from '../support/http.ts';
import type { Service } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { PAGE_ROLES, RIGHTS } from './access.ts';
import type { Row } from './access.ts';

/** A kind of caller with which the tests call every endpoint: a role with one client, or an ADMIN of all clients. */
export interface Cast {
  readonly name: string;
  readonly role: Role;
  readonly isUnlimited: boolean;
}

export const CASTS: readonly Cast[] = [
  { name: 'ADMIN of all clients', role: 'ADMIN', isUnlimited: true },
  ...PAGE_ROLES.map((role) => ({ name: role === 'ADMIN' ? 'ADMIN of one client' : role, role, isUnlimited: false })),
];

/** The outcome that a test case expects of its request: success, or a kind of refusal. */
export type Verdict =
  /** The request succeeds. `of` names the client whose records the list has, if not the caller’s client. */
  | { readonly is: 'success'; readonly of?: Tenant | 'nobody' }
  /**
   * The request gets 403. `client` is the client that the audit record of the refusal must name; `early` means that the
   * service ran no query before the refusal.
   */
  | { readonly is: 'refused'; readonly client: string | null; readonly id: string | null; readonly early: boolean }
  | { readonly is: 'absent' }
  | { readonly is: 'conflict' }
  | { readonly is: 'invalid'; readonly fields: readonly string[] }
  /** The request body refers to a record that the caller cannot reach, for which 403, 404 or 409 is right. */
  | { readonly is: 'out of reach'; readonly isForeign: boolean };

export interface Request {
  readonly line: string;
  readonly question: Question;
  readonly verdict: Verdict;
}

/** One test case of the suite that calls every endpoint: an endpoint, a kind of caller and a kind of request. */
export interface Situation {
  readonly name: string;
  /**
   * True if the test case’s request changes or deletes records, so that the request needs a new client with records.
   */
  readonly writes: boolean;
  request(own: Tenant, foreign: Tenant): Request;
}

export const isWrite = ({ line, writesNothing }: Row): boolean => !line.startsWith('GET') && writesNothing !== true;

/**
 * For placeholders of an endpoint’s path, such as `id`, the ids that a test case uses instead of the caller’s own ids.
 */
type Ids = Readonly<Record<string, string>>;

/** Returns an endpoint’s request line, such as `GET /api/sites/{id}`, with ids in place of the placeholders. */
export function fill({ line, ids = {} }: Row, tenant: Tenant, other: Ids = {}): string {
  return line.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const kind = ids[name];
    return other[name] ?? (kind === undefined ? '' : tenant[kind]);
  });
}

/** Makes the caller the author of a record, because only the author is allowed to change such a record. */
export async function giveTo(
  { admin, identity }: Pick<Service, 'admin' | 'identity'>,
  role: Role,
  { right: [table], ofCaller }: Row,
  tenant: Tenant,
): Promise<void> {
  if (ofCaller === undefined) return;
  const caller = createSubjectUuid(identity.issuer, `idp|${role}`);
  await admin(`update public.${table} set ${ofCaller} = $1 where id = $2`, [caller, tenant[table as keyof Tenant]]);
}

export function questionOf(row: Row, tenant: Tenant, changes: object = {}): Question {
  if (row.question !== undefined) return row.question();
  if (row.body === undefined) return {};
  const body = { ...row.body(tenant), ...changes };
  if (row.changes) return { body: { changes: [{ id: tenant[row.right[0] as keyof Tenant], ...body }] } };
  return { body: row.many ? [body] : body };
}

/**
 * True if a kind of caller has the right that an endpoint needs; `self` if the caller has the right only for the
 * caller’s own record.
 */
export function rightOf({ right: [table, letter] }: Row, { role }: Cast): 'yes' | 'self' | 'no' {
  if (table === 'everyone' || RIGHTS[table][role].includes(letter)) return 'yes';
  const ofOneself: Readonly<Record<string, string>> = { r: 's', p: 'o' };
  return RIGHTS[table][role].includes(ofOneself[letter] ?? '-') ? 'self' : 'no';
}

/**
 * Returns the test cases of an endpoint for a kind of caller. A caller without the right to the endpoint gets 403 in
 * each case.
 */
export function situationsOf(row: Row, cast: Cast): Situation[] {
  const situations = [
    ...own(row, cast),
    ...withOtherIds(row, cast),
    ...unknownParameter(row),
    ...(row.byClient === undefined ? [] : filteredByClient(row, cast, row.byClient)),
    ...(row.body === undefined ? [] : [...malformedBodies(row), ...foreignNames(row, cast)]),
  ];
  if (rightOf(row, cast) !== 'no') return situations;
  return situations.map((situation) => ({
    name: situation.name,
    writes: false,
    request: (mine, foreign) => {
      const request = situation.request(mine, foreign);
      return { ...request, verdict: refusalByRole(row, request.line) };
    },
  }));
}

/**
 * Returns the expected 403 of a caller whose role lacks the right that an endpoint needs. The audit record of the 403
 * names the record and the client in the request’s path if the path is valid.
 */
function refusalByRole(row: Row, line: string): Verdict {
  const values = line.replace(/\?.*/, '').split('/');
  const names = row.line.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  const ids = Object.fromEntries(names.flatMap((name, index) => (name === undefined ? [] : [[name, values[index]]])));
  const isValid = Object.values(ids).every((id) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id ?? ''));
  const { id = null, clientId: client = null } = isValid ? ids : {};
  return { is: 'refused', client, id: id ?? client, early: true };
}

function own(row: Row, cast: Cast): Situation[] {
  const isOthers = rightOf(row, cast) === 'self' && row.ids !== undefined;
  const situation = (name: string, method?: string): Situation => ({
    name,
    writes: isWrite(row),
    request: (mine) => {
      const line = fill(row, mine);
      return {
        line: method === undefined ? line : line.replace('GET', method),
        question: questionOf(row, mine),
        verdict: isOthers ? refusal(row, mine, null) : { is: 'success' },
      };
    },
  });
  if (!row.line.startsWith('GET')) return [situation('for own records')];
  return [situation('for own records'), situation('for own records, as HEAD', 'HEAD')];
}

/** Returns the expected 403 of a request, whose audit record names the first record in the request’s path. */
function refusal(row: Row, owner: Tenant, client: string | null, early = false): Verdict {
  const [kind] = Object.values(row.ids ?? {});
  return { is: 'refused', client, id: kind === undefined ? null : owner[kind], early };
}

/** Tables whose rows do not belong to a single client. */
const UNOWNED: readonly string[] = ['partners', 'users'];

/** Test cases with ids of another tenant, unknown ids and malformed ids in the path. */
function withOtherIds(row: Row, cast: Cast): Situation[] {
  const ids = Object.entries(row.ids ?? {});
  if (ids.length === 0) return [];
  const namesClient = ids.some(([, kind]) => kind === 'clients');
  const foreignTo = (foreign: Tenant): string | null => (UNOWNED.includes(ids[0]?.[1] ?? '') ? null : foreign.clients);
  const foreign: Situation = {
    name: 'on a record of another tenant',
    writes: false,
    request: (_mine, other) => ({
      line: fill(row, other),
      question: questionOf({ ...row, names: {} }, other, {}),
      verdict: refusal(row, other, namesClient ? other.clients : foreignTo(other), namesClient),
    }),
  };
  const without = ids.flatMap(([name, kind]): Situation[] => [
    {
      name: `with an unknown ${name}`,
      writes: false,
      request: (mine) => {
        const nobody = randomUUID();
        const isEarly = kind === 'clients' && !cast.isUnlimited;
        const id = name === ids[0]?.[0] ? nobody : mine[ids[0]?.[1] ?? 'clients'];
        return {
          line: fill(row, mine, { [name]: nobody }),
          question: questionOf(row, mine),
          verdict: isEarly ? { is: 'refused', client: nobody, id, early: true } : { is: 'absent' },
        };
      },
    },
    ...['1', 'null', '%7B%7D'].map(
      (malformed): Situation => ({
        name: `with the malformed ${name} ${malformed}`,
        writes: false,
        request: (mine) => ({
          line: fill(row, mine, { [name]: malformed }),
          question: questionOf(row, mine),
          verdict: { is: 'invalid', fields: [name] },
        }),
      }),
    ),
  ]);
  return [...(cast.isUnlimited ? [] : [foreign]), ...without];
}

function unknownParameter(row: Row): Situation[] {
  return [
    {
      name: 'with an unknown query parameter',
      writes: false,
      request: (mine) => ({
        line: `${fill(row, mine)}?surprise=1`,
        question: questionOf(row, mine),
        verdict: { is: 'invalid', fields: ['surprise'] },
      }),
    },
  ];
}

function filteredByClient(row: Row, cast: Cast, parameter: string): Situation[] {
  const to = (name: string, client: (mine: Tenant, other: Tenant) => string, verdict: Answers): Situation => ({
    name: `filtered by ${name}`,
    writes: false,
    request: (mine, other) => {
      const id = client(mine, other);
      return { line: `${fill(row, mine)}?${parameter}=${id}`, question: {}, verdict: verdict(id, other) };
    },
  });
  type Answers = (id: string, other: Tenant) => Verdict;
  const refused: Answers = (client) => ({ is: 'refused', client, id: null, early: true });
  const success: Answers = () => ({ is: 'success' });
  const { isUnlimited } = cast;
  return [
    to('a client of the caller', (mine) => mine.clients, success),
    to('the id of a client of the caller in capitals', (mine) => mine.clients.toUpperCase(), success),
    to(
      'another tenant’s client',
      (_mine, other) => other.clients,
      isUnlimited ? (_id, of) => ({ is: 'success', of }) : refused,
    ),
    to('an unknown client', () => randomUUID(), isUnlimited ? () => ({ is: 'success', of: 'nobody' }) : refused),
    to(
      'a client id that is no UUID',
      () => '1',
      () => ({ is: 'invalid', fields: [parameter] }),
    ),
  ];
}

/** The name by which an error refers to a field of the request body, such as `0.amount` in an array. */
const errorFieldOf = ({ many, changes }: Row, field: string): string => (many || changes ? `0.${field}` : field);

function malformedBodies(row: Row): Situation[] {
  const wrong = (name: string, fields: readonly string[], question: (mine: Tenant) => Question): Situation => ({
    name,
    writes: false,
    request: (mine) => ({ line: fill(row, mine), question: question(mine), verdict: { is: 'invalid', fields } }),
  });
  const json = (body: string): Question => ({ headers: { 'content-type': 'application/json' }, body });
  return [
    wrong('with an unknown field', [errorFieldOf(row, 'surprise')], (mine) => questionOf(row, mine, { surprise: 1 })),
    wrong('with __proto__ in the body', [row.changes ? '__proto__' : errorFieldOf(row, '__proto__')], (mine) =>
      json(JSON.stringify(questionOf(row, mine).body).replace('{', '{"__proto__":{"a":1},')),
    ),
    wrong('with an array as the body', ['body'], () => json('[]')),
    wrong('with a truncated body', ['body'], () => json('{')),
    wrong('with an empty body', ['body'], () => json('')),
  ];
}

/** Test cases whose request body refers to a record of another tenant, in one field at a time. */
function foreignNames(row: Row, cast: Cast): Situation[] {
  const isChange = row.line.startsWith('PUT') || row.changes === true;
  const names =
    isChange && row.body !== undefined && mentionsClient(row) ? { client_id: 'clients' as const } : row.names;
  return Object.entries(names ?? {}).flatMap(([field, kind]): Situation[] => {
    const isArray = field.endsWith('s');
    const value = (id: string): unknown => (isArray ? [id] : id);
    const withId = (
      name: string,
      id: (other: Tenant) => string,
      verdict: (id: string, mine: Tenant) => Verdict,
    ): Situation => ({
      name: `with the ${field} ${name}`,
      writes: false,
      request: (mine, other) => {
        const given = id(other);
        return {
          line: fill(row, mine),
          question: questionOf(row, mine, { [field]: value(given) }),
          verdict: verdict(given, mine),
        };
      },
    });
    const verdict =
      (isForeign: boolean) =>
      (given: string, mine: Tenant): Verdict => {
        if (field !== 'client_id') return { is: 'out of reach', isForeign: isForeign && !cast.isUnlimited };
        if (cast.isUnlimited) return isChange ? { is: 'conflict' } : { is: 'out of reach', isForeign: false };
        const [first] = Object.values(row.ids ?? {});
        return { is: 'refused', client: given, id: first === undefined ? null : mine[first], early: true };
      };
    return [
      ...(cast.isUnlimited && !isChange ? [] : [withId('of another tenant', (other) => other[kind], verdict(true))]),
      withId('of an unknown record', () => randomUUID(), verdict(false)),
      withId(
        '1, which is no UUID',
        () => '1',
        () => ({ is: 'invalid', fields: [errorFieldOf(row, isArray ? `${field}.0` : field)] }),
      ),
    ];
  });
}

function mentionsClient(row: Row): boolean {
  const nobody = new Proxy({}, { get: () => '' }) as Tenant;
  return 'client_id' in (row.body?.(nobody) ?? {});
}
