import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { simpleParser } from 'mailparser';
import { pino } from 'pino';
import { createReminderQueue, type Reminders } from '../../src/db/reminders.ts';
import { createFileMailer, createSmtpMailer } from '../../src/outbox/mailer.ts';
import { sendReminders, type RemindersOptions } from '../../src/outbox/reminders.ts';
import { readDueDeadlines } from '../../src/resources/reminders.ts';
import { Refused, startMailServer } from '../support/mail-server.ts';
import { parisDay } from '../support/paris.ts';
import { make } from '../support/rows.ts';
import { startService } from '../support/service.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';

/*
 * These tests check reminders: each user gets one mail a day about deadlines, in the user’s language and under the
 * user’s rights.
 */

let said: Record<string, unknown>[] = [];
const log = pino({}, { write: (line) => void said.push(JSON.parse(line) as Record<string, unknown>) });
const service = await forSuite(startService());
const server = await forSuite(startMailServer());
const folder = await folderForSuite();
const queue = createReminderQueue(service.database);
const tenant = await service.tenant('Logistique Rhône');
const foreign = await service.tenant('Autre maison');
const working: ReturnType<typeof sendReminders>[] = [];
const FRONTEND = 'https://app.example/';
const FROM = 'Cabinet Dubois <rappels@cabinet.example>';

beforeEach(async () => {
  said = [];
  server.reset();
  // With a collection date, no claim is among the unknown days, which a mail lists on Mondays.
  await service.admin(
    `update public.users set reminder_kinds = '{}'; delete from app.reminders; delete from public.notes;
     update public.reclamations set collection_date = app.paris_today() where collection_date is null`,
  );
});
afterEach(async () => {
  await Promise.all(working.splice(0).map((one) => one.close(5_000)));
});

/** Creates a sender of reminder mails that works only when `deliverNow` is called. */
function sender(options: Partial<RemindersOptions> = {}) {
  const one = sendReminders({
    ...{ queue, log, frontendUrl: FRONTEND, sendAt: { time: '00:00', zone: 'Europe/Paris' }, idleMs: 3_600_000 },
    readDueItems: (reminder) => readDueDeadlines(service.database, reminder),
    send: createSmtpMailer(server.url, FROM),
    ...options,
  });
  working.push(one);
  return one;
}

async function person(values: Record<string, unknown> = {}) {
  const id = randomUUID();
  const email = `${id}@cabinet.example`;
  await make(service, 'users', {
    id,
    email,
    name: 'Amélie Durand',
    client_access: [tenant.clients],
    ...values,
  });
  return { id, email };
}

function task(inDays: number, values: Record<string, unknown> = {}): Promise<string> {
  return make(service, 'notes', {
    ...{ client_id: tenant.clients, reclamation_id: tenant.reclamations, author_id: randomUUID() },
    ...{ text: `à faire dans ${String(inDays)}`, due_on: parisDay(inDays), ...values },
  });
}

const rows = (user?: { id: string }) =>
  service.admin(
    `select *, next_attempt_at > now() + interval '20 minutes' as is_rare, claimed_until > now() as is_claimed
     from app.reminders where user_id = coalesce($1, user_id) order by user_id, day`,
    [user?.id ?? null],
  );
/**
 * An instance reserves a reminder before sending it. This function ends all reservations, as if the instances had died,
 * and makes every mail due again.
 */
const laterOn = () =>
  service.admin(
    `update app.reminders set next_attempt_at = now(), claimed_until = now() - interval '1 s' where claim is not null;
     update app.reminders set next_attempt_at = now()`,
  );
const textOf = ({ email }: { email: string }) => server.received.find(({ to }) => to.includes(email))?.mail.text ?? '';

