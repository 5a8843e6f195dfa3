/** A name that leads to this machine whatever a foreign DNS server says, as `HOST` or the `Host` of a request has it. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}
