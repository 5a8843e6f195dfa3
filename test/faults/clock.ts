import { readFileSync } from 'node:fs';

/*
 * A test imports this file into the process of the service, before the service. The clock of the service then differs
 * from the machine’s clock by the milliseconds in the file at FAULTS_CLOCK. Each SIGUSR2 makes the process read the
 * file again. The service takes all its times from Date.
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
