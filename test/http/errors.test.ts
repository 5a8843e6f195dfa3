import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { ErrorCode } from '../../src/errors.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { toRequestError } from '../../src/http/errors.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const common = { tag: 'Errors', summary: 'x', resource: 'errors', responses: { 200: z.looseObject({}) } };

const raise = (['post', 'get'] as const).map((method) =>
  endpoint({
    ...{ ...common, method, path: '/raise/{code}', roles: ['CLIENT'] },
    params: z.strictObject({ code: z.string() }),
    handle: async ({ params }, request) => {
      await request.run({ text: 'select app.raise($1)', values: [params.code] });
      return { status: 200 };
    },
  }),
);

const throwSecret = endpoint({
  ...common,
  method: 'get',
  path: '/throw',
  roles: ['CLIENT'],
  handle: () => {
    throw new Error('secret');
  },
});

const service = await forSuite(startService({ endpoints: [...raise, throwSecret] }));
const asClient = await service.token('CLIENT');
await service.admin(`
    create function app.raise(code text) returns text language plpgsql as $$
    begin
        raise exception 'secret' using errcode = code, detail = 'secret', hint = 'secret';
    end $$;
    grant execute on function app.raise(text) to public`);

describe('the service answers an error of Postgres by its SQLSTATE', () => {
  test.each<[string, ErrorCode]>([
    ['23505', 'ERROR_CONFLICT'],
    ['23503', 'ERROR_CONFLICT'],
    ['23P01', 'ERROR_CONFLICT'],
    ['TX409', 'ERROR_CONFLICT'],
    ['TX404', 'ERROR_NOT_FOUND'],
    ['TX412', 'ERROR_PRECONDITION_FAILED'],
    ['23514', 'ERROR_VALIDATION'],
    ['23502', 'ERROR_VALIDATION'],
    ['22001', 'ERROR_VALIDATION'],
    ['22003', 'ERROR_VALIDATION'],
    ['22007', 'ERROR_VALIDATION'],
    ['22008', 'ERROR_VALIDATION'],
    ['22021', 'ERROR_VALIDATION'],
    ['22P02', 'ERROR_VALIDATION'],
    ['22P05', 'ERROR_VALIDATION'],
    ['40001', 'ERROR_UNAVAILABLE'],
    ['40P01', 'ERROR_UNAVAILABLE'],
    ['08006', 'ERROR_UNAVAILABLE'],
    ['53300', 'ERROR_UNAVAILABLE'],
    ['53100', 'ERROR_UNAVAILABLE'],
    ['55P03', 'ERROR_UNAVAILABLE'],
    ['57014', 'ERROR_UNAVAILABLE'],
    ['25006', 'ERROR_UNAVAILABLE'],
    ['3F000', 'ERROR_UNAVAILABLE'],
    ['42P01', 'ERROR_UNAVAILABLE'],
    ['42703', 'ERROR_UNAVAILABLE'],
    ['42883', 'ERROR_UNAVAILABLE'],
    ['22012', 'ERROR_INTERNAL'],
    ['P0001', 'ERROR_INTERNAL'],
    ['XX000', 'ERROR_INTERNAL'],
  ])(
    'a request whose SQL fails with SQLSTATE %s gets the error %s, without Postgres’s text',
    async (sqlstate, code) => {
      const answer = await service.ask(`POST /raise/${sqlstate}`, { token: asClient });
      expectError(answer, code);
      expect(answer.text).not.toContain('secret');
      expect(answer.headers['retry-after']).toBe(code === 'ERROR_UNAVAILABLE' ? '5' : undefined);
    },
  );

  test.each([
    ['TX401', 'ERROR_UNAUTHORIZED'],
    ['42501', 'ERROR_FORBIDDEN'],
  ] as const)(
    'a request whose SQL fails with SQLSTATE %s gets the error %s, and the refusal is audited once',
    async (sqlstate, code) => {
      const answer = await service.ask(`POST /raise/${sqlstate}`, { token: asClient });
      await expectRefusal(service, answer, code);
      expect(answer.text).not.toContain('secret');
    },
  );
});

test('SQLSTATE 25006 (read-only transaction) gives 500 in a GET or HEAD, and 503 in a POST', async () => {
  const lines = ['GET /raise/25006', 'HEAD /raise/25006', 'POST /raise/25006'];
  const answers = lines.map((line) => service.ask(line, { token: asClient }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([500, 500, 503]);
});

test.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOSPC', 'EDQUOT'])(
  'a request that fails with the system error %s gets ERROR_UNAVAILABLE, so that the caller tries again',
  (code) => {
    const refused = Object.assign(new Error('secret'), { code, syscall: 'open' });
    expect(toRequestError(refused).code).toBe('ERROR_UNAVAILABLE');
    expect(toRequestError(Object.assign(refused, { code: 'EACCES' })).code).toBe('ERROR_INTERNAL');
  },
);

test('an unexpected exception in the service gets ERROR_INTERNAL without the exception’s text', async () => {
  const answer = await service.ask('GET /throw', { token: asClient });
  expectError(answer, 'ERROR_INTERNAL');
  expect(answer.text).not.toContain('secret');
  expect(toRequestError('secret').code).toBe('ERROR_INTERNAL');
});
