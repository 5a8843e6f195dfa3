import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestIdentity } from '../support/identity.ts';
import { startMailServer } from '../support/mail-server.ts';
import type { MailServer } from '../support/mail-server.ts';
import { startManagement } from '../support/management.ts';
import type { TestManagement } from '../support/management.ts';
import type { Admin } from '../support/world.ts';
import type { LoadTenant } from './load/people.ts';
import { rightsOf } from './load/rights.ts';
import type { Member, RightsPlan } from './load/rights.ts';

/*
 * The test’s identity provider, which receives changes of users’ rights, and its mail server, which receives reminders.
 */

/** New rights of a user that the identity provider received. `n` counts the received changes in their order. */
interface Told {
  readonly n: number;
  readonly subject: string;
  readonly rights: string;
  readonly at: number;
}

interface Mail {
  readonly recipient: string;
  readonly mail: string;
}

export interface Parts {
  readonly provider: TestManagement;
  readonly mails: MailServer;
  /** The environment variables with which a service uses the provider and the mail server of the test. */
  readonly environment: Readonly<Record<string, string>>;
  readonly rights: RightsPlan;
  readonly told: readonly Told[];
  readonly received: () => readonly Mail[];
  /**
   * Stores users that the identity provider knows, with their clients. Also stores users with a reminder that is due
   * today.
   */
  into(admin: Admin): Promise<void>;
  close(): Promise<void>;
}

const MEMBERS = 3;
/**
 * How many further clients each tenant gets. They are enough to give a user another set of clients with every change of
 * rights.
 */
const CLIENTS = 13;
/**
 * How many milliseconds the test’s identity provider and mail server take to answer. Without this delay, hardly any
 * failure would happen while the service is sending.
 */
const ANSWER_MS = 40;
const FIRST_JOINERS = 5;
const CREDENTIAL = 'management-token';
const JOINERS = '@joiners.example';

export async function startParts(identity: TestIdentity, tenants: readonly LoadTenant[]): Promise<Parts> {
  const [provider, mails] = await Promise.all([startManagement(), startMailServer()]);
  const told: Told[] = [];
  provider.answering = async ({ method, path, body }) => {
    if (method === 'PATCH') {
      const { app_metadata: given, blocked } = body as Patch;
      const subject = decodeURIComponent(path.split('/')[2] ?? '');
      const rights = rightsOf(given.role, given.client_access, !blocked);
      told.push({ n: told.length, subject, rights, at: Date.now() });
    }
    await delay(ANSWER_MS);
  };
  mails.faults.data = () => delay(ANSWER_MS);

  const members = tenants.flatMap((tenant) => {
    const clients = Array.from({ length: CLIENTS }, () => randomUUID());
    return Array.from({ length: MEMBERS }, (): Member => {
      const id = randomUUID();
      return { id, subject: `auth0|${id}`, tenant, clients, first: clients.slice(0, 2) };
    });
  });
  for (const { subject, first } of members) provider.know(subject, FIRST_ROLE, first);

  /**
   * The test’s identity provider returns a token with the rights that the service has sent, and 403 for a blocked user.
   */
  const logins = createServer((request, response) => {
    const subject = decodeURIComponent(request.url?.slice(1) ?? '');
    const user = provider.users.get(subject);
    if (user === undefined || user.blocked) {
      response.writeHead(403).end();
      return;
    }
    const { role, client_access } = user.app_metadata;
    void identity.token({ sub: subject, role, client_access }).then((token) => {
      response.end(JSON.stringify({ token, rights: rightsOf(role, client_access as string[], true) }));
    });
  }).listen(0, '127.0.0.1');
  await once(logins, 'listening');
  // The steward is the user whose token the load test uses to change rights. The token is as old as all other tokens,
  // because one test sets the service’s clock back by an hour.
  const now = Math.floor(Date.now() / 1000);
  const times = { iat: now - 43_200, exp: now + 43_200 };
  const steward = await identity.token({ sub: 'idp|steward', role: 'ADMIN', client_access: [], ...times });

  return {
    ...{ provider, mails, told },
    environment: {
      ...{ AUTH_MANAGEMENT_URL: provider.url, AUTH_MANAGEMENT_TOKEN: CREDENTIAL },
      ...{ SMTP_URL: mails.url, MAIL_FROM: 'rappels@cabinet.example', REMINDERS_AT: '00:00' },
      FRONTEND_URL: 'https://app.example',
    },
    rights: { members, steward, logins: `http://127.0.0.1:${(logins.address() as AddressInfo).port}` },
    received: () => mails.received.map(({ to, mail }) => ({ recipient: to.join(), mail: String(mail.messageId) })),
    async into(admin) {
      for (const { word, client, claim } of tenants) {
        const clients = members.find(({ tenant }) => tenant.client === client)?.clients ?? [];
        await admin(
          `insert into public.clients (id, company_name, contact_email)
           select c, $2 || ' ' || c, 'a@b.example' from unnest($1::uuid[]) as c`,
          [clients, word],
        );
        await admin(
          `insert into public.notes (client_id, reclamation_id, author_id, text, due_on)
           values ($1, $2, gen_random_uuid(), $3, app.paris_today() + 1)`,
          [client, claim, word],
        );
      }
      for (const { id, subject, first } of members) {
        await admin(
          `insert into public.users (id, email, password_hash, name, role, client_access, subject)
           values ($1::uuid, $1::uuid || '@members.example', '!', 'Dupont', '${FIRST_ROLE}', $2, $3)`,
          [id, first, subject],
        );
      }
      await join(admin, FIRST_JOINERS);
    },
    async close() {
      logins.closeAllConnections();
      logins.close();
      await mails.close();
      await provider.close();
    },
  };
}

