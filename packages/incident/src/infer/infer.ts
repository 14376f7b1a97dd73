import { DEFAULT_SETTINGS, type MongodVersion, VERSIONS } from '@replsim/protocol';
import { memberNamesOf } from '@replsim/scenario';
import { courseOf } from '../course.ts';
import type { Evidence } from '../evidence.ts';
import { IncidentError } from '../incidentError.ts';
import type { MemberLog } from '../logs/memberLog.ts';
import type { ReadConf } from '../readConf.ts';
import { clockOffsets } from './clocks.ts';
import { configDeeds, firstConf, laterHosts } from './configs.ts';
import type { Incident, IncidentMember } from './incident.ts';
import { electionDeeds, type Reign, readReigns } from './leaders.ts';
import { readLinks, type Timeouts } from './links.ts';
import { type Absence, readLives } from './lives.ts';
import { readLoad } from './load.ts';
import { lostWrites } from './lostWrites.ts';
import { logsByHost } from './mergeLogs.ts';
import { refusedStepDowns, stepDownDeeds } from './stepDowns.ts';
import { type Deed, ofKind, placeOf, type Track, trackOf } from './timeline.ts';

/** So soon after an election it shows, and for so long it is waited for. Unit: ms. */
const CHECK_AFTER_MS = 100;
const CHECK_MS = 800;
/** After the last line, so that what it brought about is seen. Unit: ms. */
const AFTERWARDS_MS = 1000;
/** Without logs, who is down is killed then, and the set has so long to get over it. Unit: ms. */
const WITHOUT_LOGS_MS = 30_000;
const SETTLED_MS = 30_000;

/** Infers what happened. @throws IncidentError if the evidence names no set */
export function infer(whole: Evidence): Incident {
  const { evidence, routers } = withoutRouters(whole);
  const version = versionOf(evidence);
  const rawTracks = evidence.logs.map((log) => trackOf(log.host ?? log.file, log, 0));
  const conf = evidence.confs[0] ?? firstConf(rawTracks, version) ?? guessedConf(evidence);
  const later = laterHosts(rawTracks, conf);
  const hosts = [...conf.members.map(({ host = '' }) => host), ...later];
  const names = new Map(hosts.map((host, i) => [host, memberNamesOf(hosts)[i]!]));
  const { logs, strangers } = ofSet(logsByHost(evidence.logs, hosts), names);
  const offsets = clockOffsets(logs, hosts);
  const settings = timeouts(conf);
  const zero = zeroOf(logs, offsets, settings);
  const tracks = [...logs].map(([host, log]) => trackOf(host, log, (zero?.epochMs ?? 0) + (offsets.get(host) ?? 0)));
  const members = conf.members.map(({ host = '', config }) => memberOf(host, { ...config }, names, logs, offsets));
  const said = { conf, hosts, nameOf: (host: string) => names.get(host) ?? host, settings };
  return {
    name: nameOf(conf.setName, zero),
    version,
    setName: conf.setName,
    members,
    spares: later.map((host) => memberOf(host, {}, names, logs, offsets)),
    settings: conf.settings,
    writeConcernMajorityJournalDefault: conf.writeConcernMajorityJournalDefault,
    notes: [...routers, ...strangers, ...notesOf(evidence, conf, logs, hosts, zero)],
    course: logs.size === 0 ? undefined : courseOf(logs),
    ...(zero === undefined
      ? { ...withoutLogs(evidence, said.nameOf), time: undefined }
      : happenings(tracks, said, zero, evidence)),
  };
}

/** @throws IncidentError if there is nothing else */
function withoutRouters(all: Evidence): { readonly evidence: Evidence; readonly routers: readonly string[] } {
  const routers = all.logs.filter(({ isMongos }) => isMongos);
  const logs = all.logs.filter(({ isMongos }) => !isMongos);
  const [first] = routers;
  if (first !== undefined && logs.length + all.confs.length + all.statuses.length === 0)
    throw new IncidentError(first.file, undefined, `${MONGOS}; import the logs of the members of a set`);
  return { evidence: { ...all, logs }, routers: routers.map(({ file }) => `not used: ${file}: ${MONGOS}`) };
}

const MONGOS = 'this is the log of a mongos, which is in no set';

/** Logs of members, and what is to be said of the others. @throws IncidentError if there are only others */
function ofSet(
  all: ReadonlyMap<string, MemberLog>,
  names: ReadonlyMap<string, string>,
): { readonly logs: ReadonlyMap<string, MemberLog>; readonly strangers: readonly string[] } {
  const others = [...all].filter(([host]) => !names.has(host));
  const told = ([host, { file }]: [string, MemberLog]): [string, string] => [
    file,
    `this is the log of ${host}, which is in no config of the set`,
  ];
  const [first] = others;
  if (first !== undefined && others.length === all.size) {
    const [file, text] = told(first);
    throw new IncidentError(file, undefined, text);
  }
  return {
    logs: new Map([...all].filter(([host]) => names.has(host))),
    strangers: others.map((each) => `not used: ${told(each).join(': ')}`),
  };
}

