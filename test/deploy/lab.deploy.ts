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
  'the lab removes its processes and its folder when its owner gets %s',
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

test('the lab reports a missing program in one line that names its Debian package', async () => {
  const { findProgram } = await import('../../deploy/lab/program.ts');
  await expect(findProgram('no-such-program', 'some-package')).rejects.toThrow(
    /^no-such-program is missing: apt-get install --no-install-recommends some-package$/,
  );
});
