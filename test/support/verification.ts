import { pino } from 'pino';
import { RequestError } from '../../src/errors.ts';
import type { Caller } from '../../src/identity/caller.ts';
import { createTokenVerifier } from '../../src/identity/token-verifier.ts';
import type { TokenVerifier, TokenVerifierOptions } from '../../src/identity/token-verifier.ts';
import { startTestIdentity } from './identity.ts';
import type { TestIdentity, TestKey, TokenOptions } from './identity.ts';

/** A clock that moves only when a test moves it. */
interface TestClock {
  (): number;
  advance(seconds: number): void;
}

export interface Verification {
  readonly clock: TestClock;
  readonly identity: TestIdentity;
  readonly verifier: TokenVerifier;
  /**
   * Signs a token with the claims of a valid token and the given changes, and returns the caller whom the verifier
   * finds in the token.
   */
  callerOf(claims?: Readonly<Record<string, unknown>>, options?: TokenOptions): Promise<Caller>;
  /** The claims of a valid token of an ADMIN, for tokens that a test builds by hand. */
  adminClaims(): Record<string, unknown>;
  /**
   * Returns the error 401 with which the verifier refuses a token.
   * @throws Error if the verifier accepts the token, or if the error quotes the token
   */
  refusalOf(token: string): Promise<RequestError>;
}

/** Starts an identity provider and a token verifier, with one clock for both. The caller stops the provider. */
export async function startVerification(
  keys: readonly TestKey[] = [],
  options: Partial<TokenVerifierOptions> = {},
): Promise<Verification> {
  const clock = createClock();
  const identity = await startTestIdentity(clock);
  if (keys.length > 0) identity.publish(...keys);
  const { issuer, audience, jwksUrl } = identity;
  const verifier = createTokenVerifier({
    ...{ issuer, audience, jwksUrl, roleClaim: 'role', clientAccessClaim: 'client_access' },
    log: pino({ level: 'silent' }),
    now: clock,
    ...options,
  });
  return {
    clock,
    identity,
    verifier,
    callerOf: async (claims, tokenOptions) => verifier.verify(await identity.token(claims, tokenOptions)),
    adminClaims: () => {
      const seconds = clock() / 1000;
      const times = { iat: seconds, exp: seconds + 3600 };
      return { iss: issuer, aud: audience, sub: 'x', role: 'ADMIN', client_access: [], ...times };
    },
    refusalOf: (token) => refusalOf(verifier, token),
  };
}

function createClock(): TestClock {
  let now = Date.UTC(2030, 0, 1);
  const advance = (seconds: number): void => {
    now += seconds * 1000;
  };
  return Object.assign(() => now, { advance });
}

async function refusalOf(verifier: TokenVerifier, token: string): Promise<RequestError> {
  const outcome: unknown = await verifier.verify(token).catch((error: unknown) => error);
  if (!(outcome instanceof RequestError) || outcome.code !== 'ERROR_UNAUTHORIZED') {
    throw new Error('the token was not refused with ERROR_UNAUTHORIZED', { cause: outcome });
  }
  const parts = token.split('.').filter((part) => part.length > 8);
  const leaks = parts.some((part) => outcome.message.includes(part)) || outcome.cause !== undefined;
  if (leaks || outcome.message.length > 120)
    throw new Error('the reason for the refusal quotes the token or is longer than 120 characters');
  return outcome;
}

/**
 * Starts an identity provider with the given keys and a token verifier, runs `work` with both, and stops the provider.
 */
export async function withVerification(
  keys: readonly TestKey[],
  work: (verification: Verification) => Promise<void>,
  options?: Partial<TokenVerifierOptions>,
): Promise<void> {
  const verification = await startVerification(keys, options);
  await work(verification).finally(() => verification.identity.stop());
}
