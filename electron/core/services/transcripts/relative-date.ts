const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const count = (value: number, unit: string): string => `${value} ${unit}${value === 1 ? '' : 's'} ago`;

/**
 * "just now", "5 minutes ago", "2 hours ago", "yesterday", "3 days ago", then a date such as "12 Nov 2026".
 * Both times are milliseconds since the epoch; a time in the future (a clock that was set back) is "just now".
 */
export const relativeDate = (then: number, now: number): string => {
  const age = now - then;
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return count(Math.floor(age / MINUTE), 'minute');
  if (age < DAY) return count(Math.floor(age / HOUR), 'hour');
  if (age < 2 * DAY) return 'yesterday';
  if (age < 7 * DAY) return count(Math.floor(age / DAY), 'day');
  return new Date(then).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
};
