import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

/**
 * The service calls the identity provider's management API with a fixed token, or with tokens that it fetches with
 * client credentials (RFC 6749, 4.4).
 */
export type ManagementConfig =
  | { readonly url: string; readonly token: string }
  | { readonly url: string; readonly client: ClientCredentials };

export interface ClientCredentials {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
  readonly audience: string | undefined;
}

export type ProviderConfig = NonNullable<ReturnType<typeof buildConfig>['provider']>;

export const variablesSchema = z.object({
  AUTH_ISSUER: value.text.optional(),
  AUTH_AUDIENCE: value.text.optional(),
  AUTH_JWKS_URL: value.httpUrl.optional(),
  AUTH_CLIENT_ID: value.text.optional(),
  AUTH_SCOPE: value.scope.default('openid profile email'),
  AUTH_AUDIENCE_IN_CLIENT_ID: value.flag.default(false),
  AUTH_SUBJECT_CLAIM: value.text.default('sub'),
  AUTH_ROLE_CLAIM: value.text.default('role'),
  AUTH_CLIENT_ACCESS_CLAIM: value.text.default('client_access'),
  AUTH_EMAILS_VERIFIED: value.flag.default(false),
  IDENTITY_PORT: value.integer(0, 65_535).optional(),
  AUTH_MANAGEMENT_URL: value.httpUrl.optional(),
  AUTH_MANAGEMENT_TOKEN: value.text.optional(),
  AUTH_MANAGEMENT_CLIENT_ID: value.text.optional(),
  AUTH_MANAGEMENT_CLIENT_SECRET: value.text.optional(),
  AUTH_MANAGEMENT_AUDIENCE: value.text.optional(),
});

type VariableValues = z.output<typeof variablesSchema>;

export function buildConfig(values: VariableValues) {
  const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_JWKS_URL: jwksUrl } = values;
  return {
    /** Without `jwksUrl`, the discovery of the issuer tells where its keys are. */
    provider: issuer === undefined || audience === undefined ? undefined : { issuer, audience, jwksUrl },
    subjectClaim: values.AUTH_SUBJECT_CLAIM,
    roleClaim: values.AUTH_ROLE_CLAIM,
    clientAccessClaim: values.AUTH_CLIENT_ACCESS_CLAIM,
    isAudienceClientId: values.AUTH_AUDIENCE_IN_CLIENT_ID,
    emailsVerified: values.AUTH_EMAILS_VERIFIED,
    embeddedPort: values.IDENTITY_PORT,
    docs: { clientId: values.AUTH_CLIENT_ID, scope: values.AUTH_SCOPE },
    management: buildManagementConfig(values),
  };
}

function buildManagementConfig(values: VariableValues): ManagementConfig | undefined {
  const { AUTH_MANAGEMENT_URL: url, AUTH_MANAGEMENT_TOKEN: token, AUTH_ISSUER: issuer } = values;
  const { AUTH_MANAGEMENT_CLIENT_ID: id, AUTH_MANAGEMENT_CLIENT_SECRET: secret } = values;
  if (url === undefined) return undefined;
  if (token !== undefined) return { url, token };
  if (id === undefined || secret === undefined || issuer === undefined) return undefined;
  return { url, client: { issuer, id, secret, audience: values.AUTH_MANAGEMENT_AUDIENCE } };
}

export function* findConflicts(set: Environment): Generator<string> {
  const { AUTH_ISSUER, AUTH_AUDIENCE, AUTH_JWKS_URL, AUTH_CLIENT_ID } = set;
  const { AUTH_ROLE_CLAIM = 'role', AUTH_CLIENT_ACCESS_CLAIM = 'client_access' } = set;
  const isPlain = AUTH_ISSUER && value.isPlainHttpUrl(AUTH_ISSUER);
  if (set['NODE_ENV'] === 'production' && !AUTH_ISSUER)
    yield 'AUTH_ISSUER must be set: NODE_ENV=production allows no embedded identity provider';
  // Without AUTH_ISSUER the service would trust tokens of its embedded identity provider, even with AUTH_AUDIENCE.
  if (!AUTH_ISSUER && AUTH_AUDIENCE) yield 'AUTH_ISSUER must be set where AUTH_AUDIENCE is';
  if (!AUTH_ISSUER && AUTH_JWKS_URL) yield 'AUTH_ISSUER must be set where AUTH_JWKS_URL is';
  if (AUTH_ISSUER && !AUTH_AUDIENCE) yield 'AUTH_AUDIENCE must be set where AUTH_ISSUER is';
  if (AUTH_ISSUER && !AUTH_JWKS_URL && !isPlain) {
    yield 'AUTH_JWKS_URL must be set where AUTH_ISSUER is no plain http:// or https:// URL';
  }
  if (!AUTH_ISSUER && AUTH_CLIENT_ID) yield 'AUTH_ISSUER must be set where AUTH_CLIENT_ID is';
  if (AUTH_ISSUER && AUTH_CLIENT_ID && !isPlain)
    yield 'AUTH_ISSUER must be a plain http:// or https:// URL where AUTH_CLIENT_ID is set';
  if (AUTH_ROLE_CLAIM === AUTH_CLIENT_ACCESS_CLAIM) yield 'AUTH_CLIENT_ACCESS_CLAIM must differ from AUTH_ROLE_CLAIM';

  const { AUTH_MANAGEMENT_URL: url, AUTH_MANAGEMENT_TOKEN: token } = set;
  const { AUTH_MANAGEMENT_CLIENT_ID: id, AUTH_MANAGEMENT_CLIENT_SECRET: secret } = set;
  if (url && !token && !id) {
    yield 'AUTH_MANAGEMENT_TOKEN must be set where AUTH_MANAGEMENT_URL is, or AUTH_MANAGEMENT_CLIENT_ID';
  }
  if (token && !url) yield 'AUTH_MANAGEMENT_URL must be set where AUTH_MANAGEMENT_TOKEN is';
  if (id && !url) yield 'AUTH_MANAGEMENT_URL must be set where AUTH_MANAGEMENT_CLIENT_ID is';
  if (id && token) yield 'AUTH_MANAGEMENT_CLIENT_ID must be unset where AUTH_MANAGEMENT_TOKEN is set';
  if (id && !secret) yield 'AUTH_MANAGEMENT_CLIENT_SECRET must be set where AUTH_MANAGEMENT_CLIENT_ID is';
  if (secret && !id) yield 'AUTH_MANAGEMENT_CLIENT_ID must be set where AUTH_MANAGEMENT_CLIENT_SECRET is';
  if (set['AUTH_MANAGEMENT_AUDIENCE'] && !id) {
    yield 'AUTH_MANAGEMENT_CLIENT_ID must be set where AUTH_MANAGEMENT_AUDIENCE is';
  }
  if (id && !isPlain) {
    yield 'AUTH_ISSUER must be a plain http:// or https:// URL where AUTH_MANAGEMENT_CLIENT_ID is set';
  }
}
