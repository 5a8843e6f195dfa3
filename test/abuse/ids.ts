import { ROWS } from '../resources/access.ts';
import type { Row } from '../resources/access.ts';
import type { Tenant } from '../support/tenant.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import type { Tokens, World } from './world.ts';

/*
 * Ids of others, in the path, in the query and in the body, at every endpoint and in every role, and what only looks like
 * an id. Seen red where
 * the policies of public.sites are `using (true)`.
 */

const SOURCE = 'API1:2023';
const ROLES = [
  'admin',
  'manager',
  'specialist',
  'client',
  'nobody',
] as const satisfies readonly (keyof Tokens)[];

/** What an endpoint says of a record of others, or of one whose role may not call it. */
const REFUSED = '403';

function fill(line: string, ids: Row['ids'], tenant: Tenant): string {
  return Object.entries(ids ?? {}).reduce(
    (text, [name, kind]) => text.replace(`{${name}}`, tenant[kind]),
    line,
  );
}

/** Every endpoint that names a record, with the records of somebody else. */
function named({ tokens, foreign }: World): HttpRow[] {
  return ROWS.filter(({ ids }) => ids !== undefined).flatMap(({ line, ids, body, question }) =>
    ROLES.map((role): HttpRow => {
      // A body of a request to somebody else's record names nothing of theirs by itself.
      const fields = Object.entries(body?.(foreign) ?? {}).filter(([name]) => name !== 'client_id');
      const further = question?.() ?? (body === undefined ? {} : { body: Object.fromEntries(fields) });
      const asked = { ...further, token: tokens[role] };
      return [`${role}: ${line} of others`, SOURCE, REFUSED, fill(line, ids, foreign), asked];
    }),
  );
}

/** Every body that names records, with those of somebody else, all of them and one at a time. */
function inBodies({ tokens, mine, foreign }: World): HttpRow[] {
  return ROWS.flatMap(({ line, ids, body, names, many }) =>
    Object.entries(names ?? {}).flatMap(([field, kind]) =>
      ROLES.flatMap((role): HttpRow[] => {
        const own = body?.(mine) ?? {};
        const one = Array.isArray(own[field]) ? [foreign[kind]] : foreign[kind];
        const path = fill(line, ids, mine);
        const ask = (record: object) => ({ token: tokens[role], body: many ? [record] : record });
        return [
          [`${role}: ${line} with ${field} of others`, SOURCE, REFUSED, path, ask({ ...own, [field]: one })],
          [`${role}: ${line} all of others`, SOURCE, REFUSED, path, ask(body?.(foreign) ?? {})],
        ];
      }),
    ),
  );
}

/** Every list, narrowed to somebody else, and not narrowed. */
function lists({ tokens, foreign }: World): HttpRow[] {
  return ROWS.filter(({ byClient }) => byClient !== undefined).flatMap(({ line, byClient = '', shows }) =>
    ROLES.flatMap((role): HttpRow[] => [
      [
        `${role}: ${line} of a client of others`,
        SOURCE,
        REFUSED,
        `${line}?${byClient}=${foreign.clients}`,
        { token: tokens[role] },
      ],
      [
        `${role}: ${line}, all that there is`,
        SOURCE,
        '200|403',
        // What shows no records has no number of them.
        shows === undefined ? `${line}?count=exact` : line,
        { token: tokens[role] },
      ],
    ]),
  );
}

/** What is no id, and ids written in other ways. */
function misshapen({ tokens, mine, foreign }: World): HttpRow[] {
  const id = foreign.sites;
  const shapes = [
    ...[
      '0',
      '1',
      '-1',
      '1e3',
      'null',
      'undefined',
      'true',
      'NaN',
      '*',
      '%25',
      '_',
      'me',
      '__proto__',
      'constructor',
    ],
    ...[
      `{${id}}`,
      `urn:uuid:${id}`,
      id.replaceAll('-', ''),
      `${id}0`,
      id.slice(1),
      ` ${id}`,
      `${id} `,
      `"${id}"`,
    ],
    ...[
      `${id}'--`,
      `${id}' or '1'='1`,
      `${id};select pg_sleep(9)`,
      `${id}\\`,
      `${id},${mine.sites}`,
      `${id}%00`,
      `%00${id}`,
    ],
    ...[
      '%27%20or%201%3D1--',
      '%F0%9F%92%A9',
      '%C0%AE',
      '%ZZ',
      '%',
      '%2e%2e',
      '..%2f..%2fclients',
      '%E2%80%AE',
      '%EF%BC%8F',
    ],
    ...[
      'a'.repeat(5_000),
      `${id}%0d%0aX-Injected:%201`,
      `$%7Bjndi:ldap://x%7D`,
      '%7B%7B7*7%7D%7D',
      '%24where',
      '%5B%5D',
    ],
  ];
  return shapes.flatMap((shape): HttpRow[] => {
    const path = encodeURI(decodeSafely(shape) ?? '') === shape ? shape : shape.replaceAll(' ', '%20');
    const ask = { token: tokens.manager };
    return [
      [`an id ${shape.slice(0, 40)}`, 'ASVS 5, 2.2.1', '400|404', `GET /api/sites/${path}`, ask],
      [
        `to delete the id ${shape.slice(0, 40)}`,
        'ASVS 5, 2.2.1',
        '400|404',
        `DELETE /api/sites/${path}`,
        ask,
      ],
      [
        `a filter by the id ${shape.slice(0, 40)}`,
        'ASVS 5, 2.2.1',
        '400|403',
        `GET /api/sites?client_id=${path}`,
        ask,
      ],
    ];
  });
}

