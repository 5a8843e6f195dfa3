import { readSystemErrorCode } from '../system-error.ts';

/** Returns the port that `listening` resolves to. @throws Error that names `where`: the variables with port and host */
export async function awaitListening(listening: Promise<number>, where: string): Promise<number> {
  return listening.catch((error: unknown) => {
    const reason = readSystemErrorCode(error) ?? String(error);
    throw new Error(`${where} cannot be listened on: ${reason}`, { cause: error });
  });
}
