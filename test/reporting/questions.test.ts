import { expect, test } from '@jest/globals';
import { connected, createTestDatabase } from '../support/database.ts';
import { blockOf } from '../support/pages.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite asks the ten questions of docs/analyst.md as BI logins, about two firms with the same rows. The expected
 * answers are computed by hand from the rows of one firm.
 */

/** Returns the SQL of an id that is computed from the firm and a name. */
const id = (firm: string, name: string): string => `md5('${firm} ${name}')::uuid`;

/**
 * SQL that stores one firm. Days are given, or counted from today. The rows are stored without triggers, which would
 * refuse statuses without moves.
 */
function firmSql(firm: string): string {
  const today = 'app.paris_today()';
  const noon = (day: string): string => `((${day})::timestamp + interval '12 hours') at time zone 'Europe/Paris'`;
  const claim = (name: string, type: string, status: string, columns: Readonly<Record<string, string>>): string => {
    const given = {
      ...{ id: id(firm, name), client_id: id(firm, 'client'), site_id: id(firm, 'site'), amount: '9000' },
      ...columns,
    };
    return `insert into public.reclamations (claim_type, status, ${Object.keys(given).join()})
      values ('${type}', '${status}', ${Object.values(given).join()});`;
  };
  /** The statuses of a claim in their order; one that begins with ! was reached by a step back. */
  const moves = (name: string, ...statuses: string[]): string =>
    statuses
      .slice(1)
      .map((status, n) => [statuses[n] ?? '', status, n] as const)
      .map(
        ([from, to, n]) =>
          `insert into public.reclamation_history (client_id, reclamation_id, from_status, to_status, is_correction, actor, changed_at)
           values (${id(firm, 'client')}, ${id(firm, name)}, '${from.replace('!', '')}', '${to.replace('!', '')}',
             ${String(to.startsWith('!'))}, 'fixture', timestamptz '2025-01-01 00:00Z' + ${n} * interval '1 day');`,
      )
      .join('\n');
  const note = (claimName: string, day: string, columns: Readonly<Record<string, string>> = {}): string =>
    `insert into public.notes (${['client_id', 'reclamation_id', 'author_id', 'text', 'created_at', ...Object.keys(columns)].join()})
     values (${[id(firm, 'client'), id(firm, claimName), id(firm, 'ada'), `'x'`, noon(day), ...Object.values(columns)].join()});`;
  const invoice = (name: string, status: string, amount: number, columns: Readonly<Record<string, string>>): string => {
    const given = { id: id(firm, name), client_id: id(firm, 'client'), number: `'${firm}-${name}'`, ...columns };
    return `insert into public.factures (status, amount_excl_tax, paid_at, ${Object.keys(given).join()})
      values ('${status}', ${amount}, ${status === 'PAID' ? 'now()' : 'null'}, ${Object.values(given).join()});`;
  };
  const creditNote = (name: string, of: string, status: string, amount: number, day: string): string =>
    invoice(name, status, amount, {
      ...{ kind: `'CREDIT_NOTE'`, credits_id: id(firm, of), issue_date: `'${day}'` },
      ...(status === 'DRAFT' && { number: 'null' }),
    });
  const bill = (name: string, amount: number, of: string | null, paidAt: string): string =>
    `insert into public.partner_invoices (client_id, partner_id, number, amount_excl_tax, vat_amount, amount_incl_tax, status, invoice_id, paid_at)
     values (${id(firm, 'client')}, ${id(firm, 'partner')}, '${firm}-${name}', ${amount}, ${amount} * 0.2, ${amount} * 1.2, 'PAID',
       ${of === null ? 'null' : id(firm, of)}, ${paidAt});`;
  const user = (name: string, shown: string, role: string, clients: string): string =>
    `insert into public.users (id, email, password_hash, name, role, client_access)
     values (${id(firm, name)}, '${name}@${firm}.example', '!', '${firm} ${shown}', '${role}', ${clients});`;
  return [
    'begin; set local session_replication_role = replica;',
    `insert into public.clients (id, company_name, contact_email) values (${id(firm, 'client')}, '${firm} Client', 'a@b.example');`,
    `insert into public.sites (id, client_id, site_name) values (${id(firm, 'site')}, ${id(firm, 'client')}, '${firm} Site');`,
    user('ada', 'Ada', 'TAX_SPECIALIST', `array[${id(firm, 'client')}]`),
    user('root', 'Root', 'ADMIN', `'{}'`),
    // Two claims of Saint-Priest: one was refunded, one was rejected. The amounts were changed after the submission.
    claim('c1', 'TF', 'REFUNDED', {
      ...{ commune_code: `'69290'`, granted_amount: '800', submitted_amount: '1000' },
      ...{ submitted_at: noon(`date '2025-01-10'`), decision_date: `'2025-04-10'` },
    }),
    moves('c1', 'SUBMITTED', 'ACCEPTED', 'REFUNDED'),
    claim('c2', 'TF', 'REJECTED', {
      ...{ commune_code: `'69290'`, submitted_amount: '1000', assignee_id: id(firm, 'root') },
      // In Paris this is 10 January, in UTC the 9th.
      ...{ submitted_at: `'2025-01-09 23:30Z'`, decision_date: `'2025-02-09'`, court_deadline: `${today} - 3` },
    }),
    moves('c2', 'SUBMITTED', 'REJECTED'),
    // Two claims of Valserhône. One was sent by an older release, with the code of a commune that merged into Valserhône.
    claim('c3', 'TF', 'CLOSED', {
      ...{ commune_code: `'01018'`, granted_amount: '250' },
      ...{ submitted_at: noon(`date '2025-03-01'`), decision_date: `'2025-03-31'` },
    }),
    moves('c3', 'SUBMITTED', 'PARTIALLY_ACCEPTED', 'CLOSED'),
    claim('c4', 'TF', 'ACCEPTED', { commune_code: `'01033'`, granted_amount: '500', submitted_amount: '500' }),
    moves('c4', 'SUBMITTED', 'ACCEPTED'),
    // Claims without a decision that counts: before the court, taken back, withdrawn and then closed.
    claim('c5', 'CFE', 'LITIGATION', {
      ...{
        instance: `'TA'`,
        submitted_amount: '70',
        submitted_at: noon(`${today} - 100`),
        decision_date: `${today} - 40`,
      },
    }),
    moves('c5', 'SUBMITTED', 'REJECTED', 'LITIGATION'),
    claim('withdrawn', 'CFE', 'CLOSED', { submitted_amount: '70' }),
    moves('withdrawn', 'SUBMITTED', 'WITHDRAWN', 'CLOSED'),
    // Claims that wait: their answers were due 10 and 20 days ago, 110 days ago, and today.
    claim('c6', 'CFE', 'SUBMITTED', { submitted_at: noon(`${today} - 200`), response_due_at: noon(`${today} - 10`) }),
    note('c6', `${today} - 90`),
    note('c6', `${today} - 60`, { internal: 'true' }),
    claim('c7', 'CFE', 'SUBMITTED', { submitted_at: noon(`${today} - 210`), response_due_at: noon(`${today} - 20`) }),
    note('c7', `${today} - 61`, { internal: 'false' }),
    claim('c8', 'CFE', 'ACKNOWLEDGED', {
      submitted_at: noon(`${today} - 300`),
      response_due_at: noon(`${today} - 110`),
    }),
    claim('c9', 'CFE', 'SUBMITTED', { submitted_at: noon(`${today} - 10`), response_due_at: noon(today) }),
    note('c9', today, { due_on: `${today} - 5`, assignee_id: id(firm, 'ada') }),
    note('c9', today, { due_on: today, assignee_id: id(firm, 'ada') }),
    note('c9', today, { due_on: `${today} - 9`, assignee_id: id(firm, 'ada'), done_at: 'now()' }),
    claim('c10', 'CFE', 'DRAFT', { claim_deadline: `${today} - 1`, assignee_id: id(firm, 'ada') }),
    claim('c11', 'CFE', 'DRAFT', { claim_deadline: `${today} - 2` }),
    claim('c12', 'CFE', 'DRAFT', { claim_deadline: today }),
    // Judgments about Paris: won, the same part as before, and lost after a judgment that was a mistake.
    claim('j1', 'TF', 'ACCEPTED', {
      commune_code: `'75101'`,
      granted_amount: '100',
      submitted_amount: '100',
      instance: `'TA'`,
    }),
    moves('j1', 'SUBMITTED', 'REJECTED', 'LITIGATION', 'ACCEPTED'),
    claim('j2', 'TF', 'PARTIALLY_ACCEPTED', {
      ...{ commune_code: `'75056'`, granted_amount: '50', submitted_amount: '100', instance: `'TA'` },
    }),
    moves('j2', 'SUBMITTED', 'PARTIALLY_ACCEPTED', 'LITIGATION', 'PARTIALLY_ACCEPTED'),
    claim('j3', 'TF', 'REJECTED', { commune_code: `'75056'`, submitted_amount: '100', instance: `'TA'` }),
    moves('j3', 'SUBMITTED', 'REJECTED', 'LITIGATION', 'ACCEPTED', '!LITIGATION', 'REJECTED'),
    // f2 is credited in two parts, f3 in one; an older release cancelled f4; f7 to f9 are due 29, 30 and 31 days ago.
    invoice('f1', 'PAID', 1000, { issue_date: `'2025-02-10'` }),
    invoice('f2', 'CANCELLED', 400, { issue_date: `'2025-05-05'` }),
    creditNote('n1', 'f2', 'PAID', 150, '2025-05-20'),
    creditNote('n2', 'f2', 'ISSUED', 250, '2025-06-04'),
    invoice('f3', 'PAID', 600, { issue_date: `'2025-05-06'` }),
    creditNote('n3', 'f3', 'ISSUED', 60, '2026-01-15'),
    creditNote('n4', 'f3', 'DRAFT', 7, '2026-01-16'),
    invoice('f4', 'CANCELLED', 90, { issue_date: `'2025-05-07'` }),
    invoice('f5', 'DRAFT', 5000, { issue_date: `'2025-05-08'`, number: 'null' }),
    ...[29, 30, 31].map((days, n) =>
      invoice(`f${7 + n}`, 'ISSUED', 10 * (n + 1), { issue_date: `'2025-08-01'`, due_date: `${today} - ${days}` }),
    ),
    `insert into public.partners (id, name, commission_rate) values (${id(firm, 'partner')}, '${firm} Partner', 10);`,
    `insert into public.client_partners (client_id, partner_id) values (${id(firm, 'client')}, ${id(firm, 'partner')});`,
    // A bill of just the agreed share, one above it that was paid on 1 August in Paris, and one that names no invoice.
    bill('b1', 100, 'f1', 'now()'),
    bill('b2', 60.06, 'f3', `'2025-07-31 22:30Z'`),
    bill('b3', 5000, null, 'now()'),
    'commit;',
  ].join('\n');
}

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
const superuser = await forSuite(connected(database.adminUrl));
for (const firm of ['Alpha', 'Beta']) await superuser.query(firmSql(firm));
const clientOf = async (firm: string): Promise<string> =>
  (await superuser.query<{ id: string }>(`select ${id(firm, 'client')} as id`)).rows[0]?.id ?? '';
