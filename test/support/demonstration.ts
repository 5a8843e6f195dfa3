import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { storeDemonstrationDocuments } from '../../src/demo/documents.ts';
import type { Service } from './service.ts';

/** Stores the rows and documents of the demonstration in a service, as the first start of the demonstration does. */
export async function loadDemonstration(service: Service): Promise<void> {
  await service.admin(await readFile(sqlFolder('demonstration/data.sql'), 'utf8'));
  const rows = await service.admin('select file_path as path from public.documents');
  const paths = rows.map(({ path }) => String(path));
  const { dataDir, documentFolder: path } = service;
  const store = { kind: 'folder', path } as const;
  await storeDemonstrationDocuments(paths, { store, endpoint: undefined, dataDir }, pino({ level: 'silent' }));
}