interface Said {
  readonly conf: ReadConf;
  readonly hosts: readonly string[];
  readonly nameOf: (host: string) => string;
  readonly settings: Timeouts;
}

/** Time zero; a set that was there before the logs begin needs some time to come to life. Unit: ms. */
interface Zero {
  readonly epochMs: number;
  readonly leadMs: number;
  readonly lastMs: number;
}

function happenings(
  tracks: readonly Track[],
  { conf, hosts, nameOf, settings }: Said,
  zero: Zero,
  evidence: Evidence,
): Pick<Incident, 'time' | 'faults' | 'steps' | 'loads'> {
  const { absences, deeds: lives, shutdowns } = readLives(tracks, nameOf);
  const links = readLinks(tracks, absences, settings, nameOf, hosts);
  const won = readReigns(tracks, absences);
  const reigns = zero.leadMs === 0 ? won : [...firstReign(tracks, won, settings, evidence), ...won];
  const arbiters = new Set(conf.members.filter(({ config }) => config?.arbiterOnly).map(({ host = '' }) => host));
  const undone = lostWrites(tracks, reigns, inOrder([...lives, ...links]), absences, hosts, nameOf);
  const faults = inOrder([...lives, ...links, ...undone.faults]);
  const lengthMs = zero.lastMs - zero.epochMs + AFTERWARDS_MS;
  const commands = inOrder([
    ...electionDeeds(reigns, hosts, absences, arbiters, nameOf),
    ...shutdowns,
    ...stepDownDeeds(tracks, lengthMs, (host, afterMs) => standsAgain(reigns, host, afterMs), nameOf),
    ...configDeeds(tracks, hosts, nameOf),
    ...undone.writes,
  ]);
  const times = [...faults, ...commands].map(({ atMs }) => atMs);
  const checks = reigns.flatMap((reign) => checkOf(reign, [...times, lengthMs], nameOf));
  const atLast = lastCheck(tracks, reigns, lengthMs, nameOf);
  const claimed = [...checks, ...atLast];
  return {
    time: { epochMs: zero.epochMs, lengthMs },
    faults,
    steps: inOrder([...commands, ...(claimed.length > 0 ? claimed : anyPrimary(absences, conf, lengthMs))]),
    loads: readLoad(tracks, lengthMs),
  };
}

function standsAgain(reigns: readonly Reign[], host: string, afterMs: number): number | undefined {
  return reigns.find((reign) => reign.host === host && reign.standsMs > afterMs)?.standsMs;
}

/** A primary is there soon after it has won; only where nothing else happens meanwhile, which a check would put off. */
function checkOf({ host, term, wonMs }: Reign, times: readonly number[], nameOf: (host: string) => string): Deed[] {
  const atMs = wonMs + CHECK_AFTER_MS;
  if (times.some((each) => each > wonMs && each < atMs + CHECK_MS)) return [];
  const check = {
    within: `${CHECK_MS}ms`,
    on: nameOf(host),
    command: { replSetGetStatus: 1 },
    matches: { myState: 1 },
  };
  return [{ atMs, what: { eventually: check }, because: `${nameOf(host)} is primary in term ${term}` }];
}

/** Whoever leads when the logs end goes on. */
function lastCheck(
  tracks: readonly Track[],
  reigns: readonly Reign[],
  atMs: number,
  nameOf: (host: string) => string,
): Deed[] {
  const last = reigns.at(-1);
  const track = tracks.find(({ host }) => host === last?.host);
  if (last === undefined || track === undefined) return [];
  const ended = track.facts.some((fact) => fact.kind === 'state' && fact.from === 'PRIMARY' && fact.atMs >= last.wonMs);
  const died = track.lives.some(({ started }) => started !== undefined && started.atMs > last.wonMs);
  if (ended || died) return [];
  return [
    {
      atMs,
      what: { eventually: { within: '30s', primary: nameOf(last.host) } },
      because: 'the primary when the logs end',
    },
  ];
}

/** Of logs that do not say who led: a majority that is up at the end elects somebody. */
function anyPrimary(absences: readonly Absence[], { members }: ReadConf, atMs: number): Deed[] {
  const voters = members.filter(({ config }) => config?.votes !== 0).map(({ host = '' }) => host);
  const isUp = (host: string) => !absences.some((absence) => absence.host === host && absence.toMs === undefined);
  if (2 * voters.filter(isUp).length <= voters.length) return [];
  const because = 'the logs do not say who led; with a majority of its voters up, somebody does';
  return [{ atMs, what: { eventually: { within: '30s', primary: 'any' } }, because }];
}

