/** A gate at which the workers of the load wait between two requests while the gate is closed. */
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

  /** Closes the gate. Resolves once every worker waits at the gate. */
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
