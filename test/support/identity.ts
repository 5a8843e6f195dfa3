import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';

export interface TestKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** The public key of a token’s key pair, in the form in which the identity provider publishes it. */
  readonly jwk: JWK;
}

export interface TokenOptions {
  /** The key that signs the test’s token; the default is the key that the provider published last. */
  readonly key?: TestKey;
  /** Header parameters of the token that replace or add to `alg`, `kid` and `typ`. Undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** The whole payload of the token, which the identity provider signs unchanged instead of claims. */
  readonly payload?: string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An identity provider for tests: an HTTP server that publishes keys, and signs tokens with any claims. */
export interface TestIdentity {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The key with which the test’s identity provider signs tokens: the key that was published last. */
  readonly key: TestKey;
  /** The number of requests for its keys that the test’s identity provider has got so far. */
  readonly requests: number;
  /**
   * Signs a token with the claims of a valid token and the given changes. A claim that a change sets to undefined is
   * left out.
   */
  token(claims?: Readonly<Record<string, unknown>>, options?: TokenOptions): Promise<string>;
  readonly keys: readonly TestKey[];
  /**
   * Makes the identity provider publish the given keys instead of the present ones. The last given key signs later
   * tokens.
   */
  publish(...keys: readonly TestKey[]): void;
  /** Makes the identity provider publish a new key instead of all other keys. */
  rotate(): Promise<TestKey>;
  /** Makes the provider answer requests for its keys with `answer`, or with its keys again if `answer` is undefined. */
  answerWith(answer: Answer | undefined): void;
  /** Makes the identity provider refuse connections until `start()` is called. */
  stop(): Promise<void>;
  /** Makes the identity provider listen again at the same address, after it refused connections. */
  start(): Promise<void>;
}

/**
 * A header parameter of tokens that no verifier knows. Tests put the parameter into the token’s list of critical ones.
 */
export const UNKNOWN_EXTENSION = 'x-unknown';

let keysMade = 0;

/** Creates a key pair for signing tokens, with a new key id. */
export async function createTestKey(alg = 'ES256', members: Partial<JWK> = {}): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  keysMade += 1;
  const kid = members.kid ?? `key-${keysMade}`;
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig', ...members } };
}

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

/** Builds a malformed token by hand, because no library would sign such a token. */
export function compactToken(header: unknown, payload: unknown, signature = 'AAAA'): string {
  const encode = (part: unknown): string =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(payload)}.${signature}`;
}
