import { createHash, randomUUID } from 'node:crypto';
import { ask } from '../support/http.ts';
import { alike } from './attack.ts';
import type { Area, Attack } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import type { World } from './world.ts';

/*
 * Attacks on the secret addresses of calendars. The addresses are guessed, revoked, or belong to a user without rights,
 * and some attacks use a calendar’s secret to read other records. To check these attacks, their author once let
 * app.calendar_user return disabled users: some attacks then succeeded.
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

/**
 * The service answers an unknown calendar address with 404, and writes an audit record as for a refused request. The
 * test therefore also notes the id of such a request.
 */
function recorded(attack: Attack): Attack {
  const attempt = async () => {
    const response = await attack.attempt();
    const id = /"x-request-id":"([^"]+)"/.exec(response.text)?.[1] ?? '';
    return response.result === '404' ? { ...response, refusals: [id] } : response;
  };
  return { ...attack, attempt };
}

/** Creates a tax specialist who has access to the attacker’s client, and a calendar address for this user. */
async function subscriber({ admin, port, mine, forge }: World) {
  const id = randomUUID();
  await admin(
    `insert into public.users (id, email, password_hash, name, subject, role, client_access, access_changed_at)
     values ($1::uuid, $1::uuid || '@users.example', '!', 'Ada', $1::uuid, 'TAX_SPECIALIST', array[$2::uuid], '-infinity')`,
    [id, mine.clients],
  );
  const token = forge.sign({ sub: id, role: 'TAX_SPECIALIST', client_access: [mine.clients] });
  const { status, text, json } = await ask(port, 'POST /api/users/me/calendar', { token });
  if (status !== 200) throw new Error(`the service made no calendar: ${status} ${text}`);
  return { id, token, url: (json as { url: string }).url };
}

function forged(url: string): HttpRow[] {
  const secret = url.slice('/calendar/'.length, -'.ics'.length);
  const digest = createHash('sha256').update(secret).digest('hex');
  const others = {
    'an unknown secret': 'A'.repeat(43),
    'the secret in small letters': secret.toLowerCase(),
    'the secret without its last letter': secret.slice(0, -1),
    'the secret and one more letter': `${secret}A`,
    'the secret and a blank': `${secret}%20`,
    'the stored digest of the secret': digest,
    'the secret twice, with a comma': `${secret},${secret}`,
    'the extension .ics twice': `${secret}.ics`,
    'a percent sign as secret': '%25',
    'SQL instead of the secret': '%27%20or%20true--',
    'underscores, the wildcard of SQL, instead of the secret': '%5f'.repeat(43),
    'a secret in full-width letters': '%EF%BC%A1'.repeat(43),
    'a secret of 8,000 letters': 'a'.repeat(8_000),
  };
  return [
    ...alike(
      [SECRETS, '404'],
      Object.fromEntries(
        Object.entries(others).map(([name, value]) => [
          `a calendar address with ${name}`,
          `GET /calendar/${value}.ics`,
        ]),
      ),
    ),
    ['a calendar address with an invalid percent escape', 'ASVS 5, 2.2.1', '400', 'GET /calendar/%ZZ.ics'],
    ['a calendar address with the secret and a NUL', SECRETS, '400', `GET /calendar/${secret}%00.ics`],
    ['a calendar address with an unknown parameter', 'ASVS 5, 2.2.1', '400', `GET ${url}?client_id=x`],
  ];
}

/** Requests with a valid secret of a calendar. The secret must open its calendar and no other record. */
function elsewhere({ mine, foreign }: World, url: string): HttpRow[] {
  const secret = url.slice('/calendar/'.length, -'.ics'.length);
  const authorization = `Bearer ${secret}`;
  return [
    ['a calendar by its own address', SECRETS, '200', `GET ${url}`],
    [
      'a valid calendar address with an invalid token',
      SECRETS,
      '200',
      `GET ${url}`,
      { headers: { authorization: 'Bearer x' } },
    ],
    [
      'a valid calendar address with another client in a header',
      REACH,
      '200',
      `GET ${url}`,
      { headers: { 'x-client-id': foreign.clients } },
    ],
    ...alike([REACH, '401'], {
      'a calendar’s secret as a bearer token': ['GET /api/clients', { headers: { authorization } }],
      'a calendar’s secret in a query parameter': `GET /api/clients?calendar=${secret}`,
      'a calendar’s secret in a cookie': ['GET /api/clients', { headers: { cookie: `calendar=${secret}` } }],
      'a calendar’s secret as the link of a document': `GET /api/documents/${mine.documents}/content?link=${secret}`,
      'a write to a calendar address': `PUT ${url}`,
      'a new calendar address by POST to the old address': `POST ${url}`,
      'the deletion of a calendar by its address': `DELETE ${url}`,
      'a calendar address followed by a path to the API': `GET ${url}/../../api/clients`,
      'a calendar address with a second slash': `GET /${url}`,
      'a calendar address without the extension .ics': `GET /calendar/${secret}`,
      'a calendar address with its folder in capitals': `GET /CALENDAR/${secret}.ics`,
    }),
  ];
}

/** Calendar addresses that must no longer work, because their user has lost a right or has created a new address. */
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
    rows.push([`a calendar address ${tries}`, ROLES, '404', `GET ${url}`]);
  }
  const { token, url } = await subscriber(world);
  await ask(world.port, 'POST /api/users/me/calendar', { token });
  rows.push(['a calendar address that a newer address replaced', SECRETS, '404', `GET ${url}`]);
  return rows;
}

function made({ tokens }: World): HttpRow[] {
  const line = 'POST /api/users/me/calendar';
  return [
    ['a new calendar address without a token', ROLES, '401', line],
    ['a new calendar address for a token without a stored user', ROLES, '409', line, { token: tokens.nobody }],
    [
      'a new calendar address for another user',
      REACH,
      '400',
      `${line}?user_id=${randomUUID()}`,
      { token: tokens.manager },
    ],
    ['the deletion of a calendar address without a token', ROLES, '401', 'DELETE /api/users/me/calendar'],
  ];
}
