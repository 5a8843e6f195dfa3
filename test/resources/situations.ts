import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/identity/caller.ts';
import { createSubjectUuid } from '../../src/identity/subject.ts';
import type { Question } from '../support/http.ts';
import type { Service } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { PAGE_ROLES, RIGHTS } from './access.ts';
import type { Row } from './access.ts';

/** Who asks: a role, with a client of their own; an ADMIN may also have no list, and so the whole system. */
export interface Cast {
  readonly name: string;
  readonly role: Role;
  readonly isUnlimited: boolean;
}

export const CASTS: readonly Cast[] = [
  { name: 'ADMIN', role: 'ADMIN', isUnlimited: true },
  ...PAGE_ROLES.map((role) => ({
    name: role === 'ADMIN' ? 'ADMIN with a list' : role,
    role,
    isUnlimited: false,
  })),
];

/** What has to come of a request. */
export type Verdict =
  /** With whose records, where they are not the caller's own. */
  | { readonly is: 'success'; readonly of?: Tenant | 'nobody' }
  /** With the client whose data it protected, and whether it was clear before the database was asked. */
  | {
      readonly is: 'refused';
      readonly client: string | null;
      readonly id: string | null;
      readonly early: boolean;
    }
  | { readonly is: 'absent' }
  | { readonly is: 'conflict' }
  | { readonly is: 'invalid'; readonly fields: readonly string[] }
  /** A record named in the body that is out of reach: of somebody else's it is 403, else whichever refusal. */
  | { readonly is: 'out of reach'; readonly isForeign: boolean };

export interface Request {
  readonly line: string;
  readonly question: Question;
  readonly verdict: Verdict;
}

/** One case of the matrix, once it is known whose records are whose. */
export interface Situation {
  readonly name: string;
  /** Needs records of its own, which it changes or deletes. */
  readonly writes: boolean;
  request(own: Tenant, foreign: Tenant): Request;
}

export const isWrite = ({ line, writesNothing }: Row): boolean => !line.startsWith('GET') && writesNothing !== true;

/** Where a placeholder or a parameter says something else than a tenant's own id. */
type Ids = Readonly<Record<string, string>>;

/** The request line with the ids in its path. */
export function fill({ line, ids = {} }: Row, tenant: Tenant, other: Ids = {}): string {
  return line.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const kind = ids[name];
    return other[name] ?? (kind === undefined ? '' : tenant[kind]);
  });
}

/** Makes a record that only its author may change one of the caller's, whose token has no user of its own. */
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

/** Whether the page gives the right; `self` where it reaches the caller's own record alone. */
export function rightOf({ right: [table, letter] }: Row, { role }: Cast): 'yes' | 'self' | 'no' {
  if (table === 'everyone' || RIGHTS[table][role].includes(letter)) return 'yes';
  const ofOneself: Readonly<Record<string, string>> = { r: 's', p: 'o' };
  return RIGHTS[table][role].includes(ofOneself[letter] ?? '-') ? 'self' : 'no';
}

/** Every situation of a row for a caller. Whoever has not the right is refused in each of them, before anything else. */
export function situationsOf(row: Row, cast: Cast): Situation[] {
  const situations = [
    ...own(row, cast),
    ...named(row, cast),
    ...unknownParameter(row),
    ...(row.byClient === undefined ? [] : narrowed(row, cast, row.byClient)),
    ...(row.body === undefined ? [] : [...bodies(row), ...foreignNames(row, cast)]),
  ];
  if (rightOf(row, cast) !== 'no') return situations;
  return situations.map((situation) => ({
    name: situation.name,
    writes: false,
    request: (mine, foreign) => ({
      ...situation.request(mine, foreign),
      verdict: { is: 'refused', client: null, id: null, early: true },
    }),
  }));
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
  if (!row.line.startsWith('GET')) return [situation('own')];
  return [situation('own'), situation('own, HEAD', 'HEAD')];
}

/** What a refusal is about: the record that the path names first. */
function refusal(row: Row, owner: Tenant, client: string | null, early = false): Verdict {
  const [kind] = Object.values(row.ids ?? {});
  return { is: 'refused', client, id: kind === undefined ? null : owner[kind], early };
}

/** Records that belong to no client. */
const UNOWNED: readonly string[] = ['partners', 'users'];

