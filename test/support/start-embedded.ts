import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/embedded/postgres/server.ts';
import { createScratchFolder } from './scratch.ts';

/**
 * A start in a process of its own, in a folder of its own unless it is told one: prints the address, then waits to be
 * killed, or for the end of its parent.
 */
const [dataDir = await createScratchFolder()] = process.argv.slice(2);
process.stdin.resume();
const { adminUrl } = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) });
console.log(adminUrl);
