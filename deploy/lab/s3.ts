import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { runAsScript } from './as-script.ts';
import type { Part, PartOptions } from './part.ts';
import { startProgram } from './program.ts';

export interface S3 extends Part {
  readonly port: number;
  readonly directory: string;
}

/** Starts S3rver, the S3 server of the tests, in a process of its own. */
export async function startS3({ dir, port }: PartOptions): Promise<S3> {
  await mkdir(dir, { recursive: true });
  const bound = port ?? (await findFreePort(0));
  const directory = join(dir, 'stored');
  const program = await startProgram({
    ...{ program: process.execPath, package: 'nodejs', dir },
    args: [join(import.meta.dirname, 's3-server.ts'), directory, String(bound)],
    answers: () => fetch(`http://127.0.0.1:${bound}/`).then(() => true),
  });
  return Object.assign(program, { port: bound, directory });
}

if (import.meta.main) await runAsScript(startS3, ({ port }) => `http://127.0.0.1:${port}`);
