import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import pg from 'pg';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { createDatabaseBefore } from '../support/release-before.ts';
import { connected, createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

const MINE = 'c1000000-0000-4000-8000-000000000001';
const log = pino({ level: 'silent' });

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));
const api = await forSuite(connected(database.apiUrl));

beforeEach(() => admin.query('reset role'));

async function column<T>(sql: string, values: unknown[] = [], client = admin): Promise<T[]> {
  const { rows } = await client.query<[T]>({ text: sql, values, rowMode: 'array' });
  return rows.map(([value]) => value);
}

/** Lists the partitions of the audit log that hold one month each. */
const months = (): Promise<string[]> =>
  column(`select relname::text from pg_class where relname ~ '^month_' and relkind = 'r' order by 1`);

/**
 * Returns the expected names of the audit log’s monthly partitions, `count` in all, beginning with the present month.
 */
const ahead = (count: number): Promise<string[]> =>
  column(
    `select 'month_' || to_char(date_trunc('month', now() at time zone 'UTC') + make_interval(months => n), 'YYYY_MM')
     from generate_series(0, $1 - 1) as n`,
    [count],
  );

const findings = (): Promise<string[]> =>
  column(`select object || ': ' || detail from audit.findings where finding like 'audit_month%' order by 1`);
const drift = (): Promise<string[]> => column(`select change || ' ' || kind || ' ' || object from audit.drift`);

async function rolledBack(work: () => Promise<void>): Promise<void> {
  await admin.query('begin');
  try {
    await work();
  } finally {
    await admin.query('rollback');
  }
}

/** Drops the audit log’s partitions from the given month on, as if the API had not created them yet. */
const unmake = (name: string, client = admin) =>
  client.query(
    `do $$
    declare
        month text;
        first timestamptz := to_timestamp(right('${name}', 7) || ' +00', 'YYYY_MM TZH');
    begin
        for month in select relid::text from pg_partition_tree('audit_log.months') where relid::text >= 'audit_log.${name}' and isleaf
        loop
            execute 'drop table ' || month;
        end loop;
        alter table audit_log.months detach partition audit_log.later;
        execute format('alter table audit_log.months attach partition audit_log.later for values from (%L) to (maxvalue)', first);
    end $$`,
  );
/** Creates the audit log’s partitions of the months since `ago`, which audit_log.earlier held before. */
const beginEarlier = (ago: string) =>
  admin.query(
    `set role taxclaims_housekeeper;
    do $$ begin
      alter table audit_log.months detach partition audit_log.earlier;
      execute format('alter table audit_log.months attach partition audit_log.earlier for values from (minvalue) to (%L)',
          (date_trunc('month', now() at time zone 'UTC') - interval '${ago}') at time zone 'UTC');
      perform audit_log.make_months(null);
      perform audit_log.close_month('audit_log.earlier');
    end $$;
    reset role`,
  );
const make = (client = api) => column<number>('select app.tend_audit_log()', [], client);
const record = (at: string, id: string = randomUUID()) =>
  admin.query(
    `insert into public.audit_logs (id, action, resource_type, success, actor, created_at)
     values ($1, 'GET /x', 'sites', false, 'ahead', ${at})`,
    [id],
  );

