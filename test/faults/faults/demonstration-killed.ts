import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withAdmin } from '../../support/database.ts';
import { addressOf, start } from '../../support/process.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { layFaultyLine } from '../../support/faulty-line.ts';
import { storeInS3 } from '../stored-contents.ts';
import { accepting, embeddedAdminUrl } from '../../support/world.ts';

const PREFIX = 'first-start';

/**
 * Returns the demonstration’s documents that are stored in the database. Returns an empty list if the database does not
 * exist yet.
 */
async function documentsIn(data: string): Promise<{ path: string; size: number }[]> {
  try {
    return await withAdmin(await embeddedAdminUrl(data), async (admin) => {
      const { rows } = await admin.query<{ path: string; size: number }>(
        'select file_path as path, file_size as size from public.documents',
      );
      return rows;
    });
  } catch {
    return [];
  }
}

export const faults: readonly Fault[] = [
  {
    name: 'demonstration-killed',
    what: 'the first npm start is killed after it committed the demonstration data and before it stored the documents',
    must: 'the next start stores each document of the demonstration at the path in its row',
    world: { store: 's3' },
    holdMs: 0,
    spares: () => true,
    async begin({ folder, identity, s3Port, contents }) {
      const data = join(folder, PREFIX);
      await mkdir(data);
      const line = await layFaultyLine({ port: s3Port });
      // The test’s S3 server never answers. The service therefore hangs while it loads the demonstration data, until
      // the test kills it.
      line.become('mute');
      const environment = {
        ...{ PORT: '0', DATA_DIR: data, LOG_LEVEL: 'warn', ...storeInS3(line.port, `/${PREFIX}`) },
        ...accepting(identity),
      };
      const first = start(folder, environment);
      while ((await documentsIn(data)).length === 0) await delay(50);
      first.signal('SIGKILL');
      await first.ended;
      line.become('whole');
      const second = start(folder, environment);
      await addressOf(second);
      const kept = new Map((await contents()).map(({ path, size }) => [path, size]));
      const without = (await documentsIn(data)).filter(({ path, size }) => kept.get(`${PREFIX}/${path}`) !== size);
      second.signal('SIGTERM');
      await second.ended;
      line.close();
      if (without.length > 0) throw new Error(`${without.map(({ path }) => path).join(', ')} has no content`);
      return nothing;
    },
  },
];
