import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';

/*
 * Tokens with the provider's own signature whose claims are missing, of another type, or of somebody else. Seen red
 * where `audience` is not given to jose in src/identity/token-verifier.ts.
 */

type Values = readonly (readonly [source: string, claim: string, values: readonly unknown[]])[];

const HOUR = 3_600;

/** Of each claim the values for which there is nothing but 401. */
function refused(now: number, issuer: string): Values {
  return [
    [
      'RFC 8725, 3.8',
      'iss',
      [
        undefined,
        null,
        '',
        'urn:taxclaims',
        `${issuer}/`,
        issuer.toUpperCase(),
        `${issuer} `,
        'https://idp.example',
        [issuer],
        {},
        1,
      ],
    ],
    [
      'RFC 8725, 3.9',
      'aud',
      [
        undefined,
        null,
        '',
        'taxclaims',
        'taxclaims-api2',
        'taxclaims-api/',
        'TAXCLAIMS-API',
        'taxclaims-api other',
        '*',
        [],
        ['other'],
        [['taxclaims-api']],
        { 0: 'taxclaims-api' },
        1,
      ],
    ],
    [
      'RFC 7519, 4.1.4',
      'exp',
      [undefined, null, '', 'never', String(now + HOUR), now - HOUR, now - 31, 0, -1, [now + HOUR], {}, true],
    ],
    ['RFC 7519, 4.1.5', 'nbf', [now + HOUR, now + 60, 'x', '', [], {}, true, String(now)]],
    ['RFC 7519, 4.1.6', 'iat', [undefined, null, '', 'x', now + HOUR, now + 60, -1, [now], {}, true]],
    [
      'RFC 7519, 4.1.2',
      'sub',
      [undefined, null, '', 'a'.repeat(256), 'anonymous', 'nul\0', '\ud800', 1, ['x'], {}, true],
    ],
    [
      'API5:2023',
      'role',
      [
        undefined,
        null,
        '',
        'admin',
        'Admin',
        'ADMIN ',
        ' ADMIN',
        'ADMIN\0',
        'ROOT',
        'SUPERUSER',
        'ADMIN,CLIENT',
        'taxclaims_admin',
        'taxclaims_owner',
        'postgres',
        "ADMIN'; set role postgres; --",
        '*',
        '__proto__',
        ['ADMIN'],
        { ADMIN: true },
        0,
        1,
        true,
      ],
    ],
    [
      'API1:2023',
      'client_access',
      [
        undefined,
        null,
        '',
        '*',
        '[]',
        {},
        0,
        true,
        [null],
        [''],
        ['*'],
        ['%'],
        [1],
        [[]],
        [{}],
        ['{}'],
        ["' or true --"],
        ['c1000000-0000-4000-8000-00000000000'],
        ['{c1000000-0000-4000-8000-000000000001}'],
        ['urn:uuid:c1000000-0000-4000-8000-000000000001'],
        ['c1000000000040008000000000000001'],
        ['c1000000-0000-4000-8000-000000000001,c1000000-0000-4000-8000-000000000002'],
        ['c1000000-0000-4000-8000-000000000001\0'],
        [['c1000000-0000-4000-8000-000000000001']],
      ],
    ],
  ];
}

const shown = (value: unknown): string =>
  (JSON.stringify(value) as string | undefined)?.slice(0, 60) ?? 'nothing';

export const claims: Area = {
  name: 'claims',
  attacks: (world) => {
    const { forge, mine, foreign, tokens } = world;
    const rows = refused(Math.floor(Date.now() / 1000), String(forge.claims()['iss'])).flatMap(
      ([source, claim, values]) =>
        values.map((value): HttpRow => {
          const token = forge.sign({ [claim]: value });
          return [`${claim} ${shown(value)}`, source, '401', 'GET /api/clients', { token }];
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
        JSON.stringify(forge.claims({ client_access: undefined })).replace(
          '{',
          '{"__proto__":{"client_access":[]},',
        ),
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
      [
        'a reader of one client asks for another',
        'API1:2023',
        '403',
        `GET /api/clients/${foreign.clients}`,
        { token: tokens.client },
      ],
      [
        'whoever has no client',
        'API1:2023',
        '403',
        `GET /api/clients/${mine.clients}`,
        { token: tokens.nobody },
      ],
      [
        'the id of another user as the subject',
        'API2:2023',
        '401',
        'GET /api/users/me',
        { token: forge.sign({ ...own, sub: foreign.users }) },
      ],
      [
        'the id of another user in capitals',
        'API2:2023',
        '401',
        'GET /api/users/me',
        { token: forge.sign({ ...own, sub: foreign.users.toUpperCase() }) },
      ],
    ]);
  },
};
