import { deepEqual, equal, match } from 'node:assert/strict';
import type pg from 'pg';
import type { Check } from './checks.ts';
import { type Firm, idOf, statementFor } from './fixture.ts';
import { REPORTING_HIDDEN, REPORTING_TABLES, REPORTING_VIEWS, REQUEST_ROLES, type Table, TABLES } from './rights.ts';
import { attempt } from './session.ts';
import { OWN } from './row-checks.ts';

const EVERYTHING = `{${idOf('a', 'clients')},${idOf('b', 'clients')}}`;

const FOREIGN = idOf('b', 'clients');

/**
 * Tables with an index whose first column is the client. Each table has the name of the reporting view whose queries
 * should use this index.
 */
const FOUND_BY_INDEX = {
  clients: 'clients',
  sites: 'sites',
  reclamations: 'reclamations',
  reclamation_history: 'reclamation_history',
  client_documents: 'documents',
  notes: 'tasks',
  client_partners: 'client_partners',
  factures: 'invoices',
  partner_invoices: 'partner_invoices',
} as const;

async function columnsOf(admin: pg.Client, relation: string): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select attname::text as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [relation],
  );
  return rows.map(({ name }) => name).sort();
}

/**
 * Gives reporting logins the right to use the schema public while `work` runs. Without this right they could not name a
 * table, and the table’s policies would stay untested. If they had the right before, they keep it, so that another test
 * reports the right.
 */
async function namingTables(admin: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows } = await admin.query<{ open: boolean }>(
    `select has_schema_privilege('taxclaims_reporting', 'public', 'USAGE') as open`,
  );
  await admin.query('grant usage on schema public to taxclaims_reporting');
  try {
    await work();
  } finally {
    if (rows[0]?.open !== true) await admin.query('revoke usage on schema public from taxclaims_reporting');
  }
}