/** The role that each user has at first, before the load test changes rights. */
export const FIRST_ROLE = 'ACCOUNT_MANAGER';

interface Patch {
  readonly app_metadata: { readonly role: unknown; readonly client_access: readonly string[] };
  readonly blocked: boolean;
}

/**
 * Stores new users with a reminder that is due today. If an instance of the service then starts, it sends their mails
 * at once.
 */
export async function join(admin: Admin, count: number): Promise<void> {
  await admin(
    `insert into public.users (email, password_hash, name, role, client_access)
     select gen_random_uuid() || '${JOINERS}', '!', 'Dupont', 'TAX_SPECIALIST', array[n.client_id]
     from generate_series(1, $1)
     cross join (select client_id from public.notes order by id limit 1) as n`,
    [count],
  );
}

/**
 * The longest time in milliseconds that a test waits until the service has sent all rights and mails. The time is
 * longer than two minutes, because a service that does not know the identity provider’s clock refuses new tokens for up
 * to two minutes.
 */
const LASTS_MS = 150_000;
/**
 * SQL that tells whether the service must still send a user’s rights or a reminder, or still refuses tokens that a user
 * got in the present second.
 */
const OPEN = `
  select exists (select from public.identity_changes where state <> 'DELIVERED')
      or exists (
          select from public.users as u
          where u.email like '%${JOINERS}'
              and not exists (select from app.reminders as r where r.user_id = u.id and r.state <> 'WAITING')
      )
      or exists (
          select from public.users
          where greatest(access_changed_at, sessions_ended_at) > clock_timestamp() - interval '1 second'
      ) as is_open`;

/**
 * Waits until all changes of rights and all mails have arrived. If this takes too long, the function returns, and later
 * checks report what is missing.
 */
export async function untilDelivered(admin: Admin): Promise<void> {
  const end = Date.now() + LASTS_MS;
  while ((await admin(OPEN))[0]?.['is_open'] === true && Date.now() < end) await delay(100);
}

/**
 * Waits until the service has measured how far the identity provider’s clock differs from its own. Without this, a
 * change of rights would make the service refuse the user’s new tokens for two minutes.
 */
export async function untilClockMeasured(admin: Admin): Promise<void> {
  const end = Date.now() + 10_000;
  const query = 'select from app.provider_clock where ahead is not null';
  while ((await admin(query)).length === 0 && Date.now() < end) await delay(50);
}

/**
 * Makes every reminder due at once. If a killed instance has reserved reminders for itself, the reservations are
 * removed, which would otherwise last four minutes.
 */
export async function hurryMails(admin: Admin): Promise<void> {
  await admin(
    `update app.reminders
     set claimed_until = case when claim is null then null else clock_timestamp() end,
         next_attempt_at = clock_timestamp()
     where state = 'WAITING'`,
  );
}
