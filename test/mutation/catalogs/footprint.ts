import type pg from 'pg';
import type { CatalogMutant } from './kinds.ts';
import { connected } from '../../support/database.ts';

interface Footprint {
  /** The columns of Postgres catalogs that a change of the database has written, for example `pg_class.relowner`. */
  readonly columns: ReadonlySet<string>;
  /** The Postgres catalogs in which a change of the database added, changed or removed a row. */
  readonly catalogs: ReadonlySet<string>;
}

type Row = Readonly<Record<string, unknown>>;

interface Catalog {
  readonly name: string;
  readonly key: readonly string[];
}

/**
 * Finds the Postgres catalogs that a change of the database writes: makes the change in an open transaction, and
 * compares the catalogs there with those of a second connection, which still reads the old rows.
 */
export class Scales {
  readonly #working: pg.Client;
  readonly #watching: pg.Client;
  readonly catalogs: readonly Catalog[];

  private constructor(working: pg.Client, watching: pg.Client, catalogs: readonly Catalog[]) {
    this.#working = working;
    this.#watching = watching;
    this.catalogs = catalogs;
  }

  static async open(adminUrl: string): Promise<Scales> {
    const connect = () => connected(adminUrl, '-c search_path= -c jit=off');
    const watching = await connect();
    const { rows } = await watching.query<Catalog>(
      `select c.relname as name, coalesce(array_agg(a.attname::text) filter (where a.attname is not null), '{}') as key
       from pg_class as c
       left join pg_index as i on i.indrelid = c.oid and i.indisprimary
       left join pg_attribute as a on a.attrelid = c.oid and a.attnum = any (i.indkey::int2[])
       where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r'
       group by c.relname order by c.relname`,
    );
    return new Scales(await connect(), watching, rows);
  }

  async weigh(mutant: CatalogMutant): Promise<Footprint> {
    await this.#working.query(`begin; set local lock_timeout = '30s'`);
    try {
      await this.#working.query(mutant.sql);
      const { rows } = await this.#working.query<{ xid: string }>('select pg_current_xact_id()::xid as xid');
      const xid = rows[0]?.xid ?? '';
      const after = await this.#rows(this.#working, `xmin = '${xid}'`);
      const before = await this.#rows(this.#watching, `xmax = '${xid}'`);
      const catalogs = new Set([...after, ...before].map(({ catalog }) => catalog.name));
      const columns = new Set<string>();
      const olds = new Map(before.map(({ catalog, row }) => [identityOf(catalog, row), row]));
      for (const { catalog, row } of after) {
        const old = olds.get(identityOf(catalog, row));
        for (const [column, value] of Object.entries(old === undefined ? {} : row)) {
          if (JSON.stringify(value) !== JSON.stringify(old?.[column])) columns.add(`${catalog.name}.${column}`);
        }
      }
      return { columns, catalogs };
    } catch (cause) {
      throw new Error(`cannot make the change ${mutant.kind}: ${mutant.object}`, { cause });
    } finally {
      await this.#working.query('rollback');
    }
  }

  async close(): Promise<void> {
    await this.#working.end();
    await this.#watching.end();
  }

  async #rows(client: pg.Client, where: string): Promise<{ catalog: Catalog; row: Row }[]> {
    const questions = this.catalogs.map(
      ({ name }, index) =>
        `select ${String(index)} as index, to_jsonb(t) as row from pg_catalog.${name} as t where t.${where}`,
    );
    const { rows } = await client.query<{ index: number; row: Row }>(questions.join(' union all '));
    return rows.flatMap(({ index, row }) => {
      const catalog = this.catalogs[index];
      return catalog === undefined ? [] : [{ catalog, row }];
    });
  }
}

function identityOf({ name, key }: Catalog, row: Row): string {
  return JSON.stringify([name, ...key.map((column) => row[column])]);
}