test('a French reminder names the task, its client and its day, and links to the frontend, in text and HTML', async () => {
  const amelie = await person();
  await task(7, { text: 'Demander le relevé' });
  await sender().deliverNow();
  const [{ to, raw, mail } = { to: [], raw: '', mail: undefined }] = server.received;
  expect(to).toEqual([amelie.email]);
  expect(mail?.from?.text).toBe('"Cabinet Dubois" <rappels@cabinet.example>');
  expect(mail?.to).toMatchObject({ value: [{ name: 'Amélie Durand', address: amelie.email }] });
  expect(mail?.subject).toMatch(/^Une échéance : \d+ \S+ \d{4}$/);
  expect(mail?.messageId).toMatch(new RegExp(`^<reminder-\\d{4}-\\d\\d-\\d\\d-${amelie.id}@cabinet.example>$`));
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(raw).toMatch(/^Content-Language: fr\r$/m);
  expect(raw).toMatch(/^Date: /m);
  const address = `https://app.example/reclamations/${tenant.reclamations}`;
  expect(mail?.text).toContain('Bonjour Amélie Durand,');
  expect(mail?.text).toMatch(
    /- Tâche : Demander le relevé, Taxe foncière\n {2}Client : Logistique Rhône\n {2}Jusqu’au \S+ \d+ \S+ \d{4} \(dans 7 jours\)\n/,
  );
  expect(mail?.text).toContain(`  ${address}\n`);
  expect(mail?.html).toContain(`<a href="${address}">Tâche : Demander le relevé, Taxe foncière</a>`);
  expect(mail?.html).toContain('Client : Logistique Rhône');
  expect(mail?.text).toContain('https://app.example/reminders');
  expect(await rows(amelie)).toMatchObject([{ state: 'SENT', attempts: 1, last_error: null, claim: null, cut_off: 0 }]);
});

test('an English reminder names the deadlines of claims, invoices and partner invoices', async () => {
  const { clients, sites, reclamations } = await service.tenant('Logistique Rhône');
  await service.sql`update public.reclamations set collection_date = app.paris_today() where id = ${reclamations}`;
  const ada = await person({ language: 'en', role: 'ACCOUNT_MANAGER', client_access: [clients] });
  const day = parisDay(1);
  const made = [
    await make(service, 'reclamations', {
      ...{ client_id: clients, site_id: sites, claim_type: 'CFE', status: 'REJECTED' },
      ...{ tax_year: 2024, notice_reference: '24 69', court_deadline: day, collection_date: day },
    }),
    await make(service, 'factures', { client_id: clients, due_date: day }),
  ];
  const [{ number } = {}] = await service.admin(
    `update public.factures set status = 'ISSUED', issue_date = '2020-01-01' where id = $1 returning number`,
    [made[1]],
  );
  const partner = await make(service, 'partners');
  const bill = await make(service, 'partner_invoices', {
    ...{ client_id: clients, partner_id: partner, number: 'P-9', due_date: day },
  });
  await sender().deliverNow();
  const text = textOf(ada);
  expect(server.received[0]?.mail.subject).toMatch(/^3 deadlines, the first: \d+ \w+ \d{4}$/);
  expect(text).toContain(
    '- Court deadline: Business property tax 2024, notice 24 69\n  Client: Logistique Rhône\n  Until ',
  );
  expect(text).toContain(`(tomorrow)\n  https://app.example/reclamations/${String(made[0])}\n`);
  expect(text).toContain(`- Invoice due: ${String(number)}\n`);
  expect(text).toContain(`https://app.example/invoices/${String(made[1])}\n`);
  expect(text).toContain('- Partner’s invoice due: P-9\n');
  expect(text).toContain(`https://app.example/partner-invoices/${bill}\n`);
});

test('a reminder mail names a task 30, 14, 7 and 1 days before the task’s due day, on that day, and the day after', async () => {
  const amelie = await person();
  for (const days of [31, 30, 29, 15, 14, 8, 7, 6, 2, 1, 0, -1, -2]) await task(days);
  await sender().deliverNow();
  const remindedDays = [...textOf(amelie).matchAll(/à faire dans (-?\d+)/g)].map(([, days]) => Number(days));
  expect(remindedDays).toEqual([-1, 0, 1, 7, 14, 30]);
});

