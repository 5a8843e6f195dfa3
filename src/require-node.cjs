// Runs before main.ts, in CommonJS and an old syntax, because an old Node reads no TypeScript.
const { engines } = require('../package.json');

const needed = Number(engines.node.replace(/\D+/, ''));
if (Number(process.versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    `Node ${needed} or newer is needed, and this is Node ${process.versions.node}: install Node ${needed}, ` +
      'or on Linux (x64, arm64) run npm ci without --omit=optional, which installs it here.\n',
  );
  process.exit(1);
}
