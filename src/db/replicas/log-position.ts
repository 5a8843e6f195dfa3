/** A position of the write-ahead log as a number: Postgres writes it as two halves in hexadecimal. */
export function positionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
