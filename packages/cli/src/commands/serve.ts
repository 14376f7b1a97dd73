import { closeSync, writeSync } from 'node:fs';
import {
  CommandError,
  InvariantError,
  MAX_MEMBERS,
  MAX_VOTING_MEMBERS,
  type MongodVersion,
  type TraceEvent,
} from '@replsim/protocol';
import { InvalidScenario, parseScenario, Transcript, traceLine, whyIdle, withScenarioCosts } from '@replsim/scenario';
import {
  brokenLine,
  DataGoneError,
  DbpathInUseError,
  DbpathMismatchError,
  idleMaxLead,
  ledgerLines,
  lossText,
  NoPrimaryError,
  PortTakenError,
  reachText,
  readSavedSet,
  ServedSet,
  type ServeOptions,
} from '@replsim/server';
import { Chalk } from 'chalk';
import { accessOf } from '../accessOptions.ts';
import { Control } from '../control/control.ts';
import { noFolderAt, openToWrite } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { parseAll } from '../loaded.ts';
import { type Dump, readDump } from '../loading/dump.ts';
import { loadDump } from '../loading/loadDump.ts';
import { checkSameSet, confForServe, membersWith } from '../mongodConf/confForServe.ts';
import { painter } from '../painted.ts';
import { checkRecordable, RecordingFile } from '../recordingFile.ts';
import { findScenarios } from '../scenarioText.ts';
import { tlsLines } from '../serving/tlsLines.ts';
import { type TlsArguments, tlsOf } from '../serving/tlsOf.ts';
import { LiveStudio } from '../studio/live/liveStudio.ts';
import { pageOf } from '../studio/page.ts';

/** MongoDB's own port. */
const DEFAULT_PORT = 27017;
const LAST_PORT = 65_535;

/** Any time will do. */
const WAITING_MS = 3_600_000;

export interface ServeCommandOptions extends TlsArguments {
  readonly members?: number;
  readonly spares?: number;
  readonly port?: number;
  readonly bind?: string;
  /** `MEMBER=HOST:PORT` each. */
  readonly hostName?: readonly string[];
  /** Other machines may reach the set though nobody has to log in. */
  readonly iKnowItIsOpen?: boolean;
  /** Clients of other machines are let in. */
  readonly anyClient?: boolean;
  readonly replSet?: string;
  readonly dbpath?: string;
  /** The set may begin anew though all its data are gone. */
  readonly acceptEmpty?: boolean;
  readonly speed?: number;
  /** Unit: ms. */
  readonly maxLead?: number;
  readonly seed?: number;
  readonly version?: MongodVersion;
  /** A scenario file, whose set it is to be; its steps are not played. Or a `mongod.conf`. */
  readonly config?: string;
  /** A file with what `rs.conf()` printed. */
  readonly replsetConfig?: string;
  /** Of every member. */
  readonly oplogSize?: number;
  /** Connections of one member. */
  readonly maxConns?: number;
  /** Names with commas between them, or `disabled`. */
  readonly networkMessageCompressors?: string;
  /** `NAME=VALUE` each. */
  readonly setParameter?: readonly string[];
  /** Passwords: who logs in with one of them is the user that it says. */
  readonly anyUser?: readonly string[];
  /** Clients may only do what their privileges allow. */
  readonly auth?: boolean;
  readonly noauth?: boolean;
  /** By what members know each other. */
  readonly keyFile?: string;
  readonly transitionToAuth?: boolean;
  /** A folder of mongodump or mongoexport, whose documents a new set begins with. */
  readonly load?: string;
  /** False: nobody initiates the set. */
  readonly initiate?: boolean;
  /** A file that gets all that comes from outside, as a scenario. */
  readonly record?: string;
  readonly trace?: string;
  /** A port of the page on which the set is to be seen. */
  readonly studio?: number;
  /** A port for faults, jumps and questions over HTTP. */
  readonly control?: number;
  /** What these files hold already may be lost. */
  readonly force?: boolean;
  readonly json?: boolean;
  /** No line an event. */
  readonly quiet?: boolean;
  /** Hold the invariants against the set; default: in CI. */
  readonly invariants?: boolean;
  /** It ends when the process that started it has ended. */
  readonly exitWithParent?: boolean;
  /** False turns the ledger of acknowledged writes off. */
  readonly ledger?: boolean;
}

