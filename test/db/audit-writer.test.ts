import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createAuditWriter } from '../../src/db/refusals/audit-writer.ts';
import type { AuditWriter } from '../../src/db/refusals/audit-writer.ts';
import { createRefusalRecorder } from '../../src/db/refusals/recorder.ts';
import { dateRefusal, formatSpoolLine } from '../../src/db/refusals/refusal.ts';
import type { Refusal } from '../../src/db/refusals/refusal.ts';
import { openSpool } from '../../src/db/refusals/spool.ts';
import { MINE, openProbe } from '../support/probe.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { forSuite } from '../support/suite.ts';
import { filesIn, until } from '../support/upload.ts';

let dataDir: string;

const probe = await forSuite(openProbe());

beforeEach(async () => {
  dataDir = await createScratchFolder();
});
afterEach(() => rm(dataDir, { recursive: true }));

interface Writer extends AuditWriter {
  /** The level and the message of each line that the audit writer logged. */
  readonly said: readonly string[];
}

/**
 * Opens an audit writer as a starting service does. The audit writer keeps waiting records in the suite’s folder, which
 * `spoil` can damage beforehand.
 */
async function openWriter(spoil = () => Promise.resolve()): Promise<Writer> {
  const said: string[] = [];
  const write = (line: string): void => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    said.push(`${level} ${msg}`);
  };
  const log = pino({}, { write });
  const spool = await openSpool(dataDir);
  await spoil();
  const writer = createAuditWriter(probe.database, spool, log);
  return {
    said,
    record: (one) => writer.record(one),
    figures: () => writer.figures(),
    close: async () => {
      await writer.close();
      await spool.close();
    },
  };
}

function refusal(changes: Partial<Refusal> = {}): Refusal {
  return {
    requestId: randomUUID(),
    actor: 'idp|someone',
    action: 'GET /api/clients/1',
    resourceType: 'clients',
    reason: 'the client is not in client_access',
    ipAddress: '192.0.2.1',
    userAgent: 'a browser',
    ...changes,
  };
}

async function recorded({ requestId }: Refusal): Promise<Record<string, unknown>[]> {
  return probe.admin('select * from public.audit_logs where request_id = $1', [requestId]);
}

const spooled = (): Promise<string[]> =>
  filesIn(join(dataDir, 'refusals')).then((names) => names.filter((name) => name.endsWith('.refusals')));

async function outage(): Promise<void> {
  await probe.admin(`alter database ${probe.postgres.name} connection limit 0`);
  await probe.terminate();
}

async function recovery(): Promise<void> {
  await probe.admin(`alter database ${probe.postgres.name} connection limit -1`);
}

describe('the audit record of a refused request', () => {
  test.each<[string, Partial<Refusal>, Record<string, unknown>]>([
    ['a NUL', { action: 'GET /\0', userAgent: '\0' }, { action: 'GET /\uFFFD', user_agent: '\uFFFD' }],
    ['a path too long for its column', { action: `GET /${'x'.repeat(5_000)}` }, { success: false }],
    ['ids that are not UUIDs', { resourceId: 'x', clientContext: '' }, { resource_id: null, client_context: null }],
    ['an id with a further digit', { resourceId: `${MINE}0` }, { resource_id: null }],
    ['an address with a port', { ipAddress: '192.0.2.1:80' }, { ip_address: null }],
    ['half a surrogate pair', { userAgent: '\uD800' }, { user_agent: '\uFFFD' }],
    [
      'a user agent whose limit cuts a surrogate pair in half',
      { userAgent: `${'x'.repeat(1_999)}\u{1F600}` },
      { user_agent: `${'x'.repeat(1_999)}\uFFFD` },
    ],
    ['quotes and line breaks', { reason: '"\\\r\n\u2028{}' }, { error_message: '"\\\r\n\u2028{}' }],
  ])(
    'the audit record of a refused request with %s is stored, directly or after waiting on disk',
    async (_case, hostile, expected) => {
      const audit = await openWriter();
      const direct = refusal(hostile);
      await audit.record(direct);
      await outage();
      const through = refusal(hostile);
      await audit.record(through);
      await recovery();
      await until(async () => (await spooled()).length === 0);
      for (const one of [direct, through]) expect(await recorded(one)).toEqual([expect.objectContaining(expected)]);
      await audit.close();
    },
  );
});