/** Tests what a reporting login can read with its own SQL. The login is granted one client, that of firm a. */
export const reportingChecks: readonly Check[] = [
  ...TABLES.map((table): Check => {
    const open = REPORTING_TABLES.includes(table);
    return {
      title: open
        ? `a reporting login reads only ${table} of its granted client, whatever settings it changes`
        : `a reporting login cannot read ${table}`,
      run: async ({ reporting, admin }) => {
        const own = statementFor(table, 'r', 'a');
        equal(await attempt(reporting, { sql: own }), 'denied', 'by its own name');
        await namingTables(admin, async () => {
          equal(await attempt(reporting, { sql: own }), open ? 'done' : 'denied');
          for (const clientAccess of [EVERYTHING, '', 'x']) {
            const tried = { clientAccess, sql: statementFor(table, 'r', 'b') };
            equal(await attempt(reporting, tried), open ? 'nothing' : 'denied', clientAccess);
          }
          for (const command of ['c', 'u', 'd'] as const) {
            equal(
              await attempt(reporting, { clientAccess: OWN, sql: statementFor(table, command, 'a') }),
              'denied',
              command,
            );
          }
        });
      },
    };
  }),
  ...REPORTING_TABLES.map(
    (table): Check => ({
      title: `a reporting login reads ${table} of every client only while it is in taxclaims_reporting_all`,
      run: async ({ reporting, admin }) => {
        const [grant, revoke] = ['grant', 'revoke'].map(
          (word) => `select reporting.${word}_all_clients('${String(reporting.user)}')`,
        ) as [string, string];
        const foreign = { sql: statementFor(table, 'r', 'b') };
        await namingTables(admin, async () => {
          equal(await attempt(reporting, foreign), 'nothing');
          await admin.query(grant);
          try {
            equal(await attempt(reporting, foreign), 'done');
            equal(await attempt(reporting, { sql: statementFor(table, 'r', 'a') }), 'done');
          } finally {
            await admin.query(revoke);
          }
          equal(await attempt(reporting, foreign), 'nothing');
        });
      },
    }),
  ),
  ...['reporting_all', 'reporting_few'].map(
    (role): Check => ({
      title: `taxclaims_${role} (${role}) has no right to read, create, update, delete or run anything`,
      run: async ({ admin }) => {
        const { rows } = await admin.query(`select object, privilege from audit.rights where grantee = $1`, [
          `taxclaims_${role}`,
        ]);
        deepEqual(rows, []);
        for (const table of TABLES) {
          equal(await attempt(admin, { role, sql: statementFor(table, 'r', 'a') }), 'denied', table);
        }
      },
    }),
  ),
  ...Object.entries(REPORTING_VIEWS).map(([table, { view, adds = [] }]): Check => {
    const read = (firm: Firm): string =>
      statementFor(table as Table, 'r', firm).replace(`public.${table}`, `reporting.${view}`);
    return {
      title: `a reporting login reads in the reporting view ${view} the open columns of ${table}, only of its granted client`,
      run: async ({ reporting, admin }) => {
        equal(await attempt(reporting, { sql: read('a') }), 'done');
        equal(await attempt(reporting, { clientAccess: EVERYTHING, sql: read('b') }), 'nothing');
        equal(await attempt(admin, { sql: statementFor(table as Table, 'r', 'b') }), 'done');
        const hidden = REPORTING_HIDDEN[table as Table] ?? [];
        deepEqual(
          await columnsOf(admin, `reporting.${view}`),
          [...(await columnsOf(admin, `public.${table}`)).filter((name) => !hidden.includes(name)), ...adds].sort(),
        );
      },
    };
  }),
  ...Object.entries(REPORTING_VIEWS).map(([table, { view }]): Check => {
    const count = (firm: Firm): string =>
      statementFor(table as Table, 'r', firm).replace(`public.${table}`, `reporting.${view}`);
    return {
      title: `a reporting login outside taxclaims_reporting_few reads the view ${view} (${table}) only of its granted client`,
      run: async ({ reporting, admin }) => {
        const login = String(reporting.user);
        await admin.query(`revoke taxclaims_reporting_few from ${login} granted by taxclaims_definer`);
        try {
          equal(await attempt(reporting, { sql: count('a') }), 'done');
          equal(await attempt(reporting, { sql: count('b') }), 'nothing');
        } finally {
          await admin.query('select reporting.set_login_role($1)', [login]);
        }
      },
    };
  }),
  ...Object.entries(FOUND_BY_INDEX).map(
    ([table, view]): Check => ({
      title: `Postgres finds the ${view} (${table}) of a reporting login in taxclaims_reporting_few by an index`,
      run: async ({ reporting }) => {
        const results = (await reporting.query(
          `begin; set local enable_seqscan = off; explain (format json) select count(*) from reporting.${view}`,
        )) as unknown as pg.QueryResult[];
        await reporting.query('rollback');
        match(JSON.stringify(results.at(-1)?.rows), /"Index Cond":"\((?:client_)?id = ANY /);
      },
    }),
  ),
  {
    title: 'a reporting login reads in the reporting view tasks only notes with a due date',
    run: async ({ reporting, admin }) => {
      const { rows: notes } = await admin.query<{ id: string; is_task: boolean }>(
        `insert into public.notes (client_id, reclamation_id, author_id, text, internal, due_on)
         select n.client_id, n.reclamation_id, n.author_id, 'x', i.internal, d.due_on
         from public.notes as n, (values (true), (false)) as i (internal), (values (null), (date '2190-01-31')) as d (due_on)
         where n.id = $1
         returning id, due_on is not null as is_task`,
        [idOf('a', 'notes')],
      );
      const ids = notes.map(({ id }) => id);
      try {
        const { rows: shown } = await reporting.query<{ id: string }>(
          'select id from reporting.tasks where id = any ($1)',
          [ids],
        );
        equal(notes.length, 4);
        deepEqual(
          shown.map(({ id }) => id).sort(),
          notes.flatMap(({ id, is_task: isTask }) => (isTask ? [id] : [])).sort(),
        );
      } finally {
        await admin.query('delete from public.notes where id = any ($1)', [ids]);
      }
    },
  },
  {
    title: 'a reporting login reads the INSEE codes of communes, and cannot add one',
    run: async ({ reporting, admin }) => {
      equal(await attempt(reporting, { sql: `select 1 from reporting.communes where code = '01018'` }), 'done');
      await namingTables(admin, async () => {
        equal(await attempt(reporting, { sql: `insert into public.communes (code) values ('99999')` }), 'denied');
      });
    },
  },
  {
    title:
      'a reporting login with a client reads the users who are ADMINs without a list, but no other users without a list',
    run: async ({ reporting, admin }) => {
      await admin.query(
        `insert into public.users (email, password_hash, name, role)
         values ('all@admins.example', '!', 'All', 'ADMIN'), ('none@admins.example', '!', 'None', 'ACCOUNT_MANAGER')`,
      );
      try {
        const named = (email: string) => ({ sql: `select 1 from reporting.users where email = '${email}'` });
        equal(await attempt(reporting, named('all@admins.example')), 'done');
        equal(await attempt(reporting, named('none@admins.example')), 'nothing');
      } finally {
        // A trigger would keep the last ADMIN without a list.
        await admin.query(
          `begin; set local session_replication_role = replica;
           delete from public.users where email like '%@admins.example'; commit`,
        );
      }
    },
  },
  {
    title: 'a member of taxclaims_owner grants and revokes a client of a reporting login, each with an audit record',
    run: async ({ reporting, admin }) => {
      const login = `'${String(reporting.user)}'`;
      const given = `select 1 from reporting.grants where login = ${login} and client_id = '${FOREIGN}'`;
      const recorded = (what: string): string =>
        `reset role; select 1 from public.audit_logs
         where action = '${what} ' || ${login} and client_context = '${FOREIGN}' and success and actor = session_user`;
      const grant = `select reporting.grant_client(${login}, '${FOREIGN}')`;
      const revoke = `select reporting.revoke_client(${login}, '${FOREIGN}')`;
      const outcome = (...statements: string[]) => attempt(admin, { role: 'owner', sql: statements.join(';') });
      equal(await outcome(given), 'nothing');
      equal(await outcome(grant, grant, given), 'done');
      equal(await outcome(grant, recorded('reporting.grant_client')), 'done');
      equal(await outcome(grant, revoke, given), 'nothing');
      equal(await outcome(grant, revoke, recorded('reporting.revoke_client')), 'done');
    },
  },
  {
    title: 'a reporting login cannot grant or revoke a client for itself',
    run: async ({ reporting }) => {
      for (const call of ['grant_all_clients', 'revoke_all_clients']) {
        equal(await attempt(reporting, { sql: `select reporting.${call}(session_user)` }), 'denied', call);
      }
      for (const call of ['grant_client', 'revoke_client']) {
        const sql = `select reporting.${call}(session_user, '${FOREIGN}')`;
        equal(await attempt(reporting, { sql }), 'denied', call);
      }
      equal(await attempt(reporting, { sql: 'select 1 from reporting.granted' }), 'denied');
    },
  },
  {
    title: 'a reporting login without any grant reads no row of a table, and reads rows again after a grant',
    run: async ({ reporting, admin }) => {
      const login = reporting.user;
      await admin.query('delete from reporting.grants where login = $1', [login]);
      await namingTables(admin, async () => {
        for (const table of REPORTING_TABLES) {
          equal(await attempt(reporting, { sql: statementFor(table, 'r', 'a') }), 'nothing', table);
        }
      });
      await admin.query('insert into reporting.grants (login, client_id) values ($1, $2)', [
        login,
        idOf('a', 'clients'),
      ]);
      await namingTables(admin, async () => {
        equal(await attempt(reporting, { sql: statementFor('sites', 'r', 'a') }), 'done');
      });
    },
  },
  {
    title: 'a reporting login reads only its own rows of the list of grants, and not who granted them',
    run: async ({ reporting, admin }) => {
      await admin.query(`insert into reporting.grants (login, client_id) values ('somebody_else', $1)`, [
        idOf('b', 'clients'),
      ]);
      const { rows } = await reporting.query('select client_id from reporting.grants');
      await admin.query(`delete from reporting.grants where login = 'somebody_else'`);
      deepEqual(rows, [{ client_id: idOf('a', 'clients') }]);
      equal(await attempt(reporting, { sql: 'select granted_by from reporting.grants' }), 'denied');
      equal(
        await attempt(reporting, {
          sql: `insert into reporting.grants (login, client_id) values (session_user, '${idOf('b', 'clients')}')`,
        }),
        'denied',
      );
    },
  },
  {
    title: 'a reporting login cannot become another role, run a function of the service or create a table',
    run: async ({ reporting }) => {
      for (const role of ['owner', 'definer', 'api', ...REQUEST_ROLES, 'reporting_all', 'auditor']) {
        equal(await attempt(reporting, { sql: `set role taxclaims_${role}` }), 'denied', role);
      }
      for (const sql of [
        `select app.locate('clients', '${idOf('b', 'clients')}')`,
        'select app.client_access()',
        'select lo_create(0)',
        `select lo_from_bytea(0, '\\x00')`,
        'create table public.own (id integer)',
        'create temp table own (id integer)',
      ]) {
        equal(await attempt(reporting, { sql }), 'denied', sql);
      }
    },
  },
];
