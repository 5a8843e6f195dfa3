import cluster from 'node:cluster';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { greeting } from '../../src/greeting.ts';
import { createLog } from '../../src/log.ts';
import { startCrewed } from '../../src/workers/start.ts';

/*
 * The service in several processes as `src/main.ts` starts it, but for its patience: a worker that hangs is noticed within
 * seconds, and one that a reload has started within one.
 */

cluster.setupPrimary({ exec: join(import.meta.dirname, '..', '..', 'src', 'main.ts') });
const patience = { pingMs: 100, missed: 20, starting: 600 };
const service = await startCrewed(loadConfig(process.env), createLog('info'), {
  ending: new AbortController().signal,
  hopeless: (error) => process.stderr.write(`${error.message}\n`),
  patience,
});
process.on('SIGHUP', () => {
  patience.starting = 10;
  void service.reload();
});
process.on('SIGTERM', () => void service.close());
process.stdout.write(await greeting(service));
