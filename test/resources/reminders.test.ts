import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ROLES } from '../../src/identity/caller.ts';
import { REFUSED_ADDRESS_RETRY_MS } from '../../src/limits.ts';
import { createSmtpMailer } from '../../src/outbox/mailer.ts';
import { createReminderMail, type DueItem } from '../../src/outbox/reminder-mail.ts';
import { Refused, startMailServer } from '../support/mail-server.ts';
import { make } from '../support/rows.ts';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests that a user chooses the kinds and the language of the reminder mails. */

const service = await forSuite(startService());
const own = await service.tenant('Own');
const mailServer = await forSuite(startMailServer());
const KINDS = [
  ...['claim', 'response', 'silence', 'regularisation', 'court', 'appeal', 'relief'],
  ...['task', 'invoice', 'partner_invoice'],
];
const DEFAULT = { language: 'fr', kinds: KINDS, only_mine: false };

const read = (token: string) => service.ask('GET /api/users/me/reminders', { token });
const choose = (token: string, body: object) => service.ask('PUT /api/users/me/reminders', { token, body });

async function stored(role: (typeof ROLES)[number]) {
  const id = randomUUID();
  const clients = role === 'ADMIN' ? [] : [own.clients];
  await make(service, 'users', { id, role, subject: `idp|${id}`, client_access: clients });
  return { id, token: await service.token(role, clients, { sub: `idp|${id}` }) };
}

test.each(ROLES)(
  'a user with the role %s gets all reminders in French until choosing others, and the choice is audited',
  async (role) => {
    const { id, token } = await stored(role);
    expect((await read(token)).json).toEqual(DEFAULT);
    const answer = await choose(token, { language: 'en', kinds: ['task', 'claim', 'task'], only_mine: true });
    expect([answer.status, answer.json]).toEqual([200, { language: 'en', kinds: ['claim', 'task'], only_mine: true }]);
    expect((await choose(token, { kinds: [] })).json).toEqual({ language: 'en', kinds: [], only_mine: true });
    expect((await read(token)).json).toEqual({ language: 'en', kinds: [], only_mine: true });
    expect(
      await service.sql`select action, success, user_id from public.audit_logs
        where request_id = ${answer.headers['x-request-id']}`,
    ).toEqual([{ action: 'PUT /api/users/me/reminders', success: true, user_id: id }]);
  },
);

test('a user who chooses other reminders changes no other user’s reminders', async () => {
  const [one, other] = [await stored('CLIENT'), await stored('CLIENT')];
  await choose(one.token, { language: 'en' });
  expect((await read(other.token)).json).toEqual(DEFAULT);
  expect((await read(one.token)).json).toMatchObject({ language: 'en' });
});

test('a caller who is not stored has the default reminders, and cannot change them before the first login', async () => {
  const token = await service.token('CLIENT', [own.clients], { sub: 'idp|unknown' });
  expect((await read(token)).json).toEqual(DEFAULT);
  const answer = await choose(token, { language: 'en' });
  expectError(answer, 'ERROR_CONFLICT');
  expect(details(answer)).toEqual({ id: 'is not stored yet: log in once' });
});

test.each([
  { body: { language: 'de' }, field: 'language' },
  { body: { kinds: 'claim' }, field: 'kinds' },
  { body: { kinds: ['holiday'] }, field: 'kinds' },
  { body: { only_mine: 'yes' }, field: 'only_mine' },
  { body: { email: 'x@b.example' }, field: 'email' },
])('a user cannot set the reminders to $body: 400 names $field', async ({ body, field }) => {
  const answer = await choose((await stored('CLIENT')).token, body);
  expectError(answer, 'ERROR_VALIDATION');
  expect(Object.keys(details(answer) as object)).toEqual([expect.stringContaining(field)]);
});

describe('a reminder mail', () => {
  const mailAbout = (kind: DueItem['kind']) =>
    createReminderMail(
      { userId: 'user', name: 'Ada', language: 'en', day: '2026-01-30' },
      {
        due: [
          {
            ...{ kind, id: 'due', reclamationId: 'claim', due: { day: '2026-01-31', daysLeft: 1 }, missing: [] },
            ...{ clientName: 'Own', about: 'F-1', claim: undefined },
          },
        ],
        count: 1,
      },
      'https://desk.example/',
    );

  test('a reminder mail names the text of a task and the number of an invoice or bill, both as plain text and as HTML', () => {
    for (const kind of ['task', 'invoice', 'partner_invoice'] as const) {
      const { text, html } = mailAbout(kind);
      expect(text).toMatch(/^- .+: F-1$/m);
      expect(html).toMatch(/: F-1<\/a>/);
    }
  });

  test.each([
    { kind: 'claim', page: '/reclamations/claim' },
    { kind: 'response', page: '/reclamations/claim' },
    { kind: 'court', page: '/reclamations/claim' },
    { kind: 'task', page: '/reclamations/claim' },
    { kind: 'invoice', page: '/invoices/due' },
    { kind: 'partner_invoice', page: '/partner-invoices/due' },
  ] as const)('a reminder mail about a deadline of the kind $kind links to the page $page', ({ kind, page }) => {
    const { text, html } = mailAbout(kind);
    expect(text).toContain(`\n  https://desk.example${page}\n`);
    expect(html).toContain(`<a href="https://desk.example${page}">`);
  });

  test.each([
    { answer: 421, scope: 'server', retryAfterMs: 0, mailsAgain: 'all mails again soon' },
    { answer: 450, scope: 'recipient', retryAfterMs: 0, mailsAgain: 'the refused mail again soon' },
    {
      answer: 550,
      scope: 'recipient',
      retryAfterMs: REFUSED_ADDRESS_RETRY_MS,
      mailsAgain: 'the refused mail again in an hour',
    },
  ])(
    'if the mail server refuses a reminder mail with $answer, the service sends $mailsAgain',
    async ({ answer, scope, retryAfterMs }) => {
      const mail = { ...mailAbout('task'), to: { name: 'Ada', address: 'ada@own.example' } };
      for (const step of ['recipient', 'data'] as const) {
        mailServer.reset();
        mailServer.faults[step] = () => Promise.reject(new Refused(answer, 'no'));
        const sent = createSmtpMailer(mailServer.url, 'firm@own.example')(mail, AbortSignal.timeout(20_000));
        await expect(sent).rejects.toMatchObject({ scope, retryAfterMs, isCutOff: false });
      }
    },
  );
});
