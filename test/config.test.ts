import { readdir, readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { expect, test } from '@jest/globals';
import {
  ConfigError,
  loadAdminConfig,
  loadArchiveConfig,
  loadConfig,
  ENVIRONMENT_VARIABLE_NAMES,
} from '../src/config.ts';
import type { Environment } from '../src/config.ts';
import { EXAMPLE, envExample } from './config/env-example.ts';
import { words } from './support/words.ts';

const PROVIDER = { AUTH_ISSUER: 'https://idp.example/', AUTH_AUDIENCE: 'api' };
const DATABASE_URL = 'postgres://api@db.example:5432/claims?sslmode=verify-full';

function problemOf(environment: Environment, load: (environment: Environment) => unknown = loadConfig): string {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}

test('an empty environment configures the embedded mode, which listens on this machine only', () => {
  expect(loadConfig({})).toEqual({
    host: '127.0.0.1',
    port: 3000,
    dataDir: '.data',
    logLevel: 'info',
    database: {
      url: undefined,
      passwordFile: undefined,
      poolSize: 10,
      statementTimeoutMs: 5000,
      preparedStatements: true,
    },
    identity: {
      provider: undefined,
      isAudienceClientId: false,
      subjectClaim: 'sub',
      roleClaim: 'role',
      clientAccessClaim: 'client_access',
      emailsVerified: false,
      docs: { clientId: undefined, scope: 'openid profile email' },
      management: undefined,
      embeddedPort: undefined,
    },
    rateLimits: { perUser: 100, perIp: 1000 },
    redis: undefined,
    trustProxy: 0,
    publicPath: '',
    documents: {
      store: { kind: 'folder', path: '.data/documents' },
      endpoint: undefined,
      presignedDownloads: false,
      maxBytes: 25 * 1024 * 1024,
    },
    corsOrigins: [],
    mails: {
      smtpUrl: undefined,
      from: 'Tax claims <reminders@localhost>',
      sendAt: { time: '07:00', zone: 'Europe/Paris' },
      frontendUrl: undefined,
    },
    auditRetentionMonths: 60,
    metricsPort: undefined,
    serverTiming: false,
    traces: undefined,
  });
});

test('every environment variable sets its value in the configuration', () => {
  const environment = {
    ...{ HOST: '::', PORT: '0', DATA_DIR: '/var/lib/claims', LOG_LEVEL: 'warn', NODE_ENV: 'production' },
    ...{
      DATABASE_URL,
      DATABASE_PASSWORD_FILE: '/run/secrets/api',
      DATABASE_POOL_SIZE: '40',
      DATABASE_STATEMENT_TIMEOUT_MS: '900',
    },
    ...{ DATABASE_PREPARED_STATEMENTS: 'false', AUTH_EMAILS_VERIFIED: 'true' },
    ...{ ...PROVIDER, AUTH_JWKS_URL: 'https://idp.example/keys?v=2' },
    ...{
      AUTH_SUBJECT_CLAIM: 'uid',
      AUTH_AUDIENCE_IN_CLIENT_ID: 'true',
      AUTH_ROLE_CLAIM: 'https://claims.example/role',
      AUTH_CLIENT_ACCESS_CLAIM: 'https://claims.example/access',
    },
    ...{ AUTH_CLIENT_ID: 'docs', AUTH_SCOPE: 'openid api' },
    ...{ AUTH_MANAGEMENT_URL: 'https://idp.example/api/v2', AUTH_MANAGEMENT_TOKEN: 'management-secret' },
    IDENTITY_PORT: '3999',
    ...{
      RATE_LIMIT_PER_USER: '5',
      RATE_LIMIT_PER_IP: '7',
      REDIS_URL: 'rediss://:secret@redis.example:6380/1',
      REDIS_PREFIX: 'claims.production',
    },
    ...{ TRUST_PROXY: '2', PUBLIC_PATH: '/tax/claims/', DOCUMENT_STORE: 's3://claims-documents/a/b/', UNRELATED: 'x' },
    ...{ DOCUMENT_STORE_ENDPOINT: 'https://s3.example', DOCUMENT_MAX_BYTES: '1000' },
    DOCUMENT_PRESIGNED_DOWNLOADS: 'true',
    CORS_ORIGINS: 'https://app.example, http://localhost:5173,https://app.example',
    ...{ SMTP_URL: 'smtps://mailer:secret@smtp.example', MAIL_FROM: 'Cabinet <a@cabinet.example>' },
    ...{ REMINDERS_AT: '06:30 America/Guadeloupe', FRONTEND_URL: 'https://app.example/#' },
    ...{ METRICS_PORT: '9464', SERVER_TIMING: 'true', AUDIT_RETENTION_MONTHS: '24' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'false' },
    ...{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
  };
  expect(loadConfig(environment)).toEqual({
    host: '::',
    port: 0,
    dataDir: '/var/lib/claims',
    logLevel: 'warn',
    database: {
      url: DATABASE_URL,
      passwordFile: '/run/secrets/api',
      poolSize: 40,
      statementTimeoutMs: 900,
      preparedStatements: false,
    },
    identity: {
      provider: {
        issuer: 'https://idp.example/',
        audience: 'api',
        jwksUrl: 'https://idp.example/keys?v=2',
      },
      isAudienceClientId: true,
      subjectClaim: 'uid',
      roleClaim: 'https://claims.example/role',
      clientAccessClaim: 'https://claims.example/access',
      emailsVerified: true,
      docs: { clientId: 'docs', scope: 'openid api' },
      management: { url: 'https://idp.example/api/v2', token: 'management-secret' },
      embeddedPort: 3999,
    },
    rateLimits: { perUser: 5, perIp: 7 },
    redis: { url: 'rediss://:secret@redis.example:6380/1', prefix: 'claims.production' },
    trustProxy: 2,
    publicPath: '/tax/claims',
    documents: {
      store: { kind: 's3', bucket: 'claims-documents', prefix: 'a/b' },
      endpoint: 'https://s3.example',
      presignedDownloads: true,
      maxBytes: 1000,
    },
    corsOrigins: ['https://app.example', 'http://localhost:5173'],
    mails: {
      smtpUrl: 'smtps://mailer:secret@smtp.example',
      from: 'Cabinet <a@cabinet.example>',
      sendAt: { time: '06:30', zone: 'America/Guadeloupe' },
      frontendUrl: 'https://app.example/#',
    },
    auditRetentionMonths: 24,
    metricsPort: 9464,
    serverTiming: true,
    traces: { ratio: 0.25 },
  });
});

test('the service sends traces only if a collector is configured and OTEL_SDK_DISABLED is not set', () => {
  const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'http://collector:4318/v1/traces';
  const of = (others: Environment) => loadConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, ...others }).traces;
  expect(of({})).toEqual({ ratio: 1 });
  expect(of({ OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(of({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })).toEqual({ ratio: 0 });
  expect(loadConfig({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }).traces).toBeUndefined();
});

test('environment variables with an empty value count as unset', () => {
  const names = words(`
    PORT HOST DATABASE_URL AUTH_ISSUER AUTH_AUDIENCE CORS_ORIGINS DOCUMENT_STORE
  `);
  expect(loadConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(loadConfig({}));
});

test('the service accepts any text in AUTH_ISSUER if AUTH_JWKS_URL is set', () => {
  const environment = { ...PROVIDER, AUTH_ISSUER: 'urn:idp', AUTH_JWKS_URL: 'http://idp:8080/jwks' };
  expect(loadConfig(environment).identity.provider?.issuer).toBe('urn:idp');
});

test('the configuration accepts AUTH_CLIENT_ID only if AUTH_ISSUER is a URL that a browser can open', () => {
  const environment = { ...PROVIDER, AUTH_ISSUER: 'urn:idp', AUTH_JWKS_URL: 'http://idp:8080/jwks' };
  expect(problemOf({ ...environment, AUTH_CLIENT_ID: 'docs' })).toBe(
    'AUTH_ISSUER must be a plain http:// or https:// URL where AUTH_CLIENT_ID is set',
  );
});

test.each([
  ['./files', { kind: 'folder', path: './files' }],
  ['/srv/documents', { kind: 'folder', path: '/srv/documents' }],
  ['s3://my-bucket', { kind: 's3', bucket: 'my-bucket', prefix: '' }],
  ['s3://my.bucket/', { kind: 's3', bucket: 'my.bucket', prefix: '' }],
])('the configuration reads DOCUMENT_STORE=%s as a folder or as an S3 bucket', (DOCUMENT_STORE, store) => {
  expect(loadConfig({ DOCUMENT_STORE }).documents.store).toEqual(store);
});

test.each([
  'postgresql://u@h/d?sslmode=disable',
  'postgres:///d?host=/var/run/postgresql',
  'postgres://u:p%40ss@[::1]:1/d',
])('the service and the database commands accept the database address %s, and do not change it', (url) => {
  expect(loadConfig({ DATABASE_URL: url }).database.url).toBe(url);
  expect(loadAdminConfig({ DATABASE_ADMIN_URL: url })).toEqual({ databaseAdminUrl: url });
});

const wrong: Readonly<Record<string, readonly string[]>> = {
  PORT: ['http', '-1', '65536', '3000.5', '0x50', '1e3', ' 3000', '999999999999'],
  HOST: ['http://localhost', 'local host', '-', 'a/b', ' '],
  DATA_DIR: [' ', 'data ', 'da\nta'],
  LOG_LEVEL: ['verbose', 'INFO', '30'],
  AUDIT_RETENTION_MONTHS: ['0', '1201', 'forever'],
  DATABASE_URL: [
    'mysql://api:hunter2@db/claims',
    'db:5432',
    'hunter2',
    'postgres://api:hunter2@db/claims\n',
    'postgres://api:hunter2@one,two/claims',
    'postgres://api:hunter2@one/claims?target_session_attrs=standby',
    'postgres://api:hunter2@db/claims',
    'postgres://api:hunter2@db/claims?ssl_mode=require',
  ],
  DATABASE_POOL_SIZE: ['0', '1001', 'many'],
  DATABASE_STATEMENT_TIMEOUT_MS: ['0', '5s', '600001'],
  DATABASE_PREPARED_STATEMENTS: ['yes', '1', 'TRUE'],
  AUTH_EMAILS_VERIFIED: ['yes', '1', 'TRUE'],
  AUTH_ROLE_CLAIM: [' role', 'client_access'],
  AUTH_CLIENT_ACCESS_CLAIM: [' ', 'role'],
  AUTH_SCOPE: ['api', 'openid-api', ' openid'],
  AUTH_MANAGEMENT_URL: ['idp.example/api', 'ftp://idp.example/'],
  AUTH_MANAGEMENT_TOKEN: ['hunter2'],
  IDENTITY_PORT: ['http', '-1', '65536', ' 3001'],
  AUTH_MANAGEMENT_CLIENT_ID: ['worker'],
  AUTH_MANAGEMENT_CLIENT_SECRET: ['hunter2'],
  AUTH_MANAGEMENT_AUDIENCE: ['https://idp.example/api/v2/'],
  METRICS_PORT: ['-1', '65536', 'http'],
  SERVER_TIMING: ['yes'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'http://user:hunter2@collector'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ['grpc://collector'],
  OTEL_SDK_DISABLED: ['1'],
  OTEL_TRACES_SAMPLER: ['always_on', 'jaeger_remote'],
  OTEL_TRACES_SAMPLER_ARG: ['2', '-0.5', 'half'],
  RATE_LIMIT_PER_USER: ['0', '-5', 'none'],
  RATE_LIMIT_PER_IP: ['0', '1000001'],
  REDIS_URL: ['http://redis', ':hunter2@redis', 'redis.example:6379'],
  REDIS_PREFIX: ['a:b', 'x'.repeat(51), 'é'],
  SMTP_URL: ['smtp.example:587', 'http://smtp.example', 'smtp://smtp.example\r\nQUIT'],
  MAIL_FROM: ['nobody', 'a@b.example, c@d.example', 'A\r\nBcc: x@y.example <a@b.example>', '<a@b.example>'],
  REMINDERS_AT: ['7:00', '24:00', '07:00 Paris', '07:00Europe/Paris'],
  FRONTEND_URL: ['app.example', 'https://user:hunter2@app.example'],
  PUBLIC_PATH: ['tax', '//tax', '/tax//claims', 'https://claims.example/tax', '/tax?', '/../tax', '/tax claims', '/'],
  TRUST_PROXY: ['true', '-1', '101', '10.0.0.0/8'],
  DOCUMENT_STORE: ['gs://bucket', 's3://', 's3://UPPER', 's3:bucket', 's3://key:hunter2@bucket', 'file:///x', ' '],
  DOCUMENT_STORE_ENDPOINT: ['https://s3.example', 's3.example', 'https://key:hunter2@s3.example'],
  DOCUMENT_PRESIGNED_DOWNLOADS: ['true', 'yes', '1'],
  DOCUMENT_MAX_BYTES: ['0', '25MB', '500000001'],
  CORS_ORIGINS: [
    ...words('* app.example https://app.example/ https://app.example/path https://*.example null'),
    ...words(`
      https://a.example, , https://user:hunter2@a.example ftp://a.example https://a.example:port
    `),
  ],
};
const cases = Object.entries(wrong).flatMap(([name, values]) => values.map((value) => [name, value] as const));
test.each(cases)(
  'the environment variable %s=%j is refused in one line that does not show the value',
  (name, value) => {
    const problem = problemOf({ [name]: value });
    expect(problem).toMatch(/^[A-Z_]+ must /);
    expect(problem).toContain(name);
    expect(problem).not.toContain('\n');
    expect(problem).not.toContain('hunter2');
  },
);

test('an AUTH_JWKS_URL with a password or an unaccepted scheme is refused in a message that does not repeat the URL', () => {
  for (const AUTH_JWKS_URL of ['https://user:hunter2@idp.example/', 'file:///etc/keys', 'keys']) {
    const problem = problemOf({ ...PROVIDER, AUTH_JWKS_URL });
    expect(problem).toMatch(/^AUTH_JWKS_URL must (not contain a user|be an http)[^\n;]*$/);
    expect(problem).not.toContain('hunter2');
  }
});

test('one line names all invalid variables of the environment', () => {
  const problem = problemOf({ PORT: 'a', LOG_LEVEL: 'b', RATE_LIMIT_PER_IP: 'c', AUTH_AUDIENCE: 'd' });
  expect(problem.split('; ').map((part) => part.split(' ')[0])).toEqual([
    ...['PORT', 'LOG_LEVEL', 'RATE_LIMIT_PER_IP', 'AUTH_ISSUER'],
  ]);
});

test.each([
  ['an issuer without an audience', { AUTH_ISSUER: 'https://idp.example' }, 'AUTH_AUDIENCE'],
  ['an audience without an issuer', { AUTH_AUDIENCE: 'api' }, 'AUTH_ISSUER'],
  ['AUTH_JWKS_URL without an issuer', { AUTH_JWKS_URL: 'https://idp.example/keys' }, 'AUTH_ISSUER'],
  ['an issuer that is not an address, without AUTH_JWKS_URL', { ...PROVIDER, AUTH_ISSUER: 'urn:idp' }, 'AUTH_JWKS_URL'],
  ['an issuer with a query', { ...PROVIDER, AUTH_ISSUER: 'https://idp.example/?a' }, 'AUTH_JWKS_URL'],
  ['a mail server without a sender', { SMTP_URL: 'smtp://a', FRONTEND_URL: 'https://b' }, 'MAIL_FROM'],
  ['a mail server without a frontend', { SMTP_URL: 'smtp://a', MAIL_FROM: 'a@b.example' }, 'FRONTEND_URL'],
  ['a client of /docs without an issuer', { AUTH_CLIENT_ID: 'docs' }, 'AUTH_ISSUER'],
  [
    'a management interface without a credential',
    { AUTH_MANAGEMENT_URL: 'https://idp.example' },
    'AUTH_MANAGEMENT_TOKEN',
  ],
  ['a credential without a management interface', { AUTH_MANAGEMENT_TOKEN: 'x' }, 'AUTH_MANAGEMENT_URL'],
  [
    'a management client without its secret',
    { ...PROVIDER, AUTH_MANAGEMENT_URL: 'https://idp.example', AUTH_MANAGEMENT_CLIENT_ID: 'x' },
    'AUTH_MANAGEMENT_CLIENT_SECRET',
  ],
  ['a client secret without its client', { AUTH_MANAGEMENT_CLIENT_SECRET: 'x' }, 'AUTH_MANAGEMENT_CLIENT_ID'],
  ['a management audience without a client', { AUTH_MANAGEMENT_AUDIENCE: 'x' }, 'AUTH_MANAGEMENT_CLIENT_ID'],
  ['production without a database', { NODE_ENV: 'production', ...PROVIDER }, 'DATABASE_URL'],
  ['production with an empty database', { NODE_ENV: 'production', ...PROVIDER, DATABASE_URL: '' }, 'DATABASE_URL'],
  ['production without an issuer', { NODE_ENV: 'production', DATABASE_URL }, 'AUTH_ISSUER'],
])('a configuration with %s is refused in a line that names the variable', (_, environment, name) => {
  expect(problemOf(environment)).toMatch(new RegExp(`^${name} must be set[^;\\n]*$`));
});

const CLIENT = {
  ...PROVIDER,
  AUTH_MANAGEMENT_URL: 'https://idp.example/api/v2',
  AUTH_MANAGEMENT_CLIENT_ID: 'worker',
  AUTH_MANAGEMENT_CLIENT_SECRET: 'hunter2',
};

test('the service requests management tokens from AUTH_ISSUER, with the audience AUTH_MANAGEMENT_AUDIENCE if that variable is set', () => {
  const of = (more: object) => loadConfig({ ...CLIENT, ...more }).identity.management;
  const client = { issuer: 'https://idp.example/', id: 'worker', secret: 'hunter2', audience: undefined };
  expect(of({})).toEqual({ url: 'https://idp.example/api/v2', client });
  expect(of({ AUTH_MANAGEMENT_AUDIENCE: 'urn:x' })).toMatchObject({ client: { ...client, audience: 'urn:x' } });
});

test.each([
  ['both a token and a client', { AUTH_MANAGEMENT_TOKEN: 'hunter2' }, 'AUTH_MANAGEMENT_CLIENT_ID'],
  ['a client whose AUTH_ISSUER is no URL', { AUTH_ISSUER: 'urn:idp', AUTH_JWKS_URL: 'https://a.b' }, 'AUTH_ISSUER'],
  ['a client without AUTH_MANAGEMENT_URL', { AUTH_MANAGEMENT_URL: '' }, 'AUTH_MANAGEMENT_URL'],
])(
  'a configuration of management credentials with %s is refused in a line that names the variable',
  (_, more, name) => {
    expect(problemOf({ ...CLIENT, ...more })).toMatch(new RegExp(`^${name} must be [^;\\n]*$`));
  },
);

test('the database commands connect only to DATABASE_ADMIN_URL, never to the API’s DATABASE_URL', () => {
  expect(problemOf({ DATABASE_URL }, loadAdminConfig)).toBe('DATABASE_ADMIN_URL must be set');
  const wrong = problemOf({ DATABASE_ADMIN_URL: 'mysql://root:hunter2@db' }, loadAdminConfig);
  expect(wrong).toBe('DATABASE_ADMIN_URL must be a postgres:// URL');
  expect(problemOf({ DATABASE_ADMIN_URL: DATABASE_URL, PORT: 'wrong' }, loadAdminConfig)).toBe('none');
  const archive = { DATABASE_ADMIN_URL: DATABASE_URL, AUDIT_RETENTION_MONTHS: '24' };
  expect(loadArchiveConfig(archive)).toEqual({ databaseAdminUrl: DATABASE_URL, retentionMonths: 24 });
});

test('.env.example has exactly the content that npm run env:example writes', async () => {
  expect(await readFile(EXAMPLE, 'utf8')).toBe(await envExample());
});

test('.env.example has every variable, and each value in it, commented out or not, is the default', async () => {
  const text = await readFile(EXAMPLE, 'utf8');
  expect(parseEnv(text)).toEqual({});
  const variables = parseEnv(text.replaceAll(/^#(?=\w)/gm, ''));
  expect(Object.keys(variables).sort()).toEqual([...ENVIRONMENT_VARIABLE_NAMES, 'DATABASE_ADMIN_URL'].sort());
  expect(loadConfig(variables)).toEqual(loadConfig({}));
});

test('each environment variable is declared in exactly one group of src/config', async () => {
  const folder = new URL('../src/config/', import.meta.url);
  const named: string[] = [];
  for (const file of await readdir(folder)) {
    const group = (await import(new URL(file, folder).href)) as { variablesSchema?: { shape: object } };
    named.push(...Object.keys(group.variablesSchema?.shape ?? {}));
  }
  expect(named.length).toBeGreaterThan(30);
  expect(named.sort()).toEqual([...ENVIRONMENT_VARIABLE_NAMES].sort());
});
