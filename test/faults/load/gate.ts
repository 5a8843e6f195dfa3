/**
 * A gate by which a load test pauses. While the gate is closed, each worker that sends requests waits at the gate
 * before its next request.
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

  /**
   * Closes the gate, at which workers stop before they send their next request. Resolves once every worker waits there.
   */
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
