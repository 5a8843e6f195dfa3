import { readFileSync } from 'node:fs';

/*
 * A test loads this file into the service’s process to give the service a wrong clock. The file replaces Date, from
 * which the service takes all its times. The clock then differs from the machine’s clock by the number of milliseconds
 * in the file at FAULTS_CLOCK, which the process reads again on each SIGUSR2.
 */

const file = process.env['FAULTS_CLOCK'] ?? '';
const RightDate = Date;
let wrongBy = 0;

process.on('SIGUSR2', () => {
  wrongBy = Number(readFileSync(file, 'utf8'));
});

const now = (): number => RightDate.now() + wrongBy;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
});
