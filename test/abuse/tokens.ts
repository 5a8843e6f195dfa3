import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { alike } from './attack.ts';
import type { Area, Attack } from './attack.ts';
import { base64url } from './forge.ts';
import type { Forge, Signing } from './forge.ts';
import { overHttp } from './over-http.ts';
import type { World } from './world.ts';
import { words } from '../support/words.ts';

/*
 * Attacks with tokens whose signature is missing, malformed, or by a stranger. Each token is sent in the Authorization
 * header and also in the body of a login. To check these attacks, their author once let src/identity/signature.ts
 * accept tokens of every type: some attacks then succeeded.
 */

type Row = readonly [tries: string, source: string, token: string];

const nobody: Signing = () => Buffer.alloc(0);

function hmac(bits: number, secret: string | Buffer): Signing {
  return (input) => createHmac(`sha${bits}`, secret).update(input).digest();
}

function unsigned({ raw, header, claims, sign, ownSigning }: Forge): Row[] {
  const good = sign({ role: 'CLIENT', client_access: [] });
  const [head = '', , signature = ''] = good.split('.');
  return [
    ...['none', 'None', 'NONE', 'nOnE', '', 'null', ' none', 'none '].map(
      (alg): Row => [
        `a token with the alg ${alg} and no signature`,
        'RFC 8725, 2.1',
        raw(header({ alg }), claims(), nobody),
      ],
    ),
    [
      'a token with the alg none and the provider’s signature',
      'RFC 8725, 2.1',
      raw(header({ alg: 'none' }), claims(), ownSigning),
    ],
    ...[null, 0, true, ['ES256'], { alg: 'ES256' }].map(
      (alg): Row => [
        `a token with the alg ${JSON.stringify(alg)}`,
        'RFC 8725, 3.1',
        raw(header({ alg }), claims(), ownSigning),
      ],
    ),
    ['a token without an alg', 'RFC 7515, 4.1.1', raw({ typ: 'JWT' }, claims(), ownSigning)],
    ...alike(['RFC 8725, 3.3'], {
      'an ES256 token without a signature': raw(header(), claims(), nobody),
      'a token with another payload under the provider’s signature': `${head}.${base64url(claims())}.${signature}`,
    }),
    [
      'a token with another header under the provider’s signature',
      'RFC 7515, 5.2',
      `${base64url({ alg: 'ES256' })}.${good.split('.')[1] ?? ''}.${signature}`,
    ],
    ...alike(['RFC 8725, 3.4'], {
      'a token with a signature of zeros (CVE-2022-21449)': raw(header(), claims(), () => Buffer.alloc(64)),
      'a token with a signature of ones': raw(header(), claims(), () => Buffer.alloc(64, 0xff)),
      'a token with a signature of 100,000 bytes': raw(header(), claims(), () => Buffer.alloc(100_000, 1)),
    }),
    ...alike(['RFC 7518, 3.4'], {
      'a token with half a signature': raw(header(), claims(), (input) => ownSigning(input).subarray(0, 32)),
      'a token with one byte after its signature': raw(header(), claims(), (input) =>
        Buffer.concat([ownSigning(input), Buffer.alloc(1)]),
      ),
      'a token whose signature has its halves swapped': raw(header(), claims(), (input) => swapped(ownSigning(input))),
    }),
  ];
}

const swapped = (bytes: Buffer): Buffer => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]);

