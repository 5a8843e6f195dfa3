import { join } from 'node:path';
import { install, output } from './commands.ts';
import { CONNECTIONS } from './peer.ts';

export interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** The part of autocannon’s report that the benchmark reads. */
interface Report {
  readonly '2xx': number;
  readonly non2xx: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly duration: number;
  readonly latency: { readonly p50: number; readonly p99: number };
}

const FOLDER = join(import.meta.dirname, 'autocannon');

/**
 * Repeats one request over all connections from a process of its own.
 * @throws Error if a response is not a success, because the speed of a refusal says nothing
 */
export async function load({ url, method, headers, body }: HttpRequest, seconds: number): Promise<Load> {
  await install(FOLDER);
  const report = JSON.parse(
    await output(
      process.execPath,
      [
        join('node_modules', 'autocannon', 'autocannon.js'),
        ...['--json', '--no-progress', '--connections', String(CONNECTIONS), '--duration', String(seconds)],
        ...['--method', method],
        ...Object.entries(headers).flatMap(([name, value]) => ['--headers', `${name}: ${value}`]),
        ...(body === undefined ? [] : ['--body', body]),
        url,
      ],
      FOLDER,
    ),
  ) as Report;
  const failed = report.non2xx + report.errors + report.timeouts;
  if (failed > 0) throw new Error(`${url}: ${failed} of the requests were not answered with success`);
  return {
    requests: report['2xx'],
    seconds: report.duration,
    p50: report.latency.p50,
    p99: report.latency.p99,
  };
}
