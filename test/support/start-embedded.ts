import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { createScratchFolder } from './scratch.ts';

/**
 * This program starts an embedded Postgres server in the given folder or in a new one, and prints the server’s address.
 * The program ends when its parent process ends or kills it.
 */
const [dataDir = await createScratchFolder()] = process.argv.slice(2);
process.stdin.resume();
const { adminUrl } = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) });
console.log(adminUrl);
