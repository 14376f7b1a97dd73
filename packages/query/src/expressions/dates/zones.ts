/**
 * The one door to the runtime's time zones: how far a zone is from UTC at an instant, by the tables that `Intl.DateTimeFormat` has.
 * It reads neither the environment's zone nor its locale. Upstream: date_time_support.cpp, TimeZoneDatabase.
 */
import { CommandError } from '@replsim/protocol';
import { DAY, type Local } from './calendar.ts';

/** What a zone's clocks show. Unit: ms. */
export interface Zone {
  /** No zone at all, which the name `GMT` is not. */
  readonly isUtc: boolean;
  /** How far its clocks are ahead of UTC at an instant. */
  readonly offsetAt: (instant: bigint) => number;
}

export const UTC: Zone = { isUtc: true, offsetAt: () => 0 };

/** The ends of what JavaScript calls a date; beyond them clocks are taken to stay as they are there. */
const MOST = 8_640_000_000_000_000n;
const MINUTE = 60_000;

const zones = new Map<string, Zone>([['UTC', UTC]]);

/** A zone by its name, or by its offset: `+HH`, `+HHMM`, `+HH:MM`. Errors: Location40485. */
export function zoneNamed(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(name) ?? [];
  const zone = sign ? fixed((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE) : named(name);
  zones.set(name, zone);
  return zone;
}

function fixed(offset: number): Zone {
  return offset === 0 ? UTC : { isUtc: false, offsetAt: () => offset };
}

function named(name: string): Zone {
  const format = formatOf(name);
  return {
    isUtc: false,
    offsetAt(instant) {
      const within = instant > MOST ? MOST : instant < -MOST ? -MOST : instant;
      return readOffset(format.format(Number(within)));
    },
  };
}

/** Errors: Location40485; `Intl` does not mind how a name is spelled, mongod does. */
function formatOf(name: string): Intl.DateTimeFormat {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    const { timeZone } = format.resolvedOptions();
    const isMisspelled = timeZone !== name && timeZone.toLowerCase() === name.toLowerCase();
    if (/^[A-Z]/.test(name) && !isMisspelled) return format;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new CommandError(40485, `unrecognized time zone identifier: "${name}"`);
}

/** Of `1/31/1850, GMT-04:56:02`. */
function readOffset(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/.exec(text) ?? [];
  if (!sign) return 0;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1000;
  return sign === '-' ? -offset : offset;
}

/** What the zone's clocks show at an instant. */
export function localOf(zone: Zone, instant: bigint): Local {
  const shown = instant + BigInt(zone.offsetAt(instant));
  const ms = ((shown % BigInt(DAY)) + BigInt(DAY)) % BigInt(DAY);
  return { day: Number((shown - ms) / BigInt(DAY)), ms: Number(ms) };
}

/**
 * When the zone's clocks show this. What they skip in spring is read by the offset before; of what they show twice in autumn it
 * is the one with the offset asked for, or else the later. Upstream: timelib's do_adjust_timezone.
 */
export function instantOf(zone: Zone, { day, ms }: Local, preferred?: number): bigint {
  const shown = BigInt(day) * BigInt(DAY) + BigInt(ms);
  const before = zone.offsetAt(shown - BigInt(DAY));
  const after = zone.offsetAt(shown + BigInt(DAY));
  const fitting = [before, after].filter((offset) => zone.offsetAt(shown - BigInt(offset)) === offset);
  const wanted = fitting.find((offset) => offset === preferred) ?? Math.min(...fitting);
  return shown - BigInt(fitting.length === 0 ? before : wanted);
}
