import type { Document, MongoClientOptions, ServerApi } from 'mongodb';

// The unified test format as its files have it: what is read here of them.

/** One file. */
export interface SpecificationFile {
  readonly description: string;
  readonly schemaVersion: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly createEntities?: readonly EntityEntry[];
  readonly initialData?: readonly CollectionData[];
  readonly tests: readonly SpecificationTest[];
}

export interface SpecificationTest {
  readonly description: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly skipReason?: string;
  readonly operations: readonly OperationEntry[];
  readonly expectEvents?: readonly ExpectedEvents[];
  readonly expectLogMessages?: unknown;
  readonly expectTracingMessages?: unknown;
  readonly outcome?: readonly CollectionData[];
}

/** What the set has to be; all fields given must hold. */
export interface Requirement {
  readonly minServerVersion?: string;
  readonly maxServerVersion?: string;
  readonly topologies?: readonly string[];
  readonly serverParameters?: Document;
  readonly serverless?: 'require' | 'forbid' | 'allow';
  readonly auth?: boolean;
  readonly authMechanism?: string;
  readonly csfle?: unknown;
}

export interface CollectionData {
  readonly databaseName: string;
  readonly collectionName: string;
  readonly createOptions?: Document;
  readonly documents: readonly Document[];
}

/** One field, which names the kind. */
export type EntityEntry = Readonly<Record<string, EntitySettings>>;

/** What any kind of entity may be told; `id` is the name by which operations know it. */
export interface EntitySettings {
  readonly id: string;
  readonly client?: string;
  readonly uriOptions?: MongoClientOptions & Document;
  readonly observeEvents?: readonly string[];
  readonly ignoreCommandMonitoringEvents?: readonly string[];
  readonly observeSensitiveCommands?: boolean;
  readonly serverApi?: ServerApi;
  readonly autoEncryptOpts?: unknown;
  readonly databaseName?: string;
  readonly databaseOptions?: Document;
  readonly database?: string;
  readonly collectionName?: string;
  readonly collectionOptions?: Document;
  readonly sessionOptions?: Document;
  readonly bucketOptions?: Document;
}

export interface OperationEntry {
  readonly name: string;
  /** An entity's `id`, or `testRunner`. */
  readonly object: string;
  readonly arguments?: Document;
  readonly expectResult?: unknown;
  readonly expectError?: ExpectedError;
  readonly saveResultAsEntity?: string;
  readonly ignoreResultAndError?: boolean;
}

export interface ExpectedError {
  readonly isClientError?: boolean;
  readonly isTimeoutError?: boolean;
  readonly errorContains?: string;
  readonly errorCode?: number;
  readonly errorCodeName?: string;
  readonly errorLabelsContain?: readonly string[];
  readonly errorLabelsOmit?: readonly string[];
  readonly errorResponse?: Document;
  readonly writeErrors?: Readonly<Record<string, Document>>;
  readonly writeConcernErrors?: readonly Document[];
  readonly expectResult?: unknown;
}

export interface ExpectedEvents {
  readonly client: string;
  /** Default `command`. */
  readonly eventType?: EventKind;
  readonly events: readonly ExpectedEvent[];
  readonly ignoreExtraEvents?: boolean;
}

export type EventKind = 'command' | 'cmap' | 'sdam';

/** One field: the event's name, and what of it is asked for. */
export type ExpectedEvent = Readonly<Record<string, Document>>;
