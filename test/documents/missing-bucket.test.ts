import { rm } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { ACCESS, BUCKET, startLyingStore } from '../support/lying-store.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { expectError, startService } from '../support/service.ts';
import { upload } from '../support/upload.ts';

test.each([false, true])(
  'a service whose bucket is missing answers 503, and reports no lost content (presigned: %s)',
  async (presignedDownloads) => {
    const directory = await createScratchFolder();
    const store = await startLyingStore(directory, ['another']);
    const service = await startService({
      documents: {
        store: { kind: 's3', bucket: BUCKET, prefix: '' },
        ...{ endpoint: store.endpoint, s3Access: ACCESS, presignedDownloads },
      },
    });
    try {
      const own = await service.tenant('Own');
      const token = await service.token('CLIENT', [own.clients]);
      const [row] = await service.sql`insert into public.documents (reclamation_id, filename, file_path)
        values (${own.reclamations}, 'avis.pdf', 'aa/x') returning id`;
      const content = `/api/documents/${String(row?.['id'])}/content`;
      expectError(await service.ask(`GET ${content}`, { token }), 'ERROR_UNAVAILABLE');
      expect((await service.ask(`HEAD ${content}`, { token })).status).toBe(503);
      expectError(await upload(service, token, own.reclamations), 'ERROR_UNAVAILABLE');
      await expect(service.documents.read('aa/x')).rejects.toMatchObject({ code: 'ERROR_UNAVAILABLE' });
      expect(service.documents.figures().damaged).toBe(0);
    } finally {
      await service.close();
      await store.close();
      await rm(directory, { recursive: true });
    }
  },
);
