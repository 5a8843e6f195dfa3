import { describe, expect, test } from '@jest/globals';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { DAY, spreadOfDay } from '../../support/day.ts';
import { connected, createEmptyDatabase, type TestDatabase, withAdmin } from '../../support/database.ts';
import { type Deploy, startDeploy } from '../../support/deploy-process.ts';
import { silent } from '../../support/embedded.ts';
import { layFaultyLine } from '../../support/faulty-line.ts';
import { rightsIn } from '../../support/rights.ts';
import { createDatabaseBefore, createDatabaseToDeploy } from '../../support/release-before.ts';
import { openForTest } from './databases.ts';

const MINE = 'c1000000-0000-4000-8000-000000000001';
const OTHERS = 'c2000000-0000-4000-8000-000000000002';
/** The number of moments at which the tests interrupt a deploy: the first, the last, and others drawn by `TEST_DAY`. */
const MOMENTS = Number(process.env['DEPLOY_MOMENTS'] ?? 12);
/** The time limit in milliseconds of a test that starts many processes. The limit only stops a hanging test. */
const LONGEST_MS = 300_000;

const opened = openForTest();

/**
 * SQL that lists roles which are allowed to write to a table but not to call the function of one of its generated
 * columns.
 */
const CLOSED_TO_WRITERS = `
  select f.oid::regprocedure::text as function, r.rolname::text as role
  from pg_attrdef as d
  join pg_attribute as a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = 's'
  join pg_depend as x on x.classid = 'pg_attrdef'::regclass and x.objid = d.oid and x.refclassid = 'pg_proc'::regclass
  join pg_proc as f on f.oid = x.refobjid
  join pg_roles as r
      on starts_with(r.rolname, 'taxclaims_') and not r.rolcanlogin
      and has_any_column_privilege(r.oid, a.attrelid, 'INSERT') and not has_function_privilege(r.oid, f.oid, 'EXECUTE')`;

/** Creates a database of an earlier release, in which a deploy had no table app.deploy_lock for its lock. */
async function olderDatabase(): Promise<TestDatabase> {
  const database = await opened(createDatabaseBefore('0016'));
  await withAdmin(database.adminUrl, (admin) =>
    admin.query(
      `insert into public.clients (id, company_name, contact_email)
       values ('${MINE}', 'Mine', 'mine@example.fr'), ('${OTHERS}', 'Others', 'others@example.fr');
       drop table app.deploy_lock`,
    ),
  );
  return database;
}

/**
 * Runs db:migrate, interrupts the process after `moment` messages to the database, and returns how many messages the
 * process sent.
 */
async function runUntil(
  adminUrl: string,
  moment: number,
  end: (deploy: Deploy, cut: () => void) => void,
): Promise<{ sent: number; code: number | string; err: string }> {
  let deploy: Deploy | undefined = undefined;
  let sent = 0;
  const line = await layFaultyLine({ port: Number(new URL(adminUrl).port) }, (nth, passed) => {
    sent = nth;
    if (nth === moment && deploy !== undefined) {
      end(deploy, () => {
        passed.become('cut');
      });
    }
  });
  deploy = startDeploy(line.through(adminUrl));
  const { code, err } = await deploy.ended;
  line.close();
  return { sent, code, err };
}

/** Waits until the database sessions of an interrupted deploy have ended and released their locks. */
async function untilNobodyIsLeft(adminUrl: string): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    const left = `select from pg_stat_activity where application_name = 'taxclaims-migrate' and datname = current_database()`;
    while (((await admin.query(left)).rowCount ?? 0) > 0);
    const { rows } = await admin.query(`select gid from pg_prepared_xacts where database = current_database()`);
    expect(rows).toEqual([]);
  });
}

/**
 * Lists the database tables on which a role other than the owner has a right, or that lack forced row-level security.
 */
