import { createHash, randomUUID } from 'node:crypto';
import { ask } from '../support/http.ts';
import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import type { World } from './world.ts';

/*
 * Attacks on the download links of documents, which need no token. The links’ secrets are guessed or expired, or their
 * creator has lost a right, and some attacks use a link’s secret to read other records. To check these attacks, their
 * author once let app.document_link return expired links: some attacks then succeeded.
 */

const SECRETS = 'ASVS 5, 7.2';
const REACH = 'API1:2023';
const ROLES = 'API5:2023';

/**
 * SQL that makes a download link valid for an hour, so that an attack with this link cannot fail just because the link
 * has expired.
 */
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
  if (status !== 200) throw new Error(`the service made no document link: ${status} ${text}`);
  return (json as { url: string }).url.split('=')[1] ?? '';
}

const content = (document: string, query: string): string => `GET /api/documents/${document}/content?${query}`;

function forged({ mine, tokens }: World, secret: string): HttpRow[] {
  const digest = createHash('sha256').update(secret).digest('hex');
  const others = {
    'a secret of zeros': '0'.repeat(64),
    'the secret in capitals': secret.toUpperCase(),
    'the secret without its last character': secret.slice(0, -1),
    'the secret and one more character': `${secret}0`,
    'the secret and a blank': `${secret}%20`,
    'the secret and a NUL': `${secret}%00`,
    'the stored digest of the secret': digest,
    'the secret twice, with a comma': `${secret},${secret}`,
    'an empty secret': '',
    'a percent sign, the wildcard of SQL': '%25',
    'SQL instead of the secret': '%27%20or%20true--',
    'a secret in full-width digits': '%EF%BC%90'.repeat(64),
    'a secret of 8,000 letters': 'a'.repeat(8_000),
    'a bearer token instead of the secret': tokens.client,
  };
  const queries = {
    'the secret in two parameters': `link=${secret}&link=${secret}`,
    'the secret in a second parameter after a wrong one': `link=x&link=${secret}`,
    'the secret in an array parameter': `link[]=${secret}`,
    'the secret in an object parameter': `link[x]=${secret}`,
    'the parameter name in capitals': `LINK=${secret}`,
    'the secret after a semicolon': `x=1;link=${secret}`,
    'the secret as access_token': `access_token=${secret}`,
    'a bearer token as access_token': `access_token=${tokens.client}`,
  };
  return alike(
    [SECRETS, '401'],
    Object.fromEntries([
      ...Object.entries(others).map(([tries, value]) => [
        `a document link with ${tries}`,
        content(mine.documents, `link=${value}`),
      ]),
      ...Object.entries(queries).map(([tries, query]) => [
        `a document link with ${tries}`,
        content(mine.documents, query),
      ]),
    ]) as Record<string, string>,
  );
}

/** Requests with a valid secret of a download link. The secret must open its document and no other record. */
function elsewhere({ mine, foreign }: World, secret: string): HttpRow[] {
  const query = `link=${secret}`;
  const own = `/api/documents/${mine.documents}`;
  const other = `/api/documents/${foreign.documents}`;
  return [
    ['the content of a document by its link', SECRETS, '200', content(mine.documents, query)],
    [
      'the content of a document by its link with the id in capitals',
      SECRETS,
      '200',
      content(mine.documents.toUpperCase(), query),
    ],
    ...alike([REACH, '401'], {
      'a foreign document by the link of another document': content(foreign.documents, query),
      'an unknown document by the link of another document': content(randomUUID(), query),
      'a foreign document by a link with ../': `GET ${own}/content/../../${foreign.documents}/content?${query}`,
      'a foreign document by a link with an encoded ../': `GET ${own}/content/..%2f..%2f${foreign.documents}/content?${query}`,
      'a foreign document by a link with a second slash': `GET //api/documents/${foreign.documents}/content?${query}`,
      'a foreign document by a link with a path parameter': `GET ${own}/content;/../../${foreign.documents}/content?${query}`,
      'the record of the document by its link': `GET ${own}?${query}`,
      'the record of a foreign document by a link': `GET ${other}?${query}`,
      'a list of documents by a link': `GET /api/documents?${query}`,
      'the documents of the claim by a link': `GET /api/reclamations/${mine.reclamations}/documents?${query}`,
      'the ZIP of the claim by a link': `GET /api/reclamations/${mine.reclamations}/documents.zip?${query}`,
      'the claim of the document by a link': `GET /api/reclamations/${mine.reclamations}?${query}`,
      'the deletion of a document by its link': `DELETE ${own}?${query}`,
      'the deletion of a content by its link': `DELETE ${own}/content?${query}`,
      'a change of a document by its link': [`PUT ${own}?${query}`, { body: { filename: 'x.txt' } }],
      'a new link by a link': `POST ${own}/link?${query}`,
      'the content of a document by POST with its link': `POST ${own}/content?${query}`,
      'the caller’s profile by a link': [`GET /api/auth/profile?${query}`],
      'the caller’s user by a link': `GET /api/users/me?${query}`,
    }),
    ...alike(['ASVS 5, 2.2.1', '400'], {
      'a link with an unknown parameter': content(mine.documents, `${query}&client_id=${foreign.clients}`),
      'a link with an invalid percent escape': content(mine.documents, `${query}&x=%ZZ`),
    }),
  ];
}

