import type { MessageKey } from '../../i18n/index.ts';

type PeriodId = 'any' | 'today' | 'week' | 'month' | 'year' | 'own';

/** Periods that end today; `days` is the number of days before today on which they begin. */
export const PERIODS: readonly { id: PeriodId; name: MessageKey; days?: number }[] = [
  { id: 'any', name: 'period.any' },
  { id: 'today', name: 'period.today', days: 0 },
  { id: 'week', name: 'period.week', days: 6 },
  { id: 'month', name: 'period.month', days: 29 },
  { id: 'year', name: 'period.year', days: 364 },
  { id: 'own', name: 'period.own' },
];

const pad = (value: number) => String(value).padStart(2, '0');

/** The local date `daysAgo` days before `now`, as `2026-11-20`. */
export const dayOf = (daysAgo: number, now: Date = new Date()): string => {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  return `${day.getFullYear()}-${pad(day.getMonth() + 1)}-${pad(day.getDate())}`;
};

/** The period between two dates. */
export const periodOf = (from: string | undefined, to: string | undefined, now?: Date): PeriodId => {
  if (from === undefined && to === undefined) return 'any';
  const found = PERIODS.find(
    ({ days }) => days !== undefined && to === undefined && dayOf(days, now) === from,
  );
  return found?.id ?? 'own';
};