test.each([
  { told: '2026-11-29', day: '2026-11-30', mails: 1 },
  { told: '2026-11-30', day: '2026-12-01', mails: 0 },
  { told: '2026-12-05', day: '2026-12-06', mails: 0 },
  { told: '2026-11-29', day: '2026-12-02', mails: 1 },
])(
  'a deadline without a day is listed each Monday: $mails times in the mails of $day after a mail of $told',
  async ({ told, day, mails }) => {
    const amelie = await person();
    await service.sql`update public.reclamations set collection_date = null where id = ${tenant.reclamations}`;
    const readDueItems: RemindersOptions['readDueItems'] = (reminder) =>
      readDueDeadlines(service.database, { ...reminder, day, remindedUntil: told });
    await sender({ readDueItems }).deliverNow();
    expect(server.received.map(({ to }) => to[0])).toEqual(Array(mails).fill(amelie.email));
    if (mails > 0) expect(textOf(amelie)).toContain('Date manquante ; à renseigner : ');
  },
);

test('a reminder has no other client’s tasks, no internal note for a CLIENT, and no partner invoice for a TAX_SPECIALIST', async () => {
  const specialist = await person();
  const client = await person({ role: 'CLIENT' });
  const stranger = await person({ client_access: [foreign.clients] });
  const nobody = await person({ client_access: [] });
  await task(1, { text: 'interne', internal: true });
  await task(1, { text: 'partagée' });
  const partner = await make(service, 'partners');
  await make(service, 'partner_invoices', {
    ...{ client_id: tenant.clients, partner_id: partner, number: 'P-10', due_date: parisDay(1) },
  });
  await sender().deliverNow();
  expect(server.received.map(({ to }) => to[0]).sort()).toEqual([specialist.email, client.email].sort());
  expect(textOf(specialist)).toContain('interne');
  expect(textOf(client)).toContain('partagée');
  expect(textOf(client)).not.toContain('interne');
  expect(textOf(specialist)).not.toContain('P-10');
  expect([await rows(stranger), await rows(nobody)]).toMatchObject([
    [{ state: 'NOTHING_DUE' }],
    [{ state: 'NOTHING_DUE' }],
  ]);
});

test('the reminder of an ADMIN covers every client, or only those of the ADMIN’s list', async () => {
  const all = await person({ role: 'ADMIN', client_access: [] });
  const one = await person({ role: 'ADMIN', client_access: [foreign.clients] });
  await task(1);
  await sender().deliverNow();
  expect(server.received.map(({ to }) => to[0])).toEqual([all.email]);
  expect(await rows(one)).toMatchObject([{ state: 'NOTHING_DUE' }]);
});

test('inactive users and users without reminder_kinds get no mail, and reminders_only_mine leaves out other users’ tasks', async () => {
  await person({ is_active: false });
  await person({ reminder_kinds: ['invoice'] });
  const none = await person({ reminder_kinds: [] });
  const own = await person({ reminders_only_mine: true });
  await task(1, { text: 'pour moi', assignee_id: own.id });
  await task(1, { text: 'pour personne' });
  await sender().deliverNow();
  expect(server.received.map(({ to }) => to[0])).toEqual([own.email]);
  expect(textOf(own)).toContain('pour moi');
  expect(textOf(own)).not.toContain('pour personne');
  expect(await rows(none)).toEqual([]);
});

test('a reminder names at most a hundred deadlines, and says how many more there are', async () => {
  const amelie = await person();
  await service.admin(
    `insert into public.notes (client_id, reclamation_id, author_id, text, due_on)
     select $1, $2, gen_random_uuid(), 'à faire', app.paris_today() + 1 from generate_series(1, 103)`,
    [tenant.clients, tenant.reclamations],
  );
  await sender().deliverNow();
  expect(textOf(amelie).match(/à faire/g)).toHaveLength(100);
  expect(textOf(amelie)).toContain('Et 3 de plus.');
  expect(server.received[0]?.mail.subject).toMatch(/^103 échéances/);
});

