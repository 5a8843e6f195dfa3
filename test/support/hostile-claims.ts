const HOUR = 3_600;
const CLIENT = 'c1000000-0000-4000-8000-000000000001';
const OTHER = 'c1000000-0000-4000-8000-000000000002';

/** Values of a token’s claim that are empty or have a wrong type. */
const NOTHING = [undefined, null, '', {}, 1, true];

/** For each claim of a token the values with which the service must refuse the token, even with a valid signature. */
export function hostileClaims(
  now: number,
  issuer: string,
  audience: string,
): Readonly<Record<string, readonly unknown[]>> {
  return {
    iss: [
      ...[...NOTHING, [issuer], `${issuer}/`, `${issuer} `, issuer.toUpperCase()],
      ...['urn:taxclaims', 'https://idp.example', 'http://127.0.0.1'],
    ],
    aud: [
      ...[...NOTHING, [], [[audience]], { 0: audience }, { [audience]: true }, ['other', 'taxclaims'], '*'],
      ...['taxclaims', `${audience}2`, `${audience}/`, `${audience} other`, audience.toUpperCase()],
    ],
    exp: [...NOTHING, 'never', String(now + HOUR), [now + HOUR], now - HOUR, now - 31, 0, -1],
    nbf: ['', 'x', '0', {}, [], true, String(now), now + HOUR, now + 60],
    iat: [undefined, null, '', {}, true, 'x', [now], now + HOUR, now + 60, 9_999_999_999, -1],
    sub: [
      ...[...NOTHING, ['x'], 'anonymous', 'a'.repeat(256), CLIENT.toUpperCase(), CLIENT.replace('c', 'C')],
      ...['nul\0', '\ud800', ' somebody', 'somebody ', ' ', 'somebody\n', 'some\tbody', 'somebody\u00a0'],
      ...['zoé', 'zoe\u0301', 'some\u200bbody', '\ufeffsomebody', 's\u043emebody'],
    ],
    role: [
      ...[
        ...NOTHING,
        0,
        [],
        ['ADMIN', 'CLIENT'],
        ['admin'],
        [['ADMIN']],
        { ADMIN: true },
        'admin',
        'Admin',
        'ADMIN ',
        ' ADMIN',
        'ADMIN\0',
      ],
      ...['ADMIN,CLIENT', 'ROOT', 'SUPERUSER', 'taxclaims_admin', 'taxclaims_owner', 'postgres', '*'],
      ...["ADMIN'; set role postgres; --", '__proto__', 'constructor'],
    ],
    client_access: [
      ...[
        ...NOTHING,
        0,
        '*',
        '{}',
        '[',
        '[1]',
        '["*"]',
        ',',
        { 0: CLIENT, length: 1 },
        [null],
        [''],
        ['*'],
        ['%'],
        [1],
        [[]],
      ],
      ...[[{}], ['{}'], ["' or true --"], [CLIENT, 'all'], [CLIENT, null], [[CLIENT]], [`{${CLIENT}}`]],
      ...[[CLIENT.slice(0, -1)], [CLIENT.replaceAll('-', '')], [`urn:uuid:${CLIENT}`], [`${CLIENT}\0`]],
      ...[[`${CLIENT},${OTHER}`], [`${CLIENT}\n`], `${CLIENT},`, `${CLIENT};${OTHER}`, `["${CLIENT}",null]`],
    ],
  };
}
