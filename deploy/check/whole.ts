import { setTimeout as delay } from 'node:timers/promises';
import type { Violation } from '../../test/faults/account.ts';
import type { Entry } from '../../test/faults/journal.ts';
import { createTestKey } from '../../test/support/identity.ts';
import { resultOf } from './accounts.ts';
import { untilCalm } from './calm.ts';
import { drawUp, nameOf } from './drawn-up.ts';
import type { Bounds, Fault, Result } from './fault.ts';
import { replaceEach } from './front.ts';
import { openWhole } from './whole-world.ts';
import type { Whole } from './whole-world.ts';
import type { World } from './world.ts';

/*
 * These tests start a whole deployment once. During one load test they break each of its servers in turn, and each time
 * wait until no request has failed for some seconds.
 */

interface Break {
  readonly name: string;
  /** The containers of deploy/compose that fail in this test. */
  readonly breaks: readonly string[];
  readonly bounds: Bounds;
  readonly holdMs: number;
  /** Breaks a part of the deployment, for example by killing HAProxy. Returns a function that repairs it. */
  begin: (whole: Whole) => Promise<() => Promise<void>>;
}

/** The limit for a failure during which no request is allowed to fail. */
const NONE: Bounds = { failed: 0 };
/** The limit for a failure after which requests must succeed again within the time-outs of one request. */
const SOON: Bounds = { backAfterMs: 25_000 };
/**
 * The limit for a failure after which Patroni elects a new leader. In this time the old leader’s role expires (ttl),
 * the standbys notice this and elect one of them, and PgBouncer connects again.
 */
const ELECTED: Bounds = { backAfterMs: 35_000 };

const BREAKS: readonly Break[] = [
  {
    ...{ name: 'HAProxy is killed, and started again', breaks: ['haproxy'], bounds: SOON, holdMs: 2_000 },
    async begin({ haproxy }) {
      await haproxy.now.kill();
      return () => haproxy.again();
    },
  },
  {
    ...{ name: 'an instance is killed, and started again', breaks: ['api1'], bounds: SOON, holdMs: 4_000 },
    async begin({ instances: [one] }) {
      one.signal('SIGKILL');
      await one.ended();
      return () => one.start();
    },
  },
  {
    ...{
      name: 'an operator restarts the instances one after the other',
      breaks: ['api1', 'api2'],
      bounds: NONE,
      holdMs: 0,
    },
    async begin({ instances, haproxy }) {
      await replaceEach(instances, haproxy.now);
      return () => Promise.resolve();
    },
  },
  {
    ...{ name: 'PgBouncer is killed, and started again', breaks: ['pgbouncer'], bounds: SOON, holdMs: 2_000 },
    async begin({ pooler }) {
      await pooler.kill();
      return () => pooler.start();
    },
  },
  {
    ...{ name: 'PgBouncer is frozen, and continues', breaks: ['pgbouncer'], bounds: SOON, holdMs: 8_000 },
    async begin({ pooler }) {
      await pooler.freeze();
      return () => pooler.resume();
    },
  },
  {
    ...{ name: 'the primary is killed, and started again', breaks: ['database'], bounds: ELECTED, holdMs: 0 },
    async begin({ cluster }) {
      const leader = await cluster.leader();
      await leader.kill();
      return async () => {
        while ((await cluster.leader()).name === leader.name) await delay(100);
        await leader.start();
      };
    },
  },
  {
    ...{ name: 'a standby is frozen, and continues', breaks: [], bounds: NONE, holdMs: 8_000 },
    async begin({ cluster }) {
      const standby = await cluster.asynchronousStandby();
      await standby.freeze();
      return () => standby.resume();
    },
  },
  {
    ...{ name: 'Redis is frozen, and continues', breaks: ['redis'], bounds: NONE, holdMs: 4_000 },
    async begin({ redis }) {
      await redis.now.freeze();
      return () => redis.now.resume();
    },
  },
  {
    ...{ name: 'Redis is killed, and another one starts in its place', breaks: ['redis'], bounds: NONE, holdMs: 4_000 },
    async begin({ redis }) {
      await redis.now.kill();
      return () => redis.again();
    },
  },
  {
    ...{ name: 'S3 is killed, and started again', breaks: [], bounds: SOON, holdMs: 4_000 },
    async begin({ s3 }) {
      await s3.now.kill();
      return () => s3.again();
    },
  },
  {
    ...{ name: 'S3 is frozen, and continues', breaks: [], bounds: SOON, holdMs: 8_000 },
    async begin({ s3 }) {
      await s3.now.freeze();
      return () => s3.now.resume();
    },
  },
  {
    ...{ name: 'Prometheus is killed, and started again', breaks: ['prometheus'], bounds: NONE, holdMs: 3_000 },
    async begin({ prometheus }) {
      await prometheus.now.kill();
      return () => prometheus.again();
    },
  },
  {
    // During this failure the load test also sends tokens with the signature of a new key. The service refuses these
    // tokens until it can reach the identity provider and fetch the new key.
    ...{
      name: 'the keys of the identity provider are unreachable for a while',
      breaks: [],
      bounds: NONE,
      holdMs: 5_000,
    },
    async begin({ identity, load }) {
      identity.publish(...identity.keys, await createTestKey());
      await identity.stop();
      load.useNewToken(await identity.token({ sub: 'idp|new' }));
      return () => identity.start();
    },
  },
  {
    // The full disk belongs to one instance. This instance can store its records of refused requests neither there nor
    // in the database, and answers these requests with 503. The other instance keeps such records on its own disk.
    ...{
      name: 'the disk of an instance’s spooled refusals is full while PgBouncer is frozen',
      breaks: [],
      bounds: SOON,
      holdMs: 6_000,
    },
    async begin({ spoolDisk, pooler }) {
      if (spoolDisk === undefined) throw new Error('only root can mount the small disk that this fault fills');
      await spoolDisk.fill();
      await pooler.freeze();
      return async () => {
        await spoolDisk.empty();
        await pooler.resume();
      };
    },
  },
];

