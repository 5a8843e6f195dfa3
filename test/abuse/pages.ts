import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import { words } from '../support/words.ts';

/*
 * Attacks on lists with limits, offsets, orders, filters and cursors that are invalid or forged. To check these
 * attacks, their author once removed the upper bound of wholeNumber in src/http/fields.ts: some attacks then succeeded.
 */

const BUDGET = 'API4:2023';
const INPUT = 'ASVS 5, 2.2.1';

const LISTS = words(`
  /api/clients /api/sites /api/cadastres /api/reclamations /api/partners /api/invoices /api/partner-invoices
  /api/users
`);

/** Values of query parameters that every list must refuse, by the parameter’s name. */
const NEVER: Readonly<Record<string, readonly string[]>> = {
  limit: ['0', '-1', '1001', '1e3', '0x10', '10.0', '', '+1', ' 1', '1;', 'NaN', 'all', '99999999999', '١'],
  offset: ['-1', '2147483648', '99999999999', '1e9', '', 'x', '0x1', '9223372036854775808'],
  sort: [
    '',
    'password_hash',
    'ctid',
    '--created_at',
    'created_at,xmin',
    '(select 1)',
    'created_at; select pg_sleep(9)',
  ],
  count: ['', 'EXACT', '1', 'true', 'estimated', 'exact '],
  created_from: ['', 'now', 'infinity', '2026-13-01T00:00:00Z', '1767225600', "2026-01-01T00:00:00Z' or 1=1"],
  after: ['', 'x', 'W10', '%00', '{}', "' or 1=1 --", 'a'.repeat(2_001), 'bnVsbA', 'WyJjbGllbnRzIl0'],
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
      ['with the id of a foreign site', '200', ['sites', '-created_at', none, foreign.sites]],
      ['with a malformed time', '400', ['sites', '-created_at', 'x', foreign.sites]],
      ['with an infinite time', '200', ['sites', '-created_at', 'infinity', foreign.sites]],
      [
        'with SQL instead of a time',
        '400',
        ['sites', '-created_at', `${none}'; drop table public.sites; --`, foreign.sites],
      ],
      ['with SQL instead of an id', '400', ['sites', '-created_at', none, `${foreign.sites}' or true`]],
      ['without an id', '400', ['sites', '-created_at', none]],
      ['with too many values', '400', ['sites', '-created_at', none, foreign.sites, 1]],
      ['with numbers instead of texts', '400', ['sites', '-created_at', 1, 2]],
      ['with null instead of texts', '400', ['sites', '-created_at', null, null]],
      ['with arrays instead of texts', '400', ['sites', '-created_at', [none], [foreign.sites]]],
      ['with a NUL character', '400', ['sites', '-created_at', '\0', foreign.sites]],
      ['with an unpaired surrogate', '400', ['sites', '-created_at', '\ud800', foreign.sites]],
      ['with a site’s name instead of a time', '400', ['sites', 'site_name', 'x', foreign.sites]],
    ];
    return overHttp(world, [
      ...LISTS.flatMap((path) =>
        Object.entries(NEVER).flatMap(([name, values]) =>
          values.map(
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
      ...forged.map(([tries, must, parts]) =>
        sites(`a list of sites with a cursor ${tries}`, must, `after=${cursor(...parts)}`),
      ),
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
      ].map((query) => sites(`a list with the query ${query.slice(0, 40)}`, '400', query)),
      sites('a list with the largest offset', '200', 'offset=2147483647'),
      sites('a search of 201 characters', '400', `q=${'a'.repeat(201)}`),
      ...['%', '_', '\\', '(a+)+$', '%%%%%%%%%%%%%%%%%%%%%%%%%%%%'].map((word) =>
        sites(`a search for ${word}`, '200', `q=${encodeURIComponent(word)}`),
      ),
      sites('a search of 200 wildcards', '200', `q=${encodeURIComponent('%a_'.repeat(66))}`),
      sites('a search for half a percent escape', '400', 'q=%'),
      sites('a search for an invalid percent escape', '400', 'q=%zz'),
      sites('a search for a byte that is not UTF-8', '400', 'q=%ff'),
      sites('a search for a NUL character', '400', 'q=%00'),
      sites('a list with 2,000 parameters', '414', Array.from({ length: 2_000 }, (_, at) => `p${at}`).join('&')),
      sites('a list with the same parameter 2,000 times', '400', 'q=&'.repeat(2_000)),
      sites('a list with a query of 8,000 ampersands', '200', '&'.repeat(8_000)),
      sites('a list with a query of 8,000 equals signs', '400', '='.repeat(8_000)),
      sites('a list with two question marks', '400', '?limit=1'),
      sites('a list with a semicolon between two parameters', '400', 'limit=1;offset=1'),
      sites('a list with a plus sign in its limit', '400', 'limit=+1'),
      ...[
        ['of another list', '400', ['sites', none, 'amount']],
        ['with a secret field', '200', ['changes', none, 'password_hash']],
        ['with SQL instead of a time', '400', ['changes', "x'; drop table public.sites; --", 'amount']],
        ['with too many values', '400', ['changes', none, 'amount', 1]],
      ].map(
        ([tries, must, parts]): HttpRow => [
          `the changes of a claim with a cursor ${String(tries)}`,
          INPUT,
          String(must),
          `GET /api/reclamations/${world.mine.reclamations}/changes?after=${cursor(...(parts as unknown[]))}`,
          { token },
        ],
      ),
      ['the list of users for a client user', 'API3:2023', '200', 'GET /api/users', { token: client }],
      ['the audit log for an account manager', 'API5:2023', '403', 'GET /api/audit-logs', { token }],
      ...alike(['API1:2023', '200'], {
        'the audit log of a foreign user for an ADMIN of one client': [
          `GET /api/audit-logs?user_id=${foreign.users}`,
          { token: world.tokens.admin },
        ],
        'the audit log of a foreign record for an ADMIN of one client': [
          `GET /api/audit-logs?resource_id=${foreign.sites}`,
          { token: world.tokens.admin },
        ],
      }),
    ]);
  },
};
