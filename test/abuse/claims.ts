import { hostileClaims } from '../support/hostile-claims.ts';
import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';

/*
 * Attacks with tokens that the identity provider has really signed. Their claims are missing, of a wrong type, or those
 * of another user. To check these attacks, their author once left out `audience` where src/identity/token-verifier.ts
 * calls jose: some attacks then succeeded.
 */

/** For each claim of a token, the standard that says how a service must check the claim. */
const SOURCES: Readonly<Record<string, string>> = {
  iss: 'RFC 8725, 3.8',
  aud: 'RFC 8725, 3.9',
  exp: 'RFC 7519, 4.1.4',
  nbf: 'RFC 7519, 4.1.5',
  iat: 'RFC 7519, 4.1.6',
  sub: 'RFC 7519, 4.1.2',
  role: 'API5:2023',
  client_access: 'API1:2023',
};

const shown = (value: unknown): string => (JSON.stringify(value) as string | undefined)?.slice(0, 60) ?? 'nothing';

export const claims: Area = {
  name: 'claims',
  attacks: (world) => {
    const { forge, mine, foreign, tokens } = world;
    const { iss, aud } = forge.claims();
    const hostile = hostileClaims(Math.floor(Date.now() / 1000), String(iss), String(aud));
    const rows = Object.entries(hostile).flatMap(([claim, values]) =>
      values.map((value): HttpRow => {
        const token = forge.sign({ [claim]: value });
        return [
          `a token with the claim ${claim} ${shown(value)}`,
          SOURCES[claim] ?? '',
          '401',
          'GET /api/clients',
          { token },
        ];
      }),
    );
    const own = { sub: 'abuse|own', role: 'CLIENT', client_access: [mine.clients] };
    return overHttp(world, [
      ...rows,
      // A token with additional claims, for example scope or groups, must give its bearer no further rights.
      [
        'a client user’s token with roles, scope and groups of an administrator',
        'API3:2023',
        '403',
        'GET /api/audit-logs',
        {
          token: forge.sign({ ...own, roles: ['ADMIN'], scope: 'admin', is_admin: true, groups: ['ADMIN'] }),
        },
      ],
      [
        'a token whose subject contains SQL',
        'ASVS 5, 1.2.4',
        '200',
        'GET /api/clients',
        { token: forge.sign({ ...own, sub: `x'; set role taxclaims_admin; --` }) },
      ],
      [
        'a token whose subject is the name of a Postgres role',
        'API5:2023',
        '200',
        'GET /api/clients',
        { token: forge.sign({ ...own, sub: 'postgres' }) },
      ],
      ...alike(['API1:2023', '403'], {
        'a client user reads another client': [`GET /api/clients/${foreign.clients}`, { token: tokens.client }],
        'an account manager without clients reads a client': [
          `GET /api/clients/${mine.clients}`,
          { token: tokens.nobody },
        ],
      }),
      ...alike(['API2:2023', '401'], {
        'a token whose subject is the id of another user': [
          'GET /api/users/me',
          { token: forge.sign({ ...own, sub: foreign.users }) },
        ],
        'a token whose subject is the id of another user in capitals': [
          'GET /api/users/me',
          { token: forge.sign({ ...own, sub: foreign.users.toUpperCase() }) },
        ],
      }),
    ]);
  },
};