export const faults: readonly Fault[] = BREAKS.map((one) => ({
  ...{ part: 'whole', fault: one.name, bounds: one.bounds, breaks: one.breaks },
  run: async (world: World) => {
    const trials = await world.once('whole', (folder) => openTrials(folder, world.seed));
    return trials.tryBreak(one);
  },
}));

interface Trials {
  tryBreak(one: Break): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Starts the deployment that all of these tests share. Reports each violation only once, so that each row of the table
 * has only the violations of its own failure.
 */
async function openTrials(folder: string, seed: number): Promise<Trials> {
  const whole = await openWhole(folder, seed);
  const reportedAlerts = new Set<string>();
  let sent = 0;
  return {
    close: () => whole.close(),
    async tryBreak({ begin, holdMs }) {
      const { load, cluster } = whole;
      const unrest = [...(await untilCalm(load.journal, Date.now()))];
      const brokenAt = Date.now();
      const mend = await begin(whole);
      await delay(holdMs);
      await mend();
      unrest.push(...(await untilCalm(load.journal, Date.now())));
      try {
        const entries = await load.hold();
        const violations = (await drawUp(whole, entries)).filter((one) => isNew(reportedAlerts, one));
        const result = resultOf(entries.slice(sent), violations, brokenAt);
        const logged = linesOf(whole, entries.slice(sent));
        sent = entries.length;
        await cluster.settled();
        return {
          ...result,
          wrong: [...unrest, ...(await missingTargets(whole)), ...(result.wrong ?? []), ...logged],
        };
      } finally {
        load.resume();
      }
    },
  };
}

function isNew(reportedAlerts: Set<string>, violation: Violation): boolean {
  const name = nameOf(violation);
  if (reportedAlerts.has(name)) return false;
  reportedAlerts.add(name);
  return true;
}

/** Returns the instances’ log lines about requests that got an unexpected status. */
function linesOf({ instances }: Whole, entries: readonly Entry[]): readonly string[] {
  const ids = entries.flatMap(({ expected, requestId }) => (expected || requestId === null ? [] : [requestId]));
  return instances.flatMap(({ output }) => output.split('\n')).filter((line) => ids.some((id) => line.includes(id)));
}

/**
 * Returns a message if Prometheus does not reach both instances of the service within ten seconds; otherwise nothing.
 */
async function missingTargets({ prometheus }: Whole): Promise<readonly string[]> {
  const end = Date.now() + 10_000;
  for (;;) {
    const up = await prometheus.now.query('up{job="taxclaims"} == 1');
    if (up.length === 2) return [];
    if (Date.now() > end) return [`Prometheus sees ${up.length} of two instances`];
    await delay(250);
  }
}
