import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';

export interface TestKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** What the provider publishes. */
  readonly jwk: JWK;
}

export interface TokenOptions {
  /** The key that signs; the newest published one when absent. */
  readonly key?: TestKey;
  /** Merged over `alg`, `kid` and `typ`; undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signed as it is, in place of any claims. */
  readonly payload?: string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An identity provider for tests: a real HTTP server that publishes real keys and signs whatever it is told. */
export interface TestIdentity {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The key that signs. */
  readonly key: TestKey;
  /** How often its keys were asked for. */
  readonly requests: number;
  /** Signs claims merged over those of a good token; undefined leaves one out. */
  token(claims?: Readonly<Record<string, unknown>>, options?: TokenOptions): Promise<string>;
  /** The keys that are published. */
  readonly keys: readonly TestKey[];
  /** Publishes these keys instead; the last of them signs from now on. */
  publish(...keys: readonly TestKey[]): void;
  /** Makes a new key and publishes it alone. */
  rotate(): Promise<TestKey>;
  /** Answers in another way than with the keys; undefined goes back to them. */
  answerWith(answer: Answer | undefined): void;
  /** Refuses connections until `start()`. */
  stop(): Promise<void>;
  /** Listens again, at the same address. */
  start(): Promise<void>;
}

/** A header parameter that no verifier knows, but tests may declare critical. */
export const UNKNOWN_EXTENSION = 'x-unknown';

let keysMade = 0;

/** Makes a key pair of its own id. */
export async function createTestKey(alg = 'ES256', members: Partial<JWK> = {}): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  keysMade += 1;
  const kid = members.kid ?? `key-${keysMade}`;
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig', ...members } };
}

/** Starts a provider with one key; a token of it is good for a verifier made with its issuer and audience. */
export async function startTestIdentity(now: () => number = Date.now): Promise<TestIdentity> {
  const audience = 'taxclaims-test';
  let published: readonly TestKey[] = [await createTestKey()];
  let answer: Answer | undefined;
  let requests = 0;

  const server = createServer((request, response) => {
    requests += 1;
    response.setHeader('Connection', 'close');
    if (answer === undefined) response.end(JSON.stringify({ keys: published.map((key) => key.jwk) }));
    else answer(request, response);
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}/`;

  function signingKey(): TestKey {
    const key = published.at(-1);
    if (key === undefined) throw new Error('no key is published');
    return key;
  }

  async function token(claims: Readonly<Record<string, unknown>> = {}, options: TokenOptions = {}): Promise<string> {
    const key = options.key ?? signingKey();
    const seconds = Math.floor(now() / 1000);
    const times = { iat: seconds, exp: seconds + 3600 };
    const good = {
      ...{ iss: issuer, aud: audience, sub: 'idp|somebody', email_verified: true },
      ...{ role: 'CLIENT', client_access: [] },
    };
    const payload = options.payload ?? JSON.stringify({ ...good, ...times, ...claims });
    return new CompactSign(Buffer.from(payload))
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...options.header })
      .sign(key.privateKey, { crit: { [UNKNOWN_EXTENSION]: true } });
  }

  return {
    issuer,
    audience,
    jwksUrl: `${issuer}.well-known/jwks.json`,
    get key() {
      return signingKey();
    },
    get requests() {
      return requests;
    },
    get keys() {
      return published;
    },
    token,
    publish: (...keys) => {
      published = keys;
    },
    rotate: async () => {
      const key = await createTestKey();
      published = [key];
      return key;
    },
    answerWith: (other) => {
      answer = other;
    },
    start: () => listen(port),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** A token put together by hand, for what no library would sign. */
export function compactToken(header: unknown, payload: unknown, signature = 'AAAA'): string {
  const encode = (part: unknown): string =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(payload)}.${signature}`;
}
