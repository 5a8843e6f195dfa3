/** The digits that any number keeps on its way through a double; of more, the last are rounded before any rule sees them. */
const DIGITS = 15;
/** No body of ours is nested deeper than three; whatever walks through a value may recurse. */
const DEPTH = 20;
/** A user of 5,000 clients is the longest. */
const VALUES = 10_000;

const ZERO = 48;

/** What is too much in a JSON text that was parsed already: in one walk, since a stranger chose its length. */
export function excessOf(json: string, mostValues = VALUES): string | undefined {
  let depth = 0;
  let values = 1;
  for (const [token] of json.matchAll(/"(?:[^"\\]+|\\.)*"|[[\]{},]|-?[0-9][0-9.eE+-]*/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ',') values += 1;
    else if (!token.startsWith('"') && significantDigits(token) > DIGITS)
      return `must have no number of more than ${DIGITS} digits`;
    if (depth > DEPTH) return `must not be nested more than ${DEPTH} deep`;
    if (values > mostValues) return `must not have more than ${mostValues} values`;
  }
  return undefined;
}

/** Zeros at either end do not count. */
function significantDigits(number: string): number {
  const [mantissa = ''] = number.split(/e/i, 1);
  const digits = mantissa.replace(/[-.]/g, '');
  let first = 0;
  let end = digits.length;
  while (first < end && digits.charCodeAt(first) === ZERO) first += 1;
  while (end > first && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return end - first;
}
