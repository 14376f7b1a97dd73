/**
 * MongoDB's error codes that replsim answers with; the name is what `codeName` carries.
 * Upstream: error_codes.yml.
 */
export const ErrorCodes = {
  OK: 0,
  InternalError: 1,
  BadValue: 2,
  NoSuchKey: 4,
  GraphContainsCycle: 5,
  HostUnreachable: 6,
  HostNotFound: 7,
  UnknownError: 8,
  FailedToParse: 9,
  UnsupportedFormat: 12,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  EmptyArrayOperation: 21,
  InvalidBSON: 22,
  AlreadyInitialized: 23,
  LockTimeout: 24,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  InvalidDBRef: 55,
  EmptyFieldName: 56,
  DottedFieldName: 57,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  NodeNotFound: 74,
  NoReplicationEnabled: 76,
  UnknownReplWriteConcern: 79,
  WriteConcernFailed: 64,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NetworkTimeout: 89,
  ShutdownInProgress: 91,
  SecondaryAheadOfPrimary: 92,
  InvalidReplicaSetConfig: 93,
  NotYetInitialized: 94,
  NotSecondary: 95,
  OperationFailed: 96,
  NoMatchingDocument: 47,
  UnsatisfiableWriteConcern: 100,
  NewReplicaSetConfigurationIncompatible: 103,
  NodeNotElectable: 104,
  InconsistentReplicaSetNames: 108,
  ConfigurationInProgress: 109,
  CannotInitializeNodeWithData: 110,
  WriteConflict: 112,
  InitialSyncFailure: 113,
  CommandNotSupported: 115,
  ConflictingOperationInProgress: 117,
  InvalidSyncSource: 119,
  OplogStartMissing: 120,
  DocumentValidationFailure: 121,
  NotAReplicaSet: 123,
  CommandFailed: 125,
  UnrecoverableRollbackError: 127,
  ReadConcernMajorityNotAvailableYet: 134,
  StaleTerm: 135,
  CappedPositionLost: 136,
  ExceededMemoryLimit: 146,
  OplogOutOfOrder: 152,
  MaxStalenessOutOfRange: 160,
  IncompatibleCollationVersion: 161,
  InvalidPipelineOperator: 168,
  ViewDepthLimitExceeded: 165,
  CommandNotSupportedOnView: 166,
  OptionNotSupportedOnView: 167,
  QueryPlanKilled: 175,
  AmbiguousIndexKeyPattern: 181,
  ClientMetadataMissingField: 183,
  ClientMetadataAppNameTooLarge: 184,
  ClientMetadataDocumentTooLarge: 185,
  ClientMetadataCannotBeMutated: 186,
  PrimarySteppedDown: 189,
  InvalidIndexSpecificationOption: 197,
  CannotBuildIndexKeys: 201,
  ClusterTimeFailsRateLimiter: 205,
  ShardingStateNotInitialized: 203,
  InvalidUUID: 207,
  StaleClusterTime: 209,
  IncompleteTransactionHistory: 217,
  QueryFeatureNotAllowed: 224,
  TransactionTooOld: 225,
  CursorKilled: 237,
  SnapshotTooOld: 239,
  ConversionFailure: 241,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  TransactionTooLarge: 257,
  InvalidResumeToken: 260,
  ExceededTimeLimit: 262,
  OperationNotSupportedInTransaction: 263,
  FailPointSetFailed: 266,
  IndexBuildAborted: 276,
  UnsatisfiableCommitQuorum: 278,
  ClientDisconnect: 279,
  ChangeStreamFatalError: 280,
  IndexBuildAlreadyInProgress: 285,
  ChangeStreamHistoryLost: 286,
  TransactionExceededLifetimeLimitSeconds: 290,
  NoQueryExecutionPlans: 291,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  CurrentConfigNotCommittedYet: 308,
  TooStaleToSyncFromSource: 315,
  APIVersionError: 322,
  APIStrictError: 323,
  APIDeprecationError: 324,
  UnsupportedOpQueryCommand: 352,
  CannotConvertIndexToUnique: 359,
  CollectionUUIDMismatch: 361,
  UserWritesBlocked: 371,
  SocketException: 9001,
  NotWritablePrimary: 10107,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  InterruptedDueToReplStateChange: 11602,
  BackgroundOperationInProgressForNamespace: 12587,
  MergeStageNoMatchingDocument: 13113,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  SearchNotEnabled: 31082,
  IDLUnknownField: 40415,
  NotARetryableWriteCommand: 50768,
} as const;

/** The name of an error of MongoDB's: `PrimarySteppedDown`. */
export type ErrorCodeName = keyof typeof ErrorCodes;

const nameByCode = new Map<number, string>(Object.entries(ErrorCodes).map(([name, code]) => [code, name]));

/** The `codeName` that mongod sends with `code`: the registered name, or `Location` and the number. */
export function codeNameOf(code: number): string {
  return nameByCode.get(code) ?? `Location${code}`;
}

/** A command's failure, which the driver receives as `{ ok: 0, errmsg, code, codeName }`. */
export class CommandError extends Error {
  readonly code: number;
  /** Further top-level fields of the reply, such as `keyPattern` and `keyValue` of a duplicate key. */
  readonly extra: Readonly<Record<string, unknown>>;

  /** @param code a registered name, or the bare number of an assertion that upstream never named */
  constructor(code: ErrorCodeName | number, errmsg: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(errmsg);
    this.name = 'CommandError';
    this.code = typeof code === 'number' ? code : ErrorCodes[code];
    this.extra = extra;
  }

  /** MongoDB's name for the code; `Location` and the number for one without. */
  get codeName(): string {
    return codeNameOf(this.code);
  }
}

/** Our own bug: it stops the run, and the program exits with 3 and the seed that repeats it. */
export class InvariantError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantError';
  }
}

/** Throws InvariantError unless `condition` holds; for what only a bug of ours can break. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** A value that only a bug of ours can leave out: InvariantError says that there is no `what`. */
export function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new InvariantError(`there is no ${what}`);
  return value;
}
