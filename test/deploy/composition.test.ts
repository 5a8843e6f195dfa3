import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ENDING, PARTS } from '../../deploy/check/parts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FILE = join(ROOT, 'deploy', 'compose', 'docker-compose.yml');
const SMALL = join(ROOT, 'docker-compose.yml');

/** The Docker Compose files of the repository with the names of the service’s instances in each file. */
const INSTANCES = [
  [FILE, 'api1'],
  [FILE, 'api2'],
  [SMALL, 'api'],
] as const;

/**
 * For each Docker image the pattern of an exact version. Versions of Postgres and Debian have two numbers, all others
 * three.
 */
const EXACT: Readonly<Record<string, RegExp>> = {
  haproxy: /:\d+\.\d+\.\d+-alpine$/,
  postgres: /:\d+\.\d+-alpine$/,
  redis: /:\d+\.\d+\.\d+-alpine$/,
  'prom/prometheus': /:v\d+\.\d+\.\d+$/,
  node: /:\d+\.\d+\.\d+-slim$/,
  debian: /:\d+\.\d+-slim$/,
};

/**
 * Returns the YAML text of each container in a Docker Compose file, including the shared parts to which the container
 * refers by `<<`.
 */
async function servicesOf(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8');
  const shared = new Map(
    [...text.matchAll(/^x-\w+: &(\w+)\n((?: .*\n)+)/gm)].map(([, name = '', part = '']) => [name, part]),
  );
  const whole = (part: string): string =>
    part + [...part.matchAll(/^ +<<: \*(\w+)$/gm)].map(([, name = '']) => whole(shared.get(name) ?? '')).join('');
  const [, services = ''] = /^services:\n((?: .*\n|\n)+)/m.exec(text) ?? [];
  const parts = services.split(/^ {2}(\S+):\n/m).slice(1);
  return new Map(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, whole(parts[index + 1] ?? '')] as const] : [])),
  );
}

test('deploy:check makes each service of deploy/compose fail, except for services that end by themselves', async () => {
  const services = await servicesOf(FILE);
  expect(services.size).toBeGreaterThan(5);
  const broken = new Set(PARTS.flat().flatMap(({ breaks = [] }) => breaks));
  const unbroken = [...services.keys()].filter((name) => !broken.has(name) && !(name in ENDING));
  expect(unbroken).toEqual([]);
  expect([...broken, ...Object.keys(ENDING)].filter((name) => !services.has(name))).toEqual([]);
});

test('Compose restarts every service of deploy/compose except those that end by themselves', async () => {
  const ending = [...(await servicesOf(FILE))].filter(([, text]) => /^ {4}restart: 'no'$/m.test(text));
  expect(ending.map(([name]) => name).sort()).toEqual(Object.keys(ENDING).sort());
});

test('no two failures that deploy:check can cause have the same name', () => {
  const names = PARTS.flat().map(({ part, fault }) => `${part}/${fault}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each([FILE, SMALL])('Compose limits the size of each container’s log in %s', async (file) => {
  const services = await servicesOf(file);
  expect(services.size).toBeGreaterThan(3);
  const unbounded = [...services].filter(
    ([, text]) => !/logging:\n +driver: json-file\n +options: \{ max-size: \d+m, max-file: '\d' \}\n/.test(text),
  );
  expect(unbounded.map(([name]) => name)).toEqual([]);
});

describe.each(INSTANCES)('the Docker Compose file %s with the instance %s of the service', (file, name) => {
  let text: string;
  beforeAll(async () => {
    text = (await servicesOf(file)).get(name) ?? '';
  });

  test('an instance in Docker Compose keeps its documents, and its audit records that wait on disk, on a volume', async () => {
    const [, volume = ''] = /['\s]([\w]+):\/data['\s]/.exec(text) ?? [];
    expect(volume).not.toBe('');
    const [, volumes = ''] = /^volumes:\n((?: .*\n)+)/m.exec(await readFile(file, 'utf8')) ?? [];
    expect(volumes).toContain(`  ${volume}:\n`);
  });

  test('an instance in Docker Compose gets the TRUST_PROXY that its operator sets', () => {
    expect(text).toMatch(file === FILE ? /TRUST_PROXY: \$\{TRUST_PROXY:-1\}\n/ : /TRUST_PROXY: \$\{TRUST_PROXY:-\}\n/);
  });

  test('an instance in Docker Compose gets every variable of the file .env except those of the database’s administrator', () => {
    expect(text).toMatch(/env_file:\n +- path: \.env\n +required: false\n/);
    const administrators = ['POSTGRES_PASSWORD', 'API_DATABASE_PASSWORD', 'DATABASE_ADMIN_URL'];
    const given = administrators.filter((variable) => !text.includes(`      ${variable}: ''\n`));
    // deploy/compose has the database administrator’s secrets as files, so its instances get no environment variables
    // with them.
    expect(given).toEqual(file === FILE ? administrators : []);
  });
});

test('the Docker Compose files and Dockerfiles name every image from a registry with an exact version', async () => {
  const files = [FILE, SMALL, join(ROOT, 'Dockerfile'), join(ROOT, 'deploy', 'compose', 'pgbouncer', 'Dockerfile')];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const images = texts
    .flatMap((text) => [...text.matchAll(/^(?: +image:|FROM) (\S+)/gm)].map(([, image = '']) => image))
    .filter((image) => !image.startsWith('taxclaims'));
  expect(new Set(images.map((image) => image.split(':')[0]))).toEqual(new Set(Object.keys(EXACT)));
  expect(images.filter((image) => !EXACT[image.split(':')[0] ?? '']?.test(image))).toEqual([]);
});

test('the service’s user in the Docker image can read every copied file, whatever the umask of the checkout was', async () => {
  const text = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const last = text.slice(text.lastIndexOf('\nFROM '));
  const copied = [...last.matchAll(/^COPY (?!--from)(.*)$/gm)].map(([, words = '']) => words);
  expect(copied.length).toBeGreaterThan(2);
  expect(copied.filter((words) => !words.startsWith('--chmod=755 '))).toEqual([]);
});

test('each volume of an instance in Docker Compose is mounted on a folder that the Dockerfile creates for the service’s user', async () => {
  const image = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const [, user = ''] = /^USER (\w+)$/m.exec(image) ?? [];
  const [, made = ''] =
    new RegExp(`^RUN install --directory --owner=${user} --group=${user} --mode=700 (.*)$`, 'm').exec(image) ?? [];
  for (const [file, name] of INSTANCES) {
    const text = (await servicesOf(file)).get(name) ?? '';
    const mounted = [...text.matchAll(/(?:- |')\w+:(\/\w[\w/]*)/g)].map(([, folder = '']) => folder);
    expect([name, mounted.length]).toEqual([name, file === FILE ? 2 : 1]);
    expect([name, mounted.filter((folder) => !made.split(' ').includes(folder))]).toEqual([name, []]);
  }
});
