import { readFileSync } from 'node:fs';

/*
 * Imported before the service: its clock is wrong by what the file at FAULTS_CLOCK says, in milliseconds, and it looks
 * there anew at each SIGUSR2. All that the service knows of the time of day comes from Date.
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