test('the service plans the reminders of a day from the configured time of day', async () => {
  await person();
  const planned = [await queue.plan('23:59:59.999', 'Europe/Paris'), await queue.plan('00:00', 'Europe/Paris')];
  expect(planned).toEqual([0, 1]);
});

test.each([
  { moment: '2026-06-15T04:59:59Z', at: '07:00 Europe/Paris', day: null },
  { moment: '2026-06-15T05:00:00Z', at: '07:00 Europe/Paris', day: '2026-06-15' },
  { moment: '2026-06-15T21:59:59Z', at: '07:00 Europe/Paris', day: '2026-06-15' },
  { moment: '2026-06-15T22:00:00Z', at: '07:00 Europe/Paris', day: null },
  { moment: '2026-06-15T22:00:00Z', at: '00:00 Europe/Paris', day: '2026-06-16' },
  { moment: '2026-03-29T00:59:59Z', at: '02:30 Europe/Paris', day: null },
  { moment: '2026-03-29T01:30:00Z', at: '02:30 Europe/Paris', day: '2026-03-29' },
  { moment: '2026-10-25T00:29:59Z', at: '02:30 Europe/Paris', day: null },
  { moment: '2026-10-25T01:30:00Z', at: '02:30 Europe/Paris', day: '2026-10-25' },
  { moment: '2026-06-15T11:00:00Z', at: '07:00 America/Guadeloupe', day: '2026-06-15' },
  { moment: '2026-06-16T00:30:00Z', at: '07:00 America/Guadeloupe', day: null },
  { moment: '2026-06-16T03:00:00Z', at: '23:00 America/Guadeloupe', day: '2026-06-16' },
  { moment: '2026-06-15T03:00:00Z', at: '07:00 Indian/Reunion', day: '2026-06-15' },
])('at $moment, the reminders for $at are those of $day, the day in Paris', async ({ moment, at, day }) => {
  const found = await service.admin('select app.reminder_day($1, $2, $3)::text as day', [moment, ...at.split(' ')]);
  expect(found).toEqual([{ day }]);
});

const EVIL = 'Evil\r\nBcc: all@evil.example\r\n\r\n<script>alert(1)</script>\u2028\u202Etxt';

test('names and texts with line breaks and markup add no header, recipient, line or element to a reminder', async () => {
  const evil = await make(service, 'clients', { company_name: EVIL });
  const site = await make(service, 'sites', { client_id: evil });
  const claim = await make(service, 'reclamations', {
    client_id: evil,
    site_id: site,
    notice_reference: EVIL,
  });
  await person({ name: EVIL, client_access: [evil] });
  await make(service, 'notes', {
    ...{ client_id: evil, reclamation_id: claim, author_id: randomUUID(), text: EVIL },
    due_on: parisDay(),
  });
  await sender().deliverNow();
  const [{ to, raw, mail } = { to: [], raw: '', mail: undefined }] = server.received;
  expect(to).toHaveLength(1);
  expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^(?:bcc|<script)/im);
  expect([...(mail?.headers.keys() ?? [])]).not.toContain('bcc');
  expect(JSON.stringify(mail?.to)).not.toMatch(/\\[rnu]/);
  expect(JSON.stringify(mail?.to)).toContain('Evil Bcc: all@evil.example <script>alert(1)</script> txt');
  expect(mail?.text).not.toMatch(/^Bcc|[\u2028\u202E]/m);
  expect(mail?.text).toContain('Evil Bcc: all@evil.example <script>alert(1)</script> txt');
  expect(mail?.html).not.toContain('<script');
  expect(mail?.html).toContain('Evil Bcc: all@evil.example &lt;script&gt;');
});

