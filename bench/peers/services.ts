/** The services that the benchmark `peers` compares, each of which runs as a process of its own. */
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import type { TestIdentity } from '../../test/support/identity.ts';
import { BENCH_DIR } from '../database.ts';
import { install, output } from './commands.ts';
import { startHttpPeer } from './http-peer.ts';
import type { HttpPeerOptions } from './http-peer.ts';
import type { HttpRequest } from './load.ts';
import { PAGE } from './peer.ts';
import type { Peer, Question } from './peer.ts';
import type { Release } from './release.ts';
import { UNLIMITED, accepting } from '../../test/support/world.ts';

const API = 'in role taxclaims_api';

export interface Asked extends Question {
  readonly identity: TestIdentity;
  readonly expected: readonly string[];
  /** The value of the query parameter `fields`, which the first release does not know. */
  readonly fields?: string;
}

/** Starts this service from the release in the given folder. */
export async function startService(
  name: string,
  login: string,
  { folder, adminUrl }: Release,
  asked: Asked,
  environment: HttpPeerOptions['environment'] = {},
): Promise<Peer> {
  const { identity } = asked;
  return startHttpPeer({
    ...{ name, folder, login, adminUrl, rights: API, main: 'src/main.ts' },
    environment: (url) => ({
      DATA_DIR: join(BENCH_DIR, 'services', login),
      ...accepting(identity),
      ...UNLIMITED,
      ...(typeof environment === 'function' ? environment(url) : environment),
    }),
    ...listRequest(asked),
  });
}

/** Starts the smallest possible service of Express and pg; every service with Express and pg costs at least as much. */
export async function startExpress(asked: Asked): Promise<Peer> {
  return startHttpPeer({
    ...{ name: 'Express and pg alone, filter by hand', folder: join(import.meta.dirname, '..', '..') },
    ...{ adminUrl: asked.adminUrl, main: 'bench/peers/express/main.ts' },
    ...{ login: 'bench_express', rights: 'superuser' },
    ...listRequest(asked),
  });
}

/** Starts a NestJS service. Its filter is written by hand, and its login is a superuser, to whom no policy applies. */
export async function startNest(asked: Asked): Promise<Peer> {
  const folder = join(import.meta.dirname, 'nestjs');
  await install(folder);
  await output('npm', ['run', 'build'], folder);
  const { adminUrl } = asked;
  return startHttpPeer({
    ...{ name: 'NestJS + TypeORM, filter by hand', folder, adminUrl, main: 'dist/main.js' },
    ...{ login: 'bench_nestjs', rights: 'superuser' },
    environment: verification(asked),
    ...listRequest(asked),
  });
}

/** Starts PostGraphile under the policies, with the API’s login, which changes to the request’s role. */
export async function startPostGraphile(asked: Asked): Promise<Peer> {
  const folder = join(import.meta.dirname, 'postgraphile');
  await install(folder);
  const { adminUrl, token, client, expected } = asked;
  return startHttpPeer({
    ...{ name: 'PostGraphile 5, policies', folder, adminUrl, main: 'main.js' },
    ...{ login: 'bench_postgraphile', rights: API },
    environment: { ...verification(asked), GRAPHILE_ENV: 'production' },
    request: (origin) => ({
      url: `${origin}/graphql`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: GRAPHQL, variables: { client, limit: PAGE } }),
    }),
    ids: (body) => (body as GraphqlAnswer).data.allReclamations.nodes.map(({ rowId }) => rowId),
    expected,
  });
}

/** Returns the environment variables with which a service verifies tokens without fetching keys. */
function verification({ identity }: Asked) {
  const key = createPublicKey({ key: identity.key.jwk, format: 'jwk' });
  return {
    AUTH_PUBLIC_KEY: key.export({ format: 'pem', type: 'spki' }).toString(),
    AUTH_ISSUER: identity.issuer,
    AUTH_AUDIENCE: identity.audience,
  };
}

function listRequest({ token, client, expected, fields }: Asked) {
  return {
    request: (origin: string): HttpRequest => ({
      url: `${origin}/api/clients/${client}/reclamations?limit=${PAGE}${fields === undefined ? '' : `&fields=${fields}`}`,
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    }),
    ids: (body: unknown) => (body as readonly { id: string }[]).map(({ id }) => id),
    expected,
  };
}

interface GraphqlAnswer {
  readonly data: { readonly allReclamations: { readonly nodes: readonly { readonly rowId: string }[] } };
}

const GRAPHQL = `
query ($client: UUID!, $limit: Int!) {
  allReclamations(condition: { clientId: $client }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: $limit) {
    nodes {
      rowId clientId siteId claimType amount status taxYear communeCode noticeReference collectionDate
      claimDeadline submittedAt responseDueAt decisionDate courtDeadline grantedAmount refundAmount grounds
      createdAt updatedAt
    }
  }
}`;
