import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { findProgram } from '../../deploy/lab/program.ts';
import { startHaproxy } from '../../deploy/lab/haproxy.ts';
import { startRedis } from '../../deploy/lab/redis.ts';
import { loadAdminConfig, loadConfig, ENVIRONMENT_VARIABLE_NAMES } from '../../src/config.ts';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { createTestDatabase } from '../support/database.ts';
import { blockOf } from '../support/pages.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { shell } from '../support/shell.ts';

const run = promisify(execFile);
const PAGE = 'deploy/compose/README.md';
const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');

interface Service {
  readonly image?: string;
  readonly build?: unknown;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly healthcheck?: Healthcheck;
  readonly restart?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
}

interface Healthcheck {
  readonly test: readonly [kind: 'CMD' | 'CMD-SHELL', ...words: string[]];
  readonly interval: string;
  readonly timeout: string;
  readonly retries: number;
}

interface Composition {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const PORTS_IN_CONTAINERS: Readonly<Record<string, number>> = {
  ...{ haproxy: 8080, api1: 3000, api2: 3000, prometheus: 9090 },
  ...{ pgbouncer: 6432, database: 5432, redis: 6379 },
};

const INSTANCES = ['api1', 'api2'] as const;

const folder = await createScratchFolder();
await cp(join(DEPLOY, 'compose'), folder, {
  recursive: true,
  filter: (path) => !path.endsWith('/secrets'),
});
const program = await findProgram('docker-compose', 'docker-compose');
const file = join(folder, 'docker-compose.yml');
// Debian’s Compose is too old for an optional env_file, so the test makes the file .env required and creates it.
const mayBeAbsent = /env_file:\n +- path: \.env\n +required: false\n/;
const text = await readFile(file, 'utf8');
expect(text).toMatch(mayBeAbsent);
await writeFile(file, text.replace(mayBeAbsent, 'env_file: .env\n'));
await writeFile(join(folder, '.env'), 'AUTH_ROLE_CLAIM=https://example.org/role\nPORT=9\n');
// The test runs the commands of deploy/compose/README.md, but Docker Compose only prints the composition instead of
// starting it. A warning in the output would make the YAML invalid.
const printed = await shell(
  blockOf(PAGE, 'deploy/compose/make-secrets', {
    'deploy/compose/': `${folder}/`,
    'docker compose': program,
    'up --detach --build': 'config 2>&1',
  }),
);
// Docker Compose prints every dollar sign twice, so that its output can be read as a composition again.
const composition = await parsed(printed.replaceAll('$$', '$'));

afterAll(() => rm(folder, { recursive: true, force: true }));

const service = (name: string): Service => composition.services[name] ?? {};

test('every container of deploy/compose has a read-only root, no capabilities, and a user other than root', () => {
  const services = Object.entries(composition.services);
  expect(services.map(([name]) => name).sort()).toEqual([
    ...['api1', 'api2', 'database', 'haproxy', 'login', 'migrate', 'pgbouncer', 'prometheus', 'redis'],
  ]);
  for (const [name, { user, read_only: readOnly, cap_drop: dropped }] of services) {
    expect({ name, readOnly, dropped }).toEqual({ name, readOnly: true, dropped: ['ALL'] });
    expect(user).toMatch(/^(?!root$)[a-z]+$/);
  }
});

test('deploy/compose gives the service and its commands only environment variables that they read, with valid values', async () => {
  const secrets: Record<string, string> = {};
  for (const [name, { file }] of Object.entries(composition.secrets)) {
    secrets[name] = (await readFile(file, 'utf8')).trim();
  }
  for (const name of INSTANCES) {
    const { environment = {} } = service(name);
    const exported = exportedBy(service(name), secrets);
    const given = { ...environment, ...exported };
    expect(Object.keys(exported).sort()).toEqual(['DATABASE_URL', 'REDIS_URL']);
    const known = [...ENVIRONMENT_VARIABLE_NAMES, 'NODE_ENV'];
    expect(Object.keys(given).filter((variable) => !known.includes(variable))).toEqual([]);
    const provider = { AUTH_ISSUER: 'https://idp.example.org', AUTH_AUDIENCE: 'taxclaims' };
    const set = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]));
    // In this test AUTH_ROLE_CLAIM comes from the file .env, and deploy/compose itself always sets PORT and
    // TRUST_PROXY.
    expect(set).toMatchObject({
      AUTH_ROLE_CLAIM: 'https://example.org/role',
      PORT: '3000',
      TRUST_PROXY: '1',
    });
    expect(() => loadConfig({ ...set, ...provider, NODE_ENV: 'production' })).not.toThrow();
  }
  expect(service('migrate').environment).toBeUndefined();
  const exported = exportedBy(service('migrate'), secrets);
  expect(Object.keys(exported)).toEqual(['DATABASE_ADMIN_URL']);
  expect(() => loadAdminConfig(exported)).not.toThrow();
});