test.each([
  'a@b.example>\r\nRCPT TO:<all@evil.example',
  'a@b.example, all@evil.example',
  'a@b.example\r\nBcc: all@evil.example',
])('a user with the email %j adds no further recipient to a reminder', async (email) => {
  const odd = await person({ email });
  const other = await person();
  await task(1);
  await sender().deliverNow();
  const reached = server.received.flatMap(({ to }) => to);
  expect(reached).toContain(other.email);
  // Each reminder mail has exactly one recipient, so a recipient in the user’s email would be visible here.
  expect(server.received.filter(({ to }) => to.length !== 1)).toEqual([]);
  expect(reached.filter((address) => address === 'all@evil.example')).toEqual([]);
  expect(['SENT', 'WAITING']).toContain((await rows(odd))[0]?.['state']);
});

test('each user gets one reminder mail a day although several instances send reminders repeatedly', async () => {
  const people = await Promise.all(Array.from({ length: 15 }, () => person()));
  await task(1);
  await Promise.all([sender(), sender(), sender()].map((one) => one.deliverNow()));
  await sender().deliverNow();
  expect(server.received.map(({ to }) => to[0]).sort()).toEqual(people.map(({ email }) => email).sort());
  expect((await rows()).every(({ state, attempts }) => state === 'SENT' && attempts === 1)).toBe(true);
});

test('a reminder that could not be sent on its day is sent on the next day, with the deadlines of both days', async () => {
  const amelie = await person();
  await task(29);
  await task(-3);
  await service.admin(
    `insert into app.reminders (user_id, day, told_until, waits_since)
     select $1, d.today - 2, d.today - 4, now() - interval '50 hours' from (values (app.paris_today())) as d (today)`,
    [amelie.id],
  );
  await service.admin(
    `insert into app.reminders (user_id, day, told_until, waits_since, state, ended_at)
     select $1, d.today - 4, d.today - 5, now(), 'SENT', now() from (values (app.paris_today())) as d (today)`,
    [amelie.id],
  );
  const found = 'select detail from audit.finding_reminder_unsent';
  expect(await service.admin(found)).toEqual([
    { detail: 'users who have waited for a reminder by mail for a day: 1; days since the first: 2' },
  ]);
  await server.kill();
  await sender().deliverNow();
  // Today’s reminder replaces the unsent one of yesterday, and keeps the time since which the user has been waiting for
  // a mail.
  expect(await service.admin(found)).toHaveLength(1);
  expect((await rows(amelie)).map(({ state }) => state)).toEqual(['SENT', 'GIVEN_UP', 'WAITING']);
  expect((await queue.countUnsent()).oldestSeconds).toBeGreaterThan(50 * 3_600 - 1);
  await server.start();
  await laterOn();
  await sender().deliverNow();
  expect(textOf(amelie)).toMatch(/à faire dans -3[^]*à faire dans 29/);
  expect(server.received).toHaveLength(1);
  expect(await service.admin(found)).toEqual([]);
  expect(await queue.countUnsent()).toMatchObject({ mails: 0, oldestSeconds: 0 });
});

test('a reminder is sent once even if Postgres fails three times to record it', async () => {
  const amelie = await person();
  await task(1);
  let failures = 3;
  const forgetful: Reminders = {
    ...queue,
    recordOutcome: async (...settled) => {
      if (failures-- > 0) throw new Error('Postgres is away');
      return queue.recordOutcome(...settled);
    },
  };
  await sender({ queue: forgetful }).deliverNow();
  await sender().deliverNow();
  expect(server.received).toHaveLength(1);
  expect(await rows(amelie)).toMatchObject([{ state: 'SENT', attempts: 1 }]);
});

test('a reminder is sent and recorded once even if its instance’s reservation expires during the sending', async () => {
  const amelie = await person();
  await task(1);
  const late: Reminders = {
    ...queue,
    recordOutcome: async (...settled) => {
      await laterOn();
      const [other] = [await queue.claim(60_000)];
      const isKept = await queue.recordOutcome(...settled);
      expect(other && (await queue.handOver(other, 60_000))).toBeUndefined();
      return isKept;
    },
  };
  await sender({ queue: late }).deliverNow();
  expect(server.received).toHaveLength(1);
  expect(await rows(amelie)).toMatchObject([{ state: 'SENT', cut_off: 1 }]);
});

