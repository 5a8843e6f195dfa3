import { z } from 'zod';
import * as value from './config-values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong or missing variable; the message is one line that names each and never shows a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Refusals that wait for the database, uploads under way, and what the embedded parts keep. */
  readonly dataDir: string;
  readonly logLevel: string;
  readonly database: DatabaseConfig;
  readonly identity: IdentityConfig;
  /** Requests a minute. */
  readonly rateLimits: { readonly perUser: number; readonly perIp: number };
  readonly redisUrl: string | undefined;
  /** How many proxies in front of the service to believe. */
  readonly trustProxy: number;
  readonly documentStore: value.DocumentStore;
  /** Of an S3 store that is not Amazon's. */
  readonly documentStoreEndpoint: string | undefined;
  /** Whether a download leads to the store itself, by an address that is good for a minute. */
  readonly documentPresignedDownloads: boolean;
  readonly documentMaxBytes: number;
  readonly corsOrigins: readonly string[];
  /** Where HOST gives its figures to whoever collects them; undefined: nowhere. */
  readonly metricsPort: number | undefined;
}

export interface DatabaseConfig {
  /** The API's own login; undefined: the embedded Postgres. */
  readonly url: string | undefined;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** False where a pooler lends connections by transaction and cannot keep prepared statements. */
  readonly preparedStatements: boolean;
}

export interface IdentityConfig {
  /** Undefined: the embedded provider. */
  readonly provider: ProviderConfig | undefined;
  readonly roleClaim: string;
  readonly clientAccessClaim: string;
  /** True where the provider gives no token an email that it has not verified. */
  readonly emailsVerified: boolean;
  /** With what the page of /docs logs somebody in at another provider; without a client a token has to be pasted there. */
  readonly docs: { readonly clientId: string | undefined; readonly scope: string };
  readonly management: ManagementConfig | undefined;
  /** Of the embedded provider, where that is the one. */
  readonly embedded: EmbeddedIdentityConfig;
}

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

export interface ProviderConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

const variables = z.object({
  HOST: value.host.default('127.0.0.1'),
  PORT: value.integer(0, 65_535).default(3000),
  DATA_DIR: value.text.default('.data'),
  LOG_LEVEL: value.logLevel.default('info'),
  DATABASE_URL: value.postgresUrl.optional(),
  DATABASE_POOL_SIZE: value.integer(1, 1_000).default(10),
  DATABASE_STATEMENT_TIMEOUT_MS: value.integer(1, 600_000).default(5_000),
  DATABASE_PREPARED_STATEMENTS: value.flag.default(true),
  AUTH_ISSUER: value.text.optional(),
  AUTH_AUDIENCE: value.text.optional(),
  AUTH_JWKS_URL: value.httpUrl.optional(),
  AUTH_CLIENT_ID: value.text.optional(),
  AUTH_SCOPE: value.scope.default('openid profile email'),
  AUTH_ROLE_CLAIM: value.text.default('role'),
  AUTH_CLIENT_ACCESS_CLAIM: value.text.default('client_access'),
  AUTH_EMAILS_VERIFIED: value.flag.default(false),
  AUTH_MANAGEMENT_URL: value.httpUrl.optional(),
  AUTH_MANAGEMENT_TOKEN: value.text.optional(),
  AUTH_MANAGEMENT_CLIENT_ID: value.text.optional(),
  AUTH_MANAGEMENT_CLIENT_SECRET: value.text.optional(),
  AUTH_MANAGEMENT_AUDIENCE: value.text.optional(),
  IDENTITY_PORT: value.integer(0, 65_535).optional(),
  IDENTITY_ISSUER: value.httpsOrigin.optional(),
  IDENTITY_DATABASE_URL: value.postgresUrl.optional(),
  IDENTITY_EMBEDDED: value.production.optional(),
  METRICS_PORT: value.integer(0, 65_535).optional(),
  RATE_LIMIT_PER_USER: value.integer(1, 1_000_000).default(100),
  RATE_LIMIT_PER_IP: value.integer(1, 1_000_000).default(1_000),
  REDIS_URL: value.redisUrl.optional(),
  TRUST_PROXY: value.integer(0, 100).default(0),
  DOCUMENT_STORE: value.documentStore.optional(),
  DOCUMENT_STORE_ENDPOINT: value.httpUrl.optional(),
  DOCUMENT_PRESIGNED_DOWNLOADS: value.flag.default(false),
  DOCUMENT_MAX_BYTES: value.integer(1, 500_000_000).default(25 * 1024 * 1024),
  CORS_ORIGINS: value.origins.default([]),
});

const adminVariables = z.object({ DATABASE_ADMIN_URL: value.postgresUrl });

/**
 * Reads the service's configuration; an empty variable counts as unset.
 * @throws ConfigError
 */
export function loadConfig(environment: Environment): Config {
  const set = withoutEmpty(environment);
  const values = parse(variables, set, conflicts(set));
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    database: {
      url: values.DATABASE_URL,
      poolSize: values.DATABASE_POOL_SIZE,
      statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
      preparedStatements: values.DATABASE_PREPARED_STATEMENTS,
    },
    identity: identityFrom(values, set['NODE_ENV'] === 'production'),
    rateLimits: { perUser: values.RATE_LIMIT_PER_USER, perIp: values.RATE_LIMIT_PER_IP },
    redisUrl: values.REDIS_URL,
    trustProxy: values.TRUST_PROXY,
    documentStore: values.DOCUMENT_STORE ?? { kind: 'folder', path: `${values.DATA_DIR}/documents` },
    documentStoreEndpoint: values.DOCUMENT_STORE_ENDPOINT,
    documentPresignedDownloads: values.DOCUMENT_PRESIGNED_DOWNLOADS,
    documentMaxBytes: values.DOCUMENT_MAX_BYTES,
    corsOrigins: values.CORS_ORIGINS,
    metricsPort: values.METRICS_PORT,
  };
}