const tool = await forSuite(connected(login.url));

/** The statements of the page, by the number of their question. */
const statements = blockOf('docs/analyst.md', '-- 1. ')
  .split(/;\n/)
  .flatMap((text) => {
    const number = /^-- (\d+)\. /.exec(text.trim())?.[1];
    return number === undefined ? [] : [[Number(number), text] as const];
  });

async function ask(): Promise<Map<number, unknown[]>> {
  const answers = new Map<number, unknown[]>();
  for (const [number, sql] of statements) {
    const { rows } = await tool.query<unknown[]>({
      text: sql.replace(/;?\s*$/, ''),
      rowMode: 'array',
      types: { getTypeParser: () => (text: string | Buffer) => String(text) },
    });
    answers.set(number, rows);
  }
  return answers;
}

/** The answers for the granted firm, computed by hand from the rows of `firmSql`. */
async function expectedOf(firm: string): Promise<Map<number, unknown[]>> {
  const { rows } = await superuser.query<Record<string, string>>(
    `select ${id(firm, 'c7')}::text as c7, ${id(firm, 'c8')}::text as c8, (app.paris_today() - 61)::text as noted`,
  );
  const { c7, c8, noted } = rows[0] ?? {};
  return new Map<number, unknown[]>([
    [
      1,
      [
        ['TF', 'Paris', '3', '66.7', '150.00', '50.0'],
        ['TF', 'Saint-Priest', '2', '50.0', '800.00', '40.0'],
        ['TF', 'Valserhône', '2', '100.0', '750.00', '100.0'],
      ],
    ],
    [
      2,
      [
        ['SUBMITTED', '3', '200', '210'],
        ['ACKNOWLEDGED', '1', '300', '300'],
        ['LITIGATION', '1', '100', '100'],
      ],
    ],
    [
      3,
      [
        ['2025', '1', '1000.00'],
        ['2025', '2', '600.00'],
        ['2025', '3', '60.00'],
        ['2026', '1', '-60.00'],
      ],
    ],
    [
      4,
      [
        ['CFE', '1', '60'],
        ['TF', '3', '30'],
      ],
    ],
    [
      5,
      [
        [`${firm} Ada`, '2', '-5'],
        [`${firm} Root`, '1', '-3'],
        [null, '1', '-2'],
      ],
    ],
    [
      6,
      [
        [`${firm} Client`, c8, '110', null],
        [`${firm} Client`, c7, '20', noted],
      ],
    ],
    [7, [[`${firm} Client`, `${firm}-f9`, '36.00', '31']]],
    [8, [['2025', '2060.00', '22.3', '1', '30']]],
    [9, [['TF', '3', '1']]],
    [10, [[`${firm} Partner`, `${firm}-b2`, '10.00', '10.01', '2025-08-01']]],
  ]);
}