test.each([
  ['client access', `client_access = '{}'`],
  ['role', `role = 'CLIENT'`],
  ['is_active', 'is_active = false'],
])(
  'an instance does not send a reminder if its user’s %s changes after the instance has read the deadlines',
  async (_what, change) => {
    const amelie = await person();
    await task(1, { internal: true });
    const readDueItems: RemindersOptions['readDueItems'] = async (reminder) => {
      const found = await readDueDeadlines(service.database, reminder);
      await service.admin(`update public.users set ${change} where id = $1`, [amelie.id]);
      return found;
    };
    await sender({ readDueItems }).deliverNow();
    expect(server.received).toEqual([]);
    expect(await rows(amelie)).toMatchObject([{ state: 'WAITING', attempts: 0, claim: null }]);
    await laterOn();
    await sender().deliverNow();
    expect(server.received).toEqual([]);
  },
);

test('an instance reads no deadlines for a reminder if the user’s rights have changed since the instance reserved the reminder', async () => {
  const amelie = await person();
  await task(1);
  const readDueItems: RemindersOptions['readDueItems'] = async (reminder) => {
    await service.admin(`update public.users set client_access = '{}' where id = $1`, [amelie.id]);
    return readDueDeadlines(service.database, reminder);
  };
  await sender({ readDueItems }).deliverNow();
  expect(await rows(amelie)).toMatchObject([
    { state: 'WAITING', last_error: expect.stringContaining('the rights were changed') },
  ]);
});

test('reminders wait while the mail server is unreachable, and the service counts and logs the waiting reminders', async () => {
  const amelie = await person();
  await task(1);
  await server.kill();
  const one = sender();
  await one.deliverNow();
  expect(await rows(amelie)).toMatchObject([
    { state: 'WAITING', attempts: 1, cut_off: 0, handed_over_at: null, is_rare: false },
  ]);
  expect(await queue.countUnsent()).toMatchObject({ mails: 1 });
  expect(said).toMatchObject([{ level: 40, msg: 'the mail server is unreachable: reminders wait' }]);
  await server.start();
  await laterOn();
  await sender().deliverNow();
  expect(server.received.map(({ to }) => to)).toEqual([[amelie.email]]);
});

test('if the mail server refuses a recipient, the service tries this reminder again less often than others, and does not log the address', async () => {
  const refused = await person();
  const others = await Promise.all([person(), person(), person()]);
  await task(1);
  server.faults.recipient = (address) =>
    address === refused.email ? Promise.reject(new Refused(550, `no such user: ${address}`)) : Promise.resolve();
  await sender().deliverNow();
  expect(server.received.map(({ to }) => to[0]).sort()).toEqual(others.map(({ email }) => email).sort());
  expect(await rows(refused)).toMatchObject([
    {
      state: 'WAITING',
      attempts: 1,
      is_rare: true,
      last_error: expect.stringContaining('550 no such user'),
    },
  ]);
  expect(said).toMatchObject([{ level: 40, userId: refused.id }]);
  expect(JSON.stringify(said)).not.toContain(refused.email);
});

