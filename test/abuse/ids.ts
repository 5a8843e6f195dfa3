import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import type { World } from './world.ts';
import { words } from '../support/words.ts';

/*
 * Attacks with ids of another tenant’s records, and with malformed ids. Other tests, in test/resources, try ids of
 * another tenant at every endpoint in every role. To check these attacks, their author once changed the policies of
 * public.sites to `using (true)`: some attacks then succeeded.
 */

const SOURCE = 'API1:2023';

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
        [`a site with the id ${shape.slice(0, 40)}`]: [`GET /api/sites/${path}`, ask],
        [`the deletion of a site with the id ${shape.slice(0, 40)}`]: [`DELETE /api/sites/${path}`, ask],
      }),
      [
        `a list of sites filtered by the client ${shape.slice(0, 40)}`,
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

/** Returns attacks with the ids of another tenant’s records, in small letters or capitals, and with unknown ids. */
function others({ tokens: { manager: token }, mine, foreign }: World): HttpRow[] {
  const capitals = foreign.clients.toUpperCase();
  const none = crypto.randomUUID();
  const many = {
    changes: [mine.reclamations, foreign.reclamations].map((id) => ({ id, grounds: 'Erreur' })),
  };
  const both = `client_id=${mine.clients}&client_id=${foreign.clients}`;
  return [
    ...alike([SOURCE, '403'], {
      'a foreign client by its id in capitals': [`GET /api/clients/${capitals}`, { token }],
      'the claims of a foreign client by its id in capitals': [`GET /api/clients/${capitals}/reclamations`, { token }],
      'a foreign site by its id in capitals': [`GET /api/sites/${foreign.sites.toUpperCase()}`, { token }],
      'an unknown client': [`GET /api/clients/${none}`, { token }],
      'a foreign client with the own client in a header': [
        `GET /api/clients/${foreign.clients}`,
        { token, headers: { 'x-client-id': mine.clients } },
      ],
    }),
    ...alike([SOURCE, '404'], {
      'an unknown site': [`GET /api/sites/${none}`, { token }],
      'a site with the nil UUID': ['GET /api/sites/00000000-0000-0000-0000-000000000000', { token }],
    }),
    ...alike(['API1:2023, parameters twice', '400'], {
      'a list filtered by the own client and then a foreign client': [`GET /api/sites?${both}`, { token }],
      'a list filtered by a foreign client and then the own client': [
        `GET /api/sites?client_id=${foreign.clients}&client_id=${mine.clients}`,
        { token },
      ],
    }),
    [
      'the own client in the path and a foreign client in the query',
      SOURCE,
      '400',
      `GET /api/clients/${mine.clients}/reclamations?client_id=${foreign.clients}`,
      { token },
    ],
    [
      'a foreign client in the path and the own client in the query',
      SOURCE,
      '400|403',
      `GET /api/clients/${foreign.clients}/reclamations?client_id=${mine.clients}`,
      { token },
    ],
    ...alike(['API3:2023', '403'], {
      'a move of a site to a foreign client': [
        `PUT /api/sites/${mine.sites}`,
        { token, body: { client_id: foreign.clients } },
      ],
      'a move of a claim to a foreign site': [
        `PUT /api/reclamations/${mine.reclamations}`,
        { token, body: { site_id: foreign.sites } },
      ],
    }),
    ...alike([SOURCE, '403'], {
      'a foreign claim in a bulk change': ['POST /api/reclamations/changes', { token, body: many }],
      'a foreign claim in a dry run of a bulk change': [
        'POST /api/reclamations/changes?dry_run=true',
        { token, body: many },
      ],
      'a move of a claim to a foreign site by a bulk change': [
        'POST /api/reclamations/changes',
        { token, body: { changes: [{ id: mine.reclamations, site_id: foreign.sites }] } },
      ],
      'a foreign invoice in a bulk change': [
        'POST /api/invoices/changes',
        { token, body: { changes: [{ id: foreign.factures, due_date: '2031-01-31' }] } },
      ],
    }),
    ...alike([SOURCE, '200'], {
      'a list of claims filtered by an own and a foreign id': [
        `GET /api/reclamations?id=${mine.reclamations},${foreign.reclamations}`,
        { token },
      ],
      'a summary of claims by client and assignee': ['GET /api/reclamations/summary?by=client,assignee', { token }],
    }),
    ['a search for foreign users by email', SOURCE, '200', 'GET /api/users?q=b.example', { token }],
  ];
}

/**
 * An account manager who knows a user’s id is allowed to give this user a client, and then sees the user’s email
 * (docs/decisions/users.md).
 */
function given({ tokens: { manager: token }, mine, foreign }: World): HttpRow[] {
  const path = `/api/users/${foreign.users}/client-access/${mine.clients}`;
  return [
    ['access to the own client for a foreign user', 'API5:2023', '200', `PUT ${path}`, { token }],
    [
      'the withdrawal of a foreign user’s access to the own client',
      'API5:2023',
      '200|204',
      `DELETE ${path}`,
      { token },
    ],
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
      known: 'an account manager who gives a client to a user learns the user’s name and email',
    })),
  ],
};
