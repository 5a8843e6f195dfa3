import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parseSpoolLine, dateRefusal, formatSpoolLine } from '../../src/db/refusals/refusal.ts';
import { openSpool } from '../../src/db/refusals/spool.ts';
import type { Spool } from '../../src/db/refusals/spool.ts';
import { createScratchFolder } from '../support/scratch.ts';

let dataDir: string;
const open: Spool[] = [];

beforeEach(async () => {
  dataDir = await createScratchFolder();
});
afterEach(async () => {
  for (const spool of open.splice(0)) await spool.close();
  await rm(dataDir, { recursive: true });
});

async function opened(maxBytes?: number): Promise<Spool> {
  const spool = await openSpool(dataDir, maxBytes);
  open.push(spool);
  return spool;
}

async function close(spool: Spool): Promise<void> {
  open.splice(open.indexOf(spool), 1);
  await spool.close();
}

/**
 * Reads and removes every file of audit records that wait to be stored (the spool), and returns the lines of the files.
 */
async function emptied(spool: Spool): Promise<string[]> {
  const lines: string[] = [];
  for (let file = await spool.oldest(); file !== undefined; file = await spool.oldest()) {
    lines.push(...((await file.read())?.lines ?? []));
    await file.remove();
  }
  return lines;
}

/**
 * Starts another process, which holds the given lines of waiting audit records in the same folder until the test kills
 * the process.
 */
async function otherProcess(...held: string[]): Promise<{ kill: () => Promise<void> }> {
  const module = join(import.meta.dirname, '../../src/db/refusals/spool.ts');
  const code = `
    const { openSpool } = await import(${JSON.stringify(module)});
    const spool = await openSpool(${JSON.stringify(dataDir)});
    for (const line of ${JSON.stringify(held)}) await spool.append(line);
    process.stdout.write('holds');
    process.stdin.resume().on('end', () => process.exit());`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

describe('the spool (the files of audit records that wait for the database) of one process', () => {
  test('each line in the files of waiting audit records is read once and in order, even from several files', async () => {
    const spool = await opened();
    const lines = Array.from({ length: 3_000 }, (_, index) => `${index} ${'x'.repeat(1_000)}\n`);
    await Promise.all(lines.map((line) => spool.append(line)));
    expect((await readdir(join(dataDir, 'refusals', '0'))).length).toBeGreaterThan(1);
    expect(spool.isEmpty).toBe(false);
    expect(await emptied(spool)).toEqual(lines.map((line) => line.slice(0, -1)));
    expect(spool.isEmpty).toBe(true);
    expect(await readdir(join(dataDir, 'refusals', '0'))).toEqual(['lock']);
  });

  test('only the operating system’s user who runs the service can read the files of waiting audit records', async () => {
    const spool = await opened();
    await spool.append('line\n');
    await spool.setAside(['line']);
    const folder = join(dataDir, 'refusals');
    const modes = new Map<string, string>();
    for (const name of ['.', ...(await readdir(folder, { recursive: true }))])
      modes.set(name, ((await stat(join(folder, name))).mode & 0o777).toString(8));
    expect(Object.fromEntries(modes)).toEqual({
      ...{ '.': '700', '0': '700', '0/lock': '600' },
      ...{ '0/000000000001.refusals': '600', 'set-aside': '600' },
    });
  });

  test('a postponed file of waiting audit records is not read again before the next call of adopt()', async () => {
    const left = join(dataDir, 'refusals', '7');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, '000000000001.refusals'), 'left\n');
    const spool = await opened();
    (await spool.oldest())?.postpone();
    expect([spool.isEmpty, await spool.oldest()]).toEqual([true, undefined]);
    await spool.adopt();
    expect([spool.isEmpty, await emptied(spool)]).toEqual([false, ['left']]);
  });

  test('the service ignores folders and symbolic links among the files of waiting audit records', async () => {
    const left = join(dataDir, 'refusals', '7');
    await mkdir(join(left, '000000000001.refusals'), { recursive: true });
    await symlink('/nowhere', join(left, '000000000002.refusals'));
    expect((await opened()).isEmpty).toBe(true);
  });

  test('other accounts can read a DATA_DIR that the service created, but not the subfolder refusals with the waiting audit records', async () => {
    const path = join(dataDir, 'new', 'data');
    open.push(await openSpool(path));
    for (const folder of [path, join(path, '..')]) expect((await stat(folder)).mode & 0o005).toBe(0o005);
    expect((await stat(join(path, 'refusals'))).mode & 0o777).toBe(0o700);
  });

  test('if the files of waiting audit records have reached their size limit, new records are rejected until the files are removed', async () => {
    const spool = await opened(100);
    await spool.append(`${'x'.repeat(59)}\n`);
    await expect(spool.append(`${'y'.repeat(59)}\n`)).rejects.toThrow('holds 100 bytes');
    await emptied(spool);
    await spool.append(`${'z'.repeat(59)}\n`);
    expect(await emptied(spool)).toEqual(['z'.repeat(59)]);
  });

  test('if somebody removes the folder of waiting audit records, the service rejects one record, does not count its size, and writes the next to a new folder', async () => {
    const spool = await opened(100);
    await spool.append(`${'x'.repeat(19)}\n`);
    await rm(join(dataDir, 'refusals', '0'), { recursive: true });
    await expect(spool.append(`${'y'.repeat(59)}\n`)).rejects.toThrow('was removed');
    await spool.append(`${'z'.repeat(59)}\n`);
    expect(await (await spool.oldest())?.read()).toBeUndefined();
    expect(await emptied(spool)).toEqual(['z'.repeat(59)]);
  });

  test('waiting audit records that an earlier process left on disk count towards the size limit of the spool (all waiting records)', async () => {
    const before = await opened(100);
    await before.append(`${'x'.repeat(59)}\n`);
    await close(before);
    await expect((await opened(100)).append(`${'y'.repeat(59)}\n`)).rejects.toThrow('holds 100 bytes');
  });

  test('a crash in the middle of writing a line to the spool of waiting audit records loses only that line', async () => {
    const before = await opened();
    await before.append('whole\n');
    await before.append('never answered\n');
    await close(before);
    const path = join(dataDir, 'refusals', '0', '000000000001.refusals');
    await truncate(path, (await stat(path)).size - 3);
    const after = await opened();
    await after.append('later\n');
    const file = await after.oldest();
    expect(await file?.read()).toEqual({ lines: ['whole'], torn: 'never answer' });
    await file?.remove();
    expect(await emptied(after)).toEqual(['later']);
  });

  test.each<[string, () => Promise<string>]>([
    [
      'a file',
      async () => {
        await writeFile(join(dataDir, 'file'), '');
        return join(dataDir, 'file');
      },
    ],
    ['a path on which no folder can be made', () => Promise.resolve('/dev/null/data')],
    [
      'a folder in which refusals is a file',
      async () => {
        await writeFile(join(dataDir, 'refusals'), '');
        return dataDir;
      },
    ],
  ])(
    'opening the spool of waiting audit records fails with an error that names DATA_DIR if DATA_DIR is %s',
    async (_what, make) => {
      await expect(openSpool(await make())).rejects.toThrow(/^DATA_DIR cannot be written to: [^\n]*$/);
    },
  );
});

