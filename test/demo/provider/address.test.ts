import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { chooseIssuerUrl } from '../../../src/demo/provider/address.ts';
import type { EmbeddedProvider } from '../../../src/demo/provider/start.ts';
import { startProvider } from '../../support/provider.ts';
import { createScratchFolder } from '../../support/scratch.ts';

let dataDir: string;
let other: string;

beforeEach(async () => {
  dataDir = await createScratchFolder();
  other = await createScratchFolder();
});
afterEach(async () => {
  await rm(dataDir, { recursive: true });
  await rm(other, { recursive: true });
});

const begin = (folder: string, port?: number): Promise<EmbeddedProvider> =>
  startProvider({ DATA_DIR: folder, ...(port !== undefined && { IDENTITY_PORT: String(port) }) });

test('two embedded identity providers that start at the same time have different issuers, and keep them at later starts', async () => {
  const first = await Promise.all([begin(dataDir), begin(other)]);
  expect(first[0].issuer).not.toBe(first[1].issuer);
  await Promise.all(first.map((each) => each.close()));
  // The two embedded identity providers start in the other order this time, because each must keep its chosen port.
  const second = [await begin(other), await begin(dataDir)].reverse();
  expect(second.map(({ issuer }) => issuer)).toEqual(first.map(({ issuer }) => issuer));
  expect(await chooseIssuerUrl(dataDir, undefined)).toBe(first[0].issuer);
  await Promise.all(second.map((each) => each.close()));
});

test('the embedded identity provider does not start if its port is in use, and the error names IDENTITY_PORT', async () => {
  const stranger = createServer().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  try {
    await expect(begin(dataDir, port)).rejects.toThrow(
      `IDENTITY_PORT ${String(port)} cannot be listened on: EADDRINUSE`,
    );
    await chooseIssuerUrl(dataDir, 0);
    const kept = Number(await readFile(join(dataDir, 'identity', 'port'), 'utf8'));
    const second = createServer().listen(kept, '127.0.0.1');
    await once(second, 'listening');
    await expect(begin(dataDir)).rejects.toThrow(/^IDENTITY_PORT \d+, as before cannot be listened on/);
    second.close();
  } finally {
    stranger.close();
  }
});

test('the discovery document of the embedded identity provider has the same addresses whatever Host a request names', async () => {
  const provider = await begin(dataDir, 0);
  provider.useDatabase({ callAsLogin: () => Promise.reject(new Error('nobody asks the database for this')) });
  const { port } = new URL(provider.issuer);
  const asked = request({
    ...{ host: '127.0.0.1', port, path: '/.well-known/openid-configuration' },
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  }).end();
  const [answer] = (await once(asked, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  const said = JSON.parse(text) as Record<string, unknown>;
  expect(said['token_endpoint']).toBe(`${provider.issuer}/token`);
  expect(text).not.toContain('evil');
  await provider.close();
});
