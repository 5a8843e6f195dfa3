import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JEST, ROOT } from '../support/suites.ts';
import { applyMutant, type Mutant } from './mutate.ts';

/**
 * A copy of the repository, including uncommitted changes. The slow test `mutants` plants errors in the copy, so that
 * the original stays unchanged.
 */
export class Copy {
  readonly #folder: string;
  readonly #sound = new Map<string, boolean>();

  constructor(name: string) {
    this.#folder = join(ROOT, '.data', 'mutants', name);
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
    this.remove();
    mkdirSync(join(ROOT, '.data', 'mutants'), { recursive: true });
    git('clone', '--quiet', '--shared', '.', this.#folder);
    for (const path of git('ls-files', '-z', '-m', '-o', '-d', '--exclude-standard').split('\0').filter(Boolean)) {
      rmSync(join(this.#folder, path), { force: true });
      if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(this.#folder, path));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.#folder, 'node_modules'));
    writeFileSync(join(this.#folder, '.git', 'info', 'exclude'), 'node_modules\n');
  }

  /**
   * Returns a test suite that fails with an error planted in the source code and passes without the error. Returns 'the
   * time' if the suites exceed their time limit, and undefined if no suite fails.
   */
  async killerOf(mutant: Mutant, suites: readonly string[]): Promise<string | undefined> {
    const path = join(this.#folder, mutant.file);
    const text = readFileSync(path, 'utf8');
    let killer: string | undefined;
    do {
      writeFileSync(path, applyMutant(text, mutant));
      killer = await this.#firstFailure(suites.filter((suite) => this.#sound.get(suite) !== false));
      writeFileSync(path, text);
      if (killer === undefined || !suites.includes(killer) || this.#sound.get(killer) === true) return killer;
      this.#sound.set(killer, (await this.#firstFailure([killer])) === undefined);
    } while (this.#sound.get(killer) === false);
    return killer;
  }

  /**
   * Test suites that fail even without an error planted in the source code. Their failure with an error therefore
   * proves nothing.
   */
  get unsound(): string[] {
    return [...this.#sound].flatMap(([suite, isSound]) => (isSound ? [] : [suite]));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #firstFailure(suites: readonly string[]): Promise<string | undefined> {
    if (suites.length === 0) return undefined;
    // With one worker, Jest would run the test suites in its own process. With two, each suite runs in a separate
    // process.
    const child = spawn(process.execPath, [JEST, '--bail', '--maxWorkers=2', '--runTestsByPath', ...suites], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 120_000 + 20_000 * suites.length,
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return undefined;
    return signal === null ? (/^FAIL (\S+)/m.exec(said)?.[1] ?? 'the set-up') : 'the time';
  }
}