/** `replsim serve`: a set on real ports, until it is interrupted. */
export async function serveCommand(options: ServeCommandOptions, io: Io): Promise<number> {
  const settings = await serveOptions(options, io);
  const dump = options.load === undefined ? undefined : dumpOf(options.load, options);
  const page = options.studio === undefined ? undefined : pageOf(io);
  if (options.record !== undefined) checkRecordable(settings.dbpath);
  const idleLead = idleMaxLead(settings.maxLeadMs, settings.speed);
  if (idleLead !== undefined) io.err(`--max-lead: ${idleLead}\n`);
  const served = await opened(settings);
  let recording: RecordingFile | undefined;
  let reports: ServeReport | undefined;
  let studio: LiveStudio | undefined;
  let control: Control | undefined;
  try {
    if (page !== undefined && options.studio !== undefined)
      studio = await LiveStudio.open(served, page, options.studio);
    if (options.control !== undefined)
      control = await Control.open(served, options.control, process.env.REPLSIM_CONTROL_TOKEN);
    if (options.record !== undefined)
      recording = new RecordingFile(served, options.record, 'by replsim serve', options.force ? 'anything' : 'nothing');
    reports = new ServeReport(served, options, io, { studio: studio?.address, control: control?.address });
    served.handshakes.onRefused((told) => io.err(`${told} (REPLSIM_BAD_HANDSHAKE)\n`));
    served.standstill.onInVain((told) => io.err(`${told} (REPLSIM_TIME_STANDS_STILL)\n`));
    served.dates.onBehind((told) => io.err(`warning: ${told} (REPLSIM_DATE_BEHIND)\n`));
    served.invariants?.onBroken((broken) => io.err(`${brokenLine(broken)}\n`));
    await untilInterrupted(served, { reports, dump, withParent: options.exitWithParent === true }, settings, io);
    reports.stopping();
    await served.stop({ clean: true });
    if (options.ledger !== false) reports.ledger();
    await studio?.close('the set was shut down');
    await control?.close();
    return verdict(served, options, io);
  } catch (thrown) {
    // Where it is the stop itself that has failed, asking for it again fails in the same way.
    await served.stop().catch(() => {});
    // Who waited has heard only that the set is stopped.
    const error = served.failure ?? thrown;
    await studio?.close(`the set has ended: ${error instanceof Error ? error.message : error}`);
    await control?.close();
    if (error instanceof InvariantError) io.err(`this is a bug in replsim, with seed ${served.set.seed}\n`);
    verdict(served, options, io);
    // Its config, or what of it is on the disk, lets nobody be elected.
    throw error instanceof NoPrimaryError ? new InputError(error.message) : error;
  } finally {
    recording?.close();
    reports?.close();
  }
}

/** Says what the set broke, at the end once more: it may have been long ago. @returns the exit code */
function verdict(served: ServedSet, { record }: ServeCommandOptions, io: Io): number {
  const broken = served.broken(record, '--record FILE');
  if (broken === undefined) return ExitCodes.ok;
  io.err(`${broken.message}\n`);
  return ExitCodes.failed;
}

