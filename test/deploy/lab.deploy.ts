import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { processesIn } from '../faults/processes.ts';

const OWNER = join(import.meta.dirname, 'lab-owner.ts');

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'when deploy:check is ended by %s, the servers that it started end too, and their folder is removed',
  async (signal) => {
    const owner = spawn(process.execPath, [OWNER], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [folder] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string];
    const path = folder.trim();
    expect(await processesIn(path)).not.toEqual([]);
    owner.kill(signal);
    while (await isThere(path)) await delay(50);
    expect(await processesIn(path)).toEqual([]);
  },
);

test('deploy:check reports a missing server program in one line that names the program’s Debian package', async () => {
  const { findProgram } = await import('../../deploy/lab/program.ts');
  await expect(findProgram('no-such-program', 'some-package')).rejects.toThrow(
    /^no-such-program is missing: apt-get install --no-install-recommends some-package$/,
  );
});
