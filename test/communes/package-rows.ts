import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sqlFolder } from '../../src/db/sql-folder.ts';

/* The rows of public.communes, as the package has them and as the migrations write them. */

interface PackageCommune {
  readonly code: string;
  readonly nom: string;
  readonly type: string;
  readonly commune?: string;
  readonly chefLieu?: string;
  readonly anciensCodes?: readonly string[];
  readonly codesPostaux?: readonly string[];
}

/** The package names a commune of today and a former one with the same code twice; the earlier type counts. */
const TYPES = ['commune-actuelle', 'arrondissement-municipal', 'commune-deleguee', 'commune-associee'];

/** Codes of the departments Seine and Seine-et-Oise (until 1968) and Corse (until 1976) are postal codes of today. */
const ENDED_DEPARTMENTS = ['75', '78', '20'];

/** Returns for each code the rest of its line: name, current code and postal codes. */
export async function readPackageRows(): Promise<ReadonlyMap<string, string>> {
  const file = fileURLToPath(import.meta.resolve('@etalab/decoupage-administratif/data/communes.json'));
  const all = JSON.parse(await readFile(file, 'utf8')) as readonly PackageCommune[];
  const rows = new Map<string, string>();
  const add = (code: string, ...cells: readonly string[]): void => {
    if (!rows.has(code)) rows.set(code, cells.join(';'));
  };
  for (const type of TYPES)
    for (const { code, nom, commune, chefLieu, codesPostaux = [] } of all.filter((one) => one.type === type)) {
      const current = commune ?? chefLieu ?? code;
      add(code, nom, current === code ? '' : current, codesPostaux.join(' '));
    }
  for (const { code, anciensCodes = [] } of all)
    for (const former of anciensCodes) {
      const department = former.slice(0, 2);
      if (code.startsWith(department) || !ENDED_DEPARTMENTS.includes(department)) add(former, '', code, '');
    }
  return new Map([...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The lines of the migrations that `write-migration.ts` wrote: code, name, current code and postal codes. */
const LINE_PATTERN = /^([0-9][0-9AB][0-9]{3});(.*;.*;.*)$/gm;

/** Returns the rows that the migrations write, each as its last migration does. */
export async function readMigratedRows(): Promise<ReadonlyMap<string, string>> {
  const folder = sqlFolder('migrations');
  const files = (await readdir(folder)).filter((name) => name.includes('_communes_')).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(`${folder}/${name}`, 'utf8')));
  return new Map(
    texts.flatMap((text) => [...text.matchAll(LINE_PATTERN)].map(([, code = '', rest = '']) => [code, rest])),
  );
}