/** Shows the set until somebody has had enough of it. @throws what ended it before */
async function untilInterrupted(
  served: ServedSet,
  {
    reports,
    dump,
    withParent,
  }: { readonly reports: ServeReport; readonly dump: Dump | undefined; readonly withParent: boolean },
  { initiate }: ServeOptions,
  io: Io,
): Promise<void> {
  reports.serving();
  const stopped = new Promise<void>((resolve) => {
    io.onInterrupt?.(resolve);
    if (withParent) io.onParentGone?.(resolve);
  });
  const failed = new Promise<never>((_, reject) => served.pacer.onFailure(reject));
  // Without a port that is open and an event that is due nothing else keeps the process: it would end before it is asked to.
  const waiting = setInterval(() => {}, WAITING_MS);
  try {
    await Promise.race([
      failed,
      stopped,
      (async () => {
        if (initiate !== false) await reports.electing(served.ready());
        if (dump !== undefined) await reports.loading(dump);
        reports.ready();
        await stopped;
      })(),
    ]);
  } finally {
    clearInterval(waiting);
  }
}

/** What is no bug of ours when a set does not open: an option, a port, or the data that it is to go on with. */
const REFUSALS = [DbpathInUseError, DbpathMismatchError, DataGoneError, RangeError, CommandError];

async function opened(settings: ServeOptions): Promise<ServedSet> {
  try {
    return await ServedSet.open({ ...portOf(settings), ...settings });
  } catch (error) {
    if (error instanceof PortTakenError) throw new InputError(error.toldOf('--port'));
    if (error instanceof Error && REFUSALS.some((refusal) => error instanceof refusal))
      throw new InputError(error.message);
    throw error;
  }
}

/** MongoDB's own, unless the data are of a set that has its ports already, or the members' names have theirs. */
function portOf({ dbpath, hostNames }: ServeOptions): { readonly port?: number } {
  if (hostNames !== undefined) return {};
  return { port: dbpath !== undefined && readSavedSet(dbpath) !== undefined ? 0 : DEFAULT_PORT };
}

/** @throws InputError for what cannot be loaded, before the set begins */
function dumpOf(folder: string, { initiate }: ServeCommandOptions): Dump {
  if (initiate === false) throw new InputError('--load needs a primary: leave out --no-initiate');
  return readDump(folder);
}

/** What the file says, and over it what the command line does. */
async function serveOptions(options: ServeCommandOptions, io: Io): Promise<ServeOptions> {
  const { config, replSet, dbpath, version, setParameter, anyUser } = options;
  const conf = confForServe(config, options, io);
  checkOneSet(options, conf !== undefined);
  const printed =
    options.replsetConfig === undefined
      ? undefined
      : (await import('../importing/setOfConf.ts')).setOfConf(options.replsetConfig, version, io);
  const [file] = config === undefined || conf !== undefined ? [] : await parseAll(findScenarios([config]));
  if (config !== undefined && conf !== undefined) checkSameSet(config, conf, printed?.setName);
  if (file?.scenario.steps.some(({ key }) => key === 'users'))
    io.err(`without effect: "users" of ${config}: create them with createUser; the first one needs no login\n`);
  const given = {
    ...file?.scenario.options.parameters,
    ...conf?.parameters,
    ...Object.fromEntries((setParameter ?? []).map(parameter)),
    ...(anyUser && { anyUserPasswords: anyUser }),
  };
  const release = version ?? printed?.version ?? file?.scenario.options.version;
  const noFolder = dbpath === undefined ? undefined : noFolderAt(dbpath);
  if (noFolder !== undefined) throw new InputError(`--dbpath: ${noFolder}`);
  if (replSet === '') throw new InputError('--replSet: a set has a name, such as rs0');
  checkVoters(options);
  checkPorts(
    { ...(conf?.port !== undefined && { port: conf.port }), ...options },
    (printed?.members as readonly unknown[] | undefined)?.length ?? file?.scenario.options.members.length,
  );
  const described = printed ?? (file && { ...withScenarioCosts(file.scenario.options), seed: file.scenario.seed });
  const port = options.port ?? conf?.port;
  const compressors = options.networkMessageCompressors ?? conf?.networkMessageCompressors;
  const access = accessOf(options, conf, (told) => io.err(`without effect: ${told}\n`));
  const served = {
    ...described,
    ...(access !== undefined && { access }),
    ...(conf?.replSet !== undefined && { setName: conf.replSet }),
    ...(port !== undefined && { port }),
    ...connectionsOf(options.maxConns ?? conf?.maxIncomingConnections),
    ...tlsOf(options, conf?.tls),
    ...(compressors !== undefined && { networkMessageCompressors: compressors }),
    ...asked(options, io),
    parameters: judgedParameters(given, release, io),
  };
  const { oplogSize: oplogSizeMB } = options;
  if (conf === undefined && oplogSizeMB === undefined) return served;
  const members = membersWith(conf ?? {}, served.members ?? 3);
  return { ...served, members: oplogSizeMB === undefined ? members : membersWith({ oplogSizeMB }, members, true) };
}

