import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { runAsScript } from './as-script.ts';
import type { Part, PartOptions } from './part.ts';
import { startProgram } from './program.ts';

export interface Etcd extends Part {
  readonly url: string;
  readonly port: number;
  /** Deletes a key, as `etcdctl del` does. */
  remove(key: string): Promise<void>;
}

/** Starts an etcd server that keeps its data in the given folder. */
export async function startEtcd({ dir, port }: PartOptions): Promise<Etcd> {
  await mkdir(dir, { recursive: true });
  const bound = port ?? (await findFreePort(0));
  const url = `http://127.0.0.1:${bound}`;
  const peers = `http://127.0.0.1:${await findFreePort(0)}`;
  const program = await startProgram({
    ...{ program: 'etcd', package: 'etcd-server', dir },
    args: [
      ...['--name', 'lab', '--data-dir', join(dir, 'data'), '--log-level', 'warn'],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', `lab=${peers}`],
    ],
    answers: async () => (await fetch(`${url}/health`)).ok,
  });
  const remove = async (key: string): Promise<void> => {
    const body = JSON.stringify({ key: Buffer.from(key).toString('base64') });
    const answer = await fetch(`${url}/v3/kv/deleterange`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`etcd does not delete ${key}: ${await answer.text()}`);
  };
  return Object.assign(program, { url, port: bound, remove });
}

if (import.meta.main) await runAsScript(startEtcd, ({ url }) => url);
