import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { anyOf, randomFrom } from '../faults/load/random.ts';
import type { Cluster } from '../faults/cluster.ts';
import { createServiceProcess } from '../faults/service-process.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTestIdentity } from '../support/identity.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { UNLIMITED, accepting, adminOf } from '../support/world.ts';
import { victimOf } from './beside.ts';
import type { Victim } from './world.ts';

/*
 * Two instances remind users by mail while they, Postgres and the mail server are killed. A mail may come twice where the
 * answer to its DATA was lost, and in no other case: docs/decisions/reminders.md.
 */

interface Options {
  readonly seed: number;
  readonly kills: number;
  readonly say?: (line: string) => void;
}

const BETWEEN_MS = 1_000;
const DOWN_MS = 400;
/** Of the answer to a mail, so that kills meet mails on their way. */
const ANSWER_MS = 60;
const USERS_OF_A_ROUND = 30;
const QUIET_MS = 60_000;

export async function runReminders(cluster: Cluster, { seed, kills: most, say = () => undefined }: Options) {
  const random = randomFrom(seed);
  const folder = await createScratchFolder();
  const [postgres, identity, mails] = await Promise.all([createTestDatabase(), startTestIdentity(), startMailServer()]);
  const admin = adminOf(postgres.adminUrl);
  mails.faults.data = async () => delay(ANSWER_MS * random());
  const tenant = newTenant();
  await admin(tenantSql(tenant, 'Logistique du Rhône SAS'));
  await admin(
    `insert into public.notes (client_id, reclamation_id, author_id, text, due_on)
     values ($1, $2, gen_random_uuid(), 'Relever les surfaces', (now() at time zone 'UTC')::date + 1)`,
    [tenant.clients, tenant.reclamations],
  );
  const instances = await Promise.all(
    ['one', 'other'].map((name) =>
      createServiceProcess(folder, {
        ...{ DATABASE_URL: postgres.apiUrl, DATA_DIR: join(folder, name), LOG_LEVEL: 'fatal' },
        ...{ SMTP_URL: mails.url, MAIL_FROM: 'rappels@cabinet.example' },
        ...{ FRONTEND_URL: 'https://app.example', REMINDERS_AT: '00:00 UTC' },
        ...accepting(identity),
        ...UNLIMITED,
      }),
    ),
  );
  const services = instances.map((one) => victimOf('service', one));
  const victims: readonly Victim[] = [...services, ...serversOf(cluster, mails)];

  /** People join all day; an instance that starts looks for them at once. */
  const peopleJoin = (): Promise<unknown> =>
    admin(
      `insert into public.users (email, password_hash, name, role, client_access)
       select gen_random_uuid() || '@users.example', '!', 'Dupont', 'TAX_SPECIALIST', array[$1::uuid]
       from generate_series(1, $2)`,
      [tenant.clients, USERS_OF_A_ROUND],
    );

  const byName: Record<string, number> = {};
  let kills = 0;
  try {
    await peopleJoin();
    await Promise.all(services.map((one) => one.start()));
    while (kills < most) {
      await delay(BETWEEN_MS * random());
      const victim = anyOf(random, victims);
      if (victim === undefined) break;
      await victim.kill();
      kills += 1;
      byName[`kills of the ${victim.name}`] = (byName[`kills of the ${victim.name}`] ?? 0) + 1;
      await delay(DOWN_MS * random());
      if (services.includes(victim)) await peopleJoin();
      await victim.start();
      if (kills % 10 === 0) say(`${kills} kills, ${mails.received.length} mails`);
    }
    // With no instance, every claim is of one that was killed: nobody waits four minutes for its end.
    for (const one of services) await one.kill();
    await admin(
      `update app.reminders set claimed_until = clock_timestamp() where claim is not null;
       update app.reminders set next_attempt_at = clock_timestamp() where state = 'WAITING'`,
    );
    await Promise.all(services.map((one) => one.start()));
    const open = `
      select count(*)::integer as open from public.users as u
      where not exists (select from app.reminders as r where r.user_id = u.id and r.state <> 'WAITING')`;
    const end = Date.now() + QUIET_MS;
    while (Number((await admin(open))[0]?.['open']) > 0 && Date.now() < end) await delay(100);

    const rows = await admin(
      `select
           u.email, r.day::text, r.state, r.cut_off, 'reminder-' || r.day || '-' || u.id as id,
           coalesce(r.day = max(r.day) over (partition by u.id), true) as is_last
       from public.users as u
       left join app.reminders as r on r.user_id = u.id`,
    );
    const came = Map.groupBy(mails.received, ({ to, mail }) => `${mail.messageId?.split('@')[0]} ${to.join()}`);
    const keyed = new Map(rows.map((row) => [`<${String(row['id'])} ${String(row['email'])}`, row as unknown as Row]));
    const violations = [...keyed].flatMap(([key, row]) => wrongIn(row, came.get(key)?.length ?? 0));
    for (const key of came.keys()) if (!keyed.has(key)) violations.push(`${key} is of nobody`);
    return {
      violations,
      figures: {
        ...{ kills, ...byName, users: rows.length, mails: mails.received.length },
        'mails that came twice': mails.received.length - came.size,
        'attempts without an answer': rows.reduce((sum, row) => sum + Number(row['cut_off']), 0),
      } as Record<string, number>,
    };
  } finally {
    for (const one of services) if (one.isRunning) await one.kill();
    await mails.close();
    await identity.stop();
    await postgres.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Row {
  readonly email: string;
  /** Null for a user without a row. */
  readonly day: string | null;
  readonly state: string | null;
  readonly cut_off: number | null;
  /** Whether the user has no row of a later day, whose mail would have all that this one had. */
  readonly is_last: boolean;
}

/** What does not hold of a user and a day, in words: no mail is missing, and each one too many is in `cut_off`. */
export function wrongIn(row: Row, mails: number): string[] {
  const { email, day, state, cut_off: cutOff, is_last: isLast } = row;
  const isOvertaken = state === 'GIVEN_UP' && !isLast;
  return [
    ...(state === 'SENT' || isOvertaken ? [] : [`is ${state ?? 'planned nowhere'} when all is quiet`]),
    ...(mails > 0 || isOvertaken ? [] : ['got no mail']),
    ...(mails <= 1 + (cutOff ?? 0) ? [] : [`got ${mails} mails, with ${cutOff ?? 0} cut off`]),
  ].map((what) => `${email} on ${day ?? 'no day'} ${what}`);
}

function serversOf(cluster: Cluster, mails: MailServer): Victim[] {
  const running = { isRunning: true, isServing: true };
  return [
    {
      ...{ ...running, name: 'Postgres' },
      kill: () => cluster.killPostmaster(),
      start: () => cluster.start(),
    },
    { ...running, name: 'mail server', kill: () => mails.kill(), start: () => mails.start() },
  ];
}
