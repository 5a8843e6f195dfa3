import { randomUUID } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import type { AddressInfo } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { ENVIRONMENT_VARIABLE_NAMES } from '../../src/config.ts';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { ask } from '../support/http.ts';
import type { Answer, Question } from '../support/http.ts';
import { startTestIdentity } from '../support/identity.ts';
import { BUCKET, startLyingStore } from '../support/lying-store.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startManagement } from '../support/management.ts';
import { addressOf, refusalOf, start } from '../support/process.ts';
import { pdf } from '../support/samples.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { rowOf } from '../support/rows.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { filesIn, FORM, form, until } from '../support/upload.ts';
import { words } from '../support/words.ts';

/*
 * These tests run one service with every environment variable set to another value than its default. Each test checks
 * one variable.
 */

/** A loopback address other than the default 127.0.0.1; systems other than Linux have only ::1. */
const HOST = platform() === 'linux' ? '127.0.0.2' : '::1';
const ROLE_CLAIM = 'https://claims.example/role';
const SUBJECT_CLAIM = 'uid';
const ACCESS_CLAIM = 'https://claims.example/access';
const ISSUER = 'urn:taxclaims:elsewhere';
const AUDIENCE = 'another-audience';
const ORIGIN = 'https://app.example';
// Records with which time and zone the service plans mails.
const RECORDED_PLANS = `create table planned (at time, zone text);
  create schema as_deployed;
  alter function app.plan_reminders set schema as_deployed;
  create function app.plan_reminders(at time, zone text) returns integer language plpgsql security definer as $$
  begin
    insert into public.planned values (at, zone);
    return as_deployed.plan_reminders(at, zone);
  end $$;
  grant execute on function app.plan_reminders to taxclaims_api;`;
const tenant = newTenant();

/** The paths and bodies of the requests that the service sent to the trace collector. */
let traced = '';

afterAll(async () => {
  own.signal('SIGTERM');
  started.signal('SIGTERM');
  expect([await started.ended, await own.ended, started.err, own.err]).toEqual([0, 0, '', '']);
});

/**
 * A trigger that stores the settings of each database session in which the service writes, because only the session
 * itself sees them.
 */
const SETTINGS_TRIGGER = `
  create schema seen;
  create table seen.settings (statement_timeout text, prepared bigint);
  create function seen.note() returns trigger language plpgsql security definer set search_path = '' as $$
  begin
    insert into seen.settings
    values (pg_catalog.current_setting('statement_timeout'), (select pg_catalog.count(*) from pg_catalog.pg_prepared_statements));
    return null;
  end $$;
  create trigger note after insert on public.audit_logs for each row execute function seen.note();`;

const send = (line: string, question: Question = {}): Promise<Answer> =>
  ask(port, line, { token, host: HOST, ...question });

/**
 * Makes a token for the service under test. The service would accept the token without the given changes of its claims.
 */
const signed = (claims: Record<string, unknown> = {}): Promise<string> =>
  identity.token({
    ...{
      iss: ISSUER,
      aud: AUDIENCE,
      [SUBJECT_CLAIM]: 'idp|wired',
      sub: 'somebody',
      role: undefined,
      client_access: undefined,
    },
    ...{ [ROLE_CLAIM]: 'ACCOUNT_MANAGER', [ACCESS_CLAIM]: [tenant.clients] },
    ...claims,
  });

const folder = await folderForSuite();
const database = await forSuite(createTestDatabase());
// The last step of a deploy stores the present triggers. The test repeats this step, so that db:audit does not report
// the new trigger as a manual change.
const guards = await readFile(sqlFolder('guards-as-deployed.sql'), 'utf8');
const LONG_AGO = `insert into public.audit_logs (action, resource_type, success, actor, created_at)
  values ('x', 'sites', false, 'x', now() - interval '9 months');`;
