import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import { words } from '../support/words.ts';

/*
 * Lists: limits, offsets, orders, filters and cursors that nobody gave. Seen red where wholeNumber of src/http/fields.ts
 * has no upper bound.
 */

const BUDGET = 'API4:2023';
const INPUT = 'ASVS 5, 2.2.1';

const LISTS = words(`
  /api/clients /api/sites /api/cadastres /api/reclamations /api/partners /api/invoices /api/partner-invoices
  /api/users
`);

/** Of each parameter what it is never, whatever the list. */
const NEVER: Readonly<Record<string, readonly string[]>> = {
  limit: ['0', '-1', '1001', '1e3', '0x10', '10.0', '', '+1', ' 1', '1;', 'NaN', 'all', '99999999999', '١'],
  offset: ['-1', '2147483648', '99999999999', '1e9', '', 'x', '0x1', '9223372036854775808'],
  sort: [
    '',
    'password_hash',
    'client_access',
    'ctid',
    'xmin',
    '1',
    'id;',
    'created_at desc',
    'created_at,id',
    '--created_at',
    'CREATED_AT',
    '(select 1)',
    'constructor',
    'random()',
    'created_at; select pg_sleep(9)',
    'case when 1=1 then id end',
  ],
  count: ['', 'EXACT', '1', 'true', 'estimated', 'exact '],
  created_from: [
    '',
    'now',
    'infinity',
    '-infinity',
    'epoch',
    '2026-13-01T00:00:00Z',
    '2026-01-01',
    '1767225600',
    '99999-01-01T00:00:00Z',
    "2026-01-01T00:00:00Z' or 1=1",
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:00:00',
  ],
  after: [
    '',
    'x',
    'e30',
    'W10',
    '%00',
    '..',
    '[]',
    '{}',
    "' or 1=1 --",
    'a'.repeat(2_001),
    'bnVsbA',
    'WyJjbGllbnRzIl0',
  ],
  client_id: ['', '*', '%25', 'null', '1', "' or 1=1 --"],
  unknown: ['x'],
  password_hash: ['!'],
  __proto__: ['x'],
  'client_id[]': ['x'],
  'client_id[$ne]': ['x'],
  'id::text': ['x'],
  or: ['(id.gt.0)'],
  select: ['*'],
  id: ['', 'x', '*', "' or 1=1 --", Array.from({ length: 201 }, () => crypto.randomUUID()).join()],
  fields: ['', '*', 'password_hash', 'id,id;', 'ctid'],
  by: ['status'],
  include: ['users'],
  callback: ['alert'],
};

