import { hostileClaims } from '../support/hostile-claims.ts';
import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';

/*
 * Tokens with the provider's own signature whose claims are missing, of another type, or of somebody else. Seen red
 * where `audience` is not given to jose in src/identity/token-verifier.ts.
 */

/** Where it is said what a verifier must hold of each claim. */
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
        return [`${claim} ${shown(value)}`, SOURCES[claim] ?? '', '401', 'GET /api/clients', { token }];
      }),
    );
    const texts: readonly (readonly [string, string])[] = [
      ['exp 1e999', JSON.stringify(forge.claims()).replace(/"exp":\d+/, '"exp":1e999')],
      ['exp twice, the last in the past', JSON.stringify(forge.claims()).replace(/\}$/, ',"exp":1}')],
      ['iat -1e999', JSON.stringify(forge.claims()).replace(/"iat":\d+/, '"iat":-1e999')],
      [
        'a role that only __proto__ has',
        JSON.stringify(forge.claims({ role: undefined })).replace('{', '{"__proto__":{"role":"ADMIN"},'),
      ],
      [
        'an access that only __proto__ has',
        JSON.stringify(forge.claims({ client_access: undefined })).replace('{', '{"__proto__":{"client_access":[]},'),
      ],
    ];
    const own = { sub: 'abuse|own', role: 'CLIENT', client_access: [mine.clients] };
    return overHttp(world, [
      ...rows,
      ...texts.map(([tries, text]): HttpRow => {
        const token = forge.raw(forge.header(), text, forge.ownSigning);
        return [tries, 'RFC 8725, 2.4', '401', 'GET /api/clients', { token }];
      }),
      // What a token lets its bearer do stays within it, whatever else it says.
      [
        'claims that say more than the role',
        'API3:2023',
        '403',
        'GET /api/audit-logs',
        {
          token: forge.sign({ ...own, roles: ['ADMIN'], scope: 'admin', is_admin: true, groups: ['ADMIN'] }),
        },
      ],
      [
        'a subject with a quote and SQL',
        'ASVS 5, 1.2.4',
        '200',
        'GET /api/clients',
        { token: forge.sign({ ...own, sub: `x'; set role taxclaims_admin; --` }) },
      ],
      [
        'the subject of a role of Postgres',
        'API5:2023',
        '200',
        'GET /api/clients',
        { token: forge.sign({ ...own, sub: 'postgres' }) },
      ],
      [
        'two thousand clients of nobody',
        'API4:2023',
        '200',
        'GET /api/reclamations',
        {
          token: forge.sign({
            ...own,
            client_access: Array.from({ length: 2_000 }, () => crypto.randomUUID()),
          }),
        },
      ],
      ...alike(['API1:2023', '403'], {
        'a reader of one client asks for another': [`GET /api/clients/${foreign.clients}`, { token: tokens.client }],
        'whoever has no client': [`GET /api/clients/${mine.clients}`, { token: tokens.nobody }],
      }),
      ...alike(['API2:2023', '401'], {
        'the id of another user as the subject': [
          'GET /api/users/me',
          { token: forge.sign({ ...own, sub: foreign.users }) },
        ],
        'the id of another user in capitals': [
          'GET /api/users/me',
          { token: forge.sign({ ...own, sub: foreign.users.toUpperCase() }) },
        ],
      }),
    ]);
  },
};
