const paris = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris' });

/** Returns the date that is the given number of days after today in Europe/Paris, as the service counts days. */
export function parisDay(days = 0): string {
  const day = new Date(paris.format(new Date()));
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