test('the answer of a mail server is stored in one line of at most 401 characters, without control characters', async () => {
  const refused = await person();
  await task(1);
  const words = `no\u0000such\u001b[2J user ${'!'.repeat(600)}`;
  server.faults.recipient = () => Promise.reject(new Refused(550, words));
  await sender().deliverNow();
  const [row] = await rows(refused);
  expect(row).toMatchObject({
    state: 'WAITING',
    attempts: 1,
    last_error: expect.stringMatching(/no such \[2J user !+…$/),
  });
  expect(String(row?.['last_error']).length).toBeLessThanOrEqual(401);
});

test('all reminders wait while the mail server refuses the address of their sender', async () => {
  await Promise.all(Array.from({ length: 12 }, () => person()));
  await task(1);
  let asked = 0;
  server.faults.sender = async () => {
    asked += 1;
    return Promise.reject(new Refused(554, 'relaying denied'));
  };
  const one = sender();
  await one.deliverNow();
  await one.deliverNow();
  expect(asked).toBeLessThanOrEqual(4);
  expect((await rows()).filter(({ state }) => state === 'WAITING')).toHaveLength(12);
  expect(said.filter(({ level }) => level === 40)).toHaveLength(1);
  server.reset();
  await laterOn();
  await sender().deliverNow();
  expect(server.received).toHaveLength(12);
});

test.each<{ what: string; fail: () => void; sendMs: number; recover: () => Promise<unknown> }>([
  {
    what: 'does not answer in time',
    fail: () => (server.faults.data = () => new Promise(() => undefined)),
    sendMs: 300,
    recover: () => Promise.resolve(),
  },
  {
    what: 'dies before it answers',
    fail: () => (server.faults.data = () => server.kill()),
    sendMs: 10_000,
    recover: () => server.start(),
  },
])('a reminder is sent again with the same Message-ID if the mail server $what', async (row) => {
  const amelie = await person();
  await task(1);
  row.fail();
  await sender({ sendMs: row.sendMs }).deliverNow();
  expect(await rows(amelie)).toMatchObject([{ state: 'WAITING', cut_off: 0, handed_over_at: expect.anything() }]);
  server.faults.data = () => Promise.resolve();
  await row.recover();
  await laterOn();
  await sender().deliverNow();
  const ids = new Set(server.received.map(({ mail }) => mail.messageId));
  expect([...ids]).toEqual([expect.stringContaining(`-${amelie.id}@cabinet.example`)]);
  expect(await rows(amelie)).toMatchObject([{ state: 'SENT', attempts: 2, cut_off: 1 }]);
  expect((await queue.countUnsent()).cutOff).toBe(1);
});

test('if an instance dies after reserving a reminder, another instance sends the reminder once the reservation expires', async () => {
  const amelie = await person();
  await task(1);
  await queue.plan('00:00', 'Europe/Paris');
  const held = await queue.claim(60_000);
  expect(held && (await queue.handOver(held, 60_000))).toBe(amelie.email);
  // The instance that has died has reserved the reminder, and its reservation has not expired yet.
  await sender().deliverNow();
  expect(server.received).toEqual([]);
  await laterOn();
  await sender().deliverNow();
  expect(server.received).toHaveLength(1);
  expect(await rows(amelie)).toMatchObject([{ state: 'SENT', attempts: 2, cut_off: 1 }]);
  // The instance whose reservation of the reminder has expired can no longer hand this reminder over to the mail
  // server.
  expect(held && (await queue.handOver(held, 60_000))).toBeUndefined();
});

test('if an instance ends while it sends a reminder, another instance sends the reminder', async () => {
  const amelie = await person();
  await task(1);
  const reached = Promise.withResolvers<undefined>();
  server.faults.data = () => {
    reached.resolve(undefined);
    return new Promise(() => undefined);
  };
  const ending = sender();
  await reached.promise;
  await ending.close(1_500);
  expect(await rows(amelie)).toMatchObject([{ state: 'WAITING', claim: null, handed_over_at: expect.anything() }]);
  server.reset();
  await laterOn();
  await sender().deliverNow();
  expect(server.received).toHaveLength(1);
});

test('a service without a mail server writes each reminder once, as a file that mail programs can open', async () => {
  const amelie = await person();
  await task(1);
  const mails = join(folder, 'mails');
  await sender({ send: await createFileMailer(mails, FROM), frontendUrl: undefined }).deliverNow();
  const [name = '', ...others] = await readdir(mails);
  expect([name, others]).toEqual([expect.stringMatching(new RegExp(`^reminder-.*-${amelie.id}\\.eml$`)), []]);
  const mail = await simpleParser(await readFile(join(mails, name)));
  expect(mail.to).toMatchObject({ value: [{ address: amelie.email }] });
  expect(mail.text).toContain('Logistique Rhône');
  expect(mail.text).not.toContain('http');
  expect(((await stat(join(mails, name))).mode & 0o077).toString(8)).toBe('0');
});