/** Who led when the logs begin. */
function firstReign(
  tracks: readonly Track[],
  won: readonly Reign[],
  { electionTimeoutMillis }: Timeouts,
  { statuses }: Evidence,
): Reign[] {
  const before = (atMs: number) => atMs < (won[0]?.wonMs ?? Number.POSITIVE_INFINITY);
  const signs = tracks
    .flatMap(({ facts }) => facts)
    .sort((a, b) => a.atMs - b.atMs)
    .filter(({ atMs }) => before(atMs))
    .flatMap((fact) => {
      if (fact.kind === 'state' && fact.from === 'PRIMARY')
        return [{ host: fact.host, because: `it was: ${placeOf(fact.seen)}` }];
      if (fact.kind === 'heard' && fact.state === 'PRIMARY')
        return [{ host: fact.from, because: `${placeOf(fact.seen)} says so` }];
      return fact.kind === 'stepDownAsked' ? [{ host: fact.host, because: `it was: ${placeOf(fact.seen)}` }] : [];
    });
  const shown = statuses.flatMap(({ members, file }) =>
    members
      .filter(({ state }) => state === 'PRIMARY')
      .map(({ host, line }) => ({ host, because: `${file}:${line} says so` })),
  );
  const [first] = [...signs, ...(won.length === 0 ? shown : [])];
  if (first === undefined) return [];
  const standsMs = electionTimeoutMillis + 2000;
  const ends = (host: string) =>
    tracks.find((track) => track.host === host)?.facts.find((fact) => fact.kind === 'state' && fact.from === 'PRIMARY');
  const because = `the primary when the logs begin; ${first.because}`;
  return [
    {
      host: first.host,
      term: 1,
      standsMs,
      wonMs: standsMs,
      handedOver: false,
      endedMs: ends(first.host)?.atMs,
      because,
    },
  ];
}

function inOrder(deeds: readonly Deed[]): readonly Deed[] {
  return deeds.map((deed) => ({ ...deed, atMs: Math.max(1, Math.round(deed.atMs)) })).sort((a, b) => a.atMs - b.atMs);
}

function zeroOf(
  logs: ReadonlyMap<string, MemberLog>,
  offsets: ReadonlyMap<string, number>,
  { electionTimeoutMillis }: Timeouts,
): Zero | undefined {
  if (logs.size === 0) return undefined;
  const ahead = (host: string) => offsets.get(host) ?? 0;
  const firstMs = Math.min(...[...logs].map(([host, { firstMs: each }]) => each - ahead(host)));
  const lastMs = Math.max(...[...logs].map(([host, { lastMs: each }]) => each - ahead(host)));
  const isWhole = [...logs.values()].some(({ facts }) => facts.some(({ kind }) => kind === 'initiated'));
  const leadMs = isWhole ? 0 : Math.max(30_000, 3 * electionTimeoutMillis);
  return { epochMs: firstMs - leadMs, leadMs, lastMs };
}

/** Without a log nobody knows when anything happened; what a status shows is how it stands in the end. */
function withoutLogs(
  { statuses }: Evidence,
  nameOf: (host: string) => string,
): Pick<Incident, 'faults' | 'steps' | 'loads'> {
  const [status] = statuses;
  const members = status?.members ?? [];
  const says = (line: number) => `${status?.file}:${line} says so`;
  const down = members.filter(({ state }) => /not reachable|DOWN/.test(state));
  const primary = members.find(({ state }) => state === 'PRIMARY');
  const what = { eventually: { within: '2m', primary: primary === undefined ? 'any' : nameOf(primary.host) } };
  const because = status === undefined ? '' : says(primary?.line ?? status.line);
  const atLast =
    down.length > 0 ? [{ atMs: WITHOUT_LOGS_MS + SETTLED_MS, what, because: `in the end: ${because}` }] : [];
  return {
    faults: down.map(({ host, line }) => ({
      atMs: WITHOUT_LOGS_MS,
      what: { kill: nameOf(host) },
      because: `not reachable: ${says(line)}`,
    })),
    steps: [{ atMs: 0, what, because }, ...atLast],
    loads: [],
  };
}

function timeouts({ settings }: ReadConf): Timeouts {
  const number = (key: 'electionTimeoutMillis' | 'heartbeatTimeoutSecs') =>
    Number(settings[key] ?? DEFAULT_SETTINGS[key]);
  return {
    electionTimeoutMillis: number('electionTimeoutMillis'),
    heartbeatTimeoutSecs: number('heartbeatTimeoutSecs'),
  };
}

