import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

export interface EmbeddedIdentityConfig {
  /** 0: any free one; undefined: the one that the data folder keeps, 3001 at first. */
  readonly port: number | undefined;
  /** Its public address, behind a proxy that speaks TLS; undefined: it is for this machine alone. */
  readonly issuer: string | undefined;
  /** The provider's own login, where the database is another than the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Whether real people log in: then nobody on the reader's own machine is trusted. */
  readonly production: boolean;
}

export const variables = z.object({
  IDENTITY_PORT: value.integer(0, 65_535).optional(),
  IDENTITY_ISSUER: value.httpsOrigin.optional(),
  IDENTITY_DATABASE_URL: value.postgresUrl.optional(),
  IDENTITY_EMBEDDED: value.production.optional(),
});

export function configFrom(values: z.output<typeof variables>, production: boolean): EmbeddedIdentityConfig {
  return {
    port: values.IDENTITY_PORT,
    issuer: values.IDENTITY_ISSUER,
    databaseUrl: values.IDENTITY_DATABASE_URL,
    production,
  };
}

/** What it needs before it lets real people in. */
const NEEDED_IN_PRODUCTION: Readonly<Record<string, string>> = {
  IDENTITY_ISSUER: 'the public https:// address of the provider',
  IDENTITY_DATABASE_URL: "the provider's own login, a member of taxclaims_identity_provider",
  DATA_DIR: 'the folder of the signing keys, which outlives every deploy',
  TRUST_PROXY: 'how many proxies stand in front, of which one speaks TLS',
};

export function* conflicts(set: Environment): Generator<string> {
  const { AUTH_ISSUER, IDENTITY_EMBEDDED } = set;
  if (set['NODE_ENV'] === 'production' && !AUTH_ISSUER) {
    if (IDENTITY_EMBEDDED === 'production') yield* missingInProduction(set);
    else
      yield 'AUTH_ISSUER must be set: NODE_ENV=production allows no embedded identity provider, unless IDENTITY_EMBEDDED=production';
  }
  for (const name of ['IDENTITY_EMBEDDED', 'IDENTITY_ISSUER', 'IDENTITY_DATABASE_URL']) {
    if (AUTH_ISSUER && set[name])
      yield `${name} must not be set where AUTH_ISSUER is: no provider is started then`;
  }
  if (set['IDENTITY_DATABASE_URL'] && !set['DATABASE_URL'])
    yield 'DATABASE_URL must be set where IDENTITY_DATABASE_URL is';
}

function* missingInProduction(set: Environment): Generator<string> {
  for (const [name, what] of Object.entries(NEEDED_IN_PRODUCTION)) {
    if (!set[name] || set[name] === '0')
      yield `${name} must be set where IDENTITY_EMBEDDED=production: ${what}`;
  }
}