function connectionsOf(maxIncomingConnections: number | undefined): ServeOptions {
  return maxIncomingConnections === undefined ? {} : { maxIncomingConnections };
}

/** What the command line asks for by itself. */
function asked(options: ServeCommandOptions, { ci = false }: Io): ServeOptions {
  const { members, spares, bind, replSet, dbpath, acceptEmpty, version } = options;
  const { speed, maxLead, seed, initiate, invariants = ci } = options;
  return {
    ...(members !== undefined && { members }),
    ...(spares !== undefined && { spares }),
    ...(bind !== undefined && { ip: bind }),
    ...(options.hostName && { hostNames: Object.fromEntries(options.hostName.map(hostName)) }),
    ...(options.anyClient && { anyClient: true }),
    ...(options.iKnowItIsOpen && { isOpen: true }),
    ...(replSet !== undefined && { setName: replSet }),
    ...(dbpath !== undefined && { dbpath }),
    ...(speed !== undefined && { speed }),
    ...(maxLead !== undefined && { maxLeadMs: maxLead }),
    ...(seed !== undefined && { seed }),
    ...(version !== undefined && { version }),
    ...(initiate === false && { initiate }),
    ...(options.ledger === false && { ledger: false }),
    invariants,
    ...(acceptEmpty && { acceptEmpty }),
    ...((options.studio !== undefined || options.control !== undefined) && { causes: true }),
  };
}

/** The members are said once. */
function checkOneSet({ replsetConfig, config, members }: ServeCommandOptions, isMongodConf: boolean): void {
  if (replsetConfig === undefined) return;
  const other = config !== undefined && !isMongodConf ? '--config' : members !== undefined ? '--members' : undefined;
  if (other !== undefined)
    throw new InputError(`--replset-config names the members, and so does ${other}; leave one out`);
}

/** Parameters without those that have no effect here, each of which is listed; what a mongod would not start with is an error, as in a scenario. */
function judgedParameters(
  parameters: Readonly<Record<string, unknown>>,
  version: MongodVersion | undefined,
  { err }: Io,
): Readonly<Record<string, unknown>> {
  const head = { name: 'options', version, parameters, steps: [{ expect: { primary: 'any' } }] };
  try {
    const { warnings } = parseScenario(JSON.stringify(head), 'options');
    for (const { message } of warnings) err(`warning: --setParameter: ${message}\n`);
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    const told = error.mistakes.map(({ message, suggestion }) => `${message}${suggestion ? `; ${suggestion}` : ''}`);
    throw new InputError(told.map((each) => `--setParameter: ${each}`).join('\n'));
  }
  return Object.fromEntries(Object.entries(parameters).filter(([name, value]) => whyIdle(name, value) === undefined));
}

/** A number of members are voters all; who wants more than the set may have says by a file which are none. */
function checkVoters({ members = 1, initiate }: ServeCommandOptions): void {
  if (initiate !== false && members > MAX_VOTING_MEMBERS && members <= MAX_MEMBERS)
    throw new InputError(
      `--members: a replica set has at most ${MAX_VOTING_MEMBERS} voting members; give the others ` +
        '{ votes: 0, priority: 0 } in a scenario file, for --config, or leave it to rs.initiate() with --no-initiate',
    );
}

