export { BytePool } from './bson/bytePool.ts';
export {
  DECIMAL_EXPONENT_BIAS,
  decimalText,
  doubleOfExact,
  type ExactNumber,
  isDecimalNaN,
  MAX_DECIMAL_COEFFICIENT,
  readDecimal,
  readDecimalAsNumber,
} from './bson/decimal.ts';
export {
  BsonType,
  type BsonValue,
  cStringEnd,
  ElementCursor,
  encodeName,
  findField,
  firstKey,
  readDouble,
  readInt32,
  readInt64,
  readInt64AsNumber,
  readName,
  readString,
  readTimestamp,
  readUtf8,
  requiredField,
  subdocument,
  valueSize,
} from './bson/element.ts';
export { decodeDocument, decodeFields, decodePromoted, encodeDocument, encodeReply } from './bson/encode.ts';
export { RawBson, RawValue, writeJsValue } from './bson/jsValue.ts';
export { BsonWriter, indexName } from './bson/writer.ts';
export {
  type ConfigVersionAndTerm,
  configCommitmentCount,
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  FORCED_JUMP,
  GET_LAST_ERROR_DEFAULTS,
  implicitDefaultWriteConcern,
  isElectable,
  isNewerConfig,
  MAX_MEMBERS,
  MAX_VOTING_MEMBERS,
  type MemberConfig,
  majorityVoteCount,
  type ReplSetConfig,
  type ReplSetSettings,
  sameConfigVersion,
  showConfigVersion,
  votingMembers,
  writableVotingMembers,
  writeMajority,
} from './config.ts';
export type { ConnectionPeer, ConnectionRefusal } from './connectionPeer.ts';
export { type Costs, DEFAULT_COSTS } from './costs.ts';
export { operationByteLength } from './encodeEntry.ts';
export { codeNameOf, type ErrorCodeName, ErrorCodes } from './errorCodes.ts';
export { CommandError, InvariantError, invariant, required } from './errors.ts';
export { FAIL_POINTS, type FailPointName, HOLDABLE_PARTS, type HoldablePart } from './faults.ts';
export { formatLogLine } from './formatLogLine.ts';
export { formatUuid, IdSource, toHex, uuidAttr } from './ids.ts';
export { type NamesElsewhere, namesElsewhere, type Owner, sayIfKnown } from './knownElsewhere.ts';
export {
  type ComponentLevels,
  type LogComponent,
  LogVerbosity,
  MAX_DEBUG_LEVEL,
  parseComponentLevels,
} from './logComponents.ts';
export { LyingDisks } from './lyingDisks.ts';
export { isIpAddress, isLoopbackName, machineOf, otherSpellings, resolvable } from './machineNames.ts';
export { isReadable, type MemberState, MemberStates } from './memberState.ts';
export type * from './messages.ts';
export { databaseOf, isAlikeOnAll, isLocal, isReplicated, PRE_IMAGES_NS, splitNamespace } from './namespaces.ts';
export type { Now } from './now.ts';
export { OplogEntry } from './oplogEntry.ts';
export type { OplogOperation, OpType, SharedDocument, StatementLink, TransactionLink } from './oplogOperation.ts';
export {
  compareOpTimes,
  compareTimestamps,
  formatOpTime,
  isNullOpTime,
  maxOpTime,
  minOpTime,
  NULL_OP_TIME,
  NULL_TIMESTAMP,
  type OpTime,
  sameOpTime,
  type Term,
  type Timestamp,
  toBsonTimestamp,
  UNINITIALIZED_TERM,
} from './opTime.ts';
export {
  type AnswerForm,
  type ClientTrace,
  type DataHash,
  FATE_TRACES,
  type ForcedConfigTrace,
  type HistoryReads,
  type LessonTrace,
  type ListOperation,
  type LogLine,
  type MemberTrace,
  type RunEvent,
  type StreamedEvent,
  type StreamTrace,
  type TermNews,
  TRACE_VERSION,
  type TraceEvent,
  type TraceEventType,
  type VoteClaim,
  type WorkloadOperation,
  type WriteLosses,
} from './trace.ts';
export { TraceNames } from './traceNames.ts';
export { TransactionChain } from './transactionChain.ts';
export { type MongodVersion, VERSIONS, type VersionTraits } from './versions.ts';
export type { Provenance, WriteConcernW } from './writeConcern.ts';
