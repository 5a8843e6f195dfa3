import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ask, askRaw } from '../support/http.ts';
import { shareOfLimit } from '../support/event-loop.ts';
import { startService } from '../support/service.ts';
import { SHAPES } from '../support/shapes.ts';
import { forSuite } from '../support/suite.ts';
import { FORM, frame } from '../support/upload.ts';

/*
 * These tests check that no request blocks the event loop longer than the limit of test/support/event-loop.ts. They
 * send each hostile body of test/support/shapes.ts to each body parser, as large as the parser accepts, plain and
 * compressed.
 */

const MIB = 1024 * 1024;

const service = await forSuite(startService());
const { clients, reclamations } = await service.tenant('Own');
const token = await service.token('ADMIN', [clients]);
const sites = 'POST /api/sites/import?dry_run=true';
const parsers: Readonly<Record<string, readonly [line: string, type: string, size: number]>> = {
  'a CSV table': [sites, 'text/csv', 10 * MIB],
  'a CSV table in Windows-1252': [sites, 'text/csv; charset=windows-1252', 10 * MIB],
  'an array of records': [sites, 'application/json', 10 * MIB],
  'a login': ['POST /api/auth/login', 'application/json', MIB / 4],
  'a record': ['POST /api/users', 'application/json', MIB / 4],
  'many bulk changes': ['POST /api/reclamations/changes', 'application/json', MIB / 4],
  'an upload form': [`POST /api/reclamations/${reclamations}/documents`, FORM, MIB],
};

describe('no large request body blocks the event loop for long', () => {
  test.each(Object.keys(parsers))(
    'no large body with %s blocks the event loop longer than the limit for one request',
    async (parser) => {
      const [line = '', type = '', size = 0] = parsers[parser] ?? [];
      const { head } = frame();
      const tooLong: string[] = [];
      for (const [shape, of] of Object.entries(SHAPES)) {
        const plain = type === FORM ? Buffer.concat([head, of(size)]) : of(size);
        const headers = { 'content-type': type };
        const ways: [way: string, headers: Record<string, string>, body: Buffer][] = [
          ['plain', headers, plain],
          ['compressed', { ...headers, 'content-encoding': 'gzip' }, gzipSync(plain)],
        ];
        for (const [way, headers, body] of ways) {
          // The service possibly closes the connection of a refused request before the whole body is sent.
          const send = () => ask(service.port, line, { token, headers, body }).catch(() => undefined);
          const share = await shareOfLimit(send);
          if (share > 1) tooLong.push(`${shape}, ${way}: ${share.toFixed(1)} times`);
        }
      }
      expect(tooLong).toEqual([]);
    },
    600_000,
  );

  test.each(['a CSV table', 'a login', 'an upload form'])(
    'a body with %s in chunks of one byte does not block the event loop longer than the limit for one request',
    async (parser) => {
      const [line = '', type = ''] = parsers[parser] ?? [];
      const head = `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\n`;
      const chunks = `${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\n\n\r\n'.repeat(500_000)}`;
      expect(await shareOfLimit(() => askRaw(service.port, chunks).catch(() => undefined))).toBeLessThan(1);
    },
  );
});