describe('the monthly partitions of the audit log', () => {
  test('a migrated database has audit log partitions for this month and the next three, and the view audit.findings reports no problem', async () => {
    expect(await months()).toEqual(await ahead(4));
    expect(await findings()).toEqual([]);
    expect(await drift()).toEqual([]);
  });

  test('the API creates a missing monthly partition of the audit log only once, even from two connections at the same time', async () => {
    const [, , third = ''] = await ahead(4);
    await unmake(third);
    const other = await connected(database.apiUrl);
    await Promise.all([make(), make(other)]);
    await other.end();
    await make();
    expect(await make()).toEqual([0]);
    expect(await months()).toEqual(await ahead(4));
    expect([...(await findings()), ...(await drift())]).toEqual([]);
  });

  test('the API’s database login can neither read an audit log partition by name nor create a partition for a chosen month', async () => {
    const [present = ''] = await ahead(1);
    await expect(api.query(`select from audit_log.${present}`)).rejects.toThrow(/permission denied for schema/);
    await expect(api.query(`select audit_log.make_month('2040-01-01')`)).rejects.toThrow(/permission denied/);
    await expect(api.query('select app.place_audit_records()')).rejects.toThrow(/permission denied/);
  });

  test('the API creates no partition of the audit log while a transaction reads the log, but creates it later', async () => {
    const [, , , fourth = ''] = await ahead(4);
    await unmake(fourth);
    await rolledBack(async () => {
      await admin.query('select from public.audit_logs');
      expect(await make()).toEqual([0]);
    });
    expect(await make()).toEqual([1]);
  });

  test('no role except the housekeeper can read or add records in an audit log partition, even with all grants on it', async () => {
    const [present = ''] = await ahead(1);
    await admin.query(
      `insert into public.audit_logs (action, resource_type, success, actor) values ('GET /x', 'sites', false, 'somebody')`,
    );
    for (const role of ['taxclaims_owner', 'taxclaims_definer', 'taxclaims_housekeeper', 'taxclaims_admin']) {
      await rolledBack(async () => {
        expect(await column(`select count(*)::integer > 0 from audit_log.${present}`)).toEqual([true]);
        await admin.query(
          `grant usage on schema audit_log to ${role}; grant all on audit_log.${present} to ${role}; set local role ${role}`,
        );
        expect(await column(`select count(*)::integer from audit_log.${present}`)).toEqual([0]);
        await expect(
          admin.query(
            `insert into audit_log.${present} (action, resource_type, success, actor) values ('x', 'x', true, 'forger')`,
          ),
        ).rejects.toThrow(/row-level security/);
      });
    }
  });

  test.each(['public.audit_logs', 'audit_log.months', 'audit_log.earlier', 'audit_log.later', ''])(
    'not even a superuser can change or delete audit records by SQL on the table "%s" (empty: this month’s partition)',
    async (name) => {
      const part = name === '' ? `audit_log.${(await ahead(1))[0] ?? ''}` : name;
      for (const change of [`update ${part} set actor = 'x'`, `delete from ${part}`, `truncate ${part}`])
        await expect(admin.query(change)).rejects.toThrow('audit records are append-only');
    },
  );

  describe('an audit record of a month without a partition', () => {
    const IN_TIME = `date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '100 days'`;
    const where = (id: string) => column('select tableoid::regclass::text from public.audit_logs where id = $1', [id]);
    let fourth = '';
    let [id, beyond] = ['', ''];

    beforeEach(async () => {
      [, , , fourth = ''] = await ahead(4);
      [id, beyond] = [randomUUID(), randomUUID()];
      await admin.query('begin');
      await unmake(fourth);
    });
    afterEach(() => admin.query('rollback'));
    // Even rolled-back rows take space in the partition audit_log.later until a vacuum.
    afterAll(() => admin.query('vacuum audit_log.later'));

    const asApi = async (): Promise<unknown[]> => {
      await admin.query('set local role taxclaims_api');
      const made = await make(admin);
      await admin.query('set local role none');
      return made;
    };

    test('an audit record of a month without a partition goes to audit_log.later, until the API creates its month', async () => {
      await record(IN_TIME, id);
      expect(await where(id)).toEqual(['audit_log.later']);
      expect(await findings()).toEqual([expect.stringContaining('audit_log.later: has or had records')]);
      expect(await asApi()).toEqual([1]);
      expect(await where(id)).toEqual([`audit_log.${fourth}`]);
      expect([...(await findings()), ...(await drift())]).toEqual([]);
    });

    test('an audit record dated years ahead stays in the partition audit_log.later, is reported, and does not prevent new partitions', async () => {
      await record(IN_TIME, id);
      await record(`now() + interval '9 years'`, beyond);
      expect(await asApi()).toEqual([1]);
      expect([await where(id), await where(beyond)]).toEqual([[`audit_log.${fourth}`], ['audit_log.later']]);
      expect(await findings()).toEqual([expect.stringContaining('audit_log.later: has or had records')]);
      await expect(admin.query('delete from audit_log.later')).rejects.toThrow('audit records are append-only');
    });

    test('the API does not move 20,000 audit records from audit_log.later into a new partition, because that would block other requests', async () => {
      await record(IN_TIME, id);
      await admin.query(
        `insert into public.audit_logs (action, resource_type, success, actor, created_at)
         select 'GET /x', 'sites', false, 'ahead', ${IN_TIME} from generate_series(1, 20000)`,
      );
      expect(await asApi()).toEqual([0]);
      expect(await where(id)).toEqual(['audit_log.later']);
      await admin.query('set local role taxclaims_owner');
      expect(await column('select app.place_audit_records()')).toEqual([1]);
      await admin.query('set local role none');
      expect(await where(id)).toEqual([`audit_log.${fourth}`]);
      expect([...(await findings()), ...(await drift())]).toEqual([]);
    });
  });

  test('the view audit.findings reports that next month’s partition of the audit log is missing before any record needs it', async () => {
    const [, next = ''] = await ahead(2);
    await rolledBack(async () => {
      await unmake(next);
      expect(await findings()).toEqual([
        `${next}: the audit log has no partition for this month: its records go to audit_log.later`,
      ]);
    });
  });

  test('the view audit.findings reports that the partition audit_log.earlier or audit_log.later was detached', async () => {
    for (const part of ['earlier', 'later'])
      await rolledBack(async () => {
        await admin.query(`alter table audit_log.months detach partition audit_log.${part}`);
        expect(await findings()).toEqual([
          `audit_log.${part}: is not a partition of the audit log`,
          expect.stringContaining('audit_log.months: has no partition from'),
        ]);
        expect(await drift()).not.toEqual([]);
      });
  });

  test('the newest page of the audit log is read from the newest partition alone, for an ADMIN of all clients or of some', async () => {
    const [present = ''] = await ahead(1);
    await rolledBack(async () => {
      await admin.query(
        `insert into public.audit_logs (action, resource_type, success, actor, client_context, created_at)
         select 'GET /x', 'sites', false, 'page', '${MINE}',
             date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + n * interval '1 second'
         from generate_series(1, 200) as n;
         analyze public.audit_logs;
         set local app.client_access = '{${MINE}}'`,
      );
      for (const role of ['taxclaims_admin', 'taxclaims_scoped_admin']) {
        await admin.query(`set local role ${role}; set local enable_seqscan = off`);
        const plan = await column<string>(
          `explain (analyze, costs off, timing off, summary off)
           select id from public.audit_logs order by created_at desc, id desc limit 20`,
        );
        await admin.query('set local role none');
        expect(plan.join('\n')).not.toContain('Merge Append');
        expect(plan.filter((line) => line.includes('earlier') && !line.includes('never executed'))).toEqual([]);
        expect(plan.filter((line) => line.includes(present)).length).toBeGreaterThan(0);
      }
    });
  });
});

