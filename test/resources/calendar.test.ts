import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import ICAL from 'ical.js';
import { pino } from 'pino';
import type { Role } from '../../src/identity/caller.ts';
import { ROLES } from '../../src/identity/caller.ts';
import { MAX_CALENDAR_EVENTS, CALENDAR_READS_PER_MINUTE } from '../../src/limits.ts';
import type { Answer } from '../support/http.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { cheapHash, PRESENT } from '../support/user-with-password.ts';

/*
 * This suite tests the calendar that a user can read at a secret address: its events, how the address becomes invalid,
 * and where the secret is stored.
 */

let logged = '';

const service = await forSuite(startService({ log: pino({ level: 'trace' }, { write: (line) => (logged += line) }) }));
const [own, second, foreign] = [
  await service.furnishedTenant('Logistique du Rhône SAS'),
  await service.furnishedTenant('Brasserie du Port'),
  await service.furnishedTenant('Foreign'),
];

/** Returns the SQL of the date that is the given number of days after today in UTC. */
const day = (days: number): string => `(app.paris_today() + ${days})`;

for (const { clients, sites, factures, partner_invoices: bill, reclamations } of [own, second, foreign]) {
  await service.admin(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, status, tax_year, court_deadline)
     values ($1, $2, 'TF', 1, 'REJECTED', 2025, ${day(-3)}), ($1, $2, 'TF', 1, 'REJECTED', 2025, ${day(500)})`,
    [clients, sites],
  );
  await service.admin(
    `insert into public.notes (client_id, reclamation_id, author_id, text, internal, due_on)
     values ($1, $2, gen_random_uuid(), 'Relever les surfaces', true, ${day(5)}),
         ($1, $2, gen_random_uuid(), 'Répondre à la mairie', false, ${day(6)})`,
    [clients, reclamations],
  );
  await service.admin(`update public.factures set issue_date = ${day(-40)}, due_date = ${day(20)} where id = $1`, [
    factures,
  ]);
  await service.admin(`update public.factures set status = 'ISSUED' where id = $1`, [factures]);
  await service.admin(`update public.partner_invoices set due_date = ${day(21)} where id = $1`, [bill]);
}

const PATH = /^\/calendar\/[\w-]{43}\.ics$/;

async function addressOf({ token }: Pick<Person, 'token'>): Promise<string> {
  const answer = await service.ask('POST /api/users/me/calendar', { token });
  expect([answer.status, answer.json]).toEqual([200, { url: expect.stringMatching(PATH) }]);
  expect(answer.headers['cache-control']).toBe('no-store');
  return (answer.json as { url: string }).url;
}

const read = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.ask(`GET ${url}`, { headers });

const eventsIn = ({ text }: Answer) =>
  new ICAL.Component(ICAL.parse(text) as unknown[]).getAllSubcomponents('vevent').map((vevent) => {
    const { uid, summary, startDate } = new ICAL.Event(vevent);
    return { uid, summary, day: startDate.toString(), isDay: startDate.isDate, vevent };
  });

async function summariesAt(url: string): Promise<readonly string[]> {
  const answer = await read(url);
  expect(answer.status).toBe(200);
  return eventsIn(answer).map(({ summary }) => summary);
}

const digestOf = async (id: string) =>
  (await service.sql`select calendar_digest from public.users where id = ${id}`)[0]?.['calendar_digest'];

/**
 * Expects that a read of the calendar address `url` gets 404 and one audit record without the secret of the address.
 */
async function expectNoCalendarAt(url: string): Promise<void> {
  const answer = await read(url);
  expectError(answer, 'ERROR_NOT_FOUND');
  const records = await service.sql`select to_jsonb(a) as record from public.audit_logs as a
    where request_id = ${answer.headers['x-request-id']}`;
  expect(records).toEqual([
    {
      record: expect.objectContaining({
        success: false,
        action: 'GET /calendar/{secret}.ics',
        resource_type: 'users',
        error_message: 'the address opens no calendar',
      }),
    },
  ]);
}

test.each(ROLES)(
  'the calendar of a user with the role %s has one event of a whole day for each of their deadlines',
  async (role) => {
    const { id, token } = await person(service, role, [own.clients]);
    const listed = await service.ask('GET /api/deadlines?within=366&passed=31&limit=1000', { token });
    const all = listed.json as readonly { kind: string; id: string; due_on: string | null }[];
    // An event needs a day.
    const deadlines = all.filter((one) => one.due_on !== null);
    expect(deadlines.length).toBeLessThan(all.length);
    expect(deadlines.length).toBeGreaterThan(2);
    const answer = await read(await addressOf({ token }));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
    const events = eventsIn(answer);
    expect(events.map(({ uid, day }) => [uid, day])).toEqual(
      deadlines.map(({ kind, id, due_on }) => [`${kind}-${id}@taxclaims`, due_on]),
    );
    expect(events.every(({ isDay }) => isDay)).toBe(true);
    for (const { summary } of events) expect(summary).toMatch(/ – Logistique du Rhône SAS$/);
    expect(answer.text).not.toMatch(/Foreign|Brasserie/);
    expect(answer.text.includes('Relever')).toBe(role !== 'CLIENT');
    expect(await digestOf(id)).toMatch(/^[0-9a-f]{64}$/);
  },
);

test('the calendar of an ADMIN of all clients has the deadlines of every client', async () => {
  const { token } = await person(service, 'ADMIN');
  const summaries = (await summariesAt(await addressOf({ token }))).join('\n');
  for (const name of ['Logistique', 'Brasserie', 'Foreign']) expect(summaries).toContain(name);
});

test('each event of a calendar has a French title with its kind and client', async () => {
  const user = await person(service, 'ACCOUNT_MANAGER', [own.clients]);
  const [court, task, ...others] = eventsIn(await read(await addressOf(user)));
  expect(court?.summary).toBe('Délai de recours – Logistique du Rhône SAS');
  expect(court?.vevent.getFirstPropertyValue('description')).toBe('Taxe foncière, 2025');
  expect(task?.summary).toBe('Tâche : Relever les surfaces – Logistique du Rhône SAS');
  expect(others.map(({ summary }) => summary)).toEqual([
    'Tâche : Répondre à la mairie – Logistique du Rhône SAS',
    expect.stringMatching(/^Échéance de facture : F?\d.* – Logistique du Rhône SAS$/),
    expect.stringMatching(/^Échéance de facture de partenaire : .+ – Logistique du Rhône SAS$/),
  ]);
});

test('a user who chose English gets a calendar in English', async () => {
  const user = await person(service, 'ACCOUNT_MANAGER', [own.clients]);
  await service.admin(`update public.users set language = 'en' where id = $1`, [user.id]);
  const answer = await read(await addressOf(user));
  expect(answer.text).toMatch(/X-WR-CALNAME:Deadlines\r\n/);
  expect(eventsIn(answer).map(({ summary }) => summary)).toContain(
    'Task: Relever les surfaces – Logistique du Rhône SAS',
  );
});

test('a user without deadlines gets a calendar without events', async () => {
  const { clients } = await service.tenant('Without deadlines');
  const answer = await read(await addressOf(await person(service, 'CLIENT', [clients])));
  expect([answer.status, eventsIn(answer)]).toEqual([200, []]);
  expect(answer.text).toMatch(/X-WR-CALNAME:Échéances\r\n/);
});

test('a calendar shows the deadlines of exactly those clients that its user has at the moment when the calendar is read', async () => {
  const { id, token } = await person(service, 'TAX_SPECIALIST', [own.clients]);
  const url = await addressOf({ token });
  const clients = async (list: readonly string[]) => {
    await service.admin('update public.users set client_access = $2 where id = $1', [id, list]);
    return (await summariesAt(url)).join('\n');
  };
  const both = await clients([own.clients, second.clients]);
  expect(both).toContain('Logistique');
  expect(both).toContain('Brasserie');
  const other = await clients([second.clients]);
  expect(other).not.toContain('Logistique');
  expect(other).toContain('Brasserie');
});

test('a client’s name with iCalendar syntax and control characters cannot add an event or break a line', async () => {
  const name = 'Bar; Rue, \\n "A"\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Injected\u0007\u001b\u2028\u202E\u200F\ttab';
  const { clients, sites } = await service.tenant(name);
  await service.admin(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, status, court_deadline, notice_reference)
       values ($1, $2, 'CFE', 1, 'REJECTED', ${day(1)}, $3)`,
    [clients, sites, `12;34,${'😀é'.repeat(40)}`],
  );
  const answer = await read(await addressOf(await person(service, 'CLIENT', [clients])));
  const [event, ...others] = eventsIn(answer);
  expect(others).toEqual([]);
  expect(event?.summary).toBe('Délai de recours – Bar; Rue, \\n "A" END:VEVENT BEGIN:VEVENT SUMMARY:Injected tab');
  expect(event?.vevent.getFirstPropertyValue('description')).toContain(`12;34,${'😀é'.repeat(40)}`);
  // In an iCalendar file, RFC 5545 section 3.1 lets only CRLF end a line, and a line has at most 75 bytes.
  const lines = answer.text.split('\r\n');
  expect(lines.slice(-2)).toEqual(['END:VCALENDAR', '']);
  expect(lines.filter((line) => /[\p{Cc}\u2028\u202E\u200F]/u.test(line) || Buffer.byteLength(line) > 75)).toEqual([]);
});