test.each(['Alpha', 'Beta'])(
  'a BI login with only the client of %s gets the answers of this client’s rows to the ten questions of docs/analyst.md',
  async (firm) => {
    expect(statements.map(([number]) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const client = await clientOf(firm);
    await superuser.query('select reporting.grant_client($1, $2)', [login.name, client]);
    try {
      for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue']) {
        await tool.query(`set timezone = '${zone}'`);
        const answers = await ask();
        for (const [number, rows] of await expectedOf(firm))
          expect([number, answers.get(number)]).toEqual([number, rows]);
      }
    } finally {
      await tool.query('reset timezone');
      await superuser.query('select reporting.revoke_client($1, $2)', [login.name, client]);
    }
  },
);

test('a BI login without a client gets no row from the questions of docs/analyst.md, and a BI login with all clients gets rows of both firms', async () => {
  expect([...(await ask()).values()]).toEqual(statements.map(() => []));
  await superuser.query('select reporting.grant_all_clients($1)', [login.name]);
  const answers = await ask();
  await superuser.query('select reporting.revoke_all_clients($1)', [login.name]);
  expect(answers.get(1)).toContainEqual(['TF', 'Valserhône', '4', '100.0', '1500.00', '100.0']);
  expect(answers.get(7)).toHaveLength(2);
  expect(answers.get(10)).toHaveLength(2);
});
