import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createScratchFolder } from '../support/scratch.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * Programs that others use read a list that was exported for Excel in French: LibreOffice Calc, set to France as after a
 * double click, and the CSV reader of Python.
 */

const service = await forSuite(startService());
const { clients, sites } = await service.tenant('Own');
const token = await service.token('ADMIN', [clients]);
const grounds = 'Dépôt ; œuvre\n« été »';
const exported = (
  await service.sql`insert into public.reclamations
     (client_id, site_id, claim_type, amount, commune_code, notice_reference, collection_date, submitted_at, grounds)
     values (${clients}, ${sites}, 'TF', 1234.5, '69290', 'Avis n°1', '2024-12-31', '2025-03-30T01:00:00Z', ${grounds}),
       (${clients}, ${sites}, 'CFE', 7, '2A004', '+33 4 78 00 00 00', '2025-02-01', '2025-12-31T23:00:00Z', '=1+1')
     returning id`
).map(({ id }) => String(id));
const list = await service.ask(`GET /api/reclamations?dialect=fr&sort=amount&id=${exported.join()}`, {
  token,
  headers: { accept: 'text/csv' },
});
const folder = await createScratchFolder();
writeFileSync(`${folder}/claims.csv`, list.text);

const SEMICOLON = 59;
const QUOTE = 34;
const UTF_8 = 76;
const FRANCE = 1036;

function runProgram(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 120_000 });
  expect([error, status, status === 0 ? '' : stderr]).toEqual([undefined, 0, '']);
  return stdout;
}

/** LibreOffice opens the exported list with the settings of France, and saves it in another format. */
function saveAs(format: string, name: string): Buffer {
  const out = `${folder}/${name}`;
  mkdirSync(out);
  const filter = [SEMICOLON, QUOTE, UTF_8, 1, '', FRANCE, false, true].join(',');
  runProgram('soffice', [
    ...['--headless', `-env:UserInstallation=file://${folder}/profile`],
    `--infilter=Text - txt - csv (StarCalc):${filter}`,
    ...['--convert-to', format, '--outdir', out, `${folder}/claims.csv`],
  ]);
  return readFileSync(`${out}/claims.${format.split(':')[0] ?? ''}`);
}

/** Returns the values of each row of a flat OpenDocument table, with their types, by the names in its first row. */
function readCells(table: string): Record<string, string>[] {
  const rows = [...table.matchAll(/<table:table-row.*?<\/table:table-row>/gs)].map(([row]) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes = '', content = '']) => {
        const of = (name: string): string | undefined => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
        const text = [...content.matchAll(/<text:p>(.*?)<\/text:p>/gs)].map(([, line]) => line).join('\n');
        const value = of('office:date-value') ?? of('office:boolean-value') ?? of('office:value') ?? text;
        const cell = of('table:formula') === undefined ? `${of('office:value-type') ?? ''} ${value}`.trim() : 'formula';
        return Array<string>(Number(of('table:number-columns-repeated') ?? 1)).fill(cell);
      },
    ),
  );
  const [header = [], ...records] = rows;
  return records
    .filter(([first]) => first !== undefined && first !== '')
    .map((cells) => Object.fromEntries(header.map((name, index) => [name.replace('string ', ''), cells[index] ?? ''])));
}

test('LibreOffice set to France opens an exported list with numbers, dates, times and truth values in place of texts', () => {
  const records = readCells(saveAs('fods', 'opened').toString());
  expect(records).toHaveLength(2);
  expect(records).toMatchObject([
    {
      amount: 'float 7',
      commune_code: 'string 2A004',
      notice_reference: 'string +33 4 78 00 00 00',
      collection_date: 'date 2025-02-01',
      submitted_at: 'date 2026-01-01',
      response_extended: 'boolean false',
      grounds: 'string &apos;=1+1',
    },
    {
      amount: 'float 1234.5',
      notice_reference: 'string Avis n°1',
      collection_date: 'date 2024-12-31',
      submitted_at: 'date 2025-03-30T03:00:00',
      grounds: 'string Dépôt ; œuvre\n« été »',
    },
  ]);
});

test('the CSV reader of Python reads an exported list with one row for each record', () => {
  const program = `
import csv, datetime, json, sys
with open(sys.argv[1], encoding='utf-8-sig', newline='') as file:
    dialect = csv.Sniffer().sniff(file.readline()); file.seek(0)
    rows = list(csv.DictReader(file, dialect=dialect))
print(json.dumps([[float(row['amount'].replace(',', '.')),
    row['collection_date'] and datetime.datetime.strptime(row['collection_date'], '%d/%m/%Y').date().isoformat(),
    datetime.datetime.strptime(row['created_at'], '%d/%m/%Y %H:%M:%S').year > 2000, row['grounds']] for row in rows]))`;
  expect(JSON.parse(runProgram('python3', ['-c', program, `${folder}/claims.csv`]))).toEqual([
    [7, '2025-02-01', true, "'=1+1"],
    [1234.5, '2024-12-31', true, grounds],
  ]);
});
