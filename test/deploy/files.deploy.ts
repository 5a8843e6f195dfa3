import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startHaproxy } from '../../deploy/lab/haproxy.ts';
import { findProgram } from '../../deploy/lab/program.ts';
import { createLabFolder } from '../../deploy/lab/reaper.ts';
import { ENVIRONMENT_VARIABLE_NAMES } from '../../src/config.ts';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { ERRORS_BY_CODE } from '../../src/errors.ts';
import { createScratchFolder } from '../support/scratch.ts';

const run = promisify(execFile);
const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');

test.each(['api.cfg', 'postgres.cfg'])('HAProxy accepts its configuration file %s without a warning', async (name) => {
  const servers = ['API_1', 'API_2', 'NODE_1', 'NODE_2', 'NODE_3'].map((key) => [key, '127.0.0.1:9'] as const);
  const ports = ['NODE_1_REST', 'NODE_2_REST', 'NODE_3_REST'].map((key) => [key, '9'] as const);
  const env = {
    ...Object.fromEntries([...servers, ...ports]),
    ...{ API_BIND: '127.0.0.1:9', POSTGRES_BIND: '127.0.0.1:9', ADMIN_SOCKET: '/tmp/admin.sock' },
  };
  const program = await findProgram('haproxy', 'haproxy');
  const { stdout, stderr } = await run(program, ['-c', '-f', join(DEPLOY, 'haproxy', name)], { env });
  expect(`${stdout}${stderr}`.trim()).toBe('Configuration file is valid');
});

test('HAProxy answers 503 with the API’s Retry-After if no instance answers', async () => {
  const lab = await createLabFolder();
  const nobody = `127.0.0.1:${await findFreePort(0)}`;
  const { port } = await startHaproxy({
    ...{ dir: lab.path, configuration: 'api.cfg' },
    environment: { API_1: nobody, API_2: nobody },
  });
  const answer = await fetch(`http://127.0.0.1:${port}/api/clients`);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('1');
  const { error } = (await answer.json()) as { error: Record<string, string> };
  expect(error).toEqual({
    ...{ code: 'ERROR_UNAVAILABLE', message: ERRORS_BY_CODE.ERROR_UNAVAILABLE.en },
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  await lab.remove();
});

test('HAProxy sends an instance the caller’s address in X-Forwarded-For, and drops an address that the caller forged', async () => {
  const lab = await createLabFolder();
  const forwardedFor: unknown[] = [];
  const instance = createServer(({ url, headers }, response) => {
    if (url !== '/health') forwardedFor.push(headers['x-forwarded-for']);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(instance, 'listening');
  const address = `127.0.0.1:${(instance.address() as AddressInfo).port}`;
  const { port } = await startHaproxy({
    ...{ dir: lab.path, configuration: 'api.cfg' },
    environment: { API_1: address, API_2: address },
  });
  await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
  await lab.remove();
  instance.close().closeAllConnections();
  expect(forwardedFor).toEqual(['127.0.0.1']);
});

test('the systemd units set only environment variables that the service reads', async () => {
  const text = await readFile(join(DEPLOY, 'systemd', 'taxclaims@.service'), 'utf8');
  const [, given = ''] = /^Environment=(.*)$/m.exec(text) ?? [];
  const names = given.split(' ').map((one) => one.split('=')[0]);
  expect(names).toContain('DATA_DIR');
  expect(names.filter((name = '') => name !== 'NODE_ENV' && !ENVIRONMENT_VARIABLE_NAMES.includes(name))).toEqual([]);
});

test.each(['taxclaims@1.service', 'taxclaims-migrate.service'])(
  'systemd accepts the unit %s, and systemd-analyze security rates its exposure as low',
  async (name) => {
    const program = await findProgram('systemd-analyze', 'systemd');
    const folder = await createScratchFolder();
    for (const unit of await readdir(join(DEPLOY, 'systemd'))) {
      const text = await readFile(join(DEPLOY, 'systemd', unit), 'utf8');
      // The test replaces the path of Node in the systemd units, because the path differs between machines.
      await writeFile(join(folder, unit), text.replaceAll('/usr/bin/node', process.execPath));
    }
    const unit = join(folder, name);
    const { stdout, stderr } = await run(program, ['verify', '--man=no', unit]);
    expect(`${stdout}${stderr}`).toBe('');
    await run(program, ['security', '--offline=true', '--threshold=20', '--no-pager', unit]);
    await rm(folder, { recursive: true });
  },
);
