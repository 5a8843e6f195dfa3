import { describe, expect, test } from '@jest/globals';
import { connected } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { readPages } from './paging.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests the search for claims by words, for callers with few clients, with many and with all. */

const CLIENTS = 120;

/**
 * The claims that the tests search for, by a short name. Each has the name of its client and site, its notice
 * reference, commune code and grounds.
 */
const CLAIMS = {
  rhone: ['Logistique Rhône-Alpes', 'Entrepôt n° 4', '24 69 1234567 01', '69290', 'Surface pondérée surévaluée'],
  etienne: ['Verrerie de Saint-Étienne', 'Siège', '24-42-7654321', '42218', null],
  re: ['Hôtels de l’Île de Ré', 'L’Étoile', null, '17318', 'vacance de l’immeuble'],
  coeur: ['Cœur d’Aure', 'STRASSE 1', 'A_1', null, `Base d'imposition ; ${'x'.repeat(3000)} zéphyr`],
  alpes: ['Logistique des Alpes', 'Dépôt Rhône', null, '38185', 'surface du bâtiment « B »'],
  odos: ['ΟΔΟΣ', '12×30 ≥40', null, null, 'une valeur de 100€, et non €500 → moitié ⚠️urgent 😀hotel \ufefftotal'],
} as const;
type Claim = keyof typeof CLAIMS;

const service = await forSuite(startService());
const made = await service.sql`
  with client as (
      insert into public.clients (id, company_name, contact_email)
      select pg_catalog.md5('client' || n)::uuid, coalesce(c.client, 'Autre ' || n), 'a@b.example'
      from pg_catalog.generate_series(1, ${CLIENTS}) as n
      left join pg_catalog.jsonb_to_recordset(${JSON.stringify(
        Object.values(CLAIMS).map(([client], index) => ({ n: index + 1, client })),
      )}::jsonb) as c (n integer, client text) using (n)
      returning id
  )
  select id from client`;
const all = made.map(({ id }) => String(id));
const names = new Map<string, Claim>();
for (const [index, [name, [, site, reference, commune, grounds]]] of Object.entries(CLAIMS).entries()) {
  const [claim] = await service.sql`
    with site as (
        insert into public.sites (client_id, site_name, address)
        values (pg_catalog.md5('client' || ${index + 1}::integer)::uuid, ${site}, 'nulle part')
        returning id, client_id
    )
    insert into public.reclamations (client_id, site_id, claim_type, amount, notice_reference, commune_code, grounds)
    select client_id, id, 'TF', 1, ${reference}, ${commune}, ${grounds} from site
    returning id`;
  names.set(String(claim?.['id']), name as Claim);
}
const few = made.length === CLIENTS ? all.filter((id) => all.indexOf(id) < 50 || isNamed(id)) : [];

function isNamed(id: string): boolean {
  return all.indexOf(id) < Object.keys(CLAIMS).length;
}

function accented(words: string): string {
  return words.replace(/\w/g, '$&\u0301');
}

const CALLERS = {
  'a caller of few clients': () => service.token('ACCOUNT_MANAGER', few),
  'a caller of many clients': () => service.token('CLIENT', all),
  'an ADMIN': () => service.token('ADMIN'),
} as const;

