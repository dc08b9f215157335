const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** Whole hours, minutes and seconds of a time in whole seconds. */
const split = (seconds: number): [hours: number, minutes: number, seconds: number] => [
  Math.floor(seconds / 3600),
  Math.floor(seconds / 60) % 60,
  seconds % 60,
];

/** `1:05`, or `1:02:05` from an hour on. Fractions of a second are cut off. */
export const formatClock = (seconds: number): string => {
  const [h, m, s] = split(Math.floor(seconds));
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
};

/** `00:01:05`: always with hours. Fractions of a second are cut off. */
export const formatLongClock = (seconds: number): string =>
  split(Math.floor(seconds))
    .map((part) => pad(part))
    .join(':');

/** `75:04`: minutes grow past 59. Rounded to the second. */
export const formatMinutes = (seconds: number): string => {
  const whole = Math.round(seconds);
  return `${pad(Math.floor(whole / 60))}:${pad(whole % 60)}`;
};

/** `01:23.4`, or `1:02:03.4` from an hour on. Rounded to a tenth of a second. */
export const formatTenths = (seconds: number): string => {
  const tenths = Math.round(seconds * 10);
  const [h, m, s] = split(Math.floor(tenths / 10));
  return `${h > 0 ? `${h}:` : ''}${pad(m)}:${pad(s)}.${tenths % 10}`;
};

/** `01:02:03,456` (SubRip) or `01:02:03.456` (WebVTT), from whole milliseconds; hours grow past 99. */
export const formatTimestamp = (milliseconds: number, separator: ',' | '.'): string =>
  `${formatLongClock(milliseconds / 1000)}${separator}${pad(milliseconds % 1000, 3)}`;