describe('the audit log’s partition whose protection differs from that of the others', () => {
  const closed = (part: string): Readonly<Record<string, string>> => ({
    'without row-level security': `alter table ${part} disable row level security`,
    'without forced row-level security': `alter table ${part} no force row level security`,
    'with a policy': `create policy added on ${part} for select to taxclaims_auditor using (not success)`,
    'with a grant': `grant select (actor) on ${part} to taxclaims_admin`,
    'of another owner': `alter table ${part} owner to taxclaims_owner`,
    'whose records can be changed': `drop trigger audit_logs_append_only on ${part}`,
    'whose trigger is switched off': `alter table ${part} disable trigger audit_logs_append_only`,
    'without its primary key': `alter table ${part} drop constraint PART_pkey`,
    'that holds other times': `alter table audit_log.months detach partition ${part};
      do $$ begin
        execute format('alter table audit_log.months attach partition ${part} for values from (%L) to (%L)',
          to_timestamp(right('${part}', 7) || ' +00', 'YYYY_MM TZH'), to_timestamp(right('${part}', 7) || ' +00', 'YYYY_MM TZH') + interval '1 day');
      end $$`,
    'that was detached': `alter table audit_log.months detach partition ${part}`,
  });

  test.each(Object.keys(closed('')))(
    'the view audit.findings reports an unprotected partition of the audit log, such as one %s',
    async (what) => {
      const [, , third = ''] = await ahead(3);
      await rolledBack(async () => {
        await admin.query((closed(`audit_log.${third}`)[what] ?? '').replace('PART', third));
        const found = await findings();
        // A period for which the audit log has no partition adds a row to the view audit.findings. The test ignores that
        // row.
        expect(found.filter((one) => !one.startsWith('audit_log.months: has no partition'))).toEqual([
          expect.stringContaining(`audit_log.${third}: `),
        ]);
        expect(await drift()).not.toEqual([]);
      });
    },
  );

  test('a deploy restores an audit log partition whose protection was changed by hand', async () => {
    const [present = ''] = await ahead(1);
    await admin.query(
      `alter table audit_log.${present} no force row level security; grant select on audit_log.${present} to taxclaims_admin;
       drop trigger audit_logs_append_only on audit_log.${present}`,
    );
    await migrate({ adminUrl: database.adminUrl, log });
    expect([...(await findings()), ...(await drift())]).toEqual([]);
  });
});

