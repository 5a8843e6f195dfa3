import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { blockOf } from '../support/pages.ts';
import { folderForSuite } from '../support/suite.ts';

/* This module starts nginx and Apache with Debian’s configuration, as it comes, before the test’s service. */

/** A running proxy. It offers the service twice. */
export interface Front {
  /** A site with one line that forwards all requests, and without any other setting. */
  readonly plain: string;
  /** The site of docs/operate.md, which offers the service below /tax. */
  readonly page: string;
  close(): Promise<void>;
}

type StartFront = (port: number) => Promise<Front>;

export const FRONTS: Readonly<Record<string, StartFront>> = {
  nginx: async (port) => {
    const { folder, plain, page } = await prepare();
    await mkdir(join(folder, 'sites'));
    const [own, http] = [join(folder, 'nginx.conf'), join(folder, 'sites', 'http')];
    await adapt('/etc/nginx/nginx.conf', own, {
      // Debian’s own account could not store large request bodies below the folder of a test run.
      'user www-data;': `user ${userInfo().username};`,
      '/run/nginx.pid': join(folder, 'pid'),
      '/var/log/nginx/': `${folder}/`,
      'include /etc/nginx/modules-enabled/*.conf;': '',
      '/etc/nginx/sites-enabled/*': `${folder}/sites/*`,
    });
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    // Debian compresses HTML alone; many firms add JSON.
    await writeFile(
      http,
      [...kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`), 'gzip_types application/json;'].join('\n'),
    );
    await writeFile(
      join(folder, 'sites', 'plain'),
      `server { listen 127.0.0.1:${plain}; location / { proxy_pass http://127.0.0.1:${port}; } }`,
    );
    await writeFile(
      join(folder, 'sites', 'page'),
      blockOf('docs/operate.md', 'server {', { '443 ssl': `127.0.0.1:${page}`, ':3000': `:${port}` }),
    );
    return run('/usr/sbin/nginx', ['-p', folder, '-c', own, '-e', 'stderr', '-g', 'daemon off;'], {}, [plain, page]);
  },
  Apache: async (port) => {
    const { folder, plain, page } = await prepare();
    const own = join(folder, 'apache2.conf');
    const modules = ['proxy', 'proxy_http'].map((name) => `Include mods-available/${name}.load`);
    await adapt('/etc/apache2/apache2.conf', own, {
      'Include ports.conf': `Listen 127.0.0.1:${plain}\nListen 127.0.0.1:${page}\n${modules.join('\n')}`,
      'sites-enabled/*.conf': `${folder}/*.site`,
    });
    await writeFile(
      join(folder, 'plain.site'),
      `<VirtualHost *:${plain}>
  ProxyPass "/" "http://127.0.0.1:${port}/"
</VirtualHost>
# Debian compresses HTML and text; many firms add JSON.
AddOutputFilterByType DEFLATE application/json\n`,
    );
    await writeFile(
      join(folder, 'page.site'),
      blockOf('docs/operate.md', '<VirtualHost', { '*:443': `*:${page}`, ':3000': `:${port}` }),
    );
    const places = Object.fromEntries(['RUN_DIR', 'LOCK_DIR', 'LOG_DIR'].map((name) => [`APACHE_${name}`, folder]));
    const account = { APACHE_RUN_USER: 'www-data', APACHE_RUN_GROUP: 'www-data', APACHE_PID_FILE: `${folder}/pid` };
    return run(
      '/usr/sbin/apache2',
      ['-d', '/etc/apache2', '-f', own, '-DFOREGROUND', '-E', '/dev/stderr'],
      { ...places, ...account },
      [plain, page],
    );
  },
};

async function prepare() {
  const folder = await folderForSuite();
  const [plain, page] = [await findFreePort(0), await findFreePort(0)];
  return { folder, plain, page };
}

/** @throws Error if Debian’s file lacks one of the words to replace */
async function adapt(from: string, to: string, replaced: Readonly<Record<string, string>>): Promise<void> {
  let text = await readFile(from, 'utf8');
  for (const [printed, other] of Object.entries(replaced)) {
    if (!text.includes(printed)) throw new Error(`${from} lacks ${printed}`);
    text = text.replaceAll(printed, other);
  }
  await writeFile(to, text);
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  [plain, page]: readonly [number, number],
): Promise<Front> {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  const address = (port: number) => `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    const answer = await fetch(`${address(plain)}/health`).catch(() => undefined);
    if (answer?.ok) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    ...{ plain: address(plain), page: `${address(page)}/tax` },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
