import { createHmac, sign as signBytes } from 'node:crypto';
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

function unsigned({ raw, header, claims, sign }: Forge): Row[] {
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
    ...alike(['RFC 8725, 3.3'], {
      'an ES256 token without a signature': raw(header(), claims(), nobody),
      'a token with another payload under the provider’s signature': `${head}.${base64url(claims())}.${signature}`,
    }),
    ...alike(['RFC 8725, 3.4'], {
      'a token with a signature of zeros (CVE-2022-21449)': raw(header(), claims(), () => Buffer.alloc(64)),
      'a token with a signature of 100,000 bytes': raw(header(), claims(), () => Buffer.alloc(100_000, 1)),
    }),
  ];
}

/** Tokens whose header tells the service how to verify them, for example with the public key as a shared secret. */
function confused({ raw, header, claims, publicKey, publicJwk, kid, strangeRsa }: Forge): Row[] {
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
    [
      'an RS256 token that is signed with a stranger’s key under the known key id',
      'RFC 8725, 3.1',
      raw(header({ alg: 'RS256' }), claims(), rsa),
    ],
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
    ...words('../../../../dev/null /dev/null __proto__ é'),
    ...["' or 1=1 --", '|cat /etc/passwd', 'a'.repeat(10_000), '', '\0'],
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
    ...alike(['RFC 7515, 4.1.11'], {
      'a token with a crit header that names exp': raw(header({ crit: ['exp'], exp: 1 }), claims(), ownSigning),
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
  ];
}

function misshapen({ raw, header, claims, sign, ownSigning, strangeSigning }: Forge): Row[] {
  const good = sign({});
  const [head = '', payload = '', signature = ''] = good.split('.');
  return [
    ['a token of 50,000 dots', 'RFC 7515, 7.1', '.'.repeat(50_000)],
    ['a token in JSON form', 'RFC 7515, 7.2', JSON.stringify({ payload, protected: head, signature })],
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
    [
      'a token whose payload is compressed',
      'RFC 8725, 3.6',
      raw(header({ zip: 'DEF' }), deflateRawSync(Buffer.alloc(1_000_000, 32)), ownSigning),
    ],
    ['a token of 200,000 characters', 'API4:2023', raw(header(), claims({ x: 'a'.repeat(150_000) }), strangeSigning)],
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
