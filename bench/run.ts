/** `npm run bench` prints the tables of all repeatable benchmarks; `npm run bench -- peers` prints one of them. */
import { parseProcessArguments } from '../src/admin/commands/run-command.ts';
import { openBenchServer } from './database.ts';
import type { BenchServer } from './database.ts';
import { measureBig } from './big/run.ts';
import { measureEndpoints } from './endpoints/run.ts';
import { measureFeed } from './feed/run.ts';
import { measureGate } from './gate/run.ts';
import { measureGrowth } from './growth/run.ts';
import { measurePeers } from './peers/run.ts';
import { measureScale } from './scale/run.ts';
import { measureStart } from './start/run.ts';

const { values, positionals } = parseProcessArguments({
  usage: `usage: npm run bench -- [options] [peers, endpoints, growth, scale, gate, start, big or feed…]
  --rounds NUMBER, --seconds NUMBER, --previous REVISION, --claims NUMBER, --requests NUMBER
  --help, --version`,
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    previous: { type: 'string' },
    claims: { type: 'string' },
    requests: { type: 'string', default: '80000' },
  },
});
const { previous = 'de84bf1' } = values;
const seconds = count(values.seconds);
const rounds = values.rounds === undefined ? undefined : count(values.rounds);

/** The benchmarks by name. Each prints a table and stores the raw figures in a file. */
const PARTS: Readonly<Record<string, (server: BenchServer) => Promise<void>>> = {
  peers: (server) => measurePeers(server, { rounds: rounds ?? 7, seconds, previous }),
  endpoints: (server) => measureEndpoints(server, rounds ?? 21),
  growth: (server) => measureGrowth(server, rounds ?? 21),
  gate: (server) => measureGate(server, { rounds: rounds ?? 7, previous: values.previous ?? 'HEAD^' }),
  scale: (server) => measureScale(server, { rounds: rounds ?? 7, claims: count(values.claims ?? '20000') }),
  start: (server) => measureStart(server, { rounds: rounds ?? 7, requests: count(values.requests) }),
  big: (server) => measureBig(server, count(values.claims ?? '1000000')),
  feed: (server) => measureFeed(server, { rounds: rounds ?? 7, seconds }),
};

const wanted = positionals.length === 0 ? ['peers', 'endpoints', 'growth'] : positionals;
const unknown = wanted.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0) {
  console.error(`there is no benchmark ${unknown.join(', ')}, only ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
const server = await openBenchServer(process.env);
try {
  for (const part of wanted) await PARTS[part]?.(server);
} finally {
  await server.close();
}

function count(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  console.error(`${text} is not a valid number`);
  process.exit(2);
}
