import { durationText, lateText } from '@replsim/scenario';

const DAY_MICROS = 86_400_000_000;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** 1234567 as `1,234,567`. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A rate or a share: whole from ten on, three digits below. */
export function rateText(rate: number): string {
  return rate >= 10 ? countText(rate) : String(Number(rate.toPrecision(3)));
}

/** Decimal units, three digits: `1.23 GB`. */
export function bytesText(bytes: number): string {
  let unit = 0;
  let amount = bytes;
  while (amount >= 999.5 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit++;
  }
  return `${unit === 0 ? amount : amount.toPrecision(3)} ${UNITS[unit]}`;
}

/** A duration as exactly as people want it: whole seconds from ten on, tenths from one on. */
export function spanText(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 9_950) return durationText(Math.round(ms / 1000) * 1_000_000);
  if (size >= 995) return durationText(Math.round(ms / 100) * 100_000);
  return lateText(Math.round(ms));
}

/** A time of the day, with the day from the second on: `12:03`, `day 2, 06:00:30`. */
export function timeText(micros: number): string {
  const seconds = Math.floor((micros % DAY_MICROS) / 1_000_000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const time = parts.slice(0, parts[2] === '00' ? 2 : 3).join(':');
  const day = Math.floor(micros / DAY_MICROS);
  return day === 0 ? time : `day ${day + 1}, ${time}`;
}