describe('the audit record of a refused request that the API sends twice', () => {
  /** Stores the audit record of a refused request as the API does, dated `at`. */
  const tell = (id: string, at: string, client = api) =>
    client.query('select app.record_refusals($1)', [
      JSON.stringify([{ id, actor: 'twice', action: 'GET /x', resource_type: 'sites', refused_at_ms: Date.parse(at) }]),
    ]);
  const kept = (id: string) => column('select created_at from public.audit_logs where id = $1', [id]);
  let [before, after] = ['', ''];

  beforeAll(async () => {
    const [end = new Date()] = await column<Date>(
      `select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'`,
    );
    // Creates the audit log’s partition of last month, so that the end of last month lies between two partitions.
    await beginEarlier('1 month');
    before = new Date(end.getTime() - 5).toISOString();
    after = new Date(end.getTime() + 5).toISOString();
  });

  test('an audit record that the service sends twice, dated before and after the end of a month, is stored once', async () => {
    const id = randomUUID();
    await tell(id, before);
    await tell(id, after);
    expect(await kept(id)).toEqual([new Date(before)]);
  });

  test('if two connections store the same audit record, the second connection waits until the first has committed, and stores nothing', async () => {
    const id = randomUUID();
    const other = await connected(database.apiUrl);
    await other.query('begin');
    await tell(id, after, other);
    const second = tell(id, before);
    await other.query('commit');
    await second;
    await other.end();
    expect(await kept(id)).toEqual([new Date(after)]);
  });

  test('if two connections store the same audit record and the first rolls back, the second stores the record', async () => {
    const id = randomUUID();
    await api.query('begin');
    await tell(id, before);
    await api.query('rollback');
    await tell(id, after);
    expect(await kept(id)).toEqual([new Date(after)]);
  });

  test('near the end of a month the database remembers the ids of audit records for forty days, so that none is stored twice', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    await admin.query(
      `insert into app.refusals_at_month_end values ($1, now() - interval '41 days'), ($2, now() - interval '39 days')`,
      [old, young],
    );
    await api.query('select app.tend_audit_log()');
    expect(await column('select id from app.refusals_at_month_end where id = any ($1)', [[old, young]])).toEqual([
      young,
    ]);
  });
});

describe('the daily counts of audit records', () => {
  /**
   * `part` names the audit log’s partition for two months ago. `lost` is how the view audit.findings begins the message
   * that records of that month are lost.
   */
  let [part, lost] = ['', ''];
  const count = (client = api) => column<number>('select app.count_audit_days()', [], client);

  beforeAll(async () => {
    [part = ''] = await column<string>(
      `select 'month_' || to_char(date_trunc('month', now() at time zone 'UTC') - interval '2 months', 'YYYY_MM')`,
    );
    lost = `audit log of ${part.slice(6).replace('_', '-')}: `;
    await beginEarlier('2 months');
    await admin.query(
      `insert into public.audit_logs (action, resource_type, success, actor, created_at)
      select 'GET /x', 'sites', false, 'counted', day + interval '12 hours'
      from generate_series(
          date_trunc('month', now(), 'UTC') - interval '70 days', now() - interval '1 day', interval '1 day'
      ) as day`,
    );
  });

  test('the API counts the audit records of past days, seven days at a time, and each day once', async () => {
    const other = await connected(database.apiUrl);
    expect(await count(other)).toEqual([7]);
    await Promise.all([count(), count(other)]);
    while ((await count(other))[0] !== 0);
    await other.end();
    expect(await column('select sum(records)::integer from app.audit_days')).toEqual(
      await column(
        `select count(*)::integer from public.audit_logs
         where created_at < (select max(day) + 1 from app.audit_days)::timestamp at time zone 'UTC'`,
      ),
    );
    expect(await column(`select max(day) <= now() - interval '1 hour' from app.audit_days`)).toEqual([true]);
    expect(await findings()).toEqual([]);
  });

  test.each([
    ['dropped', (name: string) => `drop table audit_log.${name}`],
    ['detached and left', (name: string) => `alter table audit_log.months detach partition audit_log.${name}`],
  ])(
    'if an audit log partition was %s, the view audit.findings reports its records as lost until an administrator accepts the loss',
    async (how, take) => {
      const [held = 0] = await column<number>(`select count(*)::integer from audit_log.${part}`);
      expect(held).toBeGreaterThan(27);
      await rolledBack(async () => {
        await admin.query(take(part));
        // A detached partition of the audit log keeps its name, so a new partition of the same month cannot be created.
        if (how !== 'detached and left') await admin.query('select app.place_audit_records()');
        await admin.query('select app.count_audit_days()');
        const gone = `${lost}${String(held)} records are missing that were counted or archived`;
        await admin.query('set local role taxclaims_auditor');
        expect(await findings()).toContain(gone);
        await admin.query('set local role none');
        await admin.query(`select audit.accept('audit_month_lost', split_part($1, ':', 1), 'tried')`, [lost]);
        expect(await findings()).not.toContain(gone);
      });
      expect(await findings()).toEqual([]);
    },
  );

  test('a late audit record can hide from the view audit.findings the loss of at most one other audit record', async () => {
    await rolledBack(async () => {
      await record(`date_trunc('month', now(), 'UTC') - interval '40 days'`);
      expect(await findings()).toEqual([]);
      await admin.query(
        `alter table audit_log.${part} disable trigger audit_logs_append_only;
         delete from audit_log.${part} where id in (select id from audit_log.${part} limit 3);
         alter table audit_log.${part} enable always trigger audit_logs_append_only`,
      );
      expect((await findings()).filter((found) => /: [23] records/.test(found))).toHaveLength(1);
    });
  });
});