/**
 * Requests by a download link with additional headers. No header gives the caller access to more than the linked
 * document. If a request also has a token, the service checks the token instead of the link.
 */
function withHeaders({ mine, foreign, tokens }: World, secret: string): HttpRow[] {
  const line = content(mine.documents, `link=${secret}`);
  const headed = (headers: Record<string, string>) => [line, { headers }] as const;
  return [
    ...alike([SECRETS, '401'], {
      'a link with an invalid token': headed({ authorization: 'Bearer nonsense' }),
      'a link with an empty Authorization header': headed({ authorization: '' }),
      'a link with a password of HTTP Basic': headed({ authorization: 'Basic YTpi' }),
      'a link’s secret as a bearer token': [
        content(mine.documents, 'x=1').replace('?x=1', ''),
        { headers: { authorization: `Bearer ${secret}` } },
      ],
      'a link’s secret in a cookie': [
        content(mine.documents, 'x=1').replace('?x=1', ''),
        { headers: { cookie: `link=${secret}` } },
      ],
      'a foreign document by a link with X-Original-URL': [
        content(foreign.documents, `link=${secret}`),
        { headers: { 'x-original-url': `/api/documents/${mine.documents}/content` } },
      ],
    }),
    ['a link with the token of a user without clients', REACH, '403', line, { token: tokens.nobody }],
    ...alike([REACH, '200'], {
      'a link with another method in a header': headed({ 'x-http-method-override': 'DELETE' }),
      'a link with another client in a header': headed({ 'x-client-id': foreign.clients }),
      'a link with another path in a header': headed({
        'x-original-url': `/api/documents/${foreign.documents}/content`,
      }),
      'a link from a page of another origin': headed({ origin: 'https://elsewhere.example' }),
      'a link with the ETag of another version': headed({ 'if-none-match': '"x"' }),
    }),
    ['a byte range by a link', 'RFC 9110, 14', '206', ...headed({ range: 'bytes=0-0' })],
  ];
}

/**
 * Download links that must no longer work: their creator has lost a right, they have expired, or their document is
 * deleted.
 */
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
    rows.push([`a link ${tries}`, ROLES, '401', content(document, `link=${secret}`)]);
  }
  const [over, gone] = [await anotherOf(world), await anotherOf(world)];
  const secrets = [await secretOf(world, over, tokens.client), await secretOf(world, gone, tokens.client)];
  await admin('update app.document_links set expires_at = now() where document_id = $1', [over]);
  await admin('delete from public.documents where id = $1', [gone]);
  return [
    ...rows,
    ['an expired link', SECRETS, '401', content(over, `link=${secrets[0] ?? ''}`)],
    ['a link to a deleted document', SECRETS, '404', content(gone, `link=${secrets[1] ?? ''}`)],
  ];
}

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
      'a new link to a foreign document': [link(foreign.documents), { token }],
      'a new link to a foreign document by an ADMIN of one client': [link(foreign.documents), { token: tokens.admin }],
      'a new link to a foreign document with its client in a header': [
        link(foreign.documents),
        { token, headers: { 'x-client-id': foreign.clients } },
      ],
      'a new link by a user without clients': [link(mine.documents), { token: tokens.nobody }],
    }),
    ['a new link without a token', ROLES, '401', link(mine.documents)],
    ['a new link to an unknown document', REACH, '404', link(randomUUID()), { token }],
    ['a new link with a chosen expiry', 'API3:2023', '400', `${link(mine.documents)}?expires_at=2999-01-01`, { token }],
  ];
}