test('the calendar shows 100 characters of a task’s text, and marks that a longer text goes on', async () => {
  const { clients, reclamations } = await service.tenant('Scierie');
  await service.admin(
    `insert into public.notes (client_id, reclamation_id, author_id, text, internal, due_on)
       values ($1, $2, gen_random_uuid(), repeat('é', 100), false, ${day(1)}),
           ($1, $2, gen_random_uuid(), repeat('é', 101), false, ${day(2)})`,
    [clients, reclamations],
  );
  const url = await addressOf(await person(service, 'CLIENT', [clients]));
  const shown = 'é'.repeat(100);
  expect(await summariesAt(url)).toEqual([`Tâche : ${shown} – Scierie`, `Tâche : ${shown}… – Scierie`]);
});

test('a user’s calendar keeps its text and ETag while no deadline changes, and the change of a task changes only the task’s event', async () => {
  const user = await person(service, 'ACCOUNT_MANAGER', [second.clients]);
  const url = await addressOf(user);
  const [first, again] = [await read(url), await read(url)];
  expect(again.text).toBe(first.text);
  const { etag = '', 'cache-control': cached } = first.headers;
  expect([cached, again.headers.etag]).toEqual(['private, no-cache', etag]);
  const known = await read(url, { 'if-none-match': etag });
  expect([known.status, known.text, known.headers.etag]).toEqual([304, '', etag]);
  const head = await service.ask(`HEAD ${url}`);
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', etag]);

  await service.admin(`update public.notes set text = 'Rappeler la mairie' where client_id = $1`, [second.clients]);
  const changed = await read(url, { 'if-none-match': etag });
  expect([changed.status, changed.text]).toEqual([200, expect.stringContaining('Rappeler la mairie')]);
  const stamps = (answer: Answer) =>
    eventsIn(answer).map(({ uid, vevent }) => [uid, String(vevent.getFirstPropertyValue('dtstamp'))]);
  const [before, after] = [stamps(first), stamps(changed)];
  expect(after.map(([uid]) => uid)).toEqual(before.map(([uid]) => uid));
  const others = (all: typeof after) => all.filter(([uid]) => uid?.startsWith('task') !== true);
  expect(others(after)).toEqual(others(before));
  expect(after).not.toEqual(before);
});