/** Each member's port follows on the one before. */
function checkPorts({ port, members, spares = 0 }: ServeCommandOptions, ofFile = 3): void {
  const count = (members ?? ofFile) + spares;
  if (port !== undefined && port + count - 1 > LAST_PORT)
    throw new InputError(
      `--port: ${count} members need ports from ${port} to ${port + count - 1}, and ${LAST_PORT} is the last; ` +
        `at most ${LAST_PORT - count + 1}`,
    );
}

/** A number or `true` stands for itself, as with mongod; everything else is text. */
function parameter(text: string): [name: string, value: unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new InputError(`--setParameter takes NAME=VALUE, not ${text}`);
  const value = text.slice(at + 1);
  const plain = /^(true|false|-?\d+(\.\d+)?)$/.test(value);
  return [text.slice(0, at), plain ? JSON.parse(value) : value];
}

/** `n1=mongo1:27017`; what the name may be, the set knows. */
function hostName(text: string): [member: string, host: string] {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1)
    throw new InputError(`--host-name takes MEMBER=HOST:PORT, such as n1=mongo1:27017, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The addresses of what is beside the members' ports. */
interface Doors {
  readonly studio?: string | undefined;
  readonly control?: string | undefined;
}

/** What somebody who serves a set is shown: where it is, and a line an event. */
class ServeReport {
  readonly #served: ServedSet;
  readonly #io: Io;
  readonly #json: boolean;
  readonly #quiet: boolean;
  readonly #chalk: InstanceType<typeof Chalk>;
  readonly #trace: number | undefined;
  readonly #doors: Doors;
  #stopping = false;

  constructor(
    served: ServedSet,
    { trace, force = false, json = false, quiet = false }: ServeCommandOptions,
    io: Io,
    doors: Doors = {},
  ) {
    this.#served = served;
    this.#doors = doors;
    this.#io = io;
    this.#json = json;
    this.#chalk = new Chalk({ level: io.colours ? 1 : 0 });
    this.#trace = trace === undefined ? undefined : openToWrite(trace, 'trace', force);
    this.#quiet = quiet;
    const file = this.#trace;
    if (file !== undefined) served.set.onTrace((event) => writeSync(file, `${traceLine(event)}\n`));
  }

  #lines(): void {
    const { out } = this.#io;
    const transcript = new Transcript();
    const paint = painter(this.#chalk);
    this.#served.set.onTrace((event: TraceEvent) => {
      if (this.#json) out(`${traceLine(event)}\n`);
      else for (const line of transcript.observe(event)) out(`${paint(line)}\n`);
    });
  }

  /** A line that moves, where somebody looks. */
  async electing(primary: Promise<string>): Promise<void> {
    const { io, set } = { io: this.#io, set: this.#served.set };
    const draw = () => io.err(`\r\x1b[Kelecting a primary: ${(set.nowMicros / 1e6).toFixed(1)} s of virtual time`);
    const timer = io.progress ? setInterval(draw, 100) : undefined;
    if (io.progress) draw();
    try {
      await primary;
    } finally {
      clearInterval(timer);
      if (io.progress) io.err('\r\x1b[K');
    }
  }

  /** Fills a new set. One that goes on with its data has been filled before. */
  async loading(dump: Dump): Promise<void> {
    const served = this.#served;
    const { err, progress } = this.#io;
    if (served.resumed) return err('--load: the set continues with its own data, so nothing is loaded\n');
    const ask = async (command: object) => served.command(await served.untilPrimary(), command);
    const loaded = await loadDump(dump, ask, (done) => progress && err(`\r\x1b[Kloading ${done}`));
    const ignored = dump.ignored.length === 0 ? '' : `; not loaded: ${dump.ignored.join(', ')}`;
    err(`${progress ? '\r\x1b[K' : ''}loaded ${loaded}${ignored}\n`);
  }

  /** Where it is; the first lines. Events follow. */
  serving(): void {
    this.#where();
    this.#whenNobodyRuns();
    for (const loss of this.#served.losses) this.#io.err(`${lossText(loss)}\n`);
    if (!this.#quiet) this.#lines();
  }

  #where(): void {
    const { uri, set, pacer } = this.#served;
    const { members } = this.#served.status();
    if (this.#json) {
      const { setName, seed } = set;
      const { speed } = pacer;
      const { folder: tlsFolder } = this.#served.tls?.throwAway ?? {};
      this.#say(
        JSON.stringify({
          type: 'serving',
          uri,
          ...(tlsFolder !== undefined && { tlsFolder }),
          setName,
          seed,
          speed,
          members,
          ...this.#doors,
        }),
      );
      return;
    }
    this.#say(this.#chalk.bold(uri));
    this.#say(members.map(({ name, host }) => `${name} ${host}`).join(', '));
    for (const line of tlsLines(this.#served)) this.#say(line);
    this.#say(`${reachText(this.#served.options)}; seed ${set.seed}, speed ${pacer.speed}`);
    // Any member that runs answers these, and after a kill there may be no primary.
    this.#say(
      `faults: ${this.#isGuarded ? 'log in as a user with a role such as hostManager' : `mongosh "${uri}&readPreference=nearest"`}, then db.adminCommand({ replsimFault: { kill: "primary" } })`,
    );
    const { studio, control } = this.#doors;
    if (studio !== undefined) this.#say(`seen at ${studio}, anyone who has the whole address can control the set`);
    if (control !== undefined) this.#say(`controlled at ${control}, by anyone who has the whole address`);
  }

  /** Clients find what they look for. */
  ready(): void {
    const { primary } = this.#served;
    if (this.#json) this.#say(JSON.stringify({ type: 'ready', ...(primary !== undefined && { primary }) }));
    else {
      this.#say(`ready: ${primary === undefined ? 'nobody has initiated the set' : `${primary} is primary`}`);
      this.#say(this.#howToConnect());
    }
  }

  get #isGuarded(): boolean {
    return this.#served.setOptions.access?.authorization === true;
  }

  /** The last line before events. */
  #howToConnect(): string {
    const { uri } = this.#served;
    if (!this.#isGuarded) return `connect: mongosh "${uri}"`;
    const [user] = this.#served.users();
    if (user !== undefined) return `connect: mongosh "${uri}&authSource=${user.db}" --username ${user.user}`;
    return `connect: mongosh "${uri}", then db.getSiblingDB("admin").createUser({ user: "root", pwd: passwordPrompt(), roles: ["root"] }): the first user`;
  }

  #say(line: string): void {
    this.#io.out(`${line}\n`);
  }

  /** Members take commands while they run; nobody is left who could start one. */
  #whenNobodyRuns(): void {
    const { set } = this.#served;
    set.onProcess(() => {
      if (this.#stopping || set.memberNames.some((name) => set.status(name).running)) return;
      this.#io.err('no member is running any more, so the set is unreachable: Ctrl-C ends it\n');
    });
  }

  stopping(): void {
    this.#stopping = true;
    if (!this.#quiet) this.#io.err('shutting down\n');
  }

  /** What clients were told of their writes, and what of it is lost; nothing where nobody wrote. */
  ledger(): void {
    const ledger = this.#served.ledger();
    if (ledger.acknowledged === 0) return;
    if (this.#json) this.#say(JSON.stringify({ type: 'ledger', ...ledger }));
    else for (const line of ledgerLines(ledger)) this.#say(line);
  }

  close(): void {
    if (this.#trace !== undefined) closeSync(this.#trace);
  }
}