/** The ids of the path: of another tenant, of nobody, and no ids at all. */
function named(row: Row, cast: Cast): Situation[] {
  const ids = Object.entries(row.ids ?? {});
  if (ids.length === 0) return [];
  const namesClient = ids.some(([, kind]) => kind === 'clients');
  const foreignTo = (foreign: Tenant): string | null => (UNOWNED.includes(ids[0]?.[1] ?? '') ? null : foreign.clients);
  const foreign: Situation = {
    name: 'foreign',
    writes: false,
    request: (_mine, other) => ({
      line: fill(row, other),
      question: questionOf({ ...row, names: {} }, other, {}),
      verdict: refusal(row, other, namesClient ? other.clients : foreignTo(other), namesClient),
    }),
  };
  const without = ids.flatMap(([name, kind]): Situation[] => [
    {
      name: `${name} of nobody`,
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
        name: `${name} ${malformed}`,
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
      name: 'an unknown parameter',
      writes: false,
      request: (mine) => ({
        line: `${fill(row, mine)}?surprise=1`,
        question: questionOf(row, mine),
        verdict: { is: 'invalid', fields: ['surprise'] },
      }),
    },
  ];
}

/** A list narrowed to a client. */
function narrowed(row: Row, cast: Cast, parameter: string): Situation[] {
  const to = (name: string, client: (mine: Tenant, other: Tenant) => string, verdict: Answers): Situation => ({
    name: `narrowed to ${name}`,
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
    to('an own client', (mine) => mine.clients, success),
    to('an own client in capitals', (mine) => mine.clients.toUpperCase(), success),
    to(
      'a foreign client',
      (_mine, other) => other.clients,
      isUnlimited ? (_id, of) => ({ is: 'success', of }) : refused,
    ),
    to('nobody', () => randomUUID(), isUnlimited ? () => ({ is: 'success', of: 'nobody' }) : refused),
    to(
      'no id',
      () => '1',
      () => ({ is: 'invalid', fields: [parameter] }),
    ),
  ];
}

/** What an error calls a field of the body. */
const called = ({ many, changes }: Row, field: string): string => (many || changes ? `0.${field}` : field);

/** Bodies that are wrong as such. */
function bodies(row: Row): Situation[] {
  const wrong = (name: string, fields: readonly string[], question: (mine: Tenant) => Question): Situation => ({
    name,
    writes: false,
    request: (mine) => ({
      line: fill(row, mine),
      question: question(mine),
      verdict: { is: 'invalid', fields },
    }),
  });
  const json = (body: string): Question => ({ headers: { 'content-type': 'application/json' }, body });
  return [
    wrong('an unknown field', [called(row, 'surprise')], (mine) => questionOf(row, mine, { surprise: 1 })),
    wrong('a prototype', [row.changes ? '__proto__' : called(row, '__proto__')], (mine) =>
      json(JSON.stringify(questionOf(row, mine).body).replace('{', '{"__proto__":{"a":1},')),
    ),
    wrong('an array', ['body'], () => json('[]')),
    wrong('half a body', ['body'], () => json('{')),
    wrong('no body', ['body'], () => json('')),
  ];
}

/** Bodies that name records out of the caller's reach, one field at a time. */
function foreignNames(row: Row, cast: Cast): Situation[] {
  const isChange = row.line.startsWith('PUT') || row.changes === true;
  const names =
    isChange && row.body !== undefined && mentionsClient(row) ? { client_id: 'clients' as const } : row.names;
  return Object.entries(names ?? {}).flatMap(([field, kind]): Situation[] => {
    const isArray = field.endsWith('s');
    const value = (id: string): unknown => (isArray ? [id] : id);
    const with_ = (
      name: string,
      id: (other: Tenant) => string,
      verdict: (id: string, mine: Tenant) => Verdict,
    ): Situation => ({
      name: `${field} ${name}`,
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
      ...(cast.isUnlimited && !isChange ? [] : [with_('of another tenant', (other) => other[kind], verdict(true))]),
      with_('of nobody', () => randomUUID(), verdict(false)),
      with_(
        'no id',
        () => '1',
        () => ({ is: 'invalid', fields: [called(row, isArray ? `${field}.0` : field)] }),
      ),
    ];
  });
}

function mentionsClient(row: Row): boolean {
  const nobody = new Proxy({}, { get: () => '' }) as Tenant;
  return 'client_id' in (row.body?.(nobody) ?? {});
}
