import { allSuites } from './support/suites.ts';

/** A group of tests that is too slow for `npm test`. `npm run proofs` runs these groups in the order of this file. */
export interface Proof {
  readonly question: string;
  /** The minutes that the whole group of slow tests (proof) takes on two idle cores. */
  readonly minutes: number;
  /** The test files and folders of this group of slow tests. `npm test` does not run them. */
  readonly suites?: readonly string[];
  /** Test files in the folders of `suites` that belong to `npm test` instead of this group of slow tests. */
  readonly but?: readonly string[];
  /** Suites of `npm test` that this group of slow tests also runs, whole and with the group’s environment variables. */
  readonly again?: readonly string[];
  /** The configuration file with which Jest runs this group of slow tests; jest.config.js if absent. */
  readonly config?: string;
  /** A Node script, with its arguments, that runs after the suites of this group of slow tests. */
  readonly script?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The programs or rights that this group of slow tests needs on the machine. */
  readonly needs?: string;
  /**
   * A command that fails on a machine without `needs`. `npm run proofs` then skips this group of slow tests, and says
   * so in its table.
   */
  readonly answers?: readonly [command: string, ...args: string[]];
  /**
   * The part of this group of slow tests that `npm run proofs -- --sample` runs. `rows` is the share of rows that
   * suites with `sampledByDay` test, for example 1/5. `oneSuiteOf: 3` means that one suite in three runs. The 5 and the
   * 3 must have no common divisor, because otherwise some rows would never be drawn.
   */
  readonly sample?: { readonly rows?: string; readonly oneSuiteOf?: number };
  /** True if this group of slow tests measures something that other tests running at the same time would change. */
  readonly isAlone?: boolean;
}

