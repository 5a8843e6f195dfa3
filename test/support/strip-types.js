import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

// Jest needs a transform of its own; Node's type stripping keeps every line and column where it was.
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source, path) =>
    createHash('sha256').update(process.version).update(path).update(source).digest('hex'),
};
