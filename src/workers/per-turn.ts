/** Hands on together what comes within one turn of the event loop: one message to another process, instead of one each. */
export function perTurn<T>(handOn: (all: readonly T[]) => void): (one: T) => void {
  let collected: T[] = [];
  return (one) => {
    if (collected.length === 0) {
      setImmediate(() => {
        const all = collected;
        collected = [];
        handOn(all);
      });
    }
    collected.push(one);
  };
}
