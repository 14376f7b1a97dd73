import { type ClientToken, parseToken, type StreamTarget } from '@replsim/changestreams';
import { bytesOf, checkNotView, Fields, type Stage } from '@replsim/pipeline';
import { BsonType, CommandError, readTimestamp, type Timestamp } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';

/** Whether, and how, an update shows the whole document. Upstream: FullDocumentModeEnum. */
export type FullDocumentMode = 'default' | 'updateLookup' | 'whenAvailable' | 'required';
/** Whether a change shows the document as it was before. Upstream: FullDocumentBeforeChangeModeEnum. */
export type BeforeChangeMode = 'off' | 'whenAvailable' | 'required';

/** What a `$changeStream` asks for. */
export interface StreamSpec {
  readonly target: StreamTarget;
  readonly fullDocument: FullDocumentMode;
  readonly fullDocumentBeforeChange: BeforeChangeMode;
  /** The token of `resumeAfter` or `startAfter`. */
  readonly token: ClientToken | undefined;
  readonly startAtOperationTime: Timestamp | undefined;
  readonly showExpandedEvents: boolean;
  readonly showSystemEvents: boolean;
  readonly showIndexBuilds: boolean;
  readonly showRawUpdateDescription: boolean;
}

const known = new Set([
  'fullDocument',
  'fullDocumentBeforeChange',
  'resumeAfter',
  'startAfter',
  'startAtOperationTime',
  'allChangesForCluster',
  'showExpandedEvents',
  'showSystemEvents',
  'showMigrationEvents',
  'showRawUpdateDescription',
  'allowToRunOnConfigDB',
  'allowToRunOnSystemNS',
]);
/** What routers of 8.2 say to the members of shards, which any client may say too. */
const knownFrom82 = new Set([...known, 'version', 'supportedEvents', 'ignoreRemovedShards']);
const READER_VERSIONS = ['v1', 'v2'] as const;
const FULL_DOCUMENT: readonly FullDocumentMode[] = ['default', 'updateLookup', 'whenAvailable', 'required'];
const BEFORE_CHANGE: readonly BeforeChangeMode[] = ['off', 'whenAvailable', 'required'];

/**
 * Reads a `$changeStream` and looks whether it may be opened here. Errors: Location50808 for what is no document, 40415, 14 and 2
 * for its options, 10498500 for its events, 40573 on a standalone, InvalidOptions 72, InvalidNamespace 73, CommandNotSupportedOnView 166, Location50865 and
 * 40674 for several starts, InvalidResumeToken 260, those of `parseToken`, Location40324 for 3.2, which knows no streams.
 * Upstream: document_source_change_stream.cpp, assertIsLegalSpecification.
 */
export function parseStreamSpec(stage: Stage, context: CommandContext): StreamSpec {
  const { member, args } = context;
  if (!member.traits.changeStreams) throw new CommandError(40324, `Unrecognized pipeline stage name: '${stage.name}'`);
  if (stage.spec.type !== BsonType.object) {
    throw new CommandError(50808, 'the $changeStream stage expects a document as argument');
  }
  const fields = new Fields(bytesOf(stage.spec), '$changeStream');
  fields.allow(member.traits.changeStreamReaders ? knownFrom82 : known);
  const showSystemEvents = isTrue(fields, 'showSystemEvents');
  const spec = {
    fullDocument: oneOf(fields, 'fullDocument', FULL_DOCUMENT),
    fullDocumentBeforeChange: oneOf(fields, 'fullDocumentBeforeChange', BEFORE_CHANGE),
    showExpandedEvents: isTrue(fields, 'showExpandedEvents'),
    showSystemEvents,
    showIndexBuilds: showSystemEvents && member.traits.indexBuildEvents,
    showRawUpdateDescription: isTrue(fields, 'showRawUpdateDescription'),
  };
  const allows: Allowed = {
    cluster: isTrue(fields, 'allChangesForCluster'),
    config: isTrue(fields, 'allowToRunOnConfigDB'),
    system: isTrue(fields, 'allowToRunOnSystemNS'),
  };
  checkShardedOptions(fields);
  if (member.memberState === 'STANDALONE') {
    throw new CommandError(40573, 'The $changeStream stage is only supported on replica sets');
  }
  const target = targetOf(allows, context);
  if (target.kind === 'collection') checkNotView(context.data, target.ns);
  const start = startOf(fields, target);
  if (args.inTransaction) {
    throw new CommandError('OperationNotSupportedInTransaction', 'a change stream cannot be opened in a transaction');
  }
  return { ...spec, target, ...start };
}

