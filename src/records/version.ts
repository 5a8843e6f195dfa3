/** Returns the ETag of a time such as `2026-12-31 23:59:59.5+00`: its microseconds since 1970, in double quotes. */
export function tagOf(time: string): string {
  const epochSeconds = Date.parse(`${time.slice(0, 10)}T${time.slice(11, 19)}Z`) / 1000;
  const fractionDigits = time.slice(20, -3).padEnd(6, '0');
  return `"${String(epochSeconds * 1_000_000 + Number(fractionDigits))}"`;
}

/** Parses ETags into version times. An ETag in another format matches no version. */
export function parseVersionTimes(tags: readonly string[]): readonly string[] {
  return tags.flatMap((tag) => {
    const microsecondDigits = /^"(-?\d{1,16})"$/.exec(tag)?.[1];
    if (microsecondDigits === undefined || String(Number(microsecondDigits)) !== microsecondDigits) return [];
    const microseconds = ((Number(microsecondDigits) % 1000) + 1000) % 1000;
    const versionDate = new Date((Number(microsecondDigits) - microseconds) / 1000);
    if (Number.isNaN(versionDate.getTime())) return [];
    return [versionDate.toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)];
  });
}
