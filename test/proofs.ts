import { allSuites } from './support/suites.ts';

/** What is too long for `npm test`, each with a name of its own. `npm run proofs` runs them in this order. */
interface Proof {
  readonly question: string;
  /** On two quiet cores. */
  readonly minutes: number;
  /** Files, or folders with everything below them; `npm test` leaves them out. */
  readonly suites?: readonly string[];
  /** Of these, what `npm test` runs all the same. */
  readonly but?: readonly string[];
  /** Suites of `npm test` that are run once more, in the proof's environment. */
  readonly again?: readonly string[];
  /** The configuration of Jest, where it is another. */
  readonly config?: string;
  /** What Node runs after the suites, with its arguments. */
  readonly script?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What this machine must have. */
  readonly needs?: string;
}

export const PROOFS: Readonly<Record<string, Proof>> = {
  audit: {
    question: 'Does the audit see what weakens the house, and nothing else?',
    minutes: 6,
    suites: ['test/audit/'],
    but: ['test/audit/declared.test.ts'],
  },
  breakages: {
    question: 'What does the audit say of what a DBA might do, written without a look at it?',
    minutes: 2,
    script: ['test/audit/invented.ts'],
  },
  mutation: {
    question:
      'Does a test or the audit notice each right, and a sample of all objects, when they are changed?',
    minutes: 10,
    suites: ['test/mutation/'],
    script: ['test/mutation/run.ts', '--minutes', '6'],
  },
  abuse: {
    question: 'What does an attacker with a token, a login or a line get?',
    minutes: 2,
    script: ['test/abuse/run.ts'],
  },
  interference: {
    question: 'Is anything of other tenants told but what docs/channels.md states?',
    minutes: 4,
    suites: ['test/interference/'],
    script: ['test/interference/run.ts'],
  },
  races: {
    question: 'Do the invariants hold after requests at the same time, in every order?',
    minutes: 9,
    suites: ['test/races/'],
  },
  concurrency: {
    question: 'Who waits for whom, and who wins, where two change the same record?',
    minutes: 1,
    suites: ['test/concurrency/', 'test/resources/clocks.test.ts'],
  },
  faults: {
    question:
      'Is everything kept that docs/reliability.md promises while something around the service breaks?',
    minutes: 11,
    suites: ['test/faults/'],
    but: ['test/faults/reliability.test.ts'],
    script: ['test/faults/run.ts'],
    needs: 'root, on Linux',
  },
  soak: {
    question: 'Does one process live through load and faults without growing?',
    minutes: 6,
    script: ['test/faults/soak.ts', '--minutes', '5'],
    needs: 'root, on Linux',
  },
  loop: {
    question: 'Are changes of rights kept, in order, while the API and the provider are killed?',
    minutes: 6,
    suites: ['test/loop/', 'test/outbox/'],
    script: ['test/loop/run.ts', '--kills', '40'],
  },
  reminders: {
    question: 'Does each user get the mail of a day while service, Postgres and mail server are killed?',
    minutes: 4,
    script: ['test/loop/run.ts', '--mode', 'reminders', '--kills', '100'],
  },
  deploys: {
    question: 'Does a deploy take the database to the present, whatever it finds and whoever is in its way?',
    minutes: 3,
    suites: [
      ...['deploy', 'deploy-beside-others', 'deploy-lost', 'deploy-strict', 'deploy-take-back'],
      ...['rewrites', 'across-tenants'],
    ].map((name) => `test/db/${name}.test.ts`),
  },
  cuts: {
    question: 'Is a deploy that is cut short at any moment whole after the next one?',
    minutes: 5,
    suites: ['test/db/deploy-cut-short.test.ts'],
  },
  outages: {
    question: 'What becomes of requests when Postgres is away, mute, frozen, or another?',
    minutes: 2,
    suites: [
      ...['outage', 'mute', 'frozen', 'several-servers', 'audit-writer', 'spool'].map(
        (name) => `test/db/${name}.test.ts`,
      ),
      ...['outage', 'refusal-lane', 'csv-slowly', 'budgets'].map((name) => `test/http/${name}.test.ts`),
      ...['test/resources/health.test.ts', 'test/counters/', 'test/tracing/'],
      ...['test/metrics/attack.test.ts', 'test/metrics/metrics.test.ts'],
    ],
  },
  archive: {
    question: 'Is the audit log kept by month, archived, and nothing of it lost?',
    minutes: 1,
    suites: ['audit-archive', 'audit-archive-beside-others', 'audit-months'].map(
      (name) => `test/db/${name}.test.ts`,
    ),
  },
  process: {
    question: 'Does the process hear each variable, and do its commands what the documents say?',
    minutes: 3,
    suites: ['test/process/', 'test/pages/conventions-types.test.ts', 'test/pages/frontend.test.ts'],
    but: ['test/process/start.test.ts'],
    needs: 'Bash and curl',
  },
  embedded: {
    question: 'Does `npm start` bring up its own Postgres and provider, whatever an earlier start left?',
    minutes: 2,
    suites: ['test/embedded/'],
  },
  documents: {
    question: 'Do a document’s row and content come and go together, on a disk and in S3?',
    minutes: 2,
    suites: ['test/documents/'],
    but: ['test/documents/content-type.test.ts'],
  },
  repeats: {
    question: 'Is a creation with an Idempotency-Key made once, whatever breaks?',
    minutes: 1,
    suites: ['test/idempotency/'],
  },
  lists: {
    question: 'Does every list give each record once, in every order, and read with the plans written down?',
    minutes: 4,
    suites: ['lists', 'names', 'moves', 'possible-moves', 'versions', 'import-limits']
      .map((name) => `test/resources/${name}.test.ts`)
      .concat('test/plans/'),
  },
  property: {
    question: 'Does what the description says hold for whatever is sent?',
    minutes: 5,
    suites: ['test/property/'],
  },
  growth: {
    question: 'Is twice the input about twice the work, and does no request hold the event loop?',
    minutes: 4,
    suites: ['test/http/growth.test.ts', 'test/http/event-loop.test.ts'],
  },
  reporting: {
    question: 'Does a BI login see the clients that it was granted, and no more?',
    minutes: 1,
    suites: ['test/reporting/'],
    but: ['test/reporting/grants.test.ts'],
  },
  pooler: {
    question: 'Are tenants kept apart with PgBouncer in transaction mode between?',
    minutes: 1,
    again: [
      ...['transaction', 'database', 'session', 'settings'].map((name) => `test/db/${name}.test.ts`),
      'test/resources/matrix.test.ts',
    ],
    env: { TEST_POOLER: '1' },
    needs: 'Debian’s pgbouncer',
  },
  clients: {
    question: 'Do clients that four generators make from the description compile and work?',
    minutes: 2,
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
    question: 'Are the parts of a deployment what the files of deploy/ say?',
    minutes: 3,
    config: 'jest.deploy.config.js',
    needs: 'the packages of deploy/lab/packages',
  },
  deploy: {
    question: 'Is nothing lost, stale or foreign when a part of a deployment breaks under load?',
    minutes: 16,
    script: ['deploy/check/run.ts'],
    needs: 'the packages of deploy/lab/packages',
  },
  figures: {
    question: 'Is each figure of test/README.md and docs/reliability.md one of the proof as it is now?',
    minutes: 1,
    suites: ['test/figures.test.ts'],
  },
};

const owners = new Map(
  Object.entries(PROOFS).flatMap(([name, { suites = [], but = [] }]) =>
    allSuites()
      .filter((suite) => isIn(suites, suite) && !isIn(but, suite))
      .map((suite) => [suite, name] as const),
  ),
);

/** The name of the proof that a suite is part of; undefined for those of `npm test`. */
export function proofOf(suite: string): string | undefined {
  return owners.get(suite);
}

/** The suites of a proof that `npm test` leaves out. */
export function suitesOf(name: string): string[] {
  return [...owners].filter(([, owner]) => owner === name).map(([suite]) => suite);
}

/** Whether a file is one of these, or below one of these folders. */
export function isIn(paths: readonly string[], file: string): boolean {
  return paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path));
}
