import fc from 'fast-check';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createTestKey } from '../support/identity.ts';
import { startVerification } from '../support/verification.ts';

/* A token has one spelling: in another one it would pass limits and lists that know it by its text. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

// RS256 leaves two bits of its last character without a meaning, ES256 four.
const v = await startVerification([await createTestKey('RS256'), await createTestKey()]);

afterAll(() => v.identity.stop());

/** What may be done to one part of a token: undefined where it cannot be. */
type Respelling = (part: string, at: number) => string | undefined;

const insert =
  (text: string): Respelling =>
  (part, at) => {
    const place = at % (part.length + 1);
    return part.slice(0, place) + text + part.slice(place);
  };

const RESPELLINGS: Readonly<Record<string, Respelling>> = {
  'padding, as much as is due': (part) => {
    const padding = '='.repeat((4 - (part.length % 4)) % 4);
    return padding === '' ? undefined : part + padding;
  },
  'padding, whatever is due': (part, at) => part + '='.repeat(1 + (at % 3)),
  'the letters of plain base64': (part) => {
    const plain = part.replaceAll('-', '+').replaceAll('_', '/');
    return plain === part ? undefined : plain;
  },
  'bits that mean nothing': (part, at) => {
    const spare = [0, 0, 4, 2][part.length % 4] ?? 0;
    if (spare === 0) return undefined;
    const last = ALPHABET.indexOf(part.at(-1) ?? '');
    return part.slice(0, -1) + (ALPHABET[last + 1 + (at % (2 ** spare - 1))] ?? '');
  },
  'a blank': insert(' '),
  'a line break': insert('\n'),
  'a NUL': insert('\0'),
  'a character of no alphabet': insert('é'),
  'a percent sign': insert('%3D'),
};

describe('a token that is spelled in another way is refused, and as it was signed accepted:', () => {
  test.each(Object.entries(RESPELLINGS))('%s', async (_how, respell) => {
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(
        // The length of each part with all remainders.
        fc.record({
          name: fc.string({ maxLength: 8 }),
          kid: fc.constantFrom(0, 1),
          at: fc.nat(400),
          which: fc.nat(2),
        }),
        async ({ name, kid, at, which }) => {
          const key = v.identity.keys[kid];
          if (key === undefined) throw new Error('no such key');
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
  });

  test('also where the provider itself has signed it so', async () => {
    const { key } = v.identity;
    for (const ending of ['=', '==', '\n', ' ']) {
      const payload = Buffer.from(JSON.stringify(v.adminClaims())).toString('base64url') + ending;
      const header = Buffer.from(JSON.stringify({ alg: key.alg, kid: key.kid })).toString('base64url');
      const input = `${header}.${payload}`;
      const signature = await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        key.privateKey,
        Buffer.from(input),
      );
      await v.refusalOf(`${input}.${Buffer.from(signature).toString('base64url')}`);
    }
  });
});
