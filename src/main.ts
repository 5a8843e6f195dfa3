import { pino } from 'pino';
import { ConfigError, loadConfig } from './config.ts';
import { greeting } from './greeting.ts';
import { type Service, startService } from './service.ts';

/** After everything else had its time: what hangs in the operating system, such as a disk that is away, has no other end. */
const LAST_MS = 9_800;

/** Environment → configuration → parts → listen → drain; the signals of the process end here. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  if (config.redisUrl !== undefined) {
    throw new ConfigError(
      'REDIS_URL is set, but this version counts requests in memory, for one instance: unset it',
    );
  }
  const log = pino({ level: config.logLevel });
  const starting = startService(config, log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A second signal finds no listener, and so ends the process at once.
    process.once(signal, () => {
      log.info({ signal }, 'finishing what was taken');
      setTimeout(() => {
        // The log writes later, by what may be the very thing that hangs.
        process.stderr.write('something hangs, and the process ends without it\n');
        process.kill(process.pid, signal);
      }, LAST_MS).unref();
      void end(starting);
    });
  }
  process.stdout.write(await greeting(await starting));
}

/** With nothing left to wait for, the process ends by itself; a start that failed has told so already. */
async function end(starting: Promise<Service>): Promise<void> {
  const service = await starting.catch(() => undefined);
  await service?.close();
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
