import { createHash, randomUUID } from 'node:crypto';
import { ask } from '../support/http.ts';
import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import type { World } from './world.ts';

/*
 * Addresses of documents that take no token: secrets that nobody made, that are over, or whose maker has lost a right; and
 * what an address may open besides its document. Seen red where app.document_link gives links that are over.
 */

const SECRETS = 'ASVS 5, 7.2';
const REACH = 'API1:2023';
const ROLES = 'API5:2023';

/** An hour, so that no attack fails for the time alone. */
const LASTING = `update app.document_links set expires_at = now() + interval '1 hour' where document_id = $1`;

export const links: Area = {
  name: 'links',
  attacks: async (world) => {
    const { admin, mine, tokens } = world;
    const secret = await secretOf(world, mine.documents, tokens.client);
    await admin(LASTING, [mine.documents]);
    return overHttp(world, [
      ...forged(world, secret),
      ...elsewhere(world, secret),
      ...withHeaders(world, secret),
      ...(await ended(world)),
      ...made(world),
    ]);
  },
};

async function secretOf({ port }: World, document: string, token: string): Promise<string> {
  const { status, text, json } = await ask(port, `POST /api/documents/${document}/link`, { token });
  if (status !== 200) throw new Error(`no link: ${status} ${text}`);
  return (json as { url: string }).url.split('=')[1] ?? '';
}

const content = (document: string, query: string): string => `GET /api/documents/${document}/content?${query}`;

function forged({ mine, tokens }: World, secret: string): HttpRow[] {
  const digest = createHash('sha256').update(secret).digest('hex');
  const others = {
    'a secret of zeros': '0'.repeat(64),
    'the secret in capitals': secret.toUpperCase(),
    'the secret but for its end': secret.slice(0, -1),
    'the secret and a letter more': `${secret}0`,
    'the secret and a blank': `${secret}%20`,
    'the secret and a NUL': `${secret}%00`,
    'the digest that is stored': digest,
    'two secrets in one': `${secret},${secret}`,
    'no secret': '',
    'any secret': '%25',
    'SQL in its place': '%27%20or%20true--',
    'a secret in other signs': '%EF%BC%90'.repeat(64),
    'a secret of 8,000 letters': 'a'.repeat(8_000),
    'a token in its place': tokens.client,
  };
  const queries = {
    'the secret twice': `link=${secret}&link=${secret}`,
    'the secret behind another': `link=x&link=${secret}`,
    'the secret in a list': `link[]=${secret}`,
    'the secret under a key': `link[x]=${secret}`,
    'the name in capitals': `LINK=${secret}`,
    'the secret behind a semicolon': `x=1;link=${secret}`,
    'the secret as a token': `access_token=${secret}`,
    'a token as a parameter': `access_token=${tokens.client}`,
  };
  return alike(
    [SECRETS, '401'],
    Object.fromEntries([
      ...Object.entries(others).map(([tries, value]) => [tries, content(mine.documents, `link=${value}`)]),
      ...Object.entries(queries).map(([tries, query]) => [tries, content(mine.documents, query)]),
    ]) as Record<string, string>,
  );
}

/** What the address of one's own document opens: its content, and nothing else. */
function elsewhere({ mine, foreign }: World, secret: string): HttpRow[] {
  const query = `link=${secret}`;
  const own = `/api/documents/${mine.documents}`;
  const other = `/api/documents/${foreign.documents}`;
  return [
    ['the content itself', SECRETS, '200', content(mine.documents, query)],
    ['the content by its id in capitals', SECRETS, '200', content(mine.documents.toUpperCase(), query)],
    ...alike([REACH, '401'], {
      'the content of others': content(foreign.documents, query),
      'a document that nobody has': content(randomUUID(), query),
      'others behind a step back': `GET ${own}/content/../../${foreign.documents}/content?${query}`,
      'others behind an encoded step back': `GET ${own}/content/..%2f..%2f${foreign.documents}/content?${query}`,
      'others behind a second slash': `GET //api/documents/${foreign.documents}/content?${query}`,
      'others behind a parameter of the path': `GET ${own}/content;/../../${foreign.documents}/content?${query}`,
      'what is known of it': `GET ${own}?${query}`,
      'what is known of others': `GET ${other}?${query}`,
      'a list of documents': `GET /api/documents?${query}`,
      'the documents of its claim': `GET /api/reclamations/${mine.reclamations}/documents?${query}`,
      'the archive of its claim': `GET /api/reclamations/${mine.reclamations}/documents.zip?${query}`,
      'its claim': `GET /api/reclamations/${mine.reclamations}?${query}`,
      'to delete it': `DELETE ${own}?${query}`,
      'to delete its content': `DELETE ${own}/content?${query}`,
      'to change it': [`PUT ${own}?${query}`, { body: { filename: 'x.txt' } }],
      'to make another address of it': `POST ${own}/link?${query}`,
      'to ask by POST': `POST ${own}/content?${query}`,
      'to log in': [`GET /api/auth/profile?${query}`],
      'who one is': `GET /api/users/me?${query}`,
    }),
    ...alike(['ASVS 5, 2.2.1', '400'], {
      'the content, and a parameter that it does not know': content(
        mine.documents,
        `${query}&client_id=${foreign.clients}`,
      ),
      'the content, and an escape that is none': content(mine.documents, `${query}&x=%ZZ`),
    }),
  ];
}

