import cluster from 'node:cluster';
import { isatty } from 'node:tty';
import type { Logger } from 'pino';
import { readArguments } from './arguments.ts';
import { type Config, loadConfig } from './config.ts';
import { endPrograms } from './embedded/postgres/command.ts';
import { greeting } from './greeting.ts';
import { LAST_MS, SAME_SIGNAL_MS } from './limits.ts';
import { createLog } from './log.ts';
import { type Service, startService } from './service.ts';
import { type CrewedService, startCrewed } from './workers/start.ts';
import { startWorker } from './workers/worker.ts';

const USAGE = `usage: npm start
Starts the service with the variables of its environment, which the README lists; without any it is a demonstration.
  --help, --version
Exit codes: 0 it was told to end, and has; 1 it could not start: a wrong argument or variable, or what the message says.`;

/** What a terminal, its end, and a supervisor send. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** What of the service runs in this process, and ends with it. */
type Running = Pick<Service, 'close'>;

/** Environment → configuration → parts → listen → drain; the signals of the process end here. */
async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2), { usage: USAGE });
  if (typeof given === 'string') return void process.stdout.write(given);
  const config = loadConfig(process.env);
  const log = createLog(config.logLevel).child(cluster.worker ? { worker: cluster.worker.id } : {});
  // Whatever ends the process, an error that nobody caught included: no Postgres stays behind.
  process.on('exit', endPrograms);
  if (cluster.isWorker) return runWorker(config, log);
  const ending = new AbortController();
  const finish = (signal: NodeJS.Signals): void => {
    endInTime(signal);
    ending.abort();
    void end(starting);
  };
  const isCrewed = config.workers > 1;
  // Where there is a terminal it is gone then, and else nobody sends it but to reload.
  const isReloaded = isCrewed && !isatty(0) && !isatty(1);
  hearSignals(log, isReloaded ? SIGNALS.filter((signal) => signal !== 'SIGHUP') : SIGNALS, finish);
  const hopeless = (error: Error): void => {
    fail(error);
    finish('SIGTERM');
  };
  const crewed = isCrewed ? startCrewed(config, log, { ending: ending.signal, hopeless }) : undefined;
  if (isReloaded) process.on('SIGHUP', () => void reload(crewed));
  const starting = crewed ?? startService(config, log, ending.signal);
  const service = await starting.catch((error: unknown) => {
    // Told to end before it began, it has done what it was told.
    if (error !== ending.signal.reason) throw error;
  });
  if (service !== undefined) process.stdout.write(await greeting(service));
}

/** One of several processes that serve: the one that has started it greets, and tells it what a terminal says to all. */
async function runWorker(config: Config, log: Logger): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  hearSignals(log, ['SIGTERM'], (signal) => {
    endInTime(signal);
    void end(starting);
  });
  const starting = startWorker(config, log);
  await starting;
}

/** The first signal ends the service; one that comes later than its own echo ends the process at once. */
function hearSignals(
  log: Logger,
  signals: readonly NodeJS.Signals[],
  first: (signal: NodeJS.Signals) => void,
): void {
  let since: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      if (since === undefined) {
        since = performance.now();
        log.info({ signal }, 'finishing what was taken');
        first(signal);
      } else if (performance.now() - since > SAME_SIGNAL_MS) {
        endAtOnce(signal);
      }
    });
  }
}

function endInTime(signal: NodeJS.Signals): void {
  setTimeout(() => {
    // The log writes later, by what may be the very thing that hangs.
    process.stderr.write('something hangs, and the process ends without it\n');
    endAtOnce(signal);
  }, LAST_MS).unref();
}

/** Without waiting for anything, and leaving no Postgres behind. */
function endAtOnce(signal: NodeJS.Signals): void {
  endPrograms();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** With nothing left to wait for, the process ends by itself; a start that failed has told so already. */
async function end(starting: Promise<Running>): Promise<void> {
  const running = await starting.catch(() => undefined);
  await running?.close();
}

async function reload(starting: Promise<CrewedService> | undefined): Promise<void> {
  const service = await starting?.catch(() => undefined);
  await service?.reload();
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  fail(error);
}
