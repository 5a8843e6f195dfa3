import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/embedded/postgres/server.ts';
import { createScratchFolder } from './scratch.ts';

/**
 * Starts an embedded server in the given folder or in a new one, and prints its address. The process ends when its parent
 * ends or kills it.
 */
const [dataDir = await createScratchFolder()] = process.argv.slice(2);
process.stdin.resume();
const { adminUrl } = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) });
console.log(adminUrl);
