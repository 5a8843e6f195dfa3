import { expect, test } from '@jest/globals';
import ICAL from 'ical.js';
import { pino } from 'pino';
import type { Locator, Page } from 'playwright-core';
import { createReminderQueue } from '../../src/db/reminders.ts';
import { createSmtpMailer } from '../../src/outbox/mailer.ts';
import { sendReminders } from '../../src/outbox/reminders.ts';
import { readDueDeadlines } from '../../src/resources/reminders.ts';
import { startMailServer } from '../support/mail-server.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { make } from '../support/rows.ts';
import { startService } from '../support/service.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { expectReadable, launchBrowser, screenshotFolder, SIZES } from './browser.ts';
import { compiled } from './compiled.ts';
import { startFrontend } from './frontend.ts';

/*
 * Follows one deadline through the whole system: from the reminder mail to the claim’s page, a new task, a colleague’s
 * page and the calendar.
 */

const pages = await compiled(await folderForSuite());
const frontend = await forSuite(startFrontend(pages));
const mailServer = await forSuite(startMailServer());
const service = await forSuite(startService({ corsOrigins: [frontend.origin] }));
const reminders = await forSuite(
  sendReminders({
    ...{ queue: createReminderQueue(service.database), log: pino({ level: 'silent' }), idleMs: 3_600_000 },
    ...{ frontendUrl: frontend.origin, sendAt: { time: '00:00', zone: 'UTC' } },
    readDueItems: (reminder) => readDueDeadlines(service.database, reminder),
    send: createSmtpMailer(mailServer.url, 'Cabinet Dubois <rappels@cabinet.example>'),
  }),
);
const browser = await forSuite(launchBrowser());
const complaints: string[] = [];

const { clients, sites } = await service.tenant('Logistique du Rhône SAS');
const amelie = await person(service, 'TAX_SPECIALIST', [clients], { name: 'Amélie Durand' });
const marc = await person(service, 'ACCOUNT_MANAGER', [clients], { name: 'Marc Lefèvre' });

/** Opens a browser page for a person who is logged in at the frontend. */
async function pageOf({ token }: Person): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'fr-FR', viewport: SIZES.desk })).newPage();
  page.on('pageerror', ({ message }) => complaints.push(message));
  const login = JSON.stringify({ baseUrl: `http://127.0.0.1:${service.port}`, token });
  // The page that shows a mail has no origin and no session storage, so only the frontend’s page gets the login.
  await page.addInitScript(
    `if (location.origin === '${frontend.origin}') sessionStorage.setItem('login', ${JSON.stringify(login)})`,
  );
  return page;
}

const task = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('list', { name: 'Tâches' }).getByRole('listitem').filter({ hasText: text });

async function said(page: Page, text: string): Promise<void> {
  const status = page.getByRole('status').first();
  await status
    .filter({ hasText: text })
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`the page says ${await status.innerText()}`, { cause });
    });
}

/** Returns the entries that a calendar program shows. Such a program knows only the calendar’s address. */
async function eventsAt(address: string): Promise<string[]> {
  const answer = await fetch(address);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
  return new ICAL.Component(ICAL.parse(await answer.text()) as unknown[])
    .getAllSubcomponents('vevent')
    .map((one) => new ICAL.Event(one))
    .map(({ summary, startDate }) => `${startDate.toString()} ${summary}`);
}

test('the link in a reminder mail opens the claim, a task added there appears on a colleague’s page, and a calendar shows task and deadline', async () => {
  const [{ due, before } = { due: '', before: '' }] = (await service.admin(
    `select (d.today + 7)::text as due, (d.today + 5)::text as before
     from (values (app.paris_today())) as d (today)`,
  )) as { due: string; before: string }[];
  const claim = await make(service, 'reclamations', {
    ...{ client_id: clients, site_id: sites, claim_type: 'TF', status: 'REJECTED', court_deadline: due },
  });
  const path = `/reclamations/${claim}`;
  pages[path] = pages['/claim'] ?? '';

  await reminders.deliverNow();
  expect(mailServer.received.map(({ to }) => to).sort()).toEqual([[amelie.email], [marc.email]].sort());
  const { mail } = mailServer.received.find(({ to }) => to[0] === amelie.email) ?? {};
  expect(mail?.subject).toMatch(/^Une échéance/);
  const [, day = 'no day'] = /Jusqu’au (.+) \(dans 7 jours\)/.exec(mail?.text ?? '') ?? [];

  const own = await pageOf(amelie);
  await own.setContent(mail?.html === false ? '' : (mail?.html ?? ''));
  await own.getByRole('link', { name: 'Taxe foncière' }).click();
  await said(own, 'À jour');
  expect(own.url()).toBe(frontend.origin + path);
  const facts = await own.getByRole('definition').allInnerTexts();
  expect(facts).toEqual(['Logistique du Rhône SAS', 'Taxe foncière', expect.any(String), day]);

  // The clock of the colleague’s page stands still. Only an event from the service can therefore update the page.
  const colleague = await pageOf(marc);
  const asked: string[] = [];
  colleague.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await colleague.clock.install();
  await colleague.goto(frontend.origin + path);
  await said(colleague, 'À jour');
  await colleague.clock.pauseAt(Date.now() + 3_600_000);
  expect(await task(colleague, '').count()).toBe(0);

  await own.getByLabel('À faire').fill('Demander le relevé');
  await own.getByLabel('Pour le').fill(before);
  await own.getByRole('button', { name: 'Ajouter la tâche' }).click();
  await said(own, 'Tâche ajoutée');
  for (const page of [colleague, own]) await task(page, /^Demander le relevé, pour le/).waitFor();

  await own.getByRole('button', { name: 'Obtenir une adresse' }).click();
  const shown = own.getByLabel('Adresse du calendrier');
  await shown.filter({ hasText: '.ics' }).waitFor();
  const address = await shown.innerText();
  const deadline = `${due} Délai de recours – Logistique du Rhône SAS`;
  const toDo = `${before} Tâche : Demander le relevé – Logistique du Rhône SAS`;
  expect(await eventsAt(address)).toEqual([toDo, deadline]);

  await task(own, 'Demander le relevé').getByRole('button', { name: 'Terminer' }).click();
  await said(own, 'Tâche terminée');
  for (const page of [colleague, own]) await task(page, /^Demander le relevé, faite le/).waitFor();
  expect(await eventsAt(address)).toEqual([deadline]);
  expect(asked.filter((one) => one === '/api/changes')).toHaveLength(1);

  await expectReadable(own, await screenshotFolder('way'), 'claim');
  expect(complaints).toEqual([]);
}, 180_000);
