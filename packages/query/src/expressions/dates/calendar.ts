/** Days, weeks, months and years of the Gregorian calendar, without limits and without zones. Upstream: timelib. */

/** Unit: ms. */
export const DAY = 86_400_000;

/** What a clock and a calendar on the wall show. */
export interface Local {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Since midnight. */
  readonly ms: number;
}

export interface CivilDate {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly dayOfMonth: number;
}

const DAYS_PER_ERA = 146_097;
/** From 1970-01-01 back to 0000-03-01, with which the first era begins. */
const EPOCH = 719_468;

/**
 * The day of a date, whose month and day may lie beyond their ranges. Years are counted from March on, so that the leap day is the
 * last. Source: Howard Hinnant, days_from_civil.
 */
export function dayOf(year: number, month = 1, dayOfMonth = 1): number {
  const months = year * 12 + month - 3;
  const marchYear = Math.floor(months / 12);
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (months - marchYear * 12) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - EPOCH + dayOfMonth - 1;
}

/** Source: Howard Hinnant, civil_from_days. */
export function dateOf(day: number): CivilDate {
  const days = day + EPOCH;
  const era = Math.floor(days / DAYS_PER_ERA);
  const dayOfEra = days - era * DAYS_PER_ERA;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** Whether there is such a day, in a year from 0 on. */
export function isDate(year: number, month: number, dayOfMonth: number): boolean {
  return year >= 0 && month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= daysInMonth(year, month);
}

/** The month may be any number, and counts on into other years. */
export function daysInMonth(year: number, month: number): number {
  return dayOf(year, month + 1) - dayOf(year, month);
}

/** From 1. */
export function dayOfYear(day: number): number {
  return day - dayOf(dateOf(day).year) + 1;
}

/** 1 is Monday. */
export function isoDayOfWeek(day: number): number {
  return mod(day + 3, 7) + 1;
}

/** The first Sunday of a year begins week 1, and what comes before is week 0. */
export function weekOf(day: number): number {
  return Math.floor((dayOfYear(day) + 6 - (isoDayOfWeek(day) % 7)) / 7);
}

/** A week belongs to the year in which its Thursday lies. */
export function isoWeekOf(day: number): { year: number; week: number } {
  const thursday = day - isoDayOfWeek(day) + 4;
  return { year: dateOf(thursday).year, week: Math.ceil(dayOfYear(thursday) / 7) };
}

/** The day of a week of an ISO year; both may lie beyond their ranges. */
export function isoDay(year: number, week: number, dayOfWeek: number): number {
  // The fourth of January always lies in week 1.
  const fourth = dayOf(year, 1, 4);
  return fourth - isoDayOfWeek(fourth) + (week - 1) * 7 + dayOfWeek;
}

/** The remainder that is not negative. */
export function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