describe('the audit record of a request that is refused during a database outage', () => {
  test('the audit record of a request refused during a database outage is written to disk, and stored once when the database is back', async () => {
    const audit = await openWriter();
    const both = [refusal({ clientContext: MINE }), refusal()];
    await outage();
    for (const one of both) await audit.record(one);
    expect(await spooled()).toHaveLength(1);
    await recovery();
    await until(async () => (await spooled()).length === 0);
    for (const one of both) expect(await recorded(one)).toHaveLength(1);
    expect(audit.said).toEqual([
      '50 the database accepts no refusal records: they wait on disk',
      '30 the database accepts refusal records again',
      '30 refusal records were moved from disk to the database',
    ]);
    await audit.close();
  });

  test('before a service ends, it stores in the database the audit records that wait on its disk', async () => {
    const audit = await openWriter();
    const kept = refusal();
    await outage();
    await audit.record(kept);
    await recovery();
    await audit.close();
    expect(await recorded(kept)).toHaveLength(1);
  });
});

test('the service logs missing and unreadable files of audit records that waited on disk, and stores the next audit record', async () => {
  const left = join(dataDir, 'refusals', '7');
  const [gone, unreadable] = ['1', '2'].map((number) => join(left, `${number}.refusals`));
  await mkdir(left, { recursive: true });
  for (const path of [gone, unreadable]) await writeFile(path ?? '', 'line\n');
  const audit = await openWriter(async () => {
    for (const path of [gone, unreadable]) await rm(path ?? '');
    await mkdir(unreadable ?? '');
  });
  await until(() => audit.said.length === 2);
  expect(audit.said).toEqual([
    '50 refusal records are lost: somebody removed their file',
    '50 refusal records on disk could not be moved to the database',
  ]);
  const one = refusal();
  await audit.record(one);
  expect(await recorded(one)).toHaveLength(1);
  await audit.close();
});

test.each(['22023', '23514', '54000', 'P0001'])(
  'an audit record that the database refuses with SQLSTATE %s is moved unchanged to the file set-aside, and all other waiting records are stored',
  async (sqlstate) => {
    await probe.admin(
      `create function public.no_teapot() returns trigger language plpgsql as
         $$ begin raise exception 'a teapot' using errcode = '${sqlstate}'; end $$;
       create trigger no_teapot before insert on public.audit_logs
         for each row when (new.action = 'BREW /') execute function public.no_teapot()`,
    );
    const audit = await openWriter();
    const teapot = refusal({ action: 'BREW /' });
    const many = Array.from({ length: 20 }, (_, index) => (index === 7 ? teapot : refusal()));
    await Promise.all(many.map((one) => audit.record(one)));
    await until(async () => (await spooled()).length === 0);
    const stored = await Promise.all(many.map(recorded));
    expect(stored.map(({ length }) => length)).toEqual(many.map((one) => (one === teapot ? 0 : 1)));
    expect(await readFile(join(dataDir, 'refusals', 'set-aside'), 'utf8')).toContain(teapot.requestId);
    expect(audit.said).toContain(
      '50 refusal records that the database rejects were moved to DATA_DIR/refusals/set-aside',
    );
    await probe.admin('drop function public.no_teapot() cascade');
    await audit.close();
  },
);

test('a damaged line in a file of waiting audit records is moved unchanged to the file set-aside, and the lines around it are stored', async () => {
  const left = join(dataDir, 'refusals', '7');
  await mkdir(left, { recursive: true });
  const [before, after] = [refusal(), refusal()];
  const kept = (one: Refusal) =>
    formatSpoolLine(dateRefusal(one, { run: 'another', monotonicMs: 0, machineMs: Date.now(), databaseMs: null }));
  await writeFile(join(left, '1.refusals'), `${kept(before)}{"damaged":\n${kept(after)}`);
  const audit = await openWriter();
  await until(async () => (await spooled()).length === 0);
  expect([(await recorded(before)).length, (await recorded(after)).length]).toEqual([1, 1]);
  expect(await readFile(join(dataDir, 'refusals', 'set-aside'), 'utf8')).toBe('{"damaged":\n');
  await audit.close();
});

