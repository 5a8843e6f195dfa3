import { expect, test } from '@jest/globals';
import { Gate } from './gate.ts';

/** Starts workers that pass a gate again and again at the same time, and counts how often each worker passes. */
function workersAt(gate: Gate, count: number) {
  const passed = Array.from({ length: count }, () => 0);
  const stopping = new AbortController();
  const running = passed.map(async (_, index) => {
    while (!stopping.signal.aborted) {
      await gate.pass();
      await new Promise(setImmediate);
      passed[index] = (passed[index] ?? 0) + 1;
    }
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(running);
  };
  return { passed, stop };
}

test('all workers that send a load test’s requests wait while the load test is paused, and continue when the pause ends', async () => {
  const gate = new Gate(3);
  const { passed, stop } = workersAt(gate, 3);
  for (let round = 0; round < 3; round += 1) {
    await gate.close();
    const before = [...passed];
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(passed).toEqual(before);
    gate.open();
    while (passed.some((count, index) => count <= (before[index] ?? 0))) await new Promise(setImmediate);
  }
  await stop();
});
