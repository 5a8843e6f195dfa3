import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Opens a connection for a deliberately broken request. Errors of the connection are ignored. */
export function badConnection(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

export function head(line: string, headers: Readonly<Record<string, string>>): string {
  const fields = Object.entries({ host: 'here', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${line} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
}
