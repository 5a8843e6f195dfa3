const waiting: (() => void)[] = [];

/**
 * Resolves in a turn of the event loop in which nobody else who waits here resumes. The pieces of many long works, also
 * of one caller, are so done one in each turn, and other requests run in between.
 */
export function waitForLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  // The work that resumes is a microtask: it may wait for another turn before `setImmediate` comes to the next one.
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}
