/** Returns the ETag of a time such as `2026-12-31 23:59:59.5+00`: its microseconds since 1970, in double quotes. */
export function formatEtag(time: string): string {
  const seconds = Date.parse(`${time.slice(0, 10)}T${time.slice(11, 19)}Z`) / 1000;
  const fraction = time.slice(20, -3).padEnd(6, '0');
  return `"${String(seconds * 1_000_000 + Number(fraction))}"`;
}

/** Parses ETags into version times. An ETag in another format matches no version. */
export function parseVersionTimes(tags: readonly string[]): readonly string[] {
  return tags.flatMap((tag) => {
    const digits = /^"(-?\d{1,16})"$/.exec(tag)?.[1];
    if (digits === undefined || String(Number(digits)) !== digits) return [];
    const rest = ((Number(digits) % 1000) + 1000) % 1000;
    const date = new Date((Number(digits) - rest) / 1000);
    if (Number.isNaN(date.getTime())) return [];
    return [date.toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`)];
  });
}
