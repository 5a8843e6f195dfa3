import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { watchClocks } from '../../src/db/clocks.ts';
import { createProviderClock } from '../../src/identity/provider-clock.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const { database, identity } = await forSuite(startService());

test('the service warns once while the identity provider’s clock cannot be read, and logs when it can be read again', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  let isDown = true;
  const findUrl = () =>
    isDown ? Promise.reject(new Error('the provider is down')) : Promise.resolve(identity.jwksUrl);
  const clocks = watchClocks(createProviderClock({ findUrl }), database, log);
  try {
    const outage = 'the clocks cannot be compared: after a change of rights, new tokens may wait for two minutes';
    for (let round = 0; round < 3; round += 1) await clocks.runNow();
    expect(lines).toEqual([outage]);
    expect(clocks.figures()).toEqual({ provider: undefined, service: undefined });

    isDown = false;
    for (let round = 0; round < 2; round += 1) await clocks.runNow();
    expect(lines).toEqual([outage, 'the clocks are compared again']);

    isDown = true;
    await clocks.runNow();
    expect(lines).toEqual([outage, 'the clocks are compared again', outage]);
  } finally {
    await clocks.close();
  }
});
