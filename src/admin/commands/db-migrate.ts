import { ConfigError, loadAdminConfig } from '../../config.ts';
import { migrate } from '../deploy/migrate.ts';
import { MigrationError } from '../deploy/migration-error.ts';
import { createLog } from '../../log.ts';
import { endBySignal, listenForShutdown } from '../../shutdown.ts';
import { runCommand, parseWholeNumber } from './run-command.ts';

const command = {
  usage: `usage: npm run db:migrate -- [options]
Brings the database at DATABASE_ADMIN_URL up to date: roles, migrations, functions, triggers, policies, rights.
You can repeat the command, even after an interrupted run; access rights are never wider in between. Ctrl-C stops after
the current migration; a second Ctrl-C stops at once.
  --evict     end reporting sessions that block a step for more than 5 s, and print them; needs pg_signal_backend
  --strict    refuse to deploy if there are manual changes that a deploy does not revert and that are not accepted
  --accept-home REASON
              accept what only the provider of a hosted Postgres can change, as audit.accept_home does; for --strict
  --wait      seconds that each step waits for a lock before it fails, 1 to 86400; default: 120
  --help, --version
Exit codes: 0 done; 1 refused or failed, see the message; 2 invalid argument or variable, nothing was done;
3 a lock was not available in time: the message names its holder, try again later.`,
  failureExitCode: 1,
  options: {
    evict: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    'accept-home': { type: 'string' },
    wait: { type: 'string', default: '120' },
  },
} as const;

const ending = new AbortController();
let received: NodeJS.Signals | undefined;
listenForShutdown(
  process,
  (signal) => {
    received = signal;
    ending.abort(new MigrationError(`${signal} ended the deploy: run the command again`));
  },
  (signal) => {
    endBySignal(process, signal);
  },
);

await runCommand(command, async ({ values }) => {
  if (values['accept-home']?.trim() === '')
    throw new ConfigError('--accept-home must have a reason, which audit.accepted then shows');
  await migrate({
    adminUrl: loadAdminConfig(process.env).databaseAdminUrl,
    // Written at once, because a signal that ends the process would lose what pino has yet to write.
    log: createLog('info', process.stdout),
    maxWaitMs: parseWholeNumber('wait', values.wait, 'seconds', 86_400) * 1_000,
    evict: values.evict,
    strict: values.strict,
    acceptedHome: values['accept-home'],
    ending: ending.signal,
  });
});

// A script that started the command can tell a failure from a signal, and ends at Ctrl-C as well.
if (received !== undefined) endBySignal(process, received);