/** What it says of where it may be opened. */
interface Allowed {
  readonly cluster: boolean;
  readonly config: boolean;
  readonly system: boolean;
}

function isTrue(fields: Fields, name: string): boolean {
  return fields.strictBool(name) ?? false;
}

/**
 * What changes nothing within one set: nothing migrates, no shard is removed, and no-ops that tell of shards are not written. Errors:
 * TypeMismatch 14, BadValue 2, Location10498500. Upstream: change_stream_event_transform.cpp, buildSupportedEvents.
 */
function checkShardedOptions(fields: Fields): void {
  fields.strictBool('showMigrationEvents');
  fields.strictBool('ignoreRemovedShards');
  oneOf(fields, 'version', READER_VERSIONS);
  const events = fields.strings('supportedEvents') ?? [];
  if (events.includes('') || new Set(events).size < events.length) {
    throw new CommandError(10498500, "Expecting valid, unique event names in 'supportedEvents'");
  }
}

function oneOf<T extends string>(fields: Fields, name: string, values: readonly [T, ...T[]] | readonly T[]): T {
  const value = fields.string(name);
  if (value === undefined) return values[0]!;
  const found = values.find((each) => each === value);
  if (found) return found;
  throw new CommandError(
    'BadValue',
    `Enumeration value '${value}' for field '$changeStream.${name}' is not a valid value.`,
  );
}

function targetOf(allows: Allowed, { args }: CommandContext): StreamTarget {
  const { db } = args;
  const isCollection = args.presentValue('aggregate').type === BsonType.string;
  if (allows.cluster) {
    if (db === 'admin' && !isCollection) return { kind: 'cluster' };
    throw new CommandError(
      'InvalidOptions',
      "a $changeStream with 'allChangesForCluster: true' may only be opened on the 'admin' database, and with no collection name",
    );
  }
  const ns = isCollection ? args.ns : `${db}.$cmd.aggregate`;
  const isInternal = db === 'admin' || db === 'local' || (db === 'config' && !allows.config);
  if (isInternal)
    throw new CommandError('InvalidNamespace', `$changeStream may not be opened on the internal ${db} database`);
  if (!isCollection) return { kind: 'database', db };
  if (args.collection.startsWith('system.') && !allows.system) {
    throw new CommandError('InvalidNamespace', `$changeStream may not be opened on the internal ${ns} collection`);
  }
  return { kind: 'collection', ns };
}

function startOf(fields: Fields, target: StreamTarget): Pick<StreamSpec, 'token' | 'startAtOperationTime'> {
  const resumeAfter = fields.document('resumeAfter');
  const startAfter = fields.document('startAfter');
  const time = fields.timestamp('startAtOperationTime');
  if (resumeAfter && startAfter) {
    throw new CommandError(50865, "Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage");
  }
  const given = resumeAfter ?? startAfter;
  if (given && time) {
    throw new CommandError(
      40674,
      "Do not specify both a resume token and 'startAtOperationTime' in a $changeStream stage",
    );
  }
  const token = given && parseToken(given.slice());
  if (resumeAfter && token?.fromInvalidate) {
    throw new CommandError(
      'InvalidResumeToken',
      "a stream that was invalidated cannot be resumed with 'resumeAfter': 'startAfter' begins a new one behind it",
    );
  }
  if (token && !token.isHighWaterMark && !token.hasUuid && target.kind === 'collection') {
    throw new CommandError('InvalidResumeToken', 'a stream on a collection cannot go on from a token without a UUID');
  }
  return { token, startAtOperationTime: time && readTimestamp(time) };
}
