import type { Logger } from 'pino';
import { readArguments } from './arguments.ts';
import { loadConfig } from './config.ts';
import { readEnvFile } from './config/env-file.ts';
import { killRunningPrograms } from './embedded/postgres/command.ts';
import { buildGreeting, formatGreeting } from './greeting.ts';
import { SHUTDOWN_FORCED_EXIT_MS, REPEATED_SIGNAL_MS } from './limits.ts';
import { createLog, createPlainTextLog } from './log.ts';
import { startService } from './service.ts';

const USAGE = `usage: npm start
Starts the service with the variables of its environment and of a file .env, which docs/configuration.md lists; without
any it is a demonstration.
  --help, --version
Exit codes: 0 it was told to end, and has; 1 it could not start: a wrong argument or variable, or what the message says.`;

const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const argumentsOrHelpText = readArguments(process.argv.slice(2), { usage: USAGE });
  if (typeof argumentsOrHelpText === 'string') return void process.stdout.write(argumentsOrHelpText);
  readEnvFile();
  const config = loadConfig(process.env);
  const { isTTY: isTerminal } = process.stdout;
  const log = createLog(config.logLevel, isTerminal ? createPlainTextLog() : undefined);
  // Stops the embedded Postgres, also after an uncaught error.
  process.on('exit', killRunningPrograms);
  const shutdownController = new AbortController();
  handleShutdownSignals(log, (signal) => {
    killAfterGracePeriod(signal);
    shutdownController.abort();
    void servicePromise.then(
      (service) => service.close(),
      () => undefined,
    );
  });
  const servicePromise = startService(config, log, shutdownController.signal);
  const service = await servicePromise.catch((error: unknown) => {
    if (error !== shutdownController.signal.reason) throw error;
  });
  if (service === undefined) return;
  const greetingFields = buildGreeting(service);
  if (isTerminal) process.stdout.write(formatGreeting(greetingFields));
  // Logs the address of the service at every LOG_LEVEL.
  else log.child({}, { level: 'info' }).info(greetingFields, 'the service serves');
}

/**
 * The first signal closes the service; a later signal kills the process. A repetition right after the first signal is
 * ignored, because npm sends each Ctrl-C twice.
 */
function handleShutdownSignals(log: Logger, onFirstSignal: (signal: NodeJS.Signals) => void): void {
  let firstShutdownSignalMs: number | undefined;
  for (const signal of SHUTDOWN_SIGNALS) {
    process.on(signal, () => {
      if (firstShutdownSignalMs === undefined) {
        firstShutdownSignalMs = performance.now();
        log.info({ signal }, 'shutting down: finishing the running requests');
        onFirstSignal(signal);
      } else if (performance.now() - firstShutdownSignalMs > REPEATED_SIGNAL_MS) {
        killProcess(signal);
      }
    });
  }
}

function killAfterGracePeriod(signal: NodeJS.Signals): void {
  setTimeout(() => {
    process.stderr.write('a part of the service hangs: the process ends without it\n');
    killProcess(signal);
  }, SHUTDOWN_FORCED_EXIT_MS).unref();
}

function killProcess(signal: NodeJS.Signals): void {
  killRunningPrograms();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