function decodeSafely(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The same id in other letters, and ids that nobody has. */
function others({ tokens: { manager: token }, mine, foreign }: World): HttpRow[] {
  const capitals = foreign.clients.toUpperCase();
  const none = crypto.randomUUID();
  const both = `client_id=${mine.clients}&client_id=${foreign.clients}`;
  return [
    ['an id of others in capitals', SOURCE, '403', `GET /api/clients/${capitals}`, { token }],
    [
      'the claims of an id in capitals',
      SOURCE,
      '403',
      `GET /api/clients/${capitals}/reclamations`,
      { token },
    ],
    [
      'a site of others in capitals',
      SOURCE,
      '403',
      `GET /api/sites/${foreign.sites.toUpperCase()}`,
      { token },
    ],
    ['an id that nobody has', SOURCE, '404', `GET /api/sites/${none}`, { token }],
    ['the nil UUID', SOURCE, '404', 'GET /api/sites/00000000-0000-0000-0000-000000000000', { token }],
    ['a client that nobody has', SOURCE, '403', `GET /api/clients/${none}`, { token }],
    [
      'one’s own client and another',
      'API1:2023, parameters twice',
      '400',
      `GET /api/sites?${both}`,
      { token },
    ],
    [
      'another client and one’s own',
      'API1:2023, parameters twice',
      '400',
      `GET /api/sites?client_id=${foreign.clients}&client_id=${mine.clients}`,
      { token },
    ],
    [
      'one’s own client in the path, another in the query',
      SOURCE,
      '400',
      `GET /api/clients/${mine.clients}/reclamations?client_id=${foreign.clients}`,
      { token },
    ],
    [
      'another client in the path, one’s own in the query',
      SOURCE,
      '400|403',
      `GET /api/clients/${foreign.clients}/reclamations?client_id=${mine.clients}`,
      { token },
    ],
    [
      'another client in a body of a read',
      SOURCE,
      '403',
      `GET /api/clients/${foreign.clients}`,
      { token, headers: { 'x-client-id': mine.clients } },
    ],
    [
      'to move a site to another client',
      'API3:2023',
      '403',
      `PUT /api/sites/${mine.sites}`,
      { token, body: { client_id: foreign.clients } },
    ],
    [
      'to move a claim to another site',
      'API3:2023',
      '403',
      `PUT /api/reclamations/${mine.reclamations}`,
      { token, body: { site_id: foreign.sites } },
    ],
    [
      'to give another client to a user of one’s own',
      'API5:2023',
      '403',
      `PUT /api/users/${mine.users}/client-access/${foreign.clients}`,
      { token },
    ],
    ['a user of others by email', SOURCE, '200', 'GET /api/users?q=b.example', { token }],
  ];
}

/** An account manager gives a client to any user whose random id they know, and is told whom: docs/decisions/users.md. */
function given({ tokens: { manager: token }, mine, foreign }: World): HttpRow[] {
  const path = `/api/users/${foreign.users}/client-access/${mine.clients}`;
  return [
    ['to give one’s own client to a user of others', 'API5:2023', '200', `PUT ${path}`, { token }],
    ['to take it back', 'API5:2023', '200|204', `DELETE ${path}`, { token }],
  ];
}

export const ids: Area = {
  name: 'ids',
  attacks: (world) => [
    ...overHttp(
      world,
      [named, inBodies, lists, misshapen, others].flatMap((rows) => rows(world)),
    ),
    ...overHttp(world, given(world)).map((attack) => ({
      ...attack,
      known: 'whoever gives a client to a user learns the name and the email of that user',
    })),
  ],
};
