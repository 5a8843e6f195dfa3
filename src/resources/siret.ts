/** La Poste numbers its establishments, all but its seat, by the plain sum of the digits. */
const LA_POSTE = '356000000';

/** Whether fourteen digits are a SIRET: their Luhn sum is a multiple of ten. The database checks the same. */
export function isSiret(digits: string): boolean {
  const sum = sumOf(digits, (digit, place) => (place % 2 === 0 ? doubled(digit) : digit));
  return sum % 10 === 0 || (digits.startsWith(LA_POSTE) && sumOf(digits, (digit) => digit) % 5 === 0);
}

function sumOf(digits: string, worth: (digit: number, place: number) => number): number {
  return Array.from(digits, Number).reduce((sum, digit, place) => sum + worth(digit, place), 0);
}

function doubled(digit: number): number {
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}
