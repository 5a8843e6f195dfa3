import { readArguments } from './arguments.ts';
import { loadConfig } from './config.ts';
import { readEnvFile } from './config/env-file.ts';
import { oneLineReason } from './db/deploy/migration-error.ts';
import { killRunningPrograms } from './embedded/postgres/command.ts';
import { buildGreeting, formatGreeting } from './greeting.ts';
import { SHUTDOWN_FORCED_EXIT_MS } from './limits.ts';
import { createLog, createPlainTextLog } from './log.ts';
import { describePostgresAddress } from './postgres-address.ts';
import { startService } from './service.ts';
import { endBySignal, listenForShutdown } from './shutdown.ts';

const USAGE = `usage: npm start
Starts the service with the variables of its environment and of a file .env, which docs/configuration.md lists; without
any it is a demonstration.
  --help, --version
Exit codes: 0 it was told to end, and has; 1 it could not start: a wrong argument or variable, or what the message says.`;

async function main(): Promise<void> {
  const argumentsOrHelpText = readArguments(process.argv.slice(2), { usage: USAGE });
  if (typeof argumentsOrHelpText === 'string') return void process.stdout.write(argumentsOrHelpText);
  const isInherited = process.env['DATABASE_URL'] !== undefined;
  readEnvFile();
  const config = loadConfig(process.env);
  const { isTTY: isTerminal } = process.stdout;
  const log = createLog(config.logLevel, isTerminal ? createPlainTextLog() : undefined);
  if (config.database.url !== undefined) {
    const source = isInherited ? 'the environment' : 'the file .env';
    log.info(`DATABASE_URL is set in ${source}: it names ${describePostgresAddress(config.database.url)}`);
  }
  // Stops the embedded Postgres, also after an uncaught error.
  process.on('exit', killRunningPrograms);
  const shutdownController = new AbortController();
  let isServing = false;
  const endAfterFirstSignal = (signal: NodeJS.Signals): void => {
    log.info({ signal }, `shutting down: ${isServing ? 'finishing the running requests' : 'ending the start'}`);
    setTimeout(() => {
      process.stderr.write(`${isServing ? 'a part of the service' : 'the start'} hangs: the process ends without it\n`);
      killProcess(signal);
    }, SHUTDOWN_FORCED_EXIT_MS).unref();
    shutdownController.abort();
    void servicePromise.then(
      (service) => service.close(),
      () => undefined,
    );
  };
  listenForShutdown(process, endAfterFirstSignal, killProcess);
  const servicePromise = startService(config, log, shutdownController.signal);
  const service = await servicePromise.catch((error: unknown) => {
    if (error !== shutdownController.signal.reason) throw error;
  });
  if (service === undefined) return;
  isServing = true;
  const greetingFields = buildGreeting(service);
  if (isTerminal) process.stdout.write(formatGreeting(greetingFields));
  // Logs the address of the service at every LOG_LEVEL.
  else log.child({}, { level: 'info' }).info(greetingFields, 'the service serves');
}

function killProcess(signal: NodeJS.Signals): void {
  killRunningPrograms();
  endBySignal(process, signal);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${oneLineReason(error)}\n`);
  process.exitCode = 1;
});
