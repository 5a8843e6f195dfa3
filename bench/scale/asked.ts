import { withAdmin } from '../../test/support/database.ts';
import type { TestIdentity } from '../../test/support/identity.ts';
import { FULL_SIZE } from '../database.ts';

/** The ids of the records that the benchmark’s requests name, and the tokens of their callers. */
export interface Asked {
  readonly client: string;
  readonly claim: string;
  readonly site: string;
  /**
   * The id of a claim whose client is in none of the benchmark’s tokens, for a request that the service must refuse.
   */
  readonly foreignClaim: string;
  /** The id of a document with a content, which the first upload of the benchmark creates. */
  readonly document: string;
  /** Returns a token with the given number of clients, one of which is the client that the requests name. */
  readonly token: (clients: number) => Promise<string>;
}

export const CLAIM_OF_CLIENT = { claim_type: 'TF', amount: 1_250.5, tax_year: 2024, commune_code: '75056' };

/**
 * Returns the ids of records of one client, who has neither many nor few claims. The function `clientsOf` and
 * population.sql number the clients in the same way.
 */
export async function askedOf(
  adminUrl: string,
  identity: TestIdentity,
  claims = FULL_SIZE,
): Promise<Omit<Asked, 'document'>> {
  const clients = claims / 100;
  const numberOf = (n: number): string => `md5('client${n}')::uuid`;
  const { rows } = await withAdmin(adminUrl, (admin) =>
    admin.query<{ client: string; claim: string; site: string; foreign: string }>(
      `select c.id as client, r.id as claim, r.site_id as site,
              (select o.id from public.reclamations as o where o.client_id = ${numberOf(clients - 1)} limit 1) as foreign
       from public.clients as c
       cross join lateral (select * from public.reclamations as r where r.client_id = c.id order by created_at limit 1) as r
       where c.id = ${numberOf(clients / 2)}`,
    ),
  );
  const { client, claim, site, foreign } = rows[0] ?? { client: '', claim: '', site: '', foreign: '' };
  return {
    ...{ client, claim, site, foreignClaim: foreign },
    token: async (count) => {
      const others = await withAdmin(adminUrl, (admin) =>
        admin.query<{ id: string }>(
          `select md5('client' || n)::uuid as id from generate_series(0, $1::integer - 1) as n where n not in ($2, $3)`,
          [clients, clients / 2, clients - 1],
        ),
      );
      const ids = others.rows.map(({ id }) => id);
      // If the database has too few clients for the token’s list, random ids of clients that do not exist complete the
      // list.
      while (ids.length < count) ids.push(crypto.randomUUID());
      return identity.token({
        ...{
          sub: `scale-${count}`,
          role: 'ACCOUNT_MANAGER',
          client_access: [client, ...ids.slice(0, count - 1)].sort(),
        },
        ...{ email: `scale-${count}@example.org`, email_verified: true, name: 'Scale' },
        exp: Math.floor(Date.now() / 1_000) + 24 * 3_600,
      });
    },
  };
}