/** What the `db:*` commands need; the running service has no use for it. */
export interface AdminConfig {
  readonly databaseAdminUrl: string;
}

/**
 * Reads what the `db:*` commands need, and nothing else.
 * @throws ConfigError
 */
export function loadAdminConfig(environment: Environment): AdminConfig {
  const values = parse(adminVariables, withoutEmpty(environment), []);
  return { databaseAdminUrl: values.DATABASE_ADMIN_URL };
}

function identityFrom(values: z.output<typeof variables>, production: boolean): IdentityConfig {
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
    docs: { clientId: values.AUTH_CLIENT_ID, scope: values.AUTH_SCOPE },
    management: managementFrom(values),
    embedded: {
      port: values.IDENTITY_PORT,
      issuer: values.IDENTITY_ISSUER,
      databaseUrl: values.IDENTITY_DATABASE_URL,
      production,
    },
  };
}

function managementFrom(values: z.output<typeof variables>): ManagementConfig | undefined {
  const { AUTH_MANAGEMENT_URL: url, AUTH_MANAGEMENT_TOKEN: token, AUTH_ISSUER: issuer } = values;
  const { AUTH_MANAGEMENT_CLIENT_ID: id, AUTH_MANAGEMENT_CLIENT_SECRET: secret } = values;
  if (url === undefined) return undefined;
  if (token !== undefined) return { url, token };
  if (id === undefined || secret === undefined || issuer === undefined) return undefined;
  return { url, client: { issuer, id, secret, audience: values.AUTH_MANAGEMENT_AUDIENCE } };
}

/** What is wrong between variables, whether or not each is right by itself. */
function* conflicts(set: Environment): Generator<string> {
  const { DATABASE_URL, AUTH_ISSUER, AUTH_AUDIENCE, AUTH_JWKS_URL } = set;
  const { AUTH_CLIENT_ID, DOCUMENT_STORE, DOCUMENT_STORE_ENDPOINT } = set;
  const { AUTH_ROLE_CLAIM = 'role', AUTH_CLIENT_ACCESS_CLAIM = 'client_access' } = set;
  if (set['NODE_ENV'] === 'production') {
    if (!DATABASE_URL) yield 'DATABASE_URL must be set: NODE_ENV=production allows no embedded Postgres';
    if (!AUTH_ISSUER && set['IDENTITY_EMBEDDED'] === 'production') yield* missingInProduction(set);
    else if (!AUTH_ISSUER)
      yield 'AUTH_ISSUER must be set: NODE_ENV=production allows no embedded identity provider, unless IDENTITY_EMBEDDED=production';
  }
  for (const name of ['IDENTITY_EMBEDDED', 'IDENTITY_ISSUER', 'IDENTITY_DATABASE_URL']) {
    if (AUTH_ISSUER && set[name])
      yield `${name} must not be set where AUTH_ISSUER is: no provider is started then`;
  }
  if (set['IDENTITY_DATABASE_URL'] && !DATABASE_URL)
    yield 'DATABASE_URL must be set where IDENTITY_DATABASE_URL is';
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
  yield* conflictsOfManagement(set);
  if (DOCUMENT_STORE_ENDPOINT && !DOCUMENT_STORE?.startsWith('s3:'))
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_STORE_ENDPOINT is set';
  if (set['DOCUMENT_PRESIGNED_DOWNLOADS'] === 'true' && !DOCUMENT_STORE?.startsWith('s3:'))
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_PRESIGNED_DOWNLOADS is true';
  if (AUTH_ROLE_CLAIM === AUTH_CLIENT_ACCESS_CLAIM)
    yield 'AUTH_CLIENT_ACCESS_CLAIM must differ from AUTH_ROLE_CLAIM';
}

/** What the embedded provider needs before it lets real people in. */
const NEEDED_IN_PRODUCTION: Readonly<Record<string, string>> = {
  IDENTITY_ISSUER: 'the public https:// address of the provider',
  IDENTITY_DATABASE_URL: "the provider's own login, a member of taxclaims_identity_provider",
  DATA_DIR: 'the folder of the signing keys, which outlives every deploy',
  TRUST_PROXY: 'how many proxies stand in front, of which one speaks TLS',
};

function* missingInProduction(set: Environment): Generator<string> {
  for (const [name, what] of Object.entries(NEEDED_IN_PRODUCTION)) {
    if (!set[name] || set[name] === '0')
      yield `${name} must be set where IDENTITY_EMBEDDED=production: ${what}`;
  }
}

function* conflictsOfManagement(set: Environment): Generator<string> {
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

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
}

function parse<T extends z.ZodType>(schema: T, set: Environment, further: Iterable<string>): z.output<T> {
  const result = schema.safeParse(set);
  const problems = [...(result.error?.issues ?? []).map((issue) => describe(issue, set)), ...further];
  if (result.success && problems.length === 0) return result.data;
  throw new ConfigError([...new Set(problems)].join('; '));
}

function describe({ path, message }: z.core.$ZodIssue, set: Environment): string {
  const name = String(path[0]);
  return `${name} ${set[name] === undefined ? 'must be set' : message}`;
}
