import { ConfigError, loadConfig } from './config.ts';
import { greeting } from './greeting.ts';
import { createLog } from './log.ts';
import { type Service, startService } from './service.ts';

/** Environment → configuration → parts → listen → drain; the signals of the process end here. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  if (config.redisUrl !== undefined) {
    throw new ConfigError(
      'REDIS_URL is set, but this version counts requests in memory, for one instance: unset it',
    );
  }
  const log = createLog(config.logLevel);
  const starting = startService(config, log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A second signal finds no listener, and so ends the process at once.
    process.once(signal, () => {
      log.info({ signal }, 'finishing what was taken');
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