await withAdmin(database.adminUrl, (admin) =>
  admin.query(
    tenantSql(tenant, 'Own') + rowOf('users', tenant) + LONG_AGO + SETTINGS_TRIGGER + RECORDED_PLANS + guards,
  ),
);
await withAdmin(database.adminUrl, (admin) =>
  admin.query(
    `insert into public.notes (client_id, reclamation_id, author_id, text, due_on)
     values ($1, $2, $3, 'Aujourd’hui', app.paris_today())`,
    [tenant.clients, tenant.reclamations, tenant.users],
  ),
);
const mailServer = await forSuite(startMailServer());
const identity = await forSuite(startTestIdentity());
const s3 = await forSuite(startLyingStore(join(folder, 's3')));
const port = await findFreePort(0);
const metricsPort = await findFreePort(0);
const management = await forSuite(startManagement());
const collector = await forSuite(
  createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => (traced += `${request.url ?? ''} ${text}`));
    request.once('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1'),
);
await once(collector, 'listening');
const at = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const passwordFile = join(folder, 'password');
await writeFile(passwordFile, new URL(database.apiUrl).password);
const started = start(folder, {
  ...{
    HOST,
    PORT: String(port),
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'warn',
    AUDIT_RETENTION_MONTHS: '7',
    NODE_ENV: 'production',
  },
  ...{ DATABASE_URL: withoutPassword(database.apiUrl), DATABASE_PASSWORD_FILE: passwordFile, DATABASE_POOL_SIZE: '2' },
  ...{ DATABASE_STATEMENT_TIMEOUT_MS: '54321', DATABASE_PREPARED_STATEMENTS: 'false' },
  ...{ AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: AUDIENCE, AUTH_JWKS_URL: identity.jwksUrl },
  ...{ AUTH_ROLE_CLAIM: ROLE_CLAIM, AUTH_CLIENT_ACCESS_CLAIM: ACCESS_CLAIM },
  ...{ AUTH_SUBJECT_CLAIM: SUBJECT_CLAIM, AUTH_AUDIENCE_IN_CLIENT_ID: 'true', AUTH_EMAILS_VERIFIED: 'true' },
  ...{ AUTH_MANAGEMENT_URL: management.url, AUTH_MANAGEMENT_TOKEN: 'management-token' },
  ...{ METRICS_PORT: String(metricsPort), SERVER_TIMING: 'true' },
  REDIS_URL: `redis://:hunter2@127.0.0.1:${await findFreePort(0)}`,
  ...{ OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${at}/here` },
  ...{ OTEL_SDK_DISABLED: 'false', OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' },
  OTEL_TRACES_SAMPLER_ARG: '1',
  ...{
    RATE_LIMIT_PER_USER: '901',
    RATE_LIMIT_PER_IP: '902',
    TRUST_PROXY: '1',
    PUBLIC_PATH: '/tax',
    CORS_ORIGINS: ORIGIN,
  },
  ...{ DOCUMENT_STORE: `s3://${BUCKET}/claims`, DOCUMENT_STORE_ENDPOINT: s3.endpoint },
  DOCUMENT_PRESIGNED_DOWNLOADS: 'true',
  ...{ SMTP_URL: mailServer.url, MAIL_FROM: 'Cabinet <rappels@cabinet.example>' },
  ...{ REMINDERS_AT: '00:00 Europe/Madrid', FRONTEND_URL: 'https://desk.example' },
  ...{ DOCUMENT_MAX_BYTES: '1000', AWS_REGION: 'eu-west-3' },
  ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
});
const token = await signed();
const ownDatabase = await forSuite(createTestDatabase());
const identityPort = await findFreePort(0);
/** A second service with an embedded identity provider, which the variable IDENTITY_PORT needs. */
const own = start(folder, {
  ...{ PORT: '0', DATA_DIR: join(folder, 'own'), LOG_LEVEL: 'warn' },
  ...{ DATABASE_URL: ownDatabase.apiUrl, IDENTITY_PORT: String(identityPort) },
});
await addressOf(own);
await addressOf(started);

function withoutPassword(address: string): string {
  const url = new URL(address);
  url.password = '';
  return url.href;
}

const rowsOf = (sql: string): Promise<Record<string, unknown>[]> =>
  withAdmin(database.adminUrl, async (admin) => (await admin.query<Record<string, unknown>>(sql)).rows);

const upload = (bytes: Buffer): Promise<Answer> =>
  send(`POST /api/reclamations/${tenant.reclamations}/documents`, {
    headers: { 'content-type': FORM },
    body: form({ bytes }),
  });

const isRefused = async (claims: Record<string, unknown>): Promise<boolean> =>
  (await send('GET /api/clients', { token: await signed(claims) })).status === 401;

const SESSIONS = `select pid, wait_event_type as waits from pg_stat_activity
  where application_name like 'taxclaims-api%' and datname = current_database()`;

/** Changes a site, and returns the settings of the database session that wrote this change. */
async function recordedSettings(): Promise<unknown> {
  await rowsOf('truncate seen.settings');
  const body = { site_name: `Atelier ${randomUUID()}` };
  expect((await send(`PUT /api/sites/${tenant.sites}`, { body })).status).toBe(200);
  return rowsOf('select * from seen.settings');
}

async function firstMail(): Promise<(typeof mailServer.received)[number] | undefined> {
  await until(() => Promise.resolve(mailServer.received.length > 0));
  return mailServer.received[0];
}

/** Variables whose right values have no visible effect here; test/config.test.ts tests how the service reads them. */
const WITHOUT_EFFECT = words(`
  AUTH_CLIENT_ID AUTH_SCOPE AUTH_MANAGEMENT_CLIENT_ID AUTH_MANAGEMENT_CLIENT_SECRET AUTH_MANAGEMENT_AUDIENCE
  OTEL_SDK_DISABLED OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG REDIS_PREFIX
`);

/** Returns the line that the service prints before it exits with 1 because of the given environment variables. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const other = start(folder, {
    DATABASE_URL: database.apiUrl,
    DATA_DIR: join(folder, 'other'),
    LOG_LEVEL: 'warn',
    ...environment,
  });
  expect([await refusalOf(other), other.out]).toEqual([1, '']);
  return other.err;
}

/** For each environment variable, a check that its value has an effect on the running service. */
const EFFECTS: Readonly<Record<string, () => Promise<void>>> = {
  HOST: async () => {
    expect(await addressOf(started)).toBe(`http://${isIPv6(HOST) ? `[${HOST}]` : HOST}:${port}`);
    expect((await send('GET /api-json')).status).toBe(200);
    await expect(ask(port, 'GET /api-json')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
  PORT: async () => {
    expect((await send('GET /api-json')).status).toBe(200);
  },
  DATA_DIR: async () => {
    for (const name of ['uploads', 'refusals'])
      expect((await stat(join(folder, 'data', name))).isDirectory()).toBe(true);
    await expect(stat(join(folder, '.data'))).rejects.toMatchObject({ code: 'ENOENT' });
  },
  LOG_LEVEL: async () => {
    expect((await send('GET /api/clients')).status).toBe(200);
    const { length } = await rowsOf(`select pg_terminate_backend(pid) from (${SESSIONS}) as ours`);
    // If LOG_LEVEL were info, the log would have a line for the request before the warnings that this test expects.
    await started.says(new RegExp(`(?:"level":40,.*a database connection was lost[^]*){${length}}`));
    const lines = started.out.split('\n').filter((line) => line.includes('"level":30'));
    expect(lines).toEqual([expect.stringContaining('the service serves')]);
  },
  AUDIT_RETENTION_MONTHS: async () => {
    await started.says(/"retentionMonths":7\b/);
  },
  DATABASE_URL: async () => {
    expect((await send('GET /api/clients')).json).toEqual([
      expect.objectContaining({ id: tenant.clients, company_name: 'Own' }),
    ]);
    expect((await rowsOf(SESSIONS)).length).toBeGreaterThan(0);
  },
  DATABASE_PASSWORD_FILE: async () => {
    expect((await send('GET /api/clients')).status).toBe(200);
    expect(await refusal({ DATABASE_PASSWORD_FILE: passwordFile })).toBe(
      'DATABASE_URL must have no password where DATABASE_PASSWORD_FILE is set\n',
    );
  },
  DATABASE_POOL_SIZE: async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      await admin.query('begin; lock table public.clients in access exclusive mode');
      const answers = Promise.all(Array.from({ length: 5 }, () => send('GET /api/clients')));
      await until(async () => (await rowsOf(SESSIONS)).filter(({ waits }) => waits === 'Lock').length === 2);
      // An unknown path needs no database. The answer 404 therefore shows that the service has received the five
      // earlier requests.
      expect((await send('GET /api/nothing')).status).toBe(404);
      await admin.query('rollback');
      expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    });
  },
  DATABASE_STATEMENT_TIMEOUT_MS: async () => {
    expect(await recordedSettings()).toEqual([expect.objectContaining({ statement_timeout: '54321ms' })]);
  },
  DATABASE_PREPARED_STATEMENTS: async () => {
    for (let times = 0; times < 3; times += 1) {
      expect(await recordedSettings()).toEqual([expect.objectContaining({ prepared: '0' })]);
    }
  },
  AUTH_ISSUER: async () => {
    expect(await isRefused({})).toBe(false);
    expect(await isRefused({ iss: identity.issuer })).toBe(true);
  },
  AUTH_AUDIENCE: async () => {
    expect(await isRefused({})).toBe(false);
    expect(await isRefused({ aud: identity.audience })).toBe(true);
  },
  AUTH_JWKS_URL: async () => {
    // AUTH_ISSUER is a URN here, which has no address. The service can therefore find the provider’s keys only at
    // AUTH_JWKS_URL.
    expect(await isRefused({})).toBe(false);
    expect(identity.requests).toBeGreaterThan(0);
  },
  AUTH_SUBJECT_CLAIM: async () => {
    expect(await isRefused({ sub: undefined })).toBe(false);
    expect(await isRefused({ [SUBJECT_CLAIM]: undefined })).toBe(true);
  },
  AUTH_AUDIENCE_IN_CLIENT_ID: async () => {
    expect(await isRefused({ aud: undefined, client_id: AUDIENCE, token_use: 'access' })).toBe(false);
    expect(await isRefused({ aud: undefined, client_id: 'other', token_use: 'access' })).toBe(true);
  },
  AUTH_ROLE_CLAIM: async () => {
    const { json } = await send('GET /api/auth/profile');
    expect(json).toMatchObject({ role: 'ACCOUNT_MANAGER' });
    expect(await isRefused({ [ROLE_CLAIM]: undefined, role: 'ADMIN' })).toBe(true);
  },
  AUTH_CLIENT_ACCESS_CLAIM: async () => {
    const { json } = await send('GET /api/auth/profile');
    expect(json).toMatchObject({ client_access: [tenant.clients] });
    expect(await isRefused({ [ACCESS_CLAIM]: undefined, client_access: [] })).toBe(true);
  },
  AUTH_EMAILS_VERIFIED: async () => {
    const email = 'unsaid@b.example';
    const profile = async (claims: object) =>
      (await send('GET /api/auth/profile', { token: await signed({ email, ...claims }) })).json;
    expect(await profile({ email_verified: undefined })).toMatchObject({ email });
    expect(await profile({ email_verified: false })).toMatchObject({ email: null });
  },
  AUTH_MANAGEMENT_URL: async () => {
    await rowsOf(
      `insert into public.users (email, password_hash, name, role, subject)
       values ('told@b.example', '!', 'Told', 'CLIENT', 'idp|told')`,
    );
    management.know('idp|told', 'CLIENT', []);
    await until(
      async () => (await rowsOf(`select from app.identity_management where managed_since is not null`)).length > 0,
    );
    await rowsOf(`update public.users set is_active = false where subject = 'idp|told'`);
    await until(() => Promise.resolve(management.users.get('idp|told')?.blocked === true));
  },
  AUTH_MANAGEMENT_TOKEN: () => {
    expect(management.asked[0]?.authorization).toBe('Bearer management-token');
    return Promise.resolve();
  },
  METRICS_PORT: async () => {
    const { status, text } = await ask(metricsPort, 'GET /metrics', { host: HOST });
    expect(status).toBe(200);
    expect(text).toMatch(/^taxclaims_identity_changes_undelivered \d+$/m);
  },
  SERVER_TIMING: async () => {
    expect((await send('GET /api/clients')).headers['server-timing']).toMatch(/^auth;dur=.*, total;dur=/);
  },
  // The path must be /here. The variable OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has this path, and replaces
  // OTEL_EXPORTER_OTLP_ENDPOINT, whose path would be /v1/traces.
  OTEL_EXPORTER_OTLP_ENDPOINT: async () => {
    await until(() => traced.includes('/here {'));
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: async () => {
    await until(() => traced.includes('"GET /api/clients"'));
    expect(traced).not.toContain('/v1/traces');
  },
  IDENTITY_PORT: async () => {
    expect((await fetch(`http://127.0.0.1:${identityPort}/.well-known/jwks.json`)).status).toBe(200);
  },
  RATE_LIMIT_PER_USER: async () => {
    expect((await send('GET /api/clients')).headers['ratelimit-policy']).toMatch(/"user"; q=901; w=60/);
  },
  RATE_LIMIT_PER_IP: async () => {
    expect((await send('GET /api/clients')).headers['ratelimit-policy']).toMatch(/"address"; q=902; w=60/);
  },
  REDIS_URL: async () => {
    // No Redis listens at REDIS_URL, so the service must log a warning and count requests in its own process.
    await started.says(
      /"level":40,.*"place":"Redis",.*the shared rate-limit counters are unreachable: each process counts alone/,
    );
    expect((await send('GET /api/clients')).status).toBe(200);
    expect(started.out).not.toContain('hunter2');
    const { text } = await ask(metricsPort, 'GET /metrics', { host: HOST });
    expect(text).toMatch(/^taxclaims_limits_counted_alone 1$/m);
  },
  PUBLIC_PATH: async () => {
    const body = { client_id: tenant.clients, site_name: 'Annexe' };
    const { headers } = await send('POST /api/sites', { body });
    expect(headers['location']).toMatch(/^\/tax\/api\/sites\//);
  },
  TRUST_PROXY: async () => {
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' };
    const answer = await ask(port, 'GET /api/clients', { host: HOST, headers });
    const id = String(answer.headers['x-request-id']);
    expect(await rowsOf(`select ip_address from public.audit_logs where request_id = '${id}'`)).toEqual([
      { ip_address: '203.0.113.7' },
    ]);
  },
  SMTP_URL: async () => {
    expect((await firstMail())?.to).toEqual([`${tenant.users}@b.example`]);
  },
  MAIL_FROM: async () => {
    expect((await firstMail())?.mail.from?.value).toEqual([{ name: 'Cabinet', address: 'rappels@cabinet.example' }]);
  },
  REMINDERS_AT: async () => {
    await firstMail();
    expect(await rowsOf('select distinct at::text, zone from planned')).toEqual([
      { at: '00:00:00', zone: 'Europe/Madrid' },
    ]);
  },
  FRONTEND_URL: async () => {
    expect((await firstMail())?.mail.text).toContain(`https://desk.example/reclamations/${tenant.reclamations}`);
  },
  DOCUMENT_STORE: async () => {
    expect((await upload(pdf)).status).toBe(201);
    const [{ file_path: path } = {}] = await rowsOf('select file_path from public.documents');
    const stored = await filesIn(join(folder, 's3', BUCKET, 'claims'));
    expect(stored.some((name) => name.startsWith(String(path)))).toBe(true);
    const noRegion = { DOCUMENT_STORE: 's3://documents', AWS_CONFIG_FILE: join(folder, 'absent') };
    expect(await refusal(noRegion)).toBe('AWS_REGION must be set: DOCUMENT_STORE is an S3 store\n');
    expect(await refusal({ ...noRegion, AWS_REGION: 'x_y' })).toBe(
      'AWS_REGION must be a region such as eu-west-3: DOCUMENT_STORE is an S3 store\n',
    );
  },
  DOCUMENT_STORE_ENDPOINT: async () => {
    expect((await upload(pdf)).status).toBe(201);
    expect(await filesIn(join(folder, 's3'))).not.toEqual([]);
  },
  DOCUMENT_PRESIGNED_DOWNLOADS: async () => {
    const { id } = (await upload(pdf)).json as { id: string };
    const { status, headers } = await send(`GET /api/documents/${id}/content`);
    expect([status, (await fetch(String(headers.location))).status]).toEqual([307, 200]);
  },
  DOCUMENT_MAX_BYTES: async () => {
    const ofSize = (size: number): Buffer => Buffer.concat([pdf, Buffer.alloc(size - pdf.length, ' ')]);
    expect((await upload(ofSize(1000))).status).toBe(201);
    expect((await upload(ofSize(1001))).status).toBe(413);
  },
  CORS_ORIGINS: async () => {
    const asked = (origin: string): Promise<Answer> => send('GET /api/clients', { headers: { origin } });
    expect((await asked(ORIGIN)).headers['access-control-allow-origin']).toBe(ORIGIN);
    expect((await asked('https://other.example')).headers).not.toHaveProperty('access-control-allow-origin');
  },
};

test('test/process/variables.test.ts checks the effect of every environment variable of the service', () => {
  expect(ENVIRONMENT_VARIABLE_NAMES.length).toBeGreaterThan(20);
  const checked = [...Object.keys(EFFECTS), ...WITHOUT_EFFECT];
  expect(checked.sort()).toEqual([...ENVIRONMENT_VARIABLE_NAMES].sort());
});

test.each(Object.entries(EFFECTS))(
  'the environment variable %s has its documented effect on a running service',
  async (_name, notice) => {
    await notice();
  },
);