describe('two processes that keep waiting audit records in the same DATA_DIR', () => {
  test('two running processes keep their waiting audit records in separate folders, and neither reads the other’s records', async () => {
    const other = await otherProcess('of the other\n');
    const spool = await opened();
    await spool.append('own\n');
    await spool.adopt();
    expect(await emptied(spool)).toEqual(['own']);
    await other.kill();
    await spool.adopt();
    expect(await emptied(spool)).toEqual(['of the other']);
    expect(await readFile(join(dataDir, 'refusals', '0', 'lock'), 'utf8')).toBe('');
  });

  test('two processes whose folders of waiting audit records were removed get a new folder each, and neither reads the records of the other', async () => {
    const spool = await opened();
    await rm(join(dataDir, 'refusals'), { recursive: true });
    await spool.append('own\n');
    const other = await opened();
    await spool.adopt();
    expect([other.isEmpty, await spool.figures()]).toMatchObject([true, { records: 1 }]);
    expect(await emptied(spool)).toEqual(['own']);
  });

  test('the next process that starts takes over the folder and the waiting audit records of a killed process', async () => {
    const first = await otherProcess('one\n', 'two\n');
    const second = await otherProcess('three\n');
    await first.kill();
    await second.kill();
    const spool = await opened();
    expect((await emptied(spool)).sort()).toEqual(['one', 'three', 'two']);
    expect((await readdir(join(dataDir, 'refusals'))).sort()).toEqual(['0', '1']);
  });
});

describe('the form of a line in the files of waiting audit records', () => {
  const clock = { run: 'run', monotonicMs: 1.5, machineMs: 2, databaseMs: null };
  const refusal = dateRefusal(
    {
      ...{ requestId: 'request', actor: 'élève|学生', action: 'GET /\u2028"\\\n', resourceType: 'clients' },
      ...{ reason: 'x'.repeat(9_000), ipAddress: '192.0.2.1', userAgent: '\uD800' },
    },
    clock,
  );

  test('an audit record with any characters is written to disk as one line of a few kilobytes, and is read back unchanged', () => {
    const line = formatSpoolLine(refusal);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line.length).toBeLessThan(4_000);
    expect(parseSpoolLine(line.slice(0, -1))).toEqual(refusal);
  });

  test('a changed or cut line among the waiting audit records on disk is not read as an audit record', () => {
    const line = formatSpoolLine(refusal).slice(0, -1);
    for (let at = 0; at < line.length; at += 7) {
      expect(parseSpoolLine(line.slice(0, at))).toBeUndefined();
      expect(parseSpoolLine(`${line.slice(0, at)}\0${line.slice(at + 1)}`)).toBeUndefined();
    }
  });
});