const cursor = (...parts: readonly unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

export const pages: Area = {
  name: 'pages',
  attacks: (world) => {
    const {
      tokens: { manager: token, client },
      foreign,
    } = world;
    const sites = (tries: string, must: string, query: string): HttpRow => [
      tries,
      INPUT,
      must,
      `GET /api/sites?${query}`,
      { token },
    ];
    const none = '2026-01-01T00:00:00Z';
    const forged: readonly (readonly [tries: string, must: string, parts: readonly unknown[]])[] = [
      ['of another list', '400', ['clients', '-created_at', none, foreign.sites]],
      ['of another order', '400', ['sites', 'created_at', none, foreign.sites]],
      ['with the id of others', '200', ['sites', '-created_at', none, foreign.sites]],
      ['with a time of nobody', '400', ['sites', '-created_at', 'x', foreign.sites]],
      ['with a time that is infinite', '200', ['sites', '-created_at', 'infinity', foreign.sites]],
      ['with SQL for a time', '400', ['sites', '-created_at', `${none}'; drop table public.sites; --`, foreign.sites]],
      ['with SQL for an id', '400', ['sites', '-created_at', none, `${foreign.sites}' or true`]],
      ['with no id', '400', ['sites', '-created_at', none]],
      ['with too much', '400', ['sites', '-created_at', none, foreign.sites, 1]],
      ['with numbers', '400', ['sites', '-created_at', 1, 2]],
      ['with null', '400', ['sites', '-created_at', null, null]],
      ['with lists', '400', ['sites', '-created_at', [none], [foreign.sites]]],
      ['with a NUL', '400', ['sites', '-created_at', '\0', foreign.sites]],
      ['with half a surrogate pair', '400', ['sites', '-created_at', '\ud800', foreign.sites]],
      ['with a name of others', '400', ['sites', 'site_name', 'x', foreign.sites]],
    ];
    return overHttp(world, [
      ...LISTS.flatMap((path) =>
        Object.entries(NEVER).flatMap(([name, values]) =>
          values
            // A client names itself, and is the one list that no client narrows.
            .map(
              (value): HttpRow => [
                `${path} ${name}=${value.slice(0, 30)}`,
                name === 'limit' || name === 'offset' ? BUDGET : INPUT,
                name === 'client_id' ? '400|403' : '400',
                `GET ${path}?${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
                { token },
              ],
            ),
        ),
      ),
      ...forged.map(([tries, must, parts]) => sites(`a cursor ${tries}`, must, `after=${cursor(...parts)}`)),
      sites(
        'a cursor whose list is nested 500 deep',
        '400',
        `after=${Buffer.from('['.repeat(500) + ']'.repeat(500)).toString('base64url')}`,
      ),
      ...[
        'limit=1&limit=2',
        'sort=created_at&sort=-created_at',
        `client_id=${foreign.clients}&client_id=${foreign.clients}`,
        'q=a&q=b',
        'after=x&after=y',
        'q[]=a',
        'q[a]=b',
        'q.a=b',
      ].map((query) => sites(`twice: ${query.slice(0, 40)}`, '400', query)),
      sites('the furthest offset', '200', 'offset=2147483647'),
      sites('a search of 201 characters', '400', `q=${'a'.repeat(201)}`),
      ...[
        '%',
        '_',
        '\\',
        '%25',
        '\\%',
        '*',
        '.*',
        '(a+)+$',
        '[[:alpha:]]',
        '%%%%%%%%%%%%%%%%%%%%%%%%%%%%',
        '\\\\\\\\\\\\\\',
      ].map((word) => sites(`a search for ${word}`, '200', `q=${encodeURIComponent(word)}`)),
      sites('a search of 200 wildcards', '200', `q=${encodeURIComponent('%a_'.repeat(66))}`),
      sites('half an escape', '400', 'q=%'),
      sites('an escape that is none', '400', 'q=%zz'),
      sites('an escape of no UTF-8', '400', 'q=%ff'),
      sites('a NUL', '400', 'q=%00'),
      sites('two thousand parameters', '414', Array.from({ length: 2_000 }, (_, at) => `p${at}`).join('&')),
      sites('one parameter two thousand times', '400', 'q=&'.repeat(2_000)),
      sites('nothing but ampersands', '200', '&'.repeat(8_000)),
      sites('nothing but signs of equality', '400', '='.repeat(8_000)),
      sites('a question mark more', '400', '?limit=1'),
      sites('a semicolon between', '400', 'limit=1;offset=1'),
      sites('a plus', '400', 'limit=+1'),
      ...[
        ['of another list', '400', ['sites', none, 'amount']],
        ['with a field of nobody', '200', ['changes', none, 'password_hash']],
        ['with SQL for a time', '400', ['changes', "x'; drop table public.sites; --", 'amount']],
        ['with too much', '400', ['changes', none, 'amount', 1]],
      ].map(
        ([tries, must, parts]): HttpRow => [
          `changes by a cursor ${String(tries)}`,
          INPUT,
          String(must),
          `GET /api/reclamations/${world.mine.reclamations}/changes?after=${cursor(...(parts as unknown[]))}`,
          { token },
        ],
      ),
      ['the users that a client sees', 'API3:2023', '200', 'GET /api/users', { token: client }],
      ['the audit log that a manager sees', 'API5:2023', '403', 'GET /api/audit-logs', { token }],
      [
        'the audit log of others',
        'API1:2023',
        '403',
        `GET /api/audit-logs?client_context=${foreign.clients}`,
        { token: world.tokens.admin },
      ],
      ...alike(['API1:2023', '200'], {
        'the audit log of a user of others': [
          `GET /api/audit-logs?user_id=${foreign.users}`,
          { token: world.tokens.admin },
        ],
        'the audit log of a record of others': [
          `GET /api/audit-logs?resource_id=${foreign.sites}`,
          { token: world.tokens.admin },
        ],
      }),
    ]);
  },
};