test(`a calendar has at most ${MAX_CALENDAR_EVENTS} deadlines, and a last event that says that further deadlines are missing`, async () => {
  const { clients, sites } = await service.tenant('Vaste');
  await service.admin(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, status, court_deadline)
       select $1, $2, 'CFE', 1, 'REJECTED', ${day(1)} from generate_series(1, $3)`,
    [clients, sites, MAX_CALENDAR_EVENTS + 1],
  );
  const summaries = await summariesAt(await addressOf(await person(service, 'CLIENT', [clients])));
  expect(summaries).toHaveLength(MAX_CALENDAR_EVENTS + 1);
  expect(summaries.at(-1)).toBe(`Fin du calendrier : plus de ${MAX_CALENDAR_EVENTS} échéances`);
});

describe('the secret address of a user’s calendar', () => {
  test('the creation of a new calendar address ends the user’s old address, and DELETE /api/users/me/calendar ends the new one', async () => {
    const user = await person(service, 'CLIENT', [own.clients]);
    const [first, next] = [await addressOf(user), await addressOf(user)];
    expect(next).not.toBe(first);
    await expectNoCalendarAt(first);
    expect(await summariesAt(next)).not.toEqual([]);
    for (let times = 0; times < 2; times += 1) {
      const answer = await service.ask('DELETE /api/users/me/calendar', { token: user.token });
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    await expectNoCalendarAt(next);
  });

  const OWN_ACCESS = `client_access = '{${own.clients}}'`;
  const OTHER_PASSWORD = `password_hash = '$2b$04$${'a'.repeat(53)}'`;
  test.each<{ change: string; role: Role; end: string; undo: string }>([
    { change: 'inactive', role: 'CLIENT', end: 'is_active = false', undo: 'is_active = true' },
    { change: 'of another role', role: 'TAX_SPECIALIST', end: `role = 'CLIENT'`, undo: `role = 'TAX_SPECIALIST'` },
    { change: 'without clients', role: 'CLIENT', end: `client_access = '{}'`, undo: OWN_ACCESS },
    { change: 'an ADMIN of all clients', role: 'ADMIN', end: `client_access = '{}'`, undo: OWN_ACCESS },
    { change: 'without a password', role: 'CLIENT', end: `password_hash = '!'`, undo: OTHER_PASSWORD },
  ])(
    'the calendar address of a user who becomes $change gets 404, even after that change of the user is undone',
    async ({ role, end, undo }) => {
      const { id, token } = await person(service, role, [own.clients], { password_hash: await cheapHash(PRESENT) });
      const url = await addressOf({ token });
      expect((await read(url)).status).toBe(200);
      for (const change of [end, undo]) {
        await service.admin(`update public.users set ${change} where id = $1`, [id]);
        expect(await digestOf(id)).toBeNull();
        await expectNoCalendarAt(url);
      }
    },
  );

  test('a calendar address stays valid when its user gets another name or logs out', async () => {
    const { id, token } = await person(service, 'CLIENT', [own.clients]);
    const url = await addressOf({ token });
    await service.sql`update public.users set name = 'Dupond', sessions_ended_at = now() where id = ${id}`;
    expect((await read(url)).status).toBe(200);
  });

  test('a user can create a calendar address only with a token that has the stored rights', async () => {
    const { subject, token } = await person(service, 'ACCOUNT_MANAGER', [own.clients]);
    const fewer = await service.token('CLIENT', [own.clients], { sub: subject });
    const nobody = await service.token('CLIENT', [own.clients], { sub: 'not|stored' });
    for (const one of [fewer, nobody])
      expectError(await service.ask('POST /api/users/me/calendar', { token: one }), 'ERROR_CONFLICT', {
        token: 'has other rights than the service has stored: log in again',
      });
    expect((await service.ask('DELETE /api/users/me/calendar', { token: nobody })).status).toBe(204);
    await addressOf({ token });
  });

  test(`a calendar can be read ${CALENDAR_READS_PER_MINUTE} times a minute, independently of other calendars`, async () => {
    const [one, other] = [
      await addressOf(await person(service, 'CLIENT', [own.clients])),
      await addressOf(await person(service, 'CLIENT', [own.clients])),
    ];
    for (let times = 0; times < CALENDAR_READS_PER_MINUTE; times += 1) expect((await read(one)).status).toBe(200);
    const escaped = `%${one.charCodeAt(10).toString(16)}`;
    for (const same of [one, one.slice(0, 10) + escaped + one.slice(11)]) {
      const answer = await read(same);
      expectError(answer, 'ERROR_RATE_LIMITED');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await read(other)).status).toBe(200);
  });
});

test('reads of a user’s calendar count towards the rate limit of that user’s requests', async () => {
  const limited = await startService({ limits: { perUser: 3, perIp: 100 } });
  try {
    const { clients } = await limited.tenant('Own');
    const { token } = await person(limited, 'CLIENT', [clients]);
    const { json } = await limited.ask('POST /api/users/me/calendar', { token });
    const { url } = json as { url: string };
    const other = await person(limited, 'CLIENT', [clients]);
    const statuses = [];
    for (let times = 0; times < 3; times += 1) statuses.push((await limited.ask(`GET ${url}`)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expectError(await limited.ask('GET /api/clients', { token }), 'ERROR_RATE_LIMITED');
    expect((await limited.ask('GET /api/clients', { token: other.token })).status).toBe(200);
  } finally {
    await limited.close();
  }
});

test('the secret in a calendar’s address is in no database row, log line or audit record, even if somebody copied the address wrongly', async () => {
  const { id, token } = await person(service, 'CLIENT', [own.clients]);
  const answer = await service.ask('POST /api/users/me/calendar', {
    token,
    headers: { 'idempotency-key': 'calendar-1' },
  });
  const { url } = answer.json as { url: string };
  const secret = url.slice('/calendar/'.length, -'.ics'.length);
  expect(await digestOf(id)).toBe(createHash('sha256').update(secret).digest('hex'));
  const copies = [
    url,
    `${url}x`,
    `${url}/`,
    `/${url}`,
    `/Calendar/${secret}.ics`,
    `/calendar/${secret}`,
    `/calender/${secret}.ics`,
    `/${secret}`,
  ];
  for (const copy of [...copies, `/api${url}`, `${url}?x=1`]) await read(copy);
  await service.ask(`POST ${url}`);
  const [row] = await service.sql`select
      (select count(*)::integer from public.audit_logs as a where a::text like '%' || ${secret} || '%') as records,
      (select count(*)::integer from public.users as u where u::text like '%' || ${secret} || '%') as users,
      (select count(*)::integer from app.idempotency_keys as k where k::text like '%' || ${secret} || '%') as answers,
      (select count(*)::integer from public.audit_logs as a where a.action like 'GET %{secret}%') as refusals`;
  expect(row).toEqual({ records: 0, users: 0, answers: 0, refusals: expect.any(Number) });
  expect(Number(row?.['refusals'])).toBeGreaterThan(4);
  expect(logged).toContain('"action":"GET /calendar/{secret}.ics"');
  expect(logged).not.toContain(secret);
});

test('the creation and the end of a user’s calendar address each add an audit record', async () => {
  const { id, token } = await person(service, 'CLIENT', [own.clients]);
  await addressOf({ token });
  await service.ask('DELETE /api/users/me/calendar', { token });
  const records = await service.sql`select action, user_id, changed from public.audit_logs
      where resource_id = ${id} and success and action like '%calendar' order by created_at`;
  expect(records).toEqual(
    ['POST', 'DELETE'].map((method) => ({ action: `${method} /api/users/me/calendar`, user_id: id, changed: null })),
  );
});