function memberOf(
  host: string,
  config: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
  logs: ReadonlyMap<string, MemberLog>,
  offsets: ReadonlyMap<string, number>,
): IncidentMember {
  const offset = offsets.get(host) ?? 0;
  const oplogSizeMB = logs.get(host)?.oplogSizeMB;
  return {
    name: names.get(host)!,
    host,
    ...config,
    ...(oplogSizeMB !== undefined && { oplogSizeMB }),
    ...(offset !== 0 && { clock: { offset: `${offset / 1000}s` } }),
  };
}

/** Members that are named only by their own logs, or by a status. */
function guessedConf({ logs, statuses }: Evidence): ReadConf {
  const hosts = [
    ...new Set([...(statuses[0]?.members.map(({ host }) => host) ?? []), ...logs.flatMap(({ host }) => host ?? [])]),
  ];
  if (hosts.length === 0)
    throw new IncidentError(
      logs[0]?.file ?? 'rs.conf()',
      undefined,
      'nothing says who is in the set; add what rs.conf() prints',
    );
  const arbiters = statuses[0]?.members.filter(({ state }) => state === 'ARBITER') ?? [];
  return {
    setName: statuses[0]?.setName ?? logs.find(({ setName }) => setName !== undefined)?.setName ?? 'rs0',
    members: memberNamesOf(hosts).map((name, i) => ({
      name,
      host: hosts[i]!,
      ...(arbiters.some(({ host }) => host === hosts[i]) && { config: { arbiterOnly: true } }),
    })),
    settings: {},
    writeConcernMajorityJournalDefault: true,
    unused: ['no config: priorities, votes and settings are the defaults; add what rs.conf() prints'],
    known: arbiters.map(({ host, line }) => `${host} is an arbiter: ${statuses[0]!.file}:${line} says so`),
    version: '8.0',
  };
}

/** The newest release that is known and not newer than that of the logs. */
function versionOf({ logs, confs }: Evidence): MongodVersion {
  const release = logs.find((log) => log.release !== undefined)?.release;
  if (release === undefined) return confs[0]?.version ?? '8.0';
  const number = (text: string) =>
    text
      .split('.')
      .slice(0, 2)
      .reduce((sum, part) => sum * 1000 + Number(part), 0);
  const known = (Object.keys(VERSIONS) as MongodVersion[]).sort((a, b) => number(a) - number(b));
  return known.findLast((each) => number(each) <= number(release)) ?? known[0]!;
}

function nameOf(setName: string, zero: Zero | undefined): string {
  if (zero === undefined) return `The set ${setName} as it was found`;
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  return `What happened to ${setName} from ${text(zero.epochMs + zero.leadMs)} to ${text(zero.lastMs)} UTC`;
}

function notesOf(
  evidence: Evidence,
  conf: ReadConf,
  logs: ReadonlyMap<string, MemberLog>,
  hosts: readonly string[],
  zero: Zero | undefined,
): readonly string[] {
  const silent = hosts.filter((host) => !logs.has(host));
  const all = [...logs.values()];
  const tracks = all.map((log) => trackOf(log.host ?? '', log, 0));
  const deleted = ofKind(tracks, 'ttl').reduce((sum, fact) => sum + (fact.kind === 'ttl' ? fact.deleted : 0), 0);
  const releases = [...new Set(all.flatMap(({ release }) => release ?? []))];
  return [
    ...(zero !== undefined && zero.leadMs > 0
      ? [`the logs begin at ${zero.leadMs / 1000}s: before that, the set comes to life`]
      : []),
    ...(conf.known ?? []),
    ...conf.unused.map((told) => `not used: ${told}`),
    ...(all.length > 0 && silent.length > 0
      ? [`no log of ${silent.join(', ')}: what happened there is known from the others alone`]
      : []),
    ...(releases.length > 0 ? [`the logs are of mongod ${releases.join(', ')}`] : []),
    ...all.flatMap(({ unreadable, file }) =>
      unreadable === undefined
        ? []
        : [`${file}: ${unreadable.count} lines are none of a log, the first is line ${unreadable.first.line}`],
    ),
    ...refusedStepDowns(tracks),
    ...(deleted > 0
      ? [`TTL deleted ${deleted} documents; of which index and when they expired is not reproduced`]
      : []),
    ...(evidence.confs.length > 1
      ? [`of ${evidence.confs.length} configs the first is used: ${evidence.confs[0]!.file}`]
      : []),
    ...(all.length > 0 && all.every(({ slow }) => slow.size === 0)
      ? ['the logs show no slow operation, so what clients did is unknown and the scenario has no workload']
      : []),
  ];
}