/** A header gives an address nothing, and a token that is sent with it counts alone. */
function withHeaders({ mine, foreign, tokens }: World, secret: string): HttpRow[] {
  const line = content(mine.documents, `link=${secret}`);
  const headed = (headers: Record<string, string>) => [line, { headers }] as const;
  return [
    ...alike([SECRETS, '401'], {
      'beside a token that is none': headed({ authorization: 'Bearer nonsense' }),
      'beside an empty token': headed({ authorization: '' }),
      'beside a password': headed({ authorization: 'Basic YTpi' }),
      'the secret as a bearer token': [
        content(mine.documents, 'x=1').replace('?x=1', ''),
        { headers: { authorization: `Bearer ${secret}` } },
      ],
      'the secret in a cookie': [
        content(mine.documents, 'x=1').replace('?x=1', ''),
        { headers: { cookie: `link=${secret}` } },
      ],
      'another document by a header': [
        content(foreign.documents, `link=${secret}`),
        { headers: { 'x-original-url': `/api/documents/${mine.documents}/content` } },
      ],
    }),
    ['beside the token of somebody without a client', REACH, '403', line, { token: tokens.nobody }],
    ...alike([REACH, '200'], {
      'with another method in a header': headed({ 'x-http-method-override': 'DELETE' }),
      'with another client in a header': headed({ 'x-client-id': foreign.clients }),
      'with another path in a header': headed({
        'x-original-url': `/api/documents/${foreign.documents}/content`,
      }),
      'from a page elsewhere': headed({ origin: 'https://elsewhere.example' }),
      'with what one knows of another version': headed({ 'if-none-match': '"x"' }),
    }),
    ['a part', 'RFC 9110, 14', '206', ...headed({ range: 'bytes=0-0' })],
  ];
}

/** Addresses that were good: since then their maker has lost a right, their minute is over, or their document is gone. */
async function ended(world: World): Promise<HttpRow[]> {
  const { admin, mine, forge, tokens } = world;
  const changes = {
    'of a user who was disabled': 'update public.users set is_active = false where id = $1',
    'of a user who lost the client': `update public.users set client_access = '{}' where id = $1`,
    'of a user who has another role': `update public.users set role = 'CLIENT' where id = $1`,
    'of a user whose sessions were ended': 'update public.users set sessions_ended_at = now() where id = $1',
  };
  const rows: HttpRow[] = [];
  for (const [tries, change] of Object.entries(changes)) {
    const [id, document] = [randomUUID(), await anotherOf(world)];
    await admin(
      `insert into public.users (id, email, password_hash, name, subject, role, client_access, access_changed_at)
       values ($1::uuid, $1::uuid || '@users.example', '!', 'Ada', $1::uuid, 'TAX_SPECIALIST', array[$2::uuid], '-infinity')`,
      [id, mine.clients],
    );
    const token = forge.sign({ sub: id, role: 'TAX_SPECIALIST', client_access: [mine.clients] });
    const secret = await secretOf(world, document, token);
    await admin(LASTING, [document]);
    await admin(change, [id]);
    rows.push([`an address ${tries}`, ROLES, '401', content(document, `link=${secret}`)]);
  }
  const [over, gone] = [await anotherOf(world), await anotherOf(world)];
  const secrets = [await secretOf(world, over, tokens.client), await secretOf(world, gone, tokens.client)];
  await admin('update app.document_links set expires_at = now() where document_id = $1', [over]);
  await admin('delete from public.documents where id = $1', [gone]);
  return [
    ...rows,
    ['an address whose minute is over', SECRETS, '401', content(over, `link=${secrets[0] ?? ''}`)],
    ['an address of a document that is gone', SECRETS, '404', content(gone, `link=${secrets[1] ?? ''}`)],
  ];
}

/** Another document of the attacker's claim. */
async function anotherOf({ admin, mine }: World): Promise<string> {
  const id = randomUUID();
  await admin(
    `insert into public.documents (id, reclamation_id, filename, file_path) values ($1::uuid, $2, 'avis.txt', $1::uuid)`,
    [id, mine.reclamations],
  );
  return id;
}

function made({ mine, foreign, tokens }: World): HttpRow[] {
  const link = (document: string): string => `POST /api/documents/${document}/link`;
  const { manager: token } = tokens;
  return [
    ...alike([REACH, '403'], {
      'to make one of a document of others': [link(foreign.documents), { token }],
      'to make one of others as an ADMIN with a list': [link(foreign.documents), { token: tokens.admin }],
      'to make one of others, with another client in a header': [
        link(foreign.documents),
        { token, headers: { 'x-client-id': foreign.clients } },
      ],
      'to make one without a client': [link(mine.documents), { token: tokens.nobody }],
    }),
    ['to make one without a token', ROLES, '401', link(mine.documents)],
    ['to make one of a document that nobody has', REACH, '404', link(randomUUID()), { token }],
    ['to choose its end', 'API3:2023', '400', `${link(mine.documents)}?expires_at=2999-01-01`, { token }],
  ];
}
