import { createHash, randomUUID } from 'node:crypto';
import { ask } from '../support/http.ts';
import { alike } from './attack.ts';
import type { Area, Attack } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import type { World } from './world.ts';

/*
 * Secret addresses of calendars: guessed, ended, of users who lost their rights, and what an address may open besides its
 * calendar. Seen red where app.calendar_user gives users whose account has ended.
 */

const SECRETS = 'ASVS 5, 7.2';
const REACH = 'API1:2023';
const ROLES = 'API5:2023';

export const calendars: Area = {
  name: 'calendars',
  attacks: async (world) => {
    const { url } = await subscriber(world);
    return overHttp(world, [...forged(url), ...elsewhere(world, url), ...(await ended(world)), ...made(world)]).map(
      recorded,
    );
  },
};

/** Every 404 has its record as well. */
function recorded(attack: Attack): Attack {
  const attempt = async () => {
    const response = await attack.attempt();
    const id = /"x-request-id":"([^"]+)"/.exec(response.text)?.[1] ?? '';
    return response.result === '404' ? { ...response, refusals: [id] } : response;
  };
  return { ...attack, attempt };
}

/** A specialist of the attacker's client, whose calendar has an address. */
async function subscriber({ admin, port, mine, forge }: World) {
  const id = randomUUID();
  await admin(
    `insert into public.users (id, email, password_hash, name, subject, role, client_access, access_changed_at)
     values ($1::uuid, $1::uuid || '@users.example', '!', 'Ada', $1::uuid, 'TAX_SPECIALIST', array[$2::uuid], '-infinity')`,
    [id, mine.clients],
  );
  const token = forge.sign({ sub: id, role: 'TAX_SPECIALIST', client_access: [mine.clients] });
  const { status, text, json } = await ask(port, 'POST /api/users/me/calendar', { token });
  if (status !== 200) throw new Error(`no calendar: ${status} ${text}`);
  return { id, token, url: (json as { url: string }).url };
}

function forged(url: string): HttpRow[] {
  const secret = url.slice('/calendar/'.length, -'.ics'.length);
  const digest = createHash('sha256').update(secret).digest('hex');
  const others = {
    'a secret of nobody': 'A'.repeat(43),
    'the secret in small letters': secret.toLowerCase(),
    'the secret but for its end': secret.slice(0, -1),
    'the secret and a letter more': `${secret}A`,
    'the secret and a blank': `${secret}%20`,
    'the digest that is stored': digest,
    'two secrets in one': `${secret},${secret}`,
    'the ending twice': `${secret}.ics`,
    'no secret': '%25',
    'SQL in its place': '%27%20or%20true--',
    'a pattern in its place': '%5f'.repeat(43),
    'a secret in other signs': '%EF%BC%A1'.repeat(43),
    'a secret of 8,000 letters': 'a'.repeat(8_000),
  };
  return [
    ...alike(
      [SECRETS, '404'],
      mapped(others, (secret) => `GET /calendar/${secret}.ics`),
    ),
    ['an escape that is none', 'ASVS 5, 2.2.1', '400', 'GET /calendar/%ZZ.ics'],
    ['the secret and a NUL', SECRETS, '400', `GET /calendar/${secret}%00.ics`],
    ['a parameter', 'ASVS 5, 2.2.1', '400', `GET ${url}?client_id=x`],
  ];
}

function mapped<T>(rows: Readonly<Record<string, string>>, to: (value: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(rows).map(([name, value]) => [name, to(value)]));
}

/** What an address opens: its calendar, and nothing else. */
function elsewhere({ mine, foreign }: World, url: string): HttpRow[] {
  const secret = url.slice('/calendar/'.length, -'.ics'.length);
  const authorization = `Bearer ${secret}`;
  return [
    ['the calendar itself', SECRETS, '200', `GET ${url}`],
    ['with a token that is none', SECRETS, '200', `GET ${url}`, { headers: { authorization: 'Bearer x' } }],
    ['with another client in a header', REACH, '200', `GET ${url}`, { headers: { 'x-client-id': foreign.clients } }],
    ...alike([REACH, '401'], {
      'the secret as a token': ['GET /api/clients', { headers: { authorization } }],
      'the secret in a parameter': `GET /api/clients?calendar=${secret}`,
      'the secret in a cookie': ['GET /api/clients', { headers: { cookie: `calendar=${secret}` } }],
      'the secret for a document': `GET /api/documents/${mine.documents}/content?link=${secret}`,
      'to write': `PUT ${url}`,
      'to make another address': `POST ${url}`,
      'to end it': `DELETE ${url}`,
      'another folder behind it': `GET ${url}/../../api/clients`,
      'behind a second slash': `GET /${url}`,
      'without its ending': `GET /calendar/${secret}`,
      'in capitals': `GET /CALENDAR/${secret}.ics`,
    }),
  ];
}

/** Addresses that were good until their user lost a right. */
async function ended(world: World): Promise<HttpRow[]> {
  const changes = {
    'of a user who was disabled': 'is_active = false',
    'of a user who lost the client': `client_access = '{}'`,
    'of a user who has another role': `role = 'CLIENT'`,
    'of a user who became an ADMIN': `role = 'ADMIN'`,
    'of a user whose calendar was ended': 'calendar_digest = null',
  };
  const rows: HttpRow[] = [];
  for (const [tries, change] of Object.entries(changes)) {
    const { id, url } = await subscriber(world);
    await world.admin(`update public.users set ${change} where id = $1`, [id]);
    rows.push([`an address ${tries}`, ROLES, '404', `GET ${url}`]);
  }
  const { token, url } = await subscriber(world);
  await ask(world.port, 'POST /api/users/me/calendar', { token });
  rows.push(['an address that has another after it', SECRETS, '404', `GET ${url}`]);
  return rows;
}

function made({ tokens }: World): HttpRow[] {
  const line = 'POST /api/users/me/calendar';
  return [
    ['to make one without a token', ROLES, '401', line],
    ['to make one without a stored user', ROLES, '409', line, { token: tokens.nobody }],
    ['to make one for another user', REACH, '400', `${line}?user_id=${randomUUID()}`, { token: tokens.manager }],
    ['to end one without a token', ROLES, '401', 'DELETE /api/users/me/calendar'],
  ];
}
