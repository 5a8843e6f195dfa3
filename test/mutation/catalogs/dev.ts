import { openJudge } from './judge.ts';
import { CATALOG_KINDS } from './kinds.ts';
const judge = await openJudge(process.argv[2] ?? '');
const wanted = process.argv[3];
const max = Number(process.argv[4] ?? 1e9);
let total = 0;
for (const kind of CATALOG_KINDS) {
  if (wanted !== undefined && wanted !== '.' && !new RegExp(wanted).test(kind)) continue;
  const start = performance.now();
  let mutants;
  try {
    mutants = await judge.mutantsOf(kind);
  } catch (e) {
    console.log('GENERATOR', kind, (e as Error).message);
    continue;
  }
  const gen = performance.now() - start;
  const by: Record<string, number> = {};
  const notes: string[] = [];
  total += mutants.length;
  for (const [m, v] of await judge.judge(mutants.slice(0, max))) {
    const k = 'by' in v ? v.by : v.survived;
    by[k] = (by[k] ?? 0) + 1;
    if (k === 'not made')
      notes.push(`    ${m.object}: ${(v as { message?: string }).message ?? ''} [${m.sql.slice(0, 300)}]`);
    if (process.argv[5] && k === 'unseen') notes.push(`    ${m.object}`);
  }
  console.log(
    `${kind}: ${mutants.length} ${JSON.stringify(by)} gen ${gen.toFixed(0)} ms, ${((performance.now() - start) / Math.min(max, Math.max(1, mutants.length))).toFixed(0)} ms each`,
  );
  for (const n of notes.slice(0, 3)) console.log(n);
}
console.log(total, 'mutants');
await judge.close();
