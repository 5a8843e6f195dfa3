/**
 * This process repeats one small request while a benchmark sends large requests. The process reports how long each
 * small request has waited since the last report.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 5;
const [, , url = '', token = ''] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let waits: number[] = [];

process.on('message', () => {
  process.send?.(waits);
  waits = [];
});
process.on('disconnect', () => process.exit());

for (;;) {
  const begun = performance.now();
  await new Promise<void>((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`the other caller was answered ${answer.statusCode}`));
      answer.resume().once('end', resolve);
    })
      .once('error', reject)
      .end();
  });
  waits.push(performance.now() - begun);
  await delay(PAUSE_MS);
}