/**
 * SQL that creates the triggers of an earlier release: one adds an audit record for each new client, another refuses
 * changes of audit records.
 */
const RECORDING = `
  begin; set local role taxclaims_owner;
  create function app.note_client() returns trigger language plpgsql as $$
  begin
      insert into public.audit_logs (action, resource_type, success, actor)
      values ('x', 'clients', true, current_setting('app.actor'));
      return null;
  end $$;
  create function app.refuse_change() returns trigger language plpgsql as $$
  begin
      raise 'audit records are append-only';
  end $$;
  create trigger note after insert on public.clients for each row execute function app.note_client();
  create trigger append_only before update or delete or truncate on public.audit_logs execute function app.refuse_change();
  create policy of_old on public.audit_logs for select to taxclaims_auditor using (true);
  commit`;

describe('the single-table audit log of an earlier release', () => {
  const MIGRATIONS = ['0030_audit_log_1_bound', '0030_audit_log_2_checked', '0030_audit_log_3_by_month'];
  const messages: string[] = [];
  let old: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    old = await createDatabaseBefore('0030');
    client = new pg.Client({ connectionString: old.adminUrl });
    client.on('notice', ({ message = '' }) => messages.push(message));
    await client.connect();
    await client.query(RECORDING);
  });
  afterAll(async () => {
    await client.end();
    await old.close();
  });

  const records = () => column('select actor from public.audit_logs order by actor', [], client);
  const write = (who: string, at: string) =>
    client.query(
      `insert into public.audit_logs (action, resource_type, success, actor, created_at) values ('x', 'x', false, $1, ${at})`,
      [who],
    );
  const change = (who: string) =>
    client.query(
      `begin; select set_config('app.actor', '${who}', true);
       insert into public.clients (company_name, contact_email) values ('Boulangerie Martin', 'a@b.example'); commit`,
    );

  test('a deploy makes an unpartitioned audit log a partition of the new one without rewriting rows, while the earlier release still writes', async () => {
    await change('1 before');
    await write('2 by a clock gone wrong', `now() + interval '200 days'`);
    const [file] = await column(`select pg_relation_filenode('public.audit_logs')`, [], client);
    await client.query('set client_min_messages = debug1');
    for (const [index, name] of MIGRATIONS.entries()) {
      await client.query('begin; set local role taxclaims_owner');
      await client.query(await readFile(sqlFolder(`migrations/${name}.sql`), 'utf8'));
      await client.query('commit');
      await client.query('insert into app.migrations (name, run_on) values ($1, now())', [name]);
      await change(`3 after migration ${String(index + 1)}`);
      await expect(client.query(`delete from public.audit_logs`)).rejects.toThrow('append-only');
    }
    await client.query('reset client_min_messages');
    expect(messages).toContainEqual(
      expect.stringMatching(/partition constraint for table "earlier" is implied by existing constraints/),
    );
    await migrate({ adminUrl: old.adminUrl, log });
    await change('4 afterwards');
    expect(await column(`select pg_relation_filenode('audit_log.earlier')`, [], client)).toEqual([file]);
    expect(await records()).toEqual([
      '1 before',
      '2 by a clock gone wrong',
      ...MIGRATIONS.map((_name, index) => `3 after migration ${String(index + 1)}`),
      '4 afterwards',
    ]);
    expect(await column('select distinct tableoid::regclass::text from public.audit_logs', [], client)).toEqual([
      'audit_log.earlier',
    ]);
    expect(await column('select object from audit.drift', [], client)).toEqual([]);
  });
});
