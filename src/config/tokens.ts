import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

/** Whose tokens are believed, and what they say. */
export type TokensConfig = ReturnType<typeof configFrom>;
/** Undefined where that is the embedded provider. */
export type ProviderConfig = NonNullable<TokensConfig['provider']>;

export const variables = z.object({
  AUTH_ISSUER: value.text.optional(),
  AUTH_AUDIENCE: value.text.optional(),
  AUTH_JWKS_URL: value.httpUrl.optional(),
  AUTH_CLIENT_ID: value.text.optional(),
  AUTH_SCOPE: value.scope.default('openid profile email'),
  AUTH_ROLE_CLAIM: value.text.default('role'),
  AUTH_CLIENT_ACCESS_CLAIM: value.text.default('client_access'),
  AUTH_EMAILS_VERIFIED: value.flag.default(false),
  IDENTITY_PORT: value.integer(0, 65_535).optional(),
});

export function configFrom(values: z.output<typeof variables>) {
  const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = values;
  return {
    provider:
      issuer === undefined || audience === undefined
        ? undefined
        : {
            issuer,
            audience,
            jwksUrl: values.AUTH_JWKS_URL ?? `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`,
          },
    roleClaim: values.AUTH_ROLE_CLAIM,
    clientAccessClaim: values.AUTH_CLIENT_ACCESS_CLAIM,
    emailsVerified: values.AUTH_EMAILS_VERIFIED,
    embeddedPort: values.IDENTITY_PORT,
    docs: { clientId: values.AUTH_CLIENT_ID, scope: values.AUTH_SCOPE },
  };
}

export function* conflicts(set: Environment): Generator<string> {
  const { AUTH_ISSUER, AUTH_AUDIENCE, AUTH_JWKS_URL, AUTH_CLIENT_ID } = set;
  const { AUTH_ROLE_CLAIM = 'role', AUTH_CLIENT_ACCESS_CLAIM = 'client_access' } = set;
  if (set['NODE_ENV'] === 'production' && !AUTH_ISSUER)
    yield 'AUTH_ISSUER must be set: NODE_ENV=production allows no embedded identity provider';
  // A forgotten issuer would otherwise open the service to the embedded provider's tokens without a word.
  if (!AUTH_ISSUER && AUTH_AUDIENCE) yield 'AUTH_ISSUER must be set where AUTH_AUDIENCE is';
  if (!AUTH_ISSUER && AUTH_JWKS_URL) yield 'AUTH_ISSUER must be set where AUTH_JWKS_URL is';
  if (AUTH_ISSUER && !AUTH_AUDIENCE) yield 'AUTH_AUDIENCE must be set where AUTH_ISSUER is';
  if (AUTH_ISSUER && !AUTH_JWKS_URL && !value.isPlainHttpUrl(AUTH_ISSUER)) {
    yield 'AUTH_JWKS_URL must be set where AUTH_ISSUER is no plain http:// or https:// URL';
  }
  if (!AUTH_ISSUER && AUTH_CLIENT_ID) yield 'AUTH_ISSUER must be set where AUTH_CLIENT_ID is';
  if (AUTH_ISSUER && AUTH_CLIENT_ID && !value.isPlainHttpUrl(AUTH_ISSUER))
    yield 'AUTH_ISSUER must be a plain http:// or https:// URL where AUTH_CLIENT_ID is set';
  if (AUTH_ROLE_CLAIM === AUTH_CLIENT_ACCESS_CLAIM)
    yield 'AUTH_CLIENT_ACCESS_CLAIM must differ from AUTH_ROLE_CLAIM';
}
