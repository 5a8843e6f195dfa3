import { gzipSync } from 'node:zlib';
import { ask } from '../support/http.ts';
import { shareOfLimit } from '../support/event-loop.ts';
import { SHAPES } from '../support/shapes.ts';
import { anyOf } from './attack.ts';
import type { Area, Attack } from './attack.ts';
import { heardFrom } from './over-http.ts';
import type { World } from './world.ts';

/*
 * Bodies that are small on their way and long to read: nobody else is answered while one is parsed in one piece. The loop
 * of the service is held for no longer than a fixed computation takes here. Seen red where src/records/import/csv-rows.ts does not
 * set the parser's count of records back, and where src/http/json-budget.ts counts no fields.
 */

const MIB = 1024 * 1024;

type Way = readonly [what: string, line: string, type: string, size: number];

function attackOf(world: World, [what, line, type, size]: Way, shape: string): Attack {
  return {
    ...{ tries: `${shape}, as ${what}`, source: 'API4:2023', must: anyOf('400|401|413|nothing') },
    attempt: async () => {
      const headers = { 'content-type': type, 'content-encoding': 'gzip' };
      const body = gzipSync(SHAPES[shape]?.(size) ?? '');
      const nothing = { result: 'nothing', text: '', refusals: [] };
      let heard = nothing as ReturnType<typeof heardFrom>;
      const share = await shareOfLimit(async () => {
        const answer = ask(world.port, line, { token: world.tokens.manager, headers, body });
        heard = await answer.then(heardFrom, () => nothing);
      }, world.longestPiece);
      return share > 1 ? { ...heard, result: `held for ${share.toFixed(1)} times the limit` } : heard;
    },
  };
}

export const eventLoop: Area = {
  name: 'event-loop',
  attacks: (world) => {
    const sites = 'POST /api/sites/import?dry_run=true';
    const ways: readonly Way[] = [
      ['a table', sites, 'text/csv', 10 * MIB],
      ['an array', sites, 'application/json', 10 * MIB],
      ['a login', 'POST /api/auth/login', 'application/json', MIB / 4],
    ];
    return ways.flatMap((way) => Object.keys(SHAPES).map((shape) => attackOf(world, way, shape)));
  },
};
