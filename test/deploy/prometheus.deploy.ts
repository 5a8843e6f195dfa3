import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../../deploy/lab/program.ts';
import { startPrometheus } from '../../deploy/lab/prometheus.ts';
import type { Prometheus } from '../../deploy/lab/prometheus.ts';
import { askRaw } from '../support/http.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/upload.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');

const promtool = async (...args: string[]): Promise<string> => {
  const program = await findProgram('promtool', 'prometheus');
  return (await promisify(execFile)(program, args, { cwd: join(DEPLOY, 'prometheus') })).stdout;
};

test('promtool accepts the Prometheus configuration and the alert rules of deploy/', async () => {
  expect(await promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
  expect(await promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
});

test('promtool confirms with example series that each Prometheus alert fires when it should, and only then', async () => {
  expect(await promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
});

describe('a Prometheus that reads the metrics of a service', () => {
  let folder: string;
  let service: Service;
  let prometheus: Prometheus;
  beforeAll(async () => {
    folder = await createScratchFolder();
    service = await startService({ metrics: {} });
    prometheus = await startPrometheus({ dir: folder, targets: [`127.0.0.1:${service.metricsPort}`] });
  });
  afterAll(async () => {
    await prometheus.close();
    await service.close();
    await rm(folder, { recursive: true });
  });

  interface Dashboard {
    readonly panels: readonly {
      readonly title: string;
      readonly targets?: readonly { readonly expr: string }[];
    }[];
  }

  test('Prometheus returns a series for every query of every panel of the Grafana dashboard', async () => {
    const up = async () => (await prometheus.query('up{job="taxclaims"} == 1')).length > 0;
    await until(up);
    const { panels } = JSON.parse(await readFile(join(DEPLOY, 'grafana', 'dashboard.json'), 'utf8')) as Dashboard;
    const queries = panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({
        title,
        expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
      })),
    );
    expect(queries.length).toBeGreaterThan(25);
    const token = await service.token('ADMIN');
    for (const { title, expr } of queries) {
      await until(async () => {
        await service.ask('GET /api/clients', { token });
        await askRaw(service.port, 'nonsense\r\n\r\n');
        const found = await prometheus.query(expr);
        return found.length > 0;
      }).catch((cause: unknown) => {
        throw new Error(`nothing for ${title}: ${expr}`, { cause });
      });
    }
  });

  test('Prometheus raises the alert for an instance of the service that is down', async () => {
    const others = await startPrometheus({ dir: join(folder, 'others'), targets: ['127.0.0.1:1'] });
    await until(async () => (await others.query('up{job="taxclaims"} == 0')).length > 0);
    await until(async () => (await others.query('ALERTS{alertname="TaxclaimsDown"}')).length > 0);
    await others.close();
  });
});
