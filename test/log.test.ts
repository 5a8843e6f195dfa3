import { expect, test } from '@jest/globals';
import { createLog, truncate, createPlainTextLog } from '../src/log.ts';
import { startService } from './support/service.ts';

function collectingLog(): { log: ReturnType<typeof createLog>; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog('info', { write: (line: string) => lines.push(line) }), lines };
}

test('at a terminal a log record is one line without control characters, and shows its fields from the level warn on', () => {
  let out = '';
  const log = createLog('info', createPlainTextLog({ write: (line: string) => (out += line) }));
  log.info({ migrations: ['a'] }, 'applying 1 migrations');
  log.info({ action: 'GET /\u001b[2J\r\u009b1m', status: 404, durationMs: 3 }, 'request');
  log.warn({ place: 'x\ny' }, 'it is away');
  log.error({ err: new Error('no\u0007') }, 'it failed');
  const [step, request, warning, ...error] = out.replaceAll(/^\d\d:\d\d:\d\d /gm, '').split('\n');
  expect([step, request]).toEqual(['applying 1 migrations', 'GET / [2J  1m 404 in 3 ms']);
  expect(warning).toBe('it is away {"place":"x\\ny"}');
  expect(error.slice(0, 2)).toEqual(['it failed {} Error: no ', expect.stringMatching(/^ {4}at /)]);
});

test('a line break or direction mark in a logged text does not start a new line or reverse text at a terminal', () => {
  let out = '';
  const log = createLog('info', createPlainTextLog({ write: (line: string) => (out += line) }));
  log.info({}, 'still drift: a role\n00:00:00 all is well\u202E');
  log.error({ err: new Error('no\n00:00:00 all is well\u2066') }, 'it failed');
  expect(out).not.toMatch(/^00:00:00 all is well|[\u202E\u2066]/m);
  expect(out).toMatch(/^\d\d:\d\d:\d\d still drift: a role 00:00:00 all is well $/m);
});

test('a JSON line of the log has no control character and no direction mark, and keeps all other characters', () => {
  const { log, lines } = collectingLog();
  log.info({ reason: 'é\u009B2J\u202E\u2028\u007F😀' }, 'a role\u202E\u001b[2J');
  expect(lines[0]).toMatch(/^[^\p{Cc}\u2028-\u202E\u2066-\u2069]+\n$/u);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ reason: 'é 2J   😀', msg: 'a role \u001b[2J' });
});

const MOST = 30_000;

const long = 'x'.repeat(1_000_000);
test.each<[string, object]>([
  ['a long text', { reason: long }],
  ['many texts', { refusal: { a: long, b: long, c: [long, long] } }],
  ['many members', Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, index]))],
  ['a long name', { [long]: 1 }],
  ['a long list', { ids: Array(100_000).fill(1) }],
  ['an error with a long message, and a long stack', { err: new Error(long) }],
  ['an error with causes', { err: new Error('a', { cause: new Error(long, { cause: new Error(long) }) }) }],
  ['an error with large members', { err: Object.assign(new Error('a'), { detail: long, rows: [[long]] }) }],
  ['a deeply nested text', { a: { b: { c: { d: { e: { f: { g: long } } } } } } }],
])('a log line with %s is shortened to less than 30,000 characters', (_what, line) => {
  const { log, lines } = collectingLog();
  log.error(line, 'it happened');
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(MOST);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'it happened' });
});

test('a shortened log line says how much of a text was cut, and keeps its other fields', () => {
  const { log, lines } = collectingLog();
  const err = Object.assign(new Error('no'), { code: 'ENOENT' });
  log.info({ reason: long, status: 7, none: null, nested: { a: ['b'] }, err }, 'it happened');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    reason: `${'x'.repeat(1_000)}… (1000000 characters)`,
    ...{ status: 7, none: null, nested: { a: ['b'] } },
    err: { type: 'Error', message: 'no', code: 'ENOENT', stack: expect.stringContaining('    at ') },
  });
  expect(truncate('abc', 3)).toBe('abc');
});

test('the log line of a request has a limited length, whatever the request contains', async () => {
  const { log, lines } = collectingLog();
  const service = await startService({ log });
  const headers = { 'user-agent': 'u'.repeat(100_000), 'content-type': 'a'.repeat(1_000) };
  await service.ask(`GET /api/${'x'.repeat(8_000)}`, { headers });
  await service.ask('POST /api/auth/login', { headers, body: 'x' });
  const body = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`field${index}`, 1]));
  await service.ask('POST /api/auth/login', { body });
  await service.close();
  expect(lines.filter((line) => line.includes('"msg":"request"'))).toHaveLength(3);
  for (const line of lines) expect(line.length).toBeLessThan(4_000);
});
