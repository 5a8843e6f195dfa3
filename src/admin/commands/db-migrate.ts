import { ConfigError, loadAdminConfig } from '../../config.ts';
import { migrate } from '../deploy/migrate.ts';
import { MigrationError } from '../deploy/migration-error.ts';
import { createLog } from '../../log.ts';
import { endBySignal, listenForShutdown } from '../../shutdown.ts';
import { runCommand, parseWholeNumber } from './run-command.ts';

const command = {
  usage: `usage: npm run db:migrate -- [options]
Brings the database at DATABASE_ADMIN_URL to the present: roles, migrations, functions, triggers, policies, rights.
It may be repeated, also after a run that was killed; nothing is ever open in between. Ctrl-C ends it between two
migrations; a second Ctrl-C ends it at once.
  --evict     end reporting sessions that are in the way for more than 5 s, and say whose; needs pg_signal_backend
  --strict    refuse where something was changed by hand that a deploy does not take back, and nobody accepted it
  --accept-home REASON
              accept what only the provider of a bought Postgres can change, as audit.accept_home does; for --strict
  --wait      how many seconds each step waits for others before it gives up, 1 to 86400; 120 when absent
  --help, --version
Exit codes: 0 done; 1 refused or failed, the message says why; 2 a wrong argument or variable, nothing was tried;
3 others were in the way for too long, the message says who, and the same command may succeed later.`,
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
    ending.abort(new MigrationError(`${signal} ended the migration of the database: run it again`));
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
