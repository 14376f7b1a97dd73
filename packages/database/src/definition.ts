import type { CommandPrivilege } from '@replsim/access';
import type {
  Killable,
  OpenConnection,
  Operation,
  ReadConcernLevel,
  ReadConcernRequest,
  RetryableWrite,
  Session,
  WriteServices,
} from '@replsim/operations';
import type { CommandArguments, Reply } from '@replsim/pipeline';
import type { ReadView } from '@replsim/storage';
import type { MemberServices } from './member.ts';
import type { NeedsOf } from './needs.ts';

/** What versions of the Stable API make of a command. There is one; the second is for tests alone. */
export const API_VERSIONS = {
  none: { has: [], deprecates: [] },
  v1: { has: ['1'], deprecates: [] },
  v1Deprecated: { has: ['1'], deprecates: ['1'] },
  v2: { has: ['2'], deprecates: [] },
  v1AndV2: { has: ['1', '2'], deprecates: [] },
  v2Deprecated: { has: ['1', '2'], deprecates: ['2'] },
} as const satisfies Record<string, { readonly has: readonly string[]; readonly deprecates: readonly string[] }>;

/** What a command is to those who look for one. */
export interface CommandDescription {
  readonly name: string;
  /** What it does, in a sentence. */
  readonly help: string;
  /**
   * What a client needs to run it where clients have to show who they are: nothing for `none`, just to be somebody for
   * `user`, a privilege, or what follows from the arguments. Upstream: Command::requiresAuth, doCheckAuthorization.
   */
  readonly auth: 'none' | 'user' | CommandPrivilege | NeedsOf;
  /** Which versions of the Stable API have it; see `API_VERSIONS`. */
  readonly api: keyof typeof API_VERSIONS;
  /** Fields whose values nobody gets to see: see `redacted`. Upstream: Command::sensitiveFieldNames. */
  readonly sensitive?: readonly string[];
}

/** Whether somebody may run it who has not said who they are. Upstream: Command::requiresAuth. */
export function isOpen({ auth, strangers }: Pick<AnyCommand, 'auth' | 'strangers'>): boolean {
  return auth === 'none' || strangers === true;
}

/** What holds for a command of any kind. */
interface AnyCommand extends CommandDescription {
  readonly aliases?: readonly string[];
  /** Whether a member that is not a writable primary answers it. Upstream: secondaryAllowed. */
  readonly secondaries: 'never' | 'optIn' | 'always';
  /** Answered in RECOVERING, STARTUP2 and the like too. */
  readonly maintenanceOk: boolean;
  readonly adminOnly?: boolean;
  /** Somebody who is nobody may run it too, unless its arguments need a privilege. Upstream: Command::requiresAuth. */
  readonly strangers?: true;
  /** Without access control it is for clients of this machine alone. Upstream: Command::localHostOnlyIfNoAuth. */
  readonly localhostOnly?: true;
  /** Known only where `enableTestCommands` is on. Upstream: MONGO_REGISTER_COMMAND(…).testOnly(). */
  readonly testOnly?: boolean;
  /** What it works on, where its first field and `$db` do not say that. Upstream: CommandInvocation::allNamespaces. */
  readonly namespaces?: (args: CommandArguments) => readonly string[];
  /** May name its collection by its UUID. Upstream: IDL type namespacestring_or_uuid. */
  readonly byUuid?: true;
  /**
   * Which of `opcounters` it adds to, `command` if absent; `itself`: it counts its statements one by one; `aggregation`: a query
   * from 7.1 on, a command before.
   */
  readonly countedAs?: 'query' | 'getmore' | 'aggregation' | 'itself';
  /**
   * Looks at `writeConcern` itself, and waits for it if it does. Whoever neither does that nor writes takes none; a function
   * says which of these commands takes one.
   */
  readonly ownWriteConcern?: boolean | ((args: CommandArguments) => boolean);
  /** Whom a state change kills, where it does not follow from `secondaries`. */
  readonly killable?: Killable;
  run(context: CommandContext): Operation<Reply>;
}

/** A stage that reads in one way alone. Upstream: LiteParsedDocumentSource::onlySingleReadConcernSupported. */
export interface OneLevel {
  readonly stage: string;
  readonly level: ReadConcernLevel;
}

/** Takes a read concern. */
export interface ReadCommand extends AnyCommand {
  readonly kind: 'read';
  /** Which levels it takes: all, or all but `snapshot`. */
  readonly readConcern: 'withSnapshot' | 'withoutSnapshot';
  /** Which read concern alone such a command takes, as one of its stages wants it; a default of the set does not count. */
  readonly oneLevel?: (args: CommandArguments) => OneLevel | undefined;
}

/** Takes a write concern and is killed when its member steps down. */
export interface WriteCommand extends AnyCommand {
  readonly kind: 'write';
  /** May carry a `txnNumber`, so that a client may send it again without its being carried out twice. */
  readonly retryable?: boolean;
  /** Its reply shows `electionId` and `opTime`. */
  readonly tellsOpTime?: boolean;
  /** The collections that it wants for itself: it waits until no open transaction holds on to one. */
  readonly excludes?: (args: CommandArguments) => (ns: string) => boolean;
}

/** Takes neither: of a process, a set, a session, a cursor. */
export interface OtherCommand extends AnyCommand {
  readonly kind: 'other';
  /** Writes, though it takes no write concern: an `fsync` lock stops it like those that do. */
  readonly writes?: boolean;
  /** Does not wait for a time that its read concern names, and refuses it. Upstream: CommandInvocation::allowsAfterClusterTime. */
  readonly refusesClusterTime?: true;
  /** Does not take the session that it names: what is open there goes on, whatever becomes of the command. */
  readonly leavesSession?: boolean;
  /** `maxTimeMS` is for the command itself to heed, as in `getMore` on a cursor that awaits data. */
  readonly ownMaxTime?: boolean;
  /** Its `client` tells who is at the other end of the connection. */
  readonly isHandshake?: boolean;
}

/** One command: who may run it, and what it does. Upstream: commands.h, Command. */
export type CommandDefinition = ReadCommand | WriteCommand | OtherCommand;

/** What a command sees of its member: all of it, or the group of services that it asks for. */
export interface CommandContext<Member = MemberServices> {
  readonly args: CommandArguments;
  readonly member: Member;
  /**
   * The data as this command sees them: those of its read concern, the newest for one that takes none. It is asked for
   * anew wherever time has passed. Throws ReadConcernMajorityNotAvailableYet 134, SnapshotUnavailable 246.
   */
  readonly data: ReadView;
  /** How this command changes data. */
  readonly writes: WriteServices;
  readonly opId: number;
  /** `local` for commands that take none. */
  readonly readConcern: ReadConcernRequest;
  /** Set for a command with a `txnNumber` outside of transactions. */
  readonly retryable?: RetryableWrite | undefined;
  /** Set for a statement of a transaction, whose data and writes are those of this context. */
  readonly transaction?: Session | undefined;
  /** When its `maxTimeMS` is over, of the monotonic clock; Infinity if it has none. */
  readonly deadlineMicros: number;
  /** Whether there is a command of this name. */
  readonly isCommand: (name: string) => boolean;
  /** The client takes further replies unasked. */
  readonly exhaustAllowed: boolean;
  /** Which UUID a new collection gets, where an oplog entry says so. */
  readonly collectionUuid?: Uint8Array | undefined;
  /** On which the command came, if it did on one. */
  readonly connection?: OpenConnection | undefined;
}
