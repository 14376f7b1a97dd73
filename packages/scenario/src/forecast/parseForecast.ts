import { DURATION_PATTERN, didYouMeanOneOf } from '@replsim/kernel';
import { DEFAULT_EPOCH_MS, defaultHost, isOnClock, issuesOf, type MemberSpec } from '@replsim/replset';
import { readFile } from '../file/readFile.ts';
import type { Path, Source } from '../file/source.ts';
import { judgeParameters } from '../judging/judgeParameters.ts';
import { DEFAULT_VERSION } from '../language/readSet.ts';
import { Reader } from '../reading/reader.ts';
import { reportIssues } from '../schema/issues.ts';
import { withoutUndefined } from '../schema/parts.ts';
import { parametersOf } from '../stage/parameters.ts';
import { DAY_MICROS, type Forecast, OUTAGES, type Outage, type OutageKind, type RatePoint } from './forecast.ts';
import { type ForecastInput, forecastSchema } from './forecastSchema.ts';

const DEFAULT_BYTES = 256;
const DEFAULT_OPLOG_SIZE_MB = 10_240;
const LEAST_MICROS = 60_000_000;

/**
 * Reads a forecast.
 * @param file the name that messages show
 * @throws InvalidScenario with all mistakes of the file
 */
export function parseForecast(text: string, file: string): Forecast {
  // What the schema finds wrong is not read on: `readFile` throws then.
  return readFile(text, file, { what: 'forecast', needs: 'insert:' }, (source) => read(source) ?? ({} as Forecast));
}

function read(source: Source): Forecast | undefined {
  // The schema transforms nothing, so that what it finds right can be taken as it is.
  const input = source.toPlain() as ForecastInput;
  const issues = issuesOf(forecastSchema, input);
  reportIssues(source, issues);
  if (issues.length > 0) return undefined;
  const members = readMembers(source, input);
  const reader = new Reader(source, hostsOf(members.map(({ name }) => name)));
  const durationMicros = readDuration(reader, input);
  const startMicros = timeOf(input.start ?? '00:00');
  const version = input.version;
  judgeParameters(source, ['parameters'], input.parameters, [version ?? DEFAULT_VERSION], 'startup');
  return {
    file: source.file,
    name: input.name,
    seed: input.seed ?? 1,
    version,
    startMicros,
    durationMicros,
    members,
    rate: readRate(reader, input),
    expireAfterSeconds: input.expireAfterSeconds,
    documentBytes: input.documentBytes ?? DEFAULT_BYTES,
    documentsAtStart: input.documentsAtStart ?? 'steady',
    indexes: input.indexes ?? 0,
    parameters: input.parameters ? parametersOf(reader.template(['parameters'])) : {},
    costs: withoutUndefined(input.costs ?? {}),
    oplogSizeMB: input.oplogSizeMB ?? DEFAULT_OPLOG_SIZE_MB,
    outages: readOutages(reader, input, startMicros, durationMicros),
    warnings: source.warnings,
  };
}

function hostsOf(names: readonly string[]): Map<string, string> {
  return new Map(names.map((name) => [name, defaultHost(name)]));
}

function readMembers(source: Source, { members = 3, clock = {} }: ForecastInput): MemberSpec[] {
  const names = Array.from({ length: members }, (_, i) => `n${i + 1}`);
  for (const name of Object.keys(clock))
    if (!names.includes(name))
      source.mistakeAtKey(['clock'], name, `no member is called "${name}"`, didYouMeanOneOf(name, names));
  const reader = new Reader(source, hostsOf(names));
  return names.map((name, i) => {
    // Beyond seven voters a config is refused.
    const config = i >= 7 ? { config: { votes: 0 as const, priority: 0 } } : {};
    const wrong = clock[name];
    if (!wrong) return { name, ...config };
    const at = ['clock', name, 'offset'];
    const offsetMs = wrong.offset === undefined ? 0 : reader.wallMs(at, wrong.offset);
    if (!isOnClock(DEFAULT_EPOCH_MS + offsetMs))
      source.mistakeAtPath(at, 'with this the clock is not between 1970 and 2106', 'choose a smaller offset');
    return { name, ...config, clock: { offsetMs, driftPpm: wrong.drift ?? 0 } };
  });
}

function readDuration(reader: Reader, { duration = '24h' }: ForecastInput): number {
  const micros = reader.span(['duration'], duration);
  if (micros >= 0 && micros < LEAST_MICROS)
    reader.source.mistakeAtPath(['duration'], 'a forecast lasts at least a minute');
  return micros;
}

function readRate({ source }: Reader, { insert }: ForecastInput): RatePoint[] {
  if (typeof insert === 'number') return [{ atMicros: 0, perSecond: insert }];
  const points = insert.map(({ at, rate }) => ({ atMicros: timeOf(at), perSecond: rate }));
  let before = Number.NEGATIVE_INFINITY;
  for (const [i, { atMicros }] of points.entries()) {
    if (atMicros <= before) source.mistakeAtPath(['insert', i, 'at'], 'the times of a curve must increase');
    before = atMicros;
  }
  return points;
}

function readOutages(reader: Reader, input: ForecastInput, startMicros: number, durationMicros: number): Outage[] {
  const outages: Outage[] = [];
  for (const [i, { at, what, for: length }] of (input.outages ?? []).entries()) {
    const path: Path = ['outages', i];
    const outage = {
      atMicros: readInstant(reader, [...path, 'at'], at, startMicros),
      forMicros: reader.span([...path, 'for'], length),
      what: readKind(reader, [...path, 'what'], what, input.members ?? 3),
    };
    const last = outages.at(-1);
    const misplaced = (message: string) => reader.source.mistakeAtPath([...path, 'at'], message);
    if (outage.atMicros + outage.forMicros > durationMicros) misplaced('the forecast is over before this outage is');
    else if (last && outage.atMicros < last.atMicros + last.forMicros)
      misplaced('outages must not overlap; the previous one has not ended yet');
    outages.push(outage);
  }
  return outages;
}

/** A time of the first day that has it, or a duration from the start. */
function readInstant(reader: Reader, path: Path, at: string, startMicros: number): number {
  if (DURATION_PATTERN.test(at)) return reader.span(path, at);
  return (timeOf(at) - startMicros + DAY_MICROS) % DAY_MICROS;
}

function readKind({ source }: Reader, path: Path, what: string, members: number): OutageKind {
  const kind = OUTAGES.find((each) => each === what);
  if (kind === undefined) source.mistakeAtPath(path, `no outage is called "${what}"`, didYouMeanOneOf(what, OUTAGES));
  if (members === 1 && (what === 'no majority' || what === 'pause secondary'))
    source.mistakeAtPath(path, `"${what}" needs more than one member`);
  // After a mistake nothing is simulated.
  return kind ?? OUTAGES[0];
}

/** Microseconds from midnight. */
function timeOf(text: string): number {
  const seconds = text.split(':').reduce((sum, part, i) => sum + Number(part) * 60 ** (2 - i), 0);
  return seconds * 1_000_000;
}
