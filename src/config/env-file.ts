import { systemErrorCode } from '../system-error.ts';
import { ConfigError } from './parse.ts';

/** Reads `.env` of the working directory where there is one; a variable that is set stays as it is. @throws ConfigError */
export function readEnvFile(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`.env cannot be read: ${reason}`, { cause: error });
  }
}
