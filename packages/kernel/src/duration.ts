const MICROS: Readonly<Record<string, number>> = {
  us: 1,
  ms: 1000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
  d: 86_400_000_000,
};
/** From here on people count in hours. */
export const HOUR_MICROS = 3_600_000_000;
const PART = /(\d+(?:\.\d+)?)(us|ms|s|m|h|d)/g;

/** What a duration looks like, for the JSON Schema and for editors. */
export const DURATION_PATTERN = /^-?(\d+(\.\d+)?(us|ms|s|m|h|d))+$/;

/**
 * Reads `250ms`, `60.001s`, `1h30m`, `-90s`.
 * @returns microseconds, or undefined if `text` is not a duration or is finer than a microsecond
 */
export function parseDuration(text: string): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  let micros = 0;
  for (const [, amount, unit] of text.matchAll(PART)) {
    const exact = Number(amount) * MICROS[unit!]!;
    // 60.001 * 1e6 is not an integer in binary; what lies further off than rounding does is finer than a microsecond.
    const rounded = Math.round(exact);
    if (Math.abs(exact - rounded) > 1e-6 * Math.max(1, Math.abs(exact) * 1e-6)) return undefined;
    micros += rounded;
  }
  if (!Number.isSafeInteger(micros)) return undefined;
  return text.startsWith('-') ? 0 - micros : micros;
}

/** How people spell units when they do not know ours. */
const UNIT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/(milliseconds?|millis|msecs?)/g, 'ms'],
  [/(seconds?|secs?)/g, 's'],
  [/(minutes?|mins?)/g, 'm'],
  [/(hours?|hrs?)/g, 'h'],
  [/days?/g, 'd'],
];

/** The duration that was probably meant by `10`, `10 s` or `5min`; undefined if that is not clear. */
export function likelyDuration(given: unknown): string | undefined {
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  let text = String(given).toLowerCase().replaceAll(/\s+/g, '').replace(',', '.');
  for (const [word, unit] of UNIT_WORDS) text = text.replaceAll(word, unit);
  if (/^-?\d+(\.\d+)?$/.test(text)) text += 's';
  return parseDuration(text) === undefined ? undefined : text;
}

/** A duration in the largest units that say it exactly: `1m30s`, `250ms`, `0s`. `parseDuration` reads it back. */
export function formatDuration(micros: number): string {
  if (micros < 0) return `-${formatDuration(-micros)}`;
  if (micros === 0) return '0s';
  if (micros < 1_000_000) return micros % 1000 === 0 ? `${micros / 1000}ms` : `${micros}us`;
  const hours = Math.floor(micros / 3_600_000_000);
  const minutes = Math.floor((micros % 3_600_000_000) / 60_000_000);
  const restMicros = micros % 60_000_000;
  const seconds = `${Math.floor(restMicros / 1_000_000)}${fraction(restMicros % 1_000_000)}s`;
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${restMicros > 0 ? seconds : ''}`;
}

/** A duration for people to read, who do not count in thousands of seconds: `1h 43.7s`, `2h 5m`. Below an hour it is as above. */
export function durationText(micros: number): string {
  const exact = formatDuration(micros);
  return Math.abs(micros) < HOUR_MICROS ? exact : exact.replaceAll(/(?<=[hm])(?=\d)/g, ' ');
}

/** An instant of the run in seconds with milliseconds, as transcripts begin their lines: `60.001s`. */
export function formatInstant(atMicros: number): string {
  return `${(Math.floor(atMicros / 1000) / 1000).toFixed(3)}s`;
}

/** An instant of the run in seconds, exactly: `60.001s`, `3600.000001s`. `parseDuration` reads it back. */
export function formatInstantExactly(atMicros: number): string {
  return `${Math.floor(atMicros / 1_000_000)}${fraction(atMicros % 1_000_000)}s`;
}

function fraction(micros: number): string {
  return micros === 0 ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`;
}
