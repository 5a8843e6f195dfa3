import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/db/embedded/server.ts';

/** A start in a process of its own: prints the address, and then waits to be killed. */
const [dataDir = ''] = process.argv.slice(2);
const { adminUrl } = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) });
console.log(adminUrl);
setInterval(() => undefined, 60_000);
