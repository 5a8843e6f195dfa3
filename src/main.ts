import { readArguments } from './arguments.ts';
import { loadConfig } from './config.ts';
import { readEnvFile } from './config/env-file.ts';
import { SHUTDOWN_FORCED_EXIT_MS } from './limits.ts';
import { createLog, createPlainTextLog } from './log.ts';
import { describePostgresAddress } from './postgres-address.ts';
import { isServiceConfig, startService } from './service.ts';
import { createShutdownList, endBySignal, listenForShutdown } from './shutdown.ts';
import { oneLineReason } from './single-line.ts';
import { readSystemErrorCode } from './system-error.ts';
import { VERSION } from './version.ts';

const USAGE = `usage: npm start
Starts the service. Variables are read from the environment and from a file .env; docs/configuration.md lists them.
Without any variables the service starts as a demonstration.
  --help, --version
Exit codes: 0 stopped on request; 1 could not start: invalid argument or variable, or see the message.`;

/** The module of the demonstration, in a process that starts one. */
let demo: typeof import('./demo/start.ts') | undefined;

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2), { usage: USAGE });
  if (typeof given === 'string') return void process.stdout.write(given);
  const isInherited = process.env['DATABASE_URL'] !== undefined;
  readEnvFile();
  const config = loadConfig(process.env);
  const { isTTY: isTerminal } = process.stdout;
  const log = createLog(config.logLevel, isTerminal ? createPlainTextLog() : undefined);
  if (config.database.url !== undefined) {
    const source = isInherited ? 'the environment' : 'the file .env';
    log.info(`DATABASE_URL is set in ${source}: it names ${describePostgresAddress(config.database.url)}`);
  }
  const parts = createShutdownList(log);
  const ending = new AbortController();
  let isServing = false;

  const start = async () => {
    if (isServiceConfig(config)) return { url: await startService(config, log, parts) };
    demo = await import('./demo/start.ts').catch((cause: unknown) => {
      if (readSystemErrorCode(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
      throw new Error('DATABASE_URL and AUTH_ISSUER must be set: no demonstration is installed here', { cause });
    });
    keepOwnAddressesLocal(config.database.url === undefined);
    // Stops the embedded Postgres, also after an uncaught error.
    process.on('exit', demo.killRunningPrograms);
    const demonstration = await demo.startDemonstration(config, log, parts, ending.signal);
    ending.signal.throwIfAborted();
    const url = await startService(demonstration.config, log, parts);
    return { url, fields: demonstration.greeting, lines: demonstration.greetingLines(url) };
  };
  const startUntilSignal = async () => {
    const greeting = await start();
    ending.signal.throwIfAborted();
    return greeting;
  };
  const started = startUntilSignal().catch(async (error: unknown): Promise<undefined> => {
    await parts.close();
    // A signal has ended the start.
    if (error === ending.signal.reason) return undefined;
    throw error;
  });
  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal }, `shutting down: ${isServing ? 'finishing the running requests' : 'ending the start'}`);
    setTimeout(() => {
      process.stderr.write(
        `${isServing ? 'a part of the service' : 'the start'} hangs: the process ends without waiting for it\n`,
      );
      killProcess(signal);
    }, SHUTDOWN_FORCED_EXIT_MS).unref();
    ending.abort();
    void started.then(parts.close, () => undefined);
  };
  listenForShutdown(process, end, killProcess);

  const greeting = await started;
  if (greeting === undefined) return;
  isServing = true;
  const { url, lines = [], fields } = greeting;
  const docs = `${url}/docs`;
  if (isTerminal)
    process.stdout.write(
      ['', `taxclaims ${VERSION}`, `Open      ${docs}`, `API       ${url}`, ...lines, ''].join('\n'),
    );
  // Logs the address of the service at every LOG_LEVEL.
  else log.child({}, { level: 'info' }).info({ version: VERSION, docs, api: url, ...fields }, 'the service serves');
}

/**
 * Removes what would lead connections to the demonstration's own Postgres and identity provider elsewhere: the variables
 * of libpq, such as PGSSLMODE, and a proxy for 127.0.0.1.
 */
function keepOwnAddressesLocal(isPostgresOwn: boolean): void {
  for (const name of Object.keys(process.env))
    if (isPostgresOwn && /^PG[A-Z]+$/.test(name)) Reflect.deleteProperty(process.env, name);
  // Node reads `no_proxy` before `NO_PROXY`.
  const excepted = process.env['no_proxy'] ?? process.env['NO_PROXY'] ?? '';
  process.env['no_proxy'] = [excepted, '127.0.0.1', 'localhost'].filter((host) => host !== '').join(',');
}

function killProcess(signal: NodeJS.Signals): void {
  demo?.killRunningPrograms();
  endBySignal(process, signal);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${oneLineReason(error)}\n`);
  process.exitCode = 1;
});
