import { randomUUID } from 'node:crypto';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import S3rver from 's3rver';
import { createTestDatabase } from '../support/database.ts';
import { startTestIdentity } from '../support/identity.ts';
import type { TestIdentity } from '../support/identity.ts';
import { layFaultyLine } from '../support/faulty-line.ts';
import type { FaultyLine } from '../support/faulty-line.ts';
import { createScratchFolder } from '../support/scratch.ts';
import type { Cluster } from './cluster.ts';
import type { Person } from './load/people.ts';
import { startParts } from './parts.ts';
import type { Parts } from './parts.ts';
import { createServiceProcess } from './service-process.ts';
import type { ServiceProcess } from './service-process.ts';
import { BUCKETS, bucketIn, filesBelow, halfWrittenIn, storeInS3 } from './stored-contents.ts';
import type { Content } from './stored-contents.ts';
import { loadTenant, peopleOf, WORDS } from './tenants.ts';
import { mountSmallDisk } from './small-disk.ts';
import type { SmallDisk } from './small-disk.ts';
import { accepting, UNLIMITED, adminOf, embeddedAdminUrl } from '../support/world.ts';
import type { Admin } from '../support/world.ts';

export interface WorldOptions {
  /** `s3` if the service stores documents in S3; absent if it stores them in a folder. */
  readonly store?: 's3';
  /** The service’s folder that lies on a small disk, which a test can fill. */
  readonly smallDisk?: 'data' | 'documents';
  /** True if the service starts its own embedded Postgres, and uses no other Postgres server. */
  readonly embedded?: true;
  readonly environment?: Readonly<Record<string, string>>;
  /** True if the test runs a second instance of the service, which also sends changes of rights and mails. */
  readonly peer?: true;
}

/** A running service that a test can break, the servers that it depends on, and access to its database. */
export interface World {
  readonly folder: string;
  readonly service: ServiceProcess;
  readonly peer: ServiceProcess | undefined;
  /**
   * An identity provider that receives changes of rights from the service, and a mail server that receives its
   * reminders.
   */
  readonly parts: Parts;
  readonly cluster: Cluster;
  /** The network connection between the service and Postgres, which a test can break. */
  readonly line: FaultyLine;
  /** The network connection between the service and S3, which a test can break. */
  readonly s3Line: FaultyLine;
  readonly s3Port: number;
  readonly identity: TestIdentity;
  readonly people: readonly Person[];
  readonly smallDisk: SmallDisk | undefined;
  /** The path of the first tenant’s document of 20 MB, relative to the folder of documents. */
  readonly largeDocument: string;
  readonly database: string;
  /** The connection URL of the superuser for the tested database. */
  readonly adminUrl: string;
  readonly admin: Admin;
  /** The folder in which the service stores the contents of documents; absent if it uses S3. */
  readonly documents: string;
  readonly contents: () => Promise<Content[]>;
  readonly halfWritten: () => Promise<Content[]>;
  close(): Promise<void>;
}

/** The service’s statement time-out in milliseconds, which is short so that tests of failures end sooner. */
export const STATEMENT_TIMEOUT_MS = 1_000;
const LARGE_PATH = 'large';
const LARGE_BYTES = 20 * 1024 * 1024;

export async function openWorld(cluster: Cluster, options: WorldOptions = {}): Promise<World> {
  const folder = await createScratchFolder();
  const data = join(folder, 'data');
  const documents = join(folder, 'documents');
  await Promise.all([data, documents].map((path) => mkdir(path, { mode: 0o700 })));
  const { smallDisk: which } = options;
  const smallDisk = which && (await mountSmallDisk(which === 'data' ? data : documents));
  const postgres = options.embedded ? undefined : await createTestDatabase();
  const line = await layFaultyLine(cluster);
  const identity = await startTestIdentity();
  const s3 = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory: join(folder, 's3') },
    configureBuckets: BUCKETS,
  });
  const { port: s3Port } = await s3.run();
  const s3Line = await layFaultyLine({ port: s3Port });
  const tenants = WORDS.map(loadTenant);
  const parts = await startParts(
    identity,
    tenants.map(({ tenant }) => tenant),
  );
  const environment = {
    ...(postgres && { DATABASE_URL: line.through(postgres.apiUrl) }),
    ...{ DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS) },
    ...accepting(identity),
    ...UNLIMITED,
    ...(options.store === 's3' ? storeInS3(s3Line.port, '') : { DOCUMENT_STORE: documents }),
    ...parts.environment,
    ...options.environment,
  };
  const service = await createServiceProcess(folder, { ...environment, DATA_DIR: data });
  const peer = options.peer && (await createServiceProcess(folder, { ...environment, DATA_DIR: join(folder, 'peer') }));
  // The embedded Postgres exists only after the service has started. With another Postgres, the test stores users with
  // a due reminder before the service starts.
  if (options.embedded) await service.start();
  const adminUrl = postgres?.adminUrl ?? (await embeddedAdminUrl(data));
  const admin = adminOf(adminUrl);
  for (const one of tenants) await admin(one.sql);
  await parts.into(admin);
  if (!options.embedded) await service.start();
  await peer?.start();
  const [{ tenant: { claim } } = { tenant: { claim: '' } }] = tenants;
  const largeDocument = randomUUID();
  await admin(
    `insert into public.documents (id, reclamation_id, filename, file_path, file_size, mime_type)
     values ($1, $2, 'large.pdf', $3, $4, 'application/pdf')`,
    [largeDocument, claim, LARGE_PATH, LARGE_BYTES],
  );
  await writeFile(join(documents, LARGE_PATH), '');
  await truncate(join(documents, LARGE_PATH), LARGE_BYTES);

  return {
    ...{
      folder,
      documents,
      service,
      peer,
      parts,
      cluster,
      line,
      s3Line,
      s3Port,
      identity,
      smallDisk,
      admin,
      adminUrl,
      largeDocument,
    },
    database: new URL(adminUrl).pathname.slice(1),
    people: await peopleOf(
      tenants.map(({ tenant }) => tenant),
      identity,
    ),
    contents: () => filesBelow(options.store === 's3' ? bucketIn(join(folder, 's3')) : documents),
    halfWritten: () => halfWrittenIn(documents),
    async close() {
      for (const one of [service, peer]) {
        if (one?.isRunning !== true) continue;
        one.signal('SIGKILL');
        await one.ended();
      }
      await parts.close();
      line.close();
      s3Line.close();
      await s3.close();
      await identity.stop();
      await smallDisk?.unmount();
      await postgres?.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