describe.each(Object.keys(CALLERS) as (keyof typeof CALLERS)[])('the search for claims by %s', (caller) => {
  test.each<[string, readonly Claim[]]>([
    ['logistique rhone', ['rhone', 'alpes']],
    ['RHÔNE logistique', ['rhone', 'alpes']],
    ['saint etienne', ['etienne']],
    ['Saint-Étienne', ['etienne']],
    ['ile de re', ['re']],
    ["l'etoile", ['re']],
    ['l’Étoile', ['re']],
    ['logi rh 1234', ['rhone']],
    ['24 69 12', ['rhone']],
    ['coeur', ['coeur']],
    ['straße d aure', ['coeur']],
    // The search for claims finds a word after one that is too long to be stored, and finds the long word by its first
    // 200 characters.
    ['zephyr', ['coeur']],
    ['x'.repeat(200), ['coeur']],
    ['B', ['coeur', 'alpes']],
    ['surface', ['rhone', 'alpes']],
    ['surface alpes', ['rhone', 'alpes']],
    ['surface alpes depot', ['alpes']],
    // The search for claims does not find the middle of a word, an address, or words that stand in two different
    // claims.
    ['gistique', []],
    ['nulle', []],
    ['etienne etoile', []],
    ["' or true --", []],
    ["a_1 \\ % ' ( [ | : * & ! <", ['rhone', 'coeur']],
    ['⑴ ½', ['rhone']],
    // A search text for claims can have characters that few keyboards have, such as → or Greek letters.
    ['100 €', ['odos']],
    ['500€', ['odos']],
    ['30 40', ['odos']],
    ['moitié→', ['odos']],
    ['ΟΔΟΣ', ['odos']],
    ['urgent hotel total', ['odos']],
    ['hotel😀 ⚠️ \ufeffurgent', ['odos']],
    // The search for claims uses only the ten longest words of the search text.
    ['z 12 30 40 une 100 non 500 ΟΔΟΣ valeur moitié', ['odos']],
    // Combining accents do not count towards the length of a word in a search text.
    [`${accented('log rho alp ent 123 692 sur pon 24 01')} zeph`, []],
    [accented('log rho alp ent 123 692 sur pon 24 01'), ['rhone']],
    // A search text without any word finds all claims.
    ['- %', ['rhone', 'etienne', 're', 'coeur', 'alpes', 'odos']],
  ])(`${caller} who searches for %j finds the claims %j`, async (text, found) => {
    const query = `q=${encodeURIComponent(text)}&limit=20`;
    const token = await CALLERS[caller]();
    for (const asked of [query, `${query}&count=exact`, `${query}&sort=amount`, `q=${encodeURIComponent(text)}`]) {
      const answer = await service.ask(`GET /api/reclamations?${asked}`, { token });
      const claims = (answer.json as { id: string }[]).map(({ id }) => names.get(id));
      expect([asked, claims.toSorted()]).toEqual([asked, found.toSorted()]);
    }
  });

  test(`${caller} who searches for claims gets the newest claims first on all pages`, async () => {
    const token = await CALLERS[caller]();
    const answers = await readPages(service, '/api/reclamations?q=surf%20alp&limit=1', token);
    const pages = answers.flatMap(({ json }) => (json as { id: string }[]).map(({ id }) => names.get(id)));
    expect(pages).toEqual(['alpes', 'rhone']);
  });
});

describe('the database function app.found_claims', () => {
  test('the function app.found_claims returns only claims of the listed clients, and uses its index', async () => {
    const login = await connected(service.postgres.adminUrl);
    const found = async (clients: string | undefined, ...words: string[]): Promise<readonly string[] | null> => {
      await login.query('begin');
      await login.query(`select set_config('app.client_access', $1, true)`, [clients ?? '']);
      await login.query(`set local role taxclaims_${clients === undefined ? 'admin' : 'client'}`);
      const { rows } = await login.query<{ ids: readonly string[] | null }>('select app.found_claims($1) as ids', [
        words,
      ]);
      await login.query('commit');
      return rows[0]?.ids?.map((id) => names.get(id) ?? id) ?? null;
    };
    const scans = async (): Promise<number> => {
      await login.query('select pg_stat_force_next_flush()');
      const { rows } = await login.query<{ scans: string }>(
        `select pg_stat_get_numscans('app.claim_words_words_idx'::regclass) as scans`,
      );
      return Number(rows[0]?.scans);
    };
    try {
      const before = await scans();
      expect(await found(undefined, 'etoile')).toEqual(['re']);
      expect(await scans()).toBeGreaterThan(before);
      expect(await found(`{${all.slice(0, 2).join()}}`, 'etoile')).toEqual([]);
      // Searches for claims by a word of their grounds, and by that word together with a word of the site’s name.
      for (const words of [['vacance'], ['vacance', 'etoile']]) {
        expect(await found(undefined, ...words)).toEqual(['re']);
        expect(await found(`{${all.slice(0, 2).join()}}`, ...words)).toEqual([]);
      }
      expect(await found(`{${all.slice(0, 2).join()}}`, 'rhone')).toEqual(['rhone']);
      expect(await found('', 'rhone')).toEqual([]);
      expect(await found('no list', 'rhone')).toEqual([]);
      expect(await found(undefined, '-', '')).toBeNull();
    } finally {
      await login.end();
    }
  });
});
