import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { addressOf, demonstrationToken, start } from '../support/process.ts';
import { folderForSuite } from '../support/suite.ts';

const folder = await folderForSuite();

test('a service that gets SIGTERM, idle or under load, logs no warning', async () => {
  for (const callers of [0, 12]) {
    const service = start(folder, {
      PORT: '0',
      RATE_LIMIT_PER_USER: '100000',
      RATE_LIMIT_PER_IP: '100000',
    });
    const url = await addressOf(service);
    const token = await demonstrationToken(url, 'ADMIN');
    let answered = 0;
    // Each caller of the test sends requests until the service refuses the connection.
    const asking = Array.from({ length: callers }, async () => {
      try {
        for (;;) {
          const answer = await fetch(`${url}/api/reclamations`, {
            headers: { Authorization: `Bearer ${token}` },
          });
          if (answer.status === 200) answered += 1;
          await answer.text();
        }
      } catch {
        return;
      }
    });
    while (answered < callers * 5) await delay(20);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    await Promise.all(asking);
    const lines = service.out.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => Number(/"level":(\d+)/.exec(line)?.[1]) >= 40)).toEqual([]);
    expect(service.err).toBe('');
  }
}, 240_000);
