import { expect, test } from '@jest/globals';
import { ask } from '../support/http.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const timed = await forSuite(startService({ serverTiming: true }));
const silent = await forSuite(startService());

const timingOf = async ({ port }: Service, line: string, token?: string) => {
  const { status, headers } = await ask(port, line, token === undefined ? {} : { token });
  return [status, headers['server-timing']];
};

test('an answer has the header Server-Timing only if the configuration turns it on', async () => {
  expect(await timingOf(silent, 'GET /api/clients', await silent.token('ADMIN'))).toEqual([200, undefined]);
  expect(await timingOf(timed, 'GET /api/clients', await timed.token('ADMIN'))).toEqual([
    200,
    expect.stringMatching(/^auth;dur=\d+\.\d, db;dur=\d+\.\d, total;dur=\d+\.\d$/),
  ]);
});

test('responses with 401, 403 and 404 have no Server-Timing, which could tell another tenant’s record from a missing one', async () => {
  const own = await timed.tenant('Own');
  const foreign = await timed.tenant('Foreign');
  const token = await timed.token('CLIENT', [own.clients]);
  const none = 'c1000000-0000-4000-8000-00000000ffff';
  expect(await timingOf(timed, `GET /api/sites/${foreign.sites}`, token)).toEqual([403, undefined]);
  expect(await timingOf(timed, `GET /api/sites/${none}`, token)).toEqual([404, undefined]);
  expect(await timingOf(timed, 'GET /api/clients')).toEqual([401, undefined]);
});
