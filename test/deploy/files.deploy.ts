import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startHaproxy } from '../../deploy/lab/haproxy.ts';
import { findProgram } from '../../deploy/lab/program.ts';
import { createLabFolder } from '../../deploy/lab/reaper.ts';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { ERRORS } from '../../src/errors.ts';
import { createScratchFolder } from '../support/scratch.ts';

const run = promisify(execFile);
const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');

interface Service {
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly healthcheck?: object;
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Composition {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

describe('the composition', () => {
  let folder: string;
  let composition: Composition;
  beforeAll(async () => {
    folder = await createScratchFolder();
    await cp(join(DEPLOY, 'compose'), folder, {
      recursive: true,
      filter: (path) => !path.endsWith('/secrets'),
    });
    await run(join(DEPLOY, 'compose', 'make-secrets').replace(join(DEPLOY, 'compose'), folder));
    const program = await findProgram('docker-compose', 'docker-compose');
    const file = join(folder, 'docker-compose.yml');
    const { stdout, stderr } = await run(program, ['--file', file, 'config']);
    expect(stderr).toBe('');
    composition = await parsed(stdout);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('runs everything on a read-only root, without capabilities, as somebody who is not root', () => {
    const services = Object.entries(composition.services);
    expect(services.map(([name]) => name).sort()).toEqual([
      ...['api1', 'api2', 'database', 'haproxy', 'login', 'migrate', 'pgbouncer', 'prometheus', 'redis'],
    ]);
    for (const [name, { user, read_only: readOnly, cap_drop: dropped }] of services) {
      expect({ name, readOnly, dropped }).toEqual({ name, readOnly: true, dropped: ['ALL'] });
      expect(user).toMatch(/^(?!root$)[a-z]+$/);
    }
  });

  test('asks whatever goes on running whether it is well', () => {
    const unasked = Object.entries(composition.services)
      .filter(([, { restart, healthcheck }]) => restart !== 'no' && healthcheck === undefined)
      .map(([name]) => name);
    expect(unasked).toEqual([]);
  });

  test('takes its secrets from files that are made once, and has none in an environment', async () => {
    const files = Object.values(composition.secrets).map(({ file }) => file);
    expect(
      (await readdir(join(folder, 'secrets'))).map((name) => join(folder, 'secrets', name)).sort(),
    ).toEqual(files.sort());
    const before = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    expect(before.every((text) => text.length > 40)).toBe(true);
    await run(join(folder, 'make-secrets'));
    expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(before);
    const said = JSON.stringify(Object.values(composition.services).map(({ environment }) => environment));
    expect(said).not.toMatch(/postgres:\/\/|redis:\/\/|PASSWORD"/);
  });
});

describe('HAProxy', () => {
  test.each(['api.cfg', 'postgres.cfg'])('accepts %s without a warning', async (name) => {
    const servers = ['API_1', 'API_2', 'NODE_1', 'NODE_2', 'NODE_3'].map(
      (key) => [key, '127.0.0.1:9'] as const,
    );
    const ports = ['NODE_1_REST', 'NODE_2_REST', 'NODE_3_REST'].map((key) => [key, '9'] as const);
    const env = {
      ...Object.fromEntries([...servers, ...ports]),
      ...{ API_BIND: '127.0.0.1:9', POSTGRES_BIND: '127.0.0.1:9', ADMIN_SOCKET: '/tmp/admin.sock' },
    };
    const program = await findProgram('haproxy', 'haproxy');
    const { stdout, stderr } = await run(program, ['-c', '-f', join(DEPLOY, 'haproxy', name)], { env });
    expect(`${stdout}${stderr}`.trim()).toBe('Configuration file is valid');
  });

  test('says as the API does, where no instance answers, when to come again', async () => {
    const lab = await createLabFolder();
    const nobody = `127.0.0.1:${await freePort(0)}`;
    const { port } = await startHaproxy({
      ...{ dir: lab.path, configuration: 'api.cfg' },
      environment: { API_1: nobody, API_2: nobody },
    });
    const answer = await fetch(`http://127.0.0.1:${port}/api/clients`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('1');
    const { error } = (await answer.json()) as { error: Record<string, string> };
    expect(error).toEqual({
      ...{ code: 'ERROR_UNAVAILABLE', message: ERRORS.ERROR_UNAVAILABLE.message },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await lab.remove();
  });
});

describe('systemd', () => {
  test.each(['taxclaims.service', 'taxclaims-migrate.service'])(
    'understands %s, and finds little that it exposes',
    async (name) => {
      const program = await findProgram('systemd-analyze', 'systemd');
      const folder = await createScratchFolder();
      for (const unit of await readdir(join(DEPLOY, 'systemd'))) {
        const text = await readFile(join(DEPLOY, 'systemd', unit), 'utf8');
        // Where Node lies is the machine's.
        await writeFile(join(folder, unit), text.replaceAll('/usr/bin/node', process.execPath));
      }
      const unit = join(folder, name);
      const { stdout, stderr } = await run(program, ['verify', '--man=no', unit]);
      expect(`${stdout}${stderr}`).toBe('');
      await run(program, ['security', '--offline=true', '--threshold=20', '--no-pager', unit]);
      await rm(folder, { recursive: true });
    },
  );
});

/** What Compose prints is YAML of the simplest kind; Python, which it is made of, reads it. */
async function parsed(yaml: string): Promise<Composition> {
  const script = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.argv[1])))';
  return JSON.parse((await run('python3', ['-c', script, yaml])).stdout) as Composition;
}