async function openIn(adminUrl: string): Promise<string[]> {
  return withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ what: string }>(
      `select format('%s %s', c.oid::regclass, r.grantee::regrole) as what
       from pg_class as c
       left join pg_attribute as a on a.attrelid = c.oid and a.attacl is not null
       cross join lateral (select grantee from aclexplode(c.relacl) union select grantee from aclexplode(a.attacl)) as r
       where c.relowner = to_regrole('taxclaims_owner') and r.grantee <> c.relowner
       union all
       select c.oid::regclass::text from pg_class as c
       where c.relowner = to_regrole('taxclaims_owner') and c.relkind in ('r', 'p') and c.relname <> 'migrations'
           and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );
    return rows.map(({ what }) => what);
  });
}

/**
 * Sends requests of one client until `end` is called. `end` returns the ids of all clients whose records the requests
 * saw.
 */
function requests(apiUrl: string): { end: () => Promise<string[]> } {
  let over = false;
  const run = async (): Promise<string[]> => {
    const client = await connected(apiUrl);
    const results = new Set<string>();
    while (!over) {
      await client.query(
        `begin read only; set local role taxclaims_client; select set_config('app.client_access', '{${MINE}}', true)`,
      );
      const { rows } = await client.query<{ id: string }>('select id from public.clients');
      await client.query('commit');
      results.add(rows.map(({ id }) => id).join());
    }
    await client.end();
    return [...results];
  };
  const running = run();
  running.catch(() => undefined);
  return {
    end: () => {
      over = true;
      return running;
    },
  };
}

const ENDS: Readonly<Record<string, (deploy: Deploy, cut: () => void) => void>> = {
  'killed with -9': (deploy) => {
    deploy.kill();
  },
  'cut off': (_deploy, cut) => {
    cut();
  },
};

function momentsOf(sent: number): number[] {
  const between = spreadOfDay(MOMENTS - 2).map((share) => 2 + Math.floor(share * (sent - 2)));
  return [1, ...between, sent];
}

/** Runs `work` for each moment at which a deploy is interrupted, and adds the moment to the error of a failure. */
async function atEach(moments: readonly number[], work: (moment: number) => Promise<void>): Promise<void> {
  for (const moment of moments) {
    await work(moment).catch((error: unknown) => {
      throw new Error(`at message ${moment} of the run (TEST_DAY=${DAY}): ${String(error)}`, { cause: error });
    });
  }
}

describe.each(Object.keys(ENDS))('a deploy that was %s', (how) => {
  const end = ENDS[how] ?? (() => undefined);

  test(
    `if a deploy to an empty database is ${how}, no role can use a table before all rights are set, and the next deploy completes the rights`,
    async () => {
      const whole = await opened(createEmptyDatabase());
      const { sent, code } = await runUntil(whole.adminUrl, 0, end);
      expect(code).toBe(0);
      const rights = await rightsIn(whole.adminUrl);
      await atEach(momentsOf(sent), async (moment) => {
        const database = await opened(createEmptyDatabase());
        const { adminUrl } = database;
        const cutShort = await runUntil(adminUrl, moment, end);
        await untilNobodyIsLeft(adminUrl);
        const isOpen = await openIn(adminUrl);
        if (isOpen.length > 0) expect(await rightsIn(adminUrl)).toBe(rights);
        if (how === 'cut off' && cutShort.code !== 0)
          expect(cutShort).toMatchObject({ code: 1, err: expect.stringMatching(/^.+\n$/) });
        await migrate({ adminUrl, log: silent });
        expect(await rightsIn(adminUrl)).toBe(rights);
      });
    },
    LONGEST_MS,
  );

  test(
    `if an upgrade from an earlier release is ${how}, the database has the rights of the earlier or of the new release, never a mixture`,
    async () => {
      const whole = await olderDatabase();
      const { sent } = await runUntil(whole.adminUrl, 0, end);
      const rights = await rightsIn(whole.adminUrl);
      const lines: string[] = [];
      await atEach(momentsOf(sent), async (moment) => {
        const { adminUrl, apiUrl } = await olderDatabase();
        const before = await rightsIn(adminUrl);
        const running = requests(apiUrl);
        await runUntil(adminUrl, moment, end);
        await untilNobodyIsLeft(adminUrl);
        const after = await rightsIn(adminUrl);
        lines.push(after === rights ? 'new' : 'old');
        // The table for the lock of a deploy may exist before all other changes, so the comparison leaves it out.
        const rules = (text: string): string => text.replace(/^app\.deploy_lock .*\n/m, '');
        if (after !== rights) expect(rules(after)).toBe(rules(before));
        expect(await withAdmin(adminUrl, (admin) => admin.query(CLOSED_TO_WRITERS))).toMatchObject({ rows: [] });
        await migrate({ adminUrl, log: silent });
        expect(await running.end()).toEqual([MINE]);
        expect(await rightsIn(adminUrl)).toBe(rights);
      });
      expect(lines[0]).toBe('old');
    },
    LONGEST_MS,
  );
});

const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';

describe('npm run db:migrate', () => {
  test.each([
    [['--wait', '1.5'], NOWHERE, 2, '--wait must be a number of seconds from 1 to 86400\n'],
    [[], undefined, 2, 'DATABASE_ADMIN_URL must be set\n'],
    [[], NOWHERE, 1, 'no connection to the database at DATABASE_ADMIN_URL: connect ECONNREFUSED 127.0.0.1:1\n'],
  ])(
    'db:migrate with the arguments %j and the DATABASE_ADMIN_URL %s exits with %d and prints one message',
    async (args, url, code, err) => {
      expect(await startDeploy(url, ...args).ended).toEqual({ code, out: '', err });
    },
  );

  test('db:migrate exits with 3 if it gets no lock within --wait seconds', async () => {
    const { adminUrl } = await opened(createDatabaseToDeploy());
    await withAdmin(adminUrl, async (admin) => {
      await admin.query('begin; select from public.clients');
      const ended = await startDeploy(adminUrl, '--wait', '1').ended;
      expect(ended).toMatchObject({
        code: 3,
        err: expect.stringMatching(/^the deploy of the rights was blocked for 1 s by pid .*\n$/),
      });
    });
  });

  test('db:migrate --evict by a login without pg_signal_backend changes nothing and names the missing right', async () => {
    const database = await opened(createEmptyDatabase());
    const name = `${database.name}_boss`;
    await withAdmin(database.adminUrl, (admin) =>
      admin.query(
        `create role ${name} login createrole password 'boss'; alter database ${database.name} owner to ${name}`,
      ),
    );
    const address = new URL(database.adminUrl);
    address.username = name;
    address.password = 'boss';
    const ended = await startDeploy(address.href, '--evict').ended;
    expect(ended).toMatchObject({
      code: 1,
      err: `--evict needs the right to end sessions: grant pg_signal_backend to ${name}, or leave it out\n`,
    });
    await database.close();
    await withAdmin(database.adminUrl.replace(/\/[^/]*$/, '/postgres'), (admin) => admin.query(`drop role ${name}`));
  });
});
