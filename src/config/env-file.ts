import { readSystemErrorCode } from '../system-error.ts';
import { ConfigError } from './parse.ts';

/** Loads unset variables from `.env` in the working directory, if the file exists. @throws ConfigError */
export function readEnvFile(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (readSystemErrorCode(error) === 'ENOENT') return;
    const text = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`.env cannot be read: ${text}`, { cause: error });
  }
}
