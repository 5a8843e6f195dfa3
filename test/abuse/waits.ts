import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { callMeanwhile } from '../../bench/big/meanwhile.ts';
import { MAX_BULK_CHANGES } from '../../src/limits.ts';
import { ask } from '../support/http.ts';
import type { Question } from '../support/http.ts';
import { pdf } from '../support/samples.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { FORM, form } from '../support/upload.ts';
import type { Area, AttackResponse } from './attack.ts';
import { MAX_DOCUMENT } from './world.ts';
import type { World } from './world.ts';

/*
 * In these attacks, one caller sends many expensive requests at the same time while a user of another tenant reads a
 * list. The test compares how long that user waits with and without the attack. It checks the ratio, which depends
 * little on the machine. To check these attacks, their author once raised TRANSACTIONS_PER_USER to 36: some attacks
 * then succeeded.
 */

const SOURCE = 'API4:2023';
const AT_ONCE = 36;
const CLAIMS = 3_000;
const DOCUMENTS = 5;
const ROUNDS = 2;
/** How many requests the user of the other tenant sends before the attack pauses or continues. */
const REQUESTS = 15;
const POLL_MS = 20;
const MAX_MS = 180_000;
/**
 * During the attack, the user of another tenant is allowed to wait this many times longer. If the service had no limit
 * for each caller, bulk changes that it refuses would make the user wait 300 times longer.
 */
const MAX_RATIO = 60;

const LITTLE = 'the other tenant waits little longer';

type Request = readonly [line: string, question?: Question];

export const waits: Area = {
  name: 'waits',
  mayGrowMb: 512,
  attacks: async (world) => {
    const { forge, foreign, port } = world;
    const list = `http://127.0.0.1:${port}/api/reclamations?client_id=${foreign.clients}&limit=20`;
    const other = forge.sign({ sub: 'abuse|other', role: 'ACCOUNT_MANAGER', client_access: [foreign.clients] });
    return Object.entries(await dearestRequests(world)).map(([kind, request]) => ({
      ...{
        tries: `another tenant’s waits while one caller sends ${AT_ONCE} parallel requests for ${kind}`,
        source: SOURCE,
        must: [LITTLE],
        maxMs: MAX_MS,
      },
      attempt: () => compareWaits(world, kind, request, list, other),
    }));
  },
};

/** Returns one expensive request of each kind. Their caller is an account manager of a client with many claims. */
async function dearestRequests({ admin, forge, port }: World): Promise<Readonly<Record<string, Request>>> {
  const tenant = newTenant();
  const { clients, sites, reclamations } = tenant;
  await admin(`${tenantSql(tenant, 'Busy')};
    insert into public.reclamations (client_id, site_id, claim_type, amount, tax_year, commune_code, notice_reference, grounds)
    select '${clients}', '${sites}', 'TF', n, 2025, '69290', 'R-' || n, repeat('Surface pondérée surévaluée ', 20)
    from generate_series(1, ${CLAIMS}) as n`);
  const claims = await admin('select id from public.reclamations where client_id = $1 limit $2', [
    clients,
    MAX_BULK_CHANGES,
  ]);
  const token = forge.sign({
    ...{ sub: 'abuse|busy', role: 'ACCOUNT_MANAGER', client_access: [clients] },
    ...{ email: 'busy@busy.example', email_verified: true, name: 'Busy' },
  });
  const { json } = await ask(port, 'POST /api/auth/login', { body: { token } });
  const { id } = json as { readonly id: string };
  const file = form({ bytes: Buffer.concat([pdf, Buffer.alloc(MAX_DOCUMENT / 2)]) });
  const upload: Request = [
    `POST /api/reclamations/${reclamations}/documents`,
    { token, headers: { 'content-type': FORM, 'content-length': file.length }, body: file },
  ];
  for (let count = 0; count < DOCUMENTS; count += 1) await ask(port, ...upload);
  const changes = claims.map((claim) => ({ id: claim['id'], assignee_id: randomUUID() }));
  const wrong = { client_id: clients, site_id: sites, claim_type: 'TF', amount: 1, assignee_id: randomUUID() };
  const csv = { token, headers: { accept: 'text/csv' } };
  return {
    'a bulk change whose every change is refused': ['POST /api/reclamations/changes', { token, body: { changes } }],
    'a list with a search and all names': [
      'GET /api/reclamations?q=surface%20busy&expand=client,site,assignee,moves&count=exact&sort=-amount',
      { token },
    ],
    'a summary': ['GET /api/reclamations/summary?by=status,year', { token }],
    'all claims as CSV': ['GET /api/reclamations?expand=client,site,assignee', csv],
    'an archive of documents': [`GET /api/reclamations/${reclamations}/documents.zip`, { token }],
    'an import whose every record is refused': [
      'POST /api/reclamations/import',
      { token, body: Array.from({ length: 1_000 }, () => wrong) },
    ],
    'the changes of all records': ['GET /api/changes', { token }],
    'the personal data of a user': [`GET /api/users/${id}/personal-data`, { token }],
    'an upload': upload,
  };
}

async function compareWaits(
  { port }: World,
  kind: string,
  [line, question]: Request,
  list: string,
  token: string,
): Promise<AttackResponse> {
  const statuses = new Map<number, number>();
  const sendAll = async (): Promise<void> => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(port, line, question)));
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const other = callMeanwhile(list, token);
  const [calm, busy]: [number[], number[]] = [[], []];
  try {
    await collectWaits(other, []);
    for (let round = 0; round < ROUNDS; round += 1) {
      await collectWaits(other, calm);
      const turn = new AbortController();
      const attack = (async () => {
        while (!turn.signal.aborted) await sendAll();
      })();
      await collectWaits(other, busy).finally(() => {
        turn.abort();
      });
      await attack;
      // After the attack stops, its last requests are still running. Waiting times from this period are not counted.
      await other.waits();
    }
  } finally {
    other.stop();
  }
  const [before, during] = [p90(calm), p90(busy)];
  const ratio = during / before;
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  return {
    result: ratio <= MAX_RATIO ? LITTLE : `the other tenant waits ${ratio.toFixed(0)} times as long`,
    ...{ text: '', refusals: [] },
    figure: `${kind}: p90 of the other tenant’s waits ${before.toFixed(1)} ms, then ${during.toFixed(1)} ms, ratio ${ratio.toFixed(1)} (${counts})`,
  };
}

/** Measures how long the next requests of the other tenant wait, and adds these times to `waited`. */
async function collectWaits(other: ReturnType<typeof callMeanwhile>, waited: number[]): Promise<void> {
  await other.waits();
  const before = waited.length;
  while (waited.length - before < REQUESTS) {
    await delay(POLL_MS);
    waited.push(...(await other.waits()));
  }
}

function p90(values: readonly number[]): number {
  return values.toSorted((one, another) => one - another)[Math.floor(values.length * 0.9)] ?? Number.NaN;
}
