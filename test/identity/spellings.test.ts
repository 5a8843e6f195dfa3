import fc from 'fast-check';
import { afterAll, expect, test } from '@jest/globals';
import { createTestKey } from '../support/identity.ts';
import { startVerification } from '../support/verification.ts';

/* These tests check that the service accepts only one spelling of a token, because it compares tokens as text. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

// The last character of a signature in base64url has unused bits: two for RS256, and four for ES256.
const v = await startVerification([await createTestKey('RS256'), await createTestKey()]);

afterAll(() => v.identity.stop());

/** Writes one part of a token differently; returns undefined if this part cannot be written in that way. */
type Respelling = (part: string, at: number) => string | undefined;

const insert =
  (text: string): Respelling =>
  (part, at) => {
    const place = at % (part.length + 1);
    return part.slice(0, place) + text + part.slice(place);
  };

const RESPELLINGS: Readonly<Record<string, Respelling>> = {
  'the correct padding': (part) => {
    const padding = '='.repeat((4 - (part.length % 4)) % 4);
    return padding === '' ? undefined : part + padding;
  },
  'too much or too little padding': (part, at) => part + '='.repeat(1 + (at % 3)),
  'the letters of plain base64': (part) => {
    const plain = part.replaceAll('-', '+').replaceAll('_', '/');
    return plain === part ? undefined : plain;
  },
  'other unused bits in its last character': (part, at) => {
    const spare = [0, 0, 4, 2][part.length % 4] ?? 0;
    if (spare === 0) return undefined;
    const last = ALPHABET.indexOf(part.at(-1) ?? '');
    return part.slice(0, -1) + (ALPHABET[last + 1 + (at % (2 ** spare - 1))] ?? '');
  },
  'a blank': insert(' '),
  'a line break': insert('\n'),
  'a NUL': insert('\0'),
  'a character outside base64': insert('é'),
  'a percent sign': insert('%3D'),
};

test.each(Object.entries(RESPELLINGS))(
  'a valid token whose text is changed by %s is refused',
  async (_how, respell) => {
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(
        // Users’ names of different lengths give token parts with every possible base64 padding.
        fc.record({ name: fc.string({ maxLength: 8 }), kid: fc.constantFrom(0, 1), at: fc.nat(400), which: fc.nat(2) }),
        async ({ name, kid, at, which }) => {
          const key = v.identity.keys[kid];
          if (key === undefined) throw new Error('the identity provider has no such key');
          const token = await v.identity.token({ name }, { key });
          const parts = token.split('.');
          const other = respell(parts[which] ?? '', at);
          fc.pre(other !== undefined);
          await v.verifier.verify(token);
          await v.refusalOf(parts.with(which, other).join('.'));
          tried += 1;
        },
      ),
      { numRuns: 60, maxSkipsPerRun: 1_000, seed: 12 },
    );
    expect(tried).toBe(60);
  },
);

test('a token with padding or a blank is refused even if the provider has signed it in this form', async () => {
  const { key } = v.identity;
  for (const ending of ['=', '==', '\n', ' ']) {
    const payload = Buffer.from(JSON.stringify(v.adminClaims())).toString('base64url') + ending;
    const header = Buffer.from(JSON.stringify({ alg: key.alg, kid: key.kid })).toString('base64url');
    const input = `${header}.${payload}`;
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.privateKey, Buffer.from(input));
    await v.refusalOf(`${input}.${Buffer.from(signature).toString('base64url')}`);
  }
});