describe('the time in the audit record of a refused request', () => {
  afterEach(() => {
    mock.timers.reset();
  });

  function setClock(time: string): void {
    mock.timers.reset();
    mock.timers.enable({ apis: ['Date'], now: new Date(time) });
  }

  /** Reads the clock of the database, in milliseconds. */
  const now = async (): Promise<number> =>
    Number((await probe.admin('select extract(epoch from clock_timestamp()) * 1000 as now'))[0]?.['now']);

  /**
   * The database’s time in milliseconds at the start of the test. Each response of the database takes less than the
   * time since then, so that time bounds the error of a stored time.
   */
  let begun: number;
  beforeEach(async () => {
    begun = await now();
  });

  interface Between {
    readonly one: Refusal;
    readonly from: number;
    readonly to: number;
  }

  /** Records a refused request, and reads the database’s clock before and after. */
  async function recordBetween(audit: AuditWriter): Promise<Between> {
    const [one, from] = [refusal(), await now()];
    await audit.record(one);
    return { one, from, to: await now() };
  }

  /**
   * Expects that the stored time of an audit record lies between two readings of the database’s clock, with a
   * tolerance.
   */
  async function expectDated({ one, from, to }: Between, sent = Infinity): Promise<void> {
    const [row] = await recorded(one);
    const at = (row?.['created_at'] as Date).getTime();
    const onTheWay = Math.max(0, (await now()) - sent);
    expect(at).toBeGreaterThanOrEqual(Math.floor(from - (to - begun)));
    expect(at).toBeLessThanOrEqual(to + (to - begun) + onTheWay);
  }

  /**
   * Waits until an audit record dated now, instead of at the time `to`, would fail the test. Returns the database’s
   * present time in milliseconds.
   */
  async function passed(to: number): Promise<number> {
    const until = to + 2 * (to - begun) + 1_000;
    for (let shown = await now(); ; shown = await now()) {
      if (shown > until) return shown;
      await probe.admin('select pg_sleep(0.1)');
    }
  }

  test('an audit record has the time of the database’s clock, even if the machine’s clock is wrong and the record is stored later', async () => {
    setClock('2001-01-01T00:00:00Z');
    const audit = await openWriter();
    const direct = await recordBetween(audit);
    await outage();
    const late = await recordBetween(audit);
    setClock('2050-01-01T00:00:00Z');
    const sent = await passed(late.to);
    await recovery();
    await until(async () => (await spooled()).length === 0);
    await expectDated(direct);
    await expectDated(late, sent);
    await audit.close();
  });

  test('an audit record has the time of the database’s clock, even if the database was slow to tell the service its time', async () => {
    const quick: number[] = [];
    const recorder = createRefusalRecorder({
      async callAsLogin(statement) {
        const answer = await probe.database.callAsLogin(statement);
        for (const to of quick) await passed(to);
        return answer;
      },
    });
    await recorder.record([]);
    quick.push(await now());
    await recorder.record([]);
    const from = await now();
    const { databaseMs } = recorder.date(refusal());
    // The error of the audit record’s time is at most the duration of the database’s first answer. The second answer
    // was slow.
    expect(Number(databaseMs)).toBeGreaterThanOrEqual(from - (Math.max(...quick) - begun));
  });

  test('an audit record that a later process stores has the database’s time of the refusal, not of the storing', async () => {
    const before = await openWriter();
    await before.record(refusal());
    setClock('2001-01-01T00:00:00Z');
    await outage();
    const late = await recordBetween(before);
    await before.close();
    expect(before.said.at(-1)).toBe('40 refusal records wait on disk for the next start');
    setClock('2050-01-01T00:00:00Z');
    const sent = await passed(late.to);
    await recovery();
    const after = await openWriter();
    await until(async () => (await spooled()).length === 0);
    await expectDated(late, sent);
    await after.close();
  });

  test('if a service never reached the database, its audit record is stored with the database’s time minus the record’s wait on disk', async () => {
    await outage();
    const before = await openWriter();
    const late = await recordBetween(before);
    await before.close();
    const sent = await passed(late.to);
    await recovery();
    const after = await openWriter();
    await until(async () => (await spooled()).length === 0);
    await expectDated(late, sent);
    await after.close();
  });
});
