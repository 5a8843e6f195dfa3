import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

/** The interface at which the provider is told of changes, and how it knows that we may: a token, or a client that gets them. */
export type ManagementConfig =
  | { readonly url: string; readonly token: string }
  | { readonly url: string; readonly client: ClientCredentials };

/** A client of the provider that gets its tokens by itself (RFC 6749, 4.4). */
export interface ClientCredentials {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
  readonly audience: string | undefined;
}

export const variables = z.object({
  AUTH_MANAGEMENT_URL: value.httpUrl.optional(),
  AUTH_MANAGEMENT_TOKEN: value.text.optional(),
  AUTH_MANAGEMENT_CLIENT_ID: value.text.optional(),
  AUTH_MANAGEMENT_CLIENT_SECRET: value.text.optional(),
  AUTH_MANAGEMENT_AUDIENCE: value.text.optional(),
});

export function configFrom(
  values: z.output<typeof variables>,
  issuer: string | undefined,
): ManagementConfig | undefined {
  const { AUTH_MANAGEMENT_URL: url, AUTH_MANAGEMENT_TOKEN: token } = values;
  const { AUTH_MANAGEMENT_CLIENT_ID: id, AUTH_MANAGEMENT_CLIENT_SECRET: secret } = values;
  if (url === undefined) return undefined;
  if (token !== undefined) return { url, token };
  if (id === undefined || secret === undefined || issuer === undefined) return undefined;
  return { url, client: { issuer, id, secret, audience: values.AUTH_MANAGEMENT_AUDIENCE } };
}

export function* conflicts(set: Environment): Generator<string> {
  const { AUTH_MANAGEMENT_URL: url, AUTH_MANAGEMENT_TOKEN: token, AUTH_ISSUER: issuer } = set;
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
  if (id && !(issuer && value.isPlainHttpUrl(issuer))) {
    yield 'AUTH_ISSUER must be a plain http:// or https:// URL where AUTH_MANAGEMENT_CLIENT_ID is set';
  }
}
