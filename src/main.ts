import type { Logger } from 'pino';
import { readArguments } from './arguments.ts';
import { loadConfig } from './config.ts';
import { readEnvFile } from './config/env-file.ts';
import { endPrograms } from './embedded/postgres/command.ts';
import { greetingOf, inWords } from './greeting.ts';
import { LAST_MS, SAME_SIGNAL_MS } from './limits.ts';
import { createLog, plainLines } from './log.ts';
import { startService } from './service.ts';

const USAGE = `usage: npm start
Starts the service with the variables of its environment and of a file .env, which docs/configuration.md lists; without
any it is a demonstration.
  --help, --version
Exit codes: 0 it was told to end, and has; 1 it could not start: a wrong argument or variable, or what the message says.`;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2), { usage: USAGE });
  if (typeof given === 'string') return void process.stdout.write(given);
  readEnvFile();
  const config = loadConfig(process.env);
  const { isTTY: isTerminal } = process.stdout;
  const log = createLog(config.logLevel, isTerminal ? plainLines() : undefined);
  // Stops the embedded Postgres, also after an uncaught error.
  process.on('exit', endPrograms);
  const ending = new AbortController();
  onSignals(log, (signal) => {
    endInTime(signal);
    ending.abort();
    void starting.then(
      (service) => service.close(),
      () => undefined,
    );
  });
  const starting = startService(config, log, ending.signal);
  const service = await starting.catch((error: unknown) => {
    if (error !== ending.signal.reason) throw error;
  });
  if (service === undefined) return;
  const said = greetingOf(service);
  if (isTerminal) process.stdout.write(inWords(said));
  // Whatever LOG_LEVEL is: the line has the address.
  else log.child({}, { level: 'info' }).info(said, 'the service serves');
}

/** The first signal closes the service; a later signal kills the process. npm sends each Ctrl-C twice. */
function onSignals(log: Logger, first: (signal: NodeJS.Signals) => void): void {
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
    process.stderr.write('something hangs, and the process ends without it\n');
    endAtOnce(signal);
  }, LAST_MS).unref();
}

function endAtOnce(signal: NodeJS.Signals): void {
  endPrograms();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