test('deploy/compose asks its operator only for environment variables of the service', async () => {
  const text = await readFile(join(DEPLOY, 'compose', 'docker-compose.yml'), 'utf8');
  const asked = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name);
  expect(asked).toContain('AUTH_ISSUER');
  expect(asked.filter((name) => !ENVIRONMENT_VARIABLE_NAMES.includes(name))).toEqual([]);
});

test('deploy/compose gives HAProxy exactly the environment variables that HAProxy’s configuration needs', async () => {
  const whole = await readFile(join(DEPLOY, 'haproxy', 'api.cfg'), 'utf8');
  const text = whole.replaceAll(/^\.if defined[^]*?^\.endif/gm, '');
  const read = [...text.replaceAll(/^\s*#.*$/gm, '').matchAll(/\$\{?([A-Z][A-Z_0-9]*)/g)].map(([, name = '']) => name);
  expect(Object.keys(service('haproxy').environment ?? {}).sort()).toEqual([...new Set(read)].sort());
});

test('every container of deploy/compose that keeps running has a health check at the port that it listens on', async () => {
  const running = Object.entries(composition.services).filter(([, { restart }]) => restart !== 'no');
  expect(running.map(([name]) => name).sort()).toEqual(Object.keys(PORTS_IN_CONTAINERS).sort());
  const pgbouncer = await readFile(join(DEPLOY, 'compose', 'pgbouncer', 'pgbouncer.ini'), 'utf8');
  expect(pgbouncer).toMatch(new RegExp(`^listen_port = ${PORTS_IN_CONTAINERS['pgbouncer']}$`, 'm'));
  expect(service('haproxy').environment?.['API_BIND']).toBe(`*:${PORTS_IN_CONTAINERS['haproxy']}`);
  for (const [index, name] of INSTANCES.entries()) {
    expect(service('haproxy').environment?.[`API_${index + 1}`]).toBe(`${name}:${PORTS_IN_CONTAINERS[name]}`);
  }
  const dockerfile = await readFile(join(DEPLOY, '..', 'Dockerfile'), 'utf8');
  expect(dockerfile).toMatch(new RegExp(`^ENV .*\\bPORT=${PORTS_IN_CONTAINERS['api1']}\\b`, 'm'));
  for (const [name, { healthcheck }] of running) {
    const { interval, timeout, retries = 0 } = healthcheck ?? {};
    expect({ name, isBounded: seconds(interval) > 0 && seconds(timeout) > 0 && retries > 0 }).toEqual({
      ...{ name, isBounded: true },
    });
  }
});

test.each(['haproxy', 'api1', 'api2', 'prometheus'])(
  'deploy/compose’s health check of %s passes if the service answers 200, and fails if it answers 503 or is down',
  async (name) => {
    let status = 200;
    const http = createServer(({ url = '' }, response) => {
      response.writeHead(['/health', '/-/healthy'].includes(url) ? status : 404).end('{}');
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    expect(await isWell(name, port)).toBe(true);
    status = 503;
    expect(await isWell(name, port)).toBe(false);
    await new Promise((resolve) => http.close(resolve));
    expect(await isWell(name, port)).toBe(false);
  },
);

test.each(['pgbouncer', 'database'])(
  'deploy/compose’s health check of %s passes if the server answers, and fails if it is down',
  async (name) => {
    const database = await createTestDatabase();
    expect(await isWell(name, Number(new URL(database.adminUrl).port))).toBe(true);
    await database.close();
    expect(await isWell(name, await findFreePort(0))).toBe(false);
  },
);

test('deploy/compose’s health check of Redis passes if Redis answers, even with NOAUTH, and fails if Redis is down', async () => {
  for (const password of [{}, { password: 'a-password' }]) {
    const redis = await startRedis({ dir: join(folder, 'redis'), ...password });
    expect(await isWell('redis', redis.port)).toBe(true);
    await redis.close();
    expect(await isWell('redis', redis.port)).toBe(false);
  }
});

test('the upgrade commands of deploy/compose/README.md name existing services, and HAProxy accepts those that it receives', async () => {
  const said = await shell(`docker() { echo "$*"; }\n${blockOf(PAGE, 'docker compose … build', { '…': '--file F' })}`);
  const commands = said.trim().split('\n');
  const form = /^compose --file F (?:build|run --rm (\w+)|exec (\w+) .*|up --detach --no-deps (\w+))$/;
  const named = commands.flatMap((command) => (form.exec(command) ?? [command]).slice(1).filter(Boolean));
  expect([commands.length, named]).toEqual([4, ['migrate', 'haproxy', 'api1']]);
  expect(Object.keys(composition.services)).toEqual(expect.arrayContaining(named));
  const [, told = '', address = ''] = /'(set server .*)' \| nc (.*)$/m.exec(commands[2] ?? '') ?? [];
  expect(service('haproxy').environment).toMatchObject({
    ADMIN_SOCKET: `ipv4@${address.replace(' ', ':')}`,
  });
  const haproxy = await startHaproxy({
    ...{ dir: join(folder, 'haproxy'), configuration: 'api.cfg' },
    environment: { API_1: '127.0.0.1:9', API_2: '127.0.0.1:9' },
  });
  expect([await haproxy.ask(told), await haproxy.ask('set server api/nobody state drain')]).toEqual([
    '\n',
    expect.stringContaining('No such server'),
  ]);
  await haproxy.close();
});

test('deploy/compose reads secrets from files that make-secrets creates once, and has none in an environment variable', async () => {
  const files = Object.values(composition.secrets).map(({ file }) => file);
  expect((await readdir(join(folder, 'secrets'))).map((name) => join(folder, 'secrets', name)).sort()).toEqual(
    files.sort(),
  );
  const before = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  expect(before.every((text) => text.length > 40)).toBe(true);
  await run(join(folder, 'make-secrets'));
  expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(before);
  const said = JSON.stringify(Object.values(composition.services).map(({ environment }) => environment));
  expect(said).not.toMatch(/postgres:\/\/|redis:\/\/|PASSWORD"/);
});

/** Runs the health check of a container in deploy/compose against a local port. */
async function isWell(name: string, port: number): Promise<boolean> {
  const [kind, ...words] = service(name).healthcheck?.test ?? ['CMD'];
  const listens = String(PORTS_IN_CONTAINERS[name]);
  const here = words.map((word) =>
    word
      .replace(`:${listens}/`, `:${port}/`)
      .replace(`--port=${listens}`, `--port=${port}`)
      .replace('redis-cli', `redis-cli -p ${port}`),
  );
  const [program = '', ...args] = kind === 'CMD-SHELL' ? ['sh', '-c', ...here] : here;
  // The health check of the container `database` uses Postgres's default port, which this variable changes.
  const env = { PATH: process.env['PATH'], PGPORT: String(port) };
  return run(program === 'node' ? process.execPath : program, args, { env }).then(
    () => true,
    (error: unknown) => {
      const { code } = error as { code?: unknown };
      // A missing program of a health check is an error of the test, not a failed health check.
      if (typeof code !== 'number' || code === 127) throw new Error(`${name}: ${program} cannot be run`);
      return false;
    },
  );
}

/** Returns the environment variables that a container’s start script makes from its secrets. */
function exportedBy({ command = [] }: Service, secrets: Readonly<Record<string, string>>): Record<string, string> {
  const script = command.join('\n');
  const [, names = ''] = /^export (.*)$/m.exec(script) ?? [];
  return Object.fromEntries(
    names.split(' ').map((name) => {
      const [, secret = ''] = new RegExp(`^${name}="\\$\\(cat /run/secrets/(\\w+)\\)"$`, 'm').exec(script) ?? [];
      return [name, secrets[secret] ?? ''];
    }),
  );
}

function seconds(duration = ''): number {
  return Number(/^(\d+)s$/.exec(duration)?.[1] ?? Number.NaN);
}

/**
 * Reads the YAML that Docker Compose prints, with the YAML parser that Docker Compose uses, which is written in Python.
 */
async function parsed(yaml: string): Promise<Composition> {
  const script = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.argv[1])))';
  return JSON.parse((await run('python3', ['-c', script, yaml])).stdout) as Composition;
}
