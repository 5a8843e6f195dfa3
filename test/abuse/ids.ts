import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import type { World } from './world.ts';
import { words } from '../support/words.ts';

/*
 * Ids of others, and what only looks like an id. Every endpoint by every role with the ids of others is the matrix of
 * test/resources. Seen red where the policies of public.sites are `using (true)`.
 */

const SOURCE = 'API1:2023';
/** What is no id, and ids written in other ways. */
function misshapen({ tokens, mine, foreign }: World): HttpRow[] {
  const id = foreign.sites;
  const shapes = [
    ...words('0 1 -1 1e3 null undefined true NaN * %25 _ me __proto__ constructor'),
    ...[`{${id}}`, `urn:uuid:${id}`, id.replaceAll('-', ''), `${id}0`, id.slice(1), ` ${id}`, `${id} `, `"${id}"`],
    ...[
      `${id}'--`,
      `${id}' or '1'='1`,
      `${id};select pg_sleep(9)`,
      `${id}\\`,
      `${id},${mine.sites}`,
      `${id}%00`,
      `%00${id}`,
    ],
    ...words(`
      %27%20or%201%3D1-- %F0%9F%92%A9 %C0%AE %ZZ % %2e%2e ..%2f..%2fclients %E2%80%AE %EF%BC%8F
    `),
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
      ...alike(['ASVS 5, 2.2.1', '400|404'], {
        [`an id ${shape.slice(0, 40)}`]: [`GET /api/sites/${path}`, ask],
        [`to delete the id ${shape.slice(0, 40)}`]: [`DELETE /api/sites/${path}`, ask],
      }),
      [`a filter by the id ${shape.slice(0, 40)}`, 'ASVS 5, 2.2.1', '400|403', `GET /api/sites?client_id=${path}`, ask],
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
function others({ tokens: { manager: token, client }, mine, foreign }: World): HttpRow[] {
  const capitals = foreign.clients.toUpperCase();
  const none = crypto.randomUUID();
  const many = {
    changes: [mine.reclamations, foreign.reclamations].map((id) => ({ id, grounds: 'Erreur' })),
  };
  const both = `client_id=${mine.clients}&client_id=${foreign.clients}`;
  return [
    ...alike([SOURCE, '403'], {
      'an id of others in capitals': [`GET /api/clients/${capitals}`, { token }],
      'the claims of an id in capitals': [`GET /api/clients/${capitals}/reclamations`, { token }],
      'a site of others in capitals': [`GET /api/sites/${foreign.sites.toUpperCase()}`, { token }],
      'a client that nobody has': [`GET /api/clients/${none}`, { token }],
      'another client in a body of a read': [
        `GET /api/clients/${foreign.clients}`,
        { token, headers: { 'x-client-id': mine.clients } },
      ],
    }),
    ...alike([SOURCE, '404'], {
      'an id that nobody has': [`GET /api/sites/${none}`, { token }],
      'the nil UUID': ['GET /api/sites/00000000-0000-0000-0000-000000000000', { token }],
    }),
    ...alike(['API1:2023, parameters twice', '400'], {
      'one’s own client and another': [`GET /api/sites?${both}`, { token }],
      'another client and one’s own': [
        `GET /api/sites?client_id=${foreign.clients}&client_id=${mine.clients}`,
        { token },
      ],
    }),
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
    ...alike(['API3:2023', '403'], {
      'to move a site to another client': [
        `PUT /api/sites/${mine.sites}`,
        { token, body: { client_id: foreign.clients } },
      ],
      'to move a claim to another site': [
        `PUT /api/reclamations/${mine.reclamations}`,
        { token, body: { site_id: foreign.sites } },
      ],
    }),
    ...alike([SOURCE, '403'], {
      'a claim of others among many changes': ['POST /api/reclamations/changes', { token, body: many }],
      'the same, tried': ['POST /api/reclamations/changes?dry_run=true', { token, body: many }],
      'to move many claims to a site of others': [
        'POST /api/reclamations/changes',
        { token, body: { changes: [{ id: mine.reclamations, site_id: foreign.sites }] } },
      ],
      'an invoice of others among many changes': [
        'POST /api/invoices/changes',
        { token, body: { changes: [{ id: foreign.factures, due_date: '2031-01-31' }] } },
      ],
      'who changed a claim of others': [`GET /api/reclamations/${foreign.reclamations}/changes`, { token }],
      'who changed a user of others': [`GET /api/users/${foreign.users}/changes`, { token }],
      'who changed one’s own claim, as a client': [
        `GET /api/reclamations/${mine.reclamations}/changes`,
        { token: client },
      ],
    }),
    ...alike([SOURCE, '200'], {
      'a claim of others among ids': [
        `GET /api/reclamations?id=${mine.reclamations},${foreign.reclamations}`,
        { token },
      ],
      'the clients of others in a summary': ['GET /api/reclamations/summary?by=client,assignee', { token }],
    }),
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
      [misshapen, others].flatMap((rows) => rows(world)),
    ),
    ...overHttp(world, given(world)).map((attack) => ({
      ...attack,
      known: 'whoever gives a client to a user learns the name and the email of that user',
    })),
  ],
};
