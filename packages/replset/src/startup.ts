import { type DiskFailure, type StartupOptions, startupRefusal } from '@replsim/node';
import { encodeDocument, type MongodVersion, VERSIONS } from '@replsim/protocol';
import { CorruptDiskError, diskErrorOf, type LoadedData } from '@replsim/storage';
import type { MemberSpec, StartOptions } from './api.ts';
import { eventDue } from './due.ts';
import { type Member, Process } from './member.ts';
import { costsOn } from './processor.ts';
import { folderOf, type World } from './world.ts';

/** A size that no scenario fills by accident. Upstream: the least that mongod chooses by itself, 990 MB. */
export const DEFAULT_OPLOG_SIZE_MB = 990;

/**
 * Starts a member's process on what its disk holds; it sees its first event in the next event at this time.
 * @param cause the turn or input that it comes of
 * @throws what `startMongod` throws when the process refuses to start
 */
export async function startMember(world: World, member: Member, options: StartOptions, cause: number): Promise<void> {
  if (member.process !== undefined) throw new Error(`${member.name} is already running; restart ends it first`);
  if (options.wipe) {
    member.disk.wipe();
    member.diskFaults.corrupt = false;
  }
  const loaded = await loadDisk(world, member);
  startOn(world, member, loaded, options, cause);
}

/** The parameters that a member is started with, whatever a start says. */
export function headOf(world: World, member: string): Readonly<Record<string, unknown>> {
  return { ...world.options.parameters, ...world.member(member).spec.parameters };
}

/** Starts the processes of all members, on what an earlier run may have left. @throws what `startMember` does */
export async function startMembers(world: World): Promise<void> {
  const found: { readonly member: Member; readonly loaded: LoadedData; readonly segments: number }[] = [];
  for (const member of world.members) {
    const loaded = await loadData(world, member);
    found.push({ member, loaded, segments: loaded.nextSegment - 1 });
  }
  const setSegments = found.reduce((sum, { segments }) => sum + segments, 0);
  const resumed = found.some(({ loaded }) => loaded.metadata !== undefined || loaded.journal.length > 0);
  for (const { member, loaded, segments } of found) {
    if (resumed) member.resume(segments, setSegments);
    startOn(world, member, loaded, {}, 0);
  }
}

function startOn(world: World, member: Member, loaded: LoadedData, options: StartOptions, cause: number): void {
  if (options.as !== undefined) member.setName = options.as === 'standalone' ? undefined : options.as.replSet;
  if (options.version !== undefined) member.version = options.version;
  if (options.keys !== undefined) member.keys = options.keys;
  const life = member.nextLife();
  const ids = life.split('ids');
  const { dbpath } = world.options;
  const startup: StartupOptions = {
    host: member.host,
    otherHosts: member.otherHosts,
    mode: member.setName === undefined ? 'standalone' : 'replSet',
    setName: member.setName,
    version: member.version ?? world.version,
    parameters: { ...headOf(world, member.name), ...options.parameters },
    ...accessOf(world, member),
    get costs() {
      return costsOn(member.processor, world.costs);
    },
    oplogSizeBytes: Math.round((member.spec.oplogSizeMB ?? DEFAULT_OPLOG_SIZE_MB) * 1024 * 1024),
    oplogSizeMB: member.spec.oplogSizeMB,
    dbPath: dbpath === undefined ? undefined : folderOf(dbpath, member.name).directory,
    queryableBackupMode: options.queryableBackupMode ?? false,
    oplogMinRetentionHours: member.spec.oplogMinRetentionHours ?? 0,
    idSeed: [ids.nextUint32(), ids.nextUint32()],
    processId: ids.bytes(12),
    get tracing() {
      return world.recorder.wanted;
    },
    tracingCauses: world.causes,
    get tracingFates() {
      return world.recorder.fatesWanted;
    },
    get tracingTalk() {
      return world.recorder.talkWanted;
    },
  };
  const process = new Process(member, world.parts.startMongod(startup, loaded), life.split('jitter'), cause);
  member.process = process;
  world.changed(member);
  world.queue.cause = cause;
  world.schedule(0, eventDue(process, { type: 'started' }));
  for (const listener of world.processListeners) listener(member.name);
}

/** Nothing where nobody has asked for it. */
function accessOf({ options }: World, { spec, keys }: Member): Pick<StartupOptions, 'authorization' | 'access'> {
  if (options.access === undefined && spec.access === undefined && keys === undefined) return {};
  const access = { ...options.access, ...spec.access, ...(keys && { keys }) };
  const { authorization = access.keys !== undefined && !access.transitionToAuth, ...others } = access;
  return { authorization, access: others };
}

/** What an earlier run has left. @throws DiskError for what nobody can read: it was no fault of this run */
async function loadData({ options: { dbpath } }: World, { disk, name }: Member): Promise<LoadedData> {
  try {
    return await disk.load();
  } catch (error) {
    throw dbpath !== undefined && error instanceof CorruptDiskError
      ? diskErrorOf(error, folderOf(dbpath, name))
      : error;
  }
}

/** What the disk holds; a process that cannot open its data leaves a word in its log and is gone. */
async function loadDisk(world: World, member: Member): Promise<LoadedData> {
  if (member.diskFaults.full) return refuseToStart(world, member, 'full');
  try {
    return await member.disk.load();
  } catch (error) {
    if (!(error instanceof CorruptDiskError)) throw error;
    return refuseToStart(world, member, 'corrupt', error.message);
  }
}

function refuseToStart(world: World, member: Member, reason: DiskFailure, detail?: string): never {
  const { lines, error } = startupRefusal(reason, detail);
  const { wallMs } = world.now(member);
  for (const line of lines) world.recorder.member(world.nowMicros, member.name, { type: 'log', line, wallMs });
  throw error;
}

/**
 * The `replSetInitiate` command for the set as its options describe it; undefined if it has no members, or one of them has a
 * config on its disk: who has none then hears of that one, and copies the data.
 */
export function initiateCommand(world: World): { on: Member; command: Uint8Array } | undefined {
  if (world.members.some((member) => member.setName !== undefined && member.process?.mongod.recovered.hasReplSetConfig))
    return undefined;
  const members = world.members.filter(({ spec }) => !spec.spare && !spec.standalone);
  const [on] = members;
  if (on === undefined) return undefined;
  const version = on.spec.version ?? world.version;
  const config = {
    _id: world.setName,
    members: members.map(({ host, spec }, index) => ({ _id: index, host, ...spelt(spec.config, version) })),
    ...(world.options.settings === undefined ? {} : { settings: world.options.settings }),
    ...(world.options.writeConcernMajorityJournalDefault === false && { writeConcernMajorityJournalDefault: false }),
  };
  return { on, command: encodeDocument({ replSetInitiate: config, $db: 'admin' }) };
}

/** A member's entry in the words of a release. */
function spelt(config: MemberSpec['config'], version: MongodVersion): MemberSpec['config'] {
  if (config?.secondaryDelaySecs === undefined) return config;
  const { secondaryDelaySecs, ...others } = config;
  return { ...others, [VERSIONS[version].memberDelayField]: secondaryDelaySecs };
}