/** Tokens whose header tells the service how to verify them, for example with the public key as a shared secret. */
function confused({ raw, header, claims, publicKey, publicJwk, kid, strange, strangeRsa }: Forge): Row[] {
  const secrets: Record<string, string | Buffer> = {
    'the public key in PEM': publicKey.export({ type: 'spki', format: 'pem' }),
    'the public key in DER': publicKey.export({ type: 'spki', format: 'der' }),
    'the public key as JSON': JSON.stringify(publicJwk),
    'the coordinate x': Buffer.from(publicJwk.x ?? '', 'base64url'),
    'the coordinate x in base64url': publicJwk.x ?? '',
    'the name of the key': kid,
    'the word secret': 'secret',
    'an empty secret': '',
  };
  const rsa: Signing = (input) => signBytes('sha256', Buffer.from(input), strangeRsa);
  const der: Signing = (input) => signBytes('sha256', Buffer.from(input), strange);
  const { privateKey: ed } = generateKeyPairSync('ed25519');
  const { privateKey: larger } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return [
    ...Object.entries(secrets).flatMap(([name, secret]) =>
      [256, 384, 512].map(
        (bits): Row => [
          `an HS${bits} token that is signed with ${name}`,
          'RFC 8725, 2.1',
          raw(header({ alg: `HS${bits}` }), claims(), hmac(bits, secret)),
        ],
      ),
    ),
    ...Object.entries(secrets).map(
      ([name, secret]): Row => [
        `an ES256 token that is signed by HMAC with ${name}`,
        'RFC 8725, 2.1',
        raw(header(), claims(), hmac(256, secret)),
      ],
    ),
    ...alike(['RFC 8725, 3.1'], {
      'an RS256 token that is signed with a stranger’s key under the known key id': raw(
        header({ alg: 'RS256' }),
        claims(),
        rsa,
      ),
      'a PS256 token that is signed with a stranger’s key': raw(header({ alg: 'PS256' }), claims(), rsa),
      'an EdDSA token that is signed with a stranger’s key': raw(header({ alg: 'EdDSA' }), claims(), (input) =>
        signBytes(null, Buffer.from(input), ed),
      ),
      'an ES384 token that is signed with a stranger’s key': raw(header({ alg: 'ES384' }), claims(), (input) =>
        signBytes('sha384', Buffer.from(input), { key: larger, dsaEncoding: 'ieee-p1363' }),
      ),
    }),
    ['an ES256 token with a signature in DER', 'RFC 7518, 3.4', raw(header(), claims(), der)],
    ...words('ES256K ES256X es256 RSA-OAEP dir A256KW PBES2-HS256+A128KW HS1 __proto__ constructor').map(
      (alg): Row => [`a token with the alg ${alg}`, 'RFC 8725, 3.2', raw(header({ alg }), claims(), rsa)],
    ),
  ];
}

/** Tokens whose header names a key, contains a key, or has an unknown type or an unknown critical extension. */
function pointed({ raw, header, claims, publicJwk, strange, strangeSigning, ownSigning }: Forge): Row[] {
  const jwk = { ...strange.export({ format: 'jwk' }), d: undefined };
  const pointers: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['its own key', { jwk }],
    ['its own key and no key id', { jwk, kid: undefined }],
    ['the provider’s key, with another signature', { jwk: publicJwk }],
    ['the URL of a key set', { jku: 'http://127.0.0.1:9/keys' }],
    ['the file: URL of a key set', { jku: 'file:///etc/passwd' }],
    ['the URL of a certificate', { x5u: 'http://169.254.169.254/latest/meta-data' }],
    ['a certificate', { x5c: ['MIIB'] }],
    ['a thumbprint', { x5t: 'AAAA', 'x5t#S256': 'AAAA' }],
  ];
  const names = [
    '../../../../dev/null',
    '/dev/null',
    "' or 1=1 --",
    '|cat /etc/passwd',
    '__proto__',
    'a'.repeat(10_000),
    '',
    '\0',
    'é',
  ];
  return [
    ...pointers.map(
      ([what, more]): Row => [
        `a token whose header has ${what}`,
        'RFC 8725, 3.10',
        raw(header(more), claims(), strangeSigning),
      ],
    ),
    ...names.map(
      (kid): Row => [
        `a token with the key id ${kid.slice(0, 30)}`,
        'RFC 8725, 3.10',
        raw(header({ kid }), claims(), strangeSigning),
      ],
    ),
    ...[null, 1, ['x'], {}].map(
      (kid): Row => [
        `a token with the key id ${JSON.stringify(kid)}`,
        'RFC 7515, 4.1.4',
        raw(header({ kid }), claims(), strangeSigning),
      ],
    ),
    ...alike(['RFC 7515, 4.1.11'], {
      'a token with a crit header that names exp': raw(header({ crit: ['exp'], exp: 1 }), claims(), ownSigning),
      'a token with an empty crit header': raw(header({ crit: [] }), claims(), ownSigning),
      'a token whose crit header is not an array': raw(header({ crit: 'b64' }), claims(), ownSigning),
    }),
    [
      'a token whose payload is not encoded',
      'RFC 7797, 3',
      raw(header({ b64: false, crit: ['b64'] }), claims(), ownSigning),
    ],
    ...['JWE', 'id_token', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', 'application/logout+jwt', 'JWS', 'kb+jwt', ''].map(
      (typ): Row => [`a token of the type ${typ}`, 'RFC 8725, 3.11', raw(header({ typ }), claims(), ownSigning)],
    ),
    ...[1, null, ['JWT'], {}].map(
      (typ): Row => [
        `a token with the typ ${JSON.stringify(typ)}`,
        'RFC 8725, 3.11',
        raw(header({ typ }), claims(), ownSigning),
      ],
    ),
  ];
}

