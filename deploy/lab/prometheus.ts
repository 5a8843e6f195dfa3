import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { runAsScript } from './as-script.ts';
import type { Part, PartOptions } from './part.ts';
import { startProgram } from './program.ts';

const SHIPPED = join(import.meta.dirname, '..', 'prometheus');
const SHIPPED_TARGETS = "['127.0.0.1:9464']";
const SHIPPED_INTERVAL = 'scrape_interval: 15s';

export interface Prometheus extends Part {
  readonly url: string;
  query(expression: string): Promise<readonly Series[]>;
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

interface PrometheusOptions extends PartOptions {
  /**
   * The address (`host:port`) of the metrics of each instance. If absent, Prometheus uses the addresses in the
   * configuration file of deploy/.
   */
  readonly targets?: readonly string[];
}

/**
 * Starts Prometheus with the configuration and the alerts of deploy/. Prometheus reads the metrics of the service once
 * a second.
 */
export async function startPrometheus({ dir, port, targets }: PrometheusOptions): Promise<Prometheus> {
  await mkdir(dir, { recursive: true });
  const address = `127.0.0.1:${port ?? (await findFreePort(0))}`;
  const shipped = await readFile(join(SHIPPED, 'prometheus.yml'), 'utf8');
  const configuration = shipped
    .replace(SHIPPED_TARGETS, targets === undefined ? SHIPPED_TARGETS : JSON.stringify(targets))
    .replace(SHIPPED_INTERVAL, 'scrape_interval: 1s')
    .replace('scrape_timeout: 5s', 'scrape_timeout: 1s')
    .replace('evaluation_interval: 15s', 'evaluation_interval: 1s')
    .replace('- alerts.yml', `- ${JSON.stringify(join(SHIPPED, 'alerts.yml'))}`);
  await writeFile(join(dir, 'prometheus.yml'), configuration);
  const url = `http://${address}`;
  const program = await startProgram({
    ...{ program: 'prometheus', package: 'prometheus', dir },
    args: [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    answers: async () => (await fetch(`${url}/-/ready`)).ok,
  });
  return Object.assign(program, {
    url,
    query: async (expression: string) => {
      const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`);
      const { status, error, data } = (await answer.json()) as Answer;
      if (status !== 'success') throw new Error(`${expression}: ${error ?? status}`);
      return data.result;
    },
  });
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly Series[] };
}

if (import.meta.main) await runAsScript(startPrometheus, ({ url }) => `Prometheus  ${url}`);