export const PROOFS: Readonly<Record<string, Proof>> = {
  audit: {
    question: 'Does the audit report every change that weakens the access rules, and no other change?',
    minutes: 10,
    sample: { rows: '1/5', oneSuiteOf: 4 },
    suites: ['test/admin/audit/'],
    but: ['test/admin/audit/declared.test.ts'],
  },
  mutation: {
    question: 'Does a test or the audit notice each right, and a sample of all objects, when they are changed?',
    minutes: 19,
    suites: ['test/mutation/'],
    script: ['test/mutation/run.ts', '--minutes', '6'],
  },
  mutants: {
    question: 'Do the tests notice a single fault in the code of src, for a sample of possible faults?',
    minutes: 10,
    isAlone: true,
    script: ['test/mutants/run.ts'],
  },
  abuse: {
    question: 'What does an attacker get with a token, a login or a raw connection?',
    minutes: 4,
    script: ['test/abuse/run.ts'],
  },
  interference: {
    question: 'Can a tenant notice other tenants in ways that docs/channels.md does not list?',
    minutes: 13,
    sample: { rows: '1/24' },
    suites: ['test/interference/'],
    script: ['test/interference/run.ts'],
  },
  matrix: {
    question: 'May each role do exactly what the rights say, at every endpoint?',
    minutes: 1,
    again: ['test/resources/matrix.test.ts'],
  },
  races: {
    question: 'Do the invariants hold after simultaneous requests, in every order?',
    minutes: 9,
    suites: ['test/races/'],
  },
  concurrency: {
    question: 'Which request waits and which one wins if two change the same record?',
    minutes: 1,
    suites: ['test/concurrency/'],
  },
  faults: {
    question: 'Does the service keep the promises of docs/reliability.md while its surroundings fail?',
    minutes: 45,
    isAlone: true,
    suites: ['test/faults/'],
    but: ['test/faults/reliability.test.ts'],
    script: ['test/faults/run.ts'],
    needs: 'root, on Linux',
  },
  soak: {
    question: 'Do two instances survive five minutes of load and faults, without using more files and connections?',
    minutes: 6,
    isAlone: true,
    script: ['test/faults/run.ts', '--minutes', '5'],
    needs: 'root, on Linux',
  },
  outbox: {
    question: 'Is each change of rights sent to the provider, and each mail to the mail server, after every failure?',
    minutes: 2,
    suites: ['test/outbox/', 'test/admin/identity-sync.test.ts'],
    but: ['test/outbox/reminders.test.ts'],
  },
  deploys: {
    question: 'Does a deploy succeed on every earlier state of the database, and beside other sessions?',
    minutes: 3,
    suites: ['test/admin/deploy/', 'test/db/across-tenants.test.ts'],
    but: ['test/admin/deploy/cut-short.test.ts'],
  },
  upgrade: {
    question: 'Does a database of an earlier release lose nothing when it is upgraded, also under load?',
    minutes: 2,
    suites: ['test/upgrade/'],
    needs: 'the git history, and Debian’s postgresql-15',
    answers: ['git', 'rev-parse', '--verify', '--quiet', 'a9099d7^{commit}'],
  },
  cuts: {
    question: 'Does the next deploy complete a deploy that was interrupted at any moment?',
    minutes: 5,
    suites: ['test/admin/deploy/cut-short.test.ts'],
  },
  homes: {
    question:
      'Can a firm deploy to, audit, serve from, and restore a Postgres that it buys, where nobody is a superuser?',
    minutes: 4,
    suites: ['test/homes/'],
    needs: 'Debian’s postgresql-15',
    answers: ['/usr/lib/postgresql/15/bin/pg_dump', '--version'],
  },
  outages: {
    question: 'What do callers get while Postgres is down, silent, frozen, or replaced by another server?',
    minutes: 2,
    suites: [
      ...['outage', 'mute', 'frozen', 'several-servers', 'audit-writer', 'spool'].map(
        (name) => `test/db/${name}.test.ts`,
      ),
      ...['outage', 'refusal-lane', 'csv-slowly', 'long-replies', 'budgets'].map((name) => `test/http/${name}.test.ts`),
      ...['test/resources/health.test.ts', 'test/counters/', 'test/tracing/'],
      ...['test/metrics/attack.test.ts', 'test/metrics/metrics.test.ts'],
    ],
  },
  archive: {
    question: 'Is the audit log partitioned by month and archived without losing a record?',
    minutes: 1,
    sample: { oneSuiteOf: 3 },
    suites: ['test/admin/archive/', 'test/db/audit-months.test.ts'],
  },
  process: {
    question: 'Does each environment variable have its effect, and do the commands work as the pages say?',
    minutes: 3,
    suites: ['test/process/', 'test/pages/conventions-types.test.ts', 'test/pages/frontend.test.ts'],
    but: ['test/process/start.test.ts'],
    needs: 'Bash and curl',
  },
  embedded: {
    question: 'Does `npm start` start its own Postgres and provider, whatever an earlier start left behind?',
    minutes: 2,
    suites: ['test/demo/'],
  },
  sheets: {
    question: 'Do the programs that others use read a list for Excel in French as its values?',
    minutes: 1,
    suites: ['test/sheets/'],
    needs: 'Debian’s libreoffice-calc, and Python 3',
    answers: ['soffice', '--headless', '--version'],
  },
  documents: {
    question: 'Are a document’s row and content stored and deleted together, on a disk and in S3?',
    minutes: 2,
    suites: ['test/documents/', 'test/admin/document-check.test.ts'],
    but: ['archive', 'content-type', 'digests', 'download', 'foreign-readers', 'links', 'presigned', 'stores'].map(
      (name) => `test/documents/${name}.test.ts`,
    ),
  },
  'archives-read': {
    question: 'Do Java, Python and unzip read the ZIP of a claim, and is a form of curl taken?',
    minutes: 1,
    suites: ['test/documents/foreign-readers.test.ts'],
    needs: 'Java 17, Python 3, unzip and curl',
    answers: ['sh', '-c', 'java -version && jar --version && python3 -V && unzip -v && curl -V'],
  },
  repeats: {
    question: 'Does each creation with an Idempotency-Key happen exactly once, for every endpoint and every role?',
    minutes: 1,
    suites: ['test/idempotency/'],
  },
  lists: {
    question: 'Does every list return each record once, in every order, with the declared query plans?',
    minutes: 4,
    sample: { oneSuiteOf: 5 },
    suites: ['lists', 'names', 'possible-moves', 'versions', 'import-limits']
      .map((name) => `test/resources/${name}.test.ts`)
      .concat('test/plans/'),
  },
  property: {
    question: 'Does the OpenAPI description hold for every generated request?',
    minutes: 5,
    suites: ['test/property/'],
  },
  growth: {
    question: 'Does double input take about double work, and does no request block the event loop?',
    minutes: 4,
    isAlone: true,
    suites: ['test/http/growth.test.ts', 'test/http/event-loop.test.ts'],
  },
  reporting: {
    question: 'Does a BI login see the granted clients only?',
    minutes: 1,
    suites: ['test/reporting/'],
    but: ['test/reporting/grants.test.ts'],
  },
  pooler: {
    question: 'Are tenants isolated behind PgBouncer in transaction mode?',
    minutes: 1,
    again: [
      ...['transaction', 'database', 'session', 'settings'].map((name) => `test/db/${name}.test.ts`),
      'test/resources/matrix.test.ts',
    ],
    env: { TEST_POOLER: '1' },
    needs: 'Debian’s pgbouncer',
  },
  proxies: {
    question: 'Do streams, ETags, parts, uploads and links arrive through Debian’s nginx and Apache?',
    minutes: 1,
    suites: ['test/proxies/'],
    needs: 'Debian’s nginx and apache2',
    answers: ['sh', '-c', '/usr/sbin/nginx -v && /usr/sbin/apache2 -v'],
  },
  containers: {
    question: 'Do the policies hold, and does the service start, on a Postgres in a container?',
    minutes: 1,
    again: ['test/policies/policies.test.ts', 'test/process/start.test.ts'],
    env: { TEST_CONTAINERS: '1' },
    needs: 'a Docker engine',
    answers: ['docker', 'version', '--format', 'Docker {{.Server.Version}}'],
  },
  clients: {
    question: 'Does a client that is generated from the OpenAPI description compile and work?',
    minutes: 1,
    suites: ['test/clients/'],
  },
  browser: {
    question: 'Do /docs, the provider’s pages, the firm’s desk and a mail’s link work in a browser?',
    minutes: 3,
    suites: ['test/browser/'],
    config: 'jest.browser.config.js',
    needs: 'Chromium',
  },
  lab: {
    question: 'Do the programs of a deployment behave as the files of deploy/ say?',
    minutes: 3,
    config: 'jest.deploy.config.js',
    needs: 'the packages of deploy/lab/packages',
  },
  deploy: {
    question: 'Is no data lost, outdated or foreign if a part of a deployment fails under load?',
    minutes: 16,
    isAlone: true,
    script: ['deploy/check/run.ts'],
    needs: 'the packages of deploy/lab/packages',
  },
};

const owners = new Map(
  Object.entries(PROOFS).flatMap(([name, { suites = [], but = [] }]) =>
    allSuites()
      .filter((suite) => isIn(suites, suite) && !isIn(but, suite))
      .map((suite) => [suite, name] as const),
  ),
);

/**
 * Returns the name of the group of slow tests (proof) to which a test suite belongs; undefined for a suite of `npm
 * test`.
 */
export function proofOf(suite: string): string | undefined {
  return owners.get(suite);
}

/** Returns the test suites of a group of slow tests (proof). `npm test` does not run these suites. */
export function suitesOf(name: string): string[] {
  return [...owners].filter(([, owner]) => owner === name).map(([suite]) => suite);
}

/** True if a file is one of the given paths, or lies in one of the given folders. */
export function isIn(paths: readonly string[], file: string): boolean {
  return paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path));
}