function misshapen({ raw, header, claims, sign, ownSigning, strangeSigning }: Forge): Row[] {
  const good = sign({});
  const [head = '', payload = '', signature = ''] = good.split('.');
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  return [
    ...alike(['RFC 7515, 7.1'], {
      'a token of one part': head,
      'a token of two parts': `${head}.${payload}`,
      'a token with an empty signature': `${head}.${payload}.`,
      'a token of four parts': `${good}.${signature}`,
      'a token of two dots': '..',
      'a token of 50,000 dots': '.'.repeat(50_000),
    }),
    [
      'a token of five parts, as encrypted tokens have',
      'RFC 7516, 7.1',
      `${head}.${payload}.${signature}.${payload}.${signature}`,
    ],
    ['a token in JSON form', 'RFC 7515, 7.2', JSON.stringify({ payload, protected: head, signature })],
    ...alike(['RFC 7515, 2'], {
      'a token with the plain alphabet of base64': `${head}.${payload}.${'+/'.repeat(43)}`,
      'a token with padding': `${head}==.${payload}==.${signature}==`,
    }),
    ...alike(['RFC 7515, 5.2'], {
      'a token whose header is not JSON': raw('{', claims(), ownSigning),
      'a token whose header is an array': raw('[]', claims(), ownSigning),
      'a token whose header is in Latin-1': raw(
        Buffer.from('{"alg":"ES256","é":1}', 'latin1'),
        claims(),
        strangeSigning,
      ),
    }),
    ['a token whose header has alg twice', 'RFC 7515, 4', raw('{"alg":"ES256","alg":"none"}', claims(), nobody)],
    ['a token whose payload is not JSON', 'RFC 7519, 7.2', raw(header(), 'x', ownSigning)],
    ...['[]', '"x"', 'null', '1', '', '{', deep].map(
      (text): Row => [
        `a token with the payload ${text.slice(0, 10)}`,
        'RFC 7519, 7.2',
        raw(header(), text, ownSigning),
      ],
    ),
    [
      'a token whose payload is compressed',
      'RFC 8725, 3.6',
      raw(header({ zip: 'DEF' }), deflateRawSync(Buffer.alloc(1_000_000, 32)), ownSigning),
    ],
    ['a token of 200,000 characters', 'API4:2023', raw(header(), claims({ x: 'a'.repeat(150_000) }), strangeSigning)],
    ['a token in a token', 'RFC 8725, 2.8', raw(header({ cty: 'JWT' }), good, ownSigning)],
  ];
}

function asAttacks(world: World, rows: readonly Row[]): Attack[] {
  const bearer = rows.map(([tries, source, token]) => {
    return [tries, source, '401', 'GET /api/clients', { token }] as const;
  });
  const login = rows.map(([tries, source, token]) => {
    return [`a login with ${tries}`, source, '401', 'POST /api/auth/login', { body: { token } }] as const;
  });
  return overHttp(world, [...bearer, ...login]);
}

export const tokens: Area = {
  name: 'tokens',
  attacks: (world) =>
    asAttacks(
      world,
      [unsigned, confused, pointed, misshapen].flatMap((rows) => rows(world.forge)),
    ),
};
