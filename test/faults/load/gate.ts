/**
 * A gate that pauses a load test: while the gate is closed, each concurrent sender of requests waits there before its
 * next request.
 */
export class Gate {
  readonly #workers: number;
  #atWork: number;
  #opening: PromiseWithResolvers<void> | undefined;
  #still: PromiseWithResolvers<void> | undefined;

  constructor(workers: number) {
    this.#workers = workers;
    this.#atWork = workers;
  }

  async pass(): Promise<void> {
    if (this.#opening === undefined) return;
    this.#atWork -= 1;
    if (this.#atWork === 0) this.#still?.resolve();
    await this.#opening.promise;
  }

  /** Closes the gate, and resolves once every sender of the load test’s requests waits at the gate. */
  async close(): Promise<void> {
    this.#opening ??= Promise.withResolvers();
    this.#still ??= Promise.withResolvers();
    if (this.#atWork === 0) this.#still.resolve();
    await this.#still.promise;
  }

  open(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
    this.#still = undefined;
    this.#atWork = this.#workers;
  }
}
