import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runProgram } from '../../src/demo/postgres/command.ts';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { ask, addressFrom, createFolder, type Folder, kill, silent } from '../support/embedded.ts';

/*
 * Tests which users of the operating system can start an embedded Postgres. Only root can run these tests as other
 * users.
 */

const isRoot = process.geteuid?.() === 0;
/**
 * The beginning of a command line that runs a program as another user. The capability dac_override lets that user enter
 * the folders above the repository.
 */
const as = (uid: number): string[] =>
  isRoot
    ? [
        ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'],
        ...['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'],
      ]
    : [];

/** User ids of the operating system: one that has a name, and one without an entry in /etc/passwd. */
const USERS = { 'with a name': 65_534, 'without a name': 2_000_000_011 } as const;

describe.each(Object.entries(USERS))('an embedded Postgres that is started by an ordinary user %s', (name, uid) => {
  let folder: Folder;

  beforeAll(async () => {
    folder = await createFolder();
    if (isRoot) await chown(folder.path, uid, uid);
  });
  afterAll(() => folder.remove());

  test('a user other than root can start an embedded Postgres, or gets the reason why Postgres cannot run', async () => {
    const script = join(import.meta.dirname, '..', 'support', 'start-embedded.ts');
    const command = [...as(uid), process.execPath, script, folder.path];
    const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'pipe'], env: {} });
    const said = text(child.stderr);
    const ended = once(child, 'close');
    const mayRename = await runProgram(['unshare', '--user', '--map-user=65534', 'true'], {
      prefix: as(uid),
    }).then(
      () => true,
      () => false,
    );
    if (isRoot && name === 'without a name' && !mayRename) {
      await ended;
      expect(await said).toMatch(/Postgres cannot be run by the user \d+: .*could not look up effective user/);
      return;
    }
    const url = await addressFrom(child);
    expect(await ask(url, 'select 1')).toBe('1');
    expect((await stat(join(folder.path, 'postgres', 'data'))).uid).toBe(isRoot ? uid : process.geteuid?.());
    await kill(child);
    // A killed process has left its embedded Postgres running. The next start of the service, even by root, stops that
    // server.
    await (await startEmbeddedServer({ dataDir: folder.path, log: silent })).stop();
    await expect(ask(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
