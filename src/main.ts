import type { Logger } from 'pino';
import { readArguments } from './arguments.ts';
import { loadConfig } from './config.ts';
import { endPrograms } from './embedded/postgres/command.ts';
import { greeting } from './greeting.ts';
import { LAST_MS, SAME_SIGNAL_MS } from './limits.ts';
import { createLog } from './log.ts';
import { type Service, startService } from './service.ts';

const USAGE = `usage: npm start
Starts the service with the variables of its environment, which docs/configuration.md lists; without any it is a demonstration.
  --help, --version
Exit codes: 0 it was told to end, and has; 1 it could not start: a wrong argument or variable, or what the message says.`;

/** What a terminal, its end, and a supervisor send. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Environment → configuration → parts → listen → drain; the signals of the process end here. */
async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2), { usage: USAGE });
  if (typeof given === 'string') return void process.stdout.write(given);
  const config = loadConfig(process.env);
  const log = createLog(config.logLevel);
  // Whatever ends the process, an error that nobody caught included: no Postgres stays behind.
  process.on('exit', endPrograms);
  const ending = new AbortController();
  hearSignals(log, (signal) => {
    endInTime(signal);
    ending.abort();
    void end(starting);
  });
  const starting = startService(config, log, ending.signal);
  const service = await starting.catch((error: unknown) => {
    // Told to end before it began, it has done what it was told.
    if (error !== ending.signal.reason) throw error;
  });
  if (service !== undefined) process.stdout.write(await greeting(service));
}

/** The first signal ends the service; one that comes later than its own echo ends the process at once. */
function hearSignals(log: Logger, first: (signal: NodeJS.Signals) => void): void {
  let since: number | undefined;
  for (const signal of SIGNALS) {
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
async function end(starting: Promise<Service>): Promise<void> {
  const service = await starting.catch(() => undefined);
  await service?.close();
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
