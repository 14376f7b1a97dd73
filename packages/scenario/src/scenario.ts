import type { DriverOptions, ReadPreference } from '@replsim/driver';
import type { AnswerForm, HistoryReads, WorkloadOperation } from '@replsim/protocol';
import type { ActingUser, ReplSetOptions } from '@replsim/replset';
import type { Template } from './file/placeholder.ts';
import type { ScenarioError } from './file/scenarioError.ts';

/** A scenario that has been read and found right; `playScenario` plays it. */
export interface Scenario {
  readonly file: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly seed: number;
  /** How the set is made; the player adds the seed. */
  readonly options: ReplSetOptions;
  readonly steps: readonly Step[];
  /** What happens while steps are under way, in the order of time. */
  readonly meanwhile: readonly Meanwhile[];
  /** What somebody is to bring about by steps of their own. */
  readonly challenge?: Challenge;
  /** What `explore:` says of faults that are drawn; runs take no notice of it. */
  readonly exploring?: Exploring;
  /** Pictures fold away what comes before the first act. */
  readonly hidesStart: boolean;
  /** The scenarios that its variants make of it, by their names; nobody plays them who does not ask for them. */
  readonly variants: ReadonlyMap<string, Scenario>;
  /** What may be meant, and probably is not; `showMistake` shows one. In the order of the file. */
  readonly warnings: readonly ScenarioError[];
}

/** A task for whoever reads the scenario. */
export interface Challenge {
  readonly task: string;
  /** What must hold behind the last step. */
  readonly goals: readonly Check[];
  /** The steps that the scenario may have; undefined: all. */
  readonly allowed?: readonly string[];
  readonly hints: readonly Hint[];
}

/** What helps with a task. */
export interface Hint {
  readonly text: string;
  /** What to ask about the end of the run: `primary`, or a member's name. */
  readonly why?: string;
}

/** Within which bounds faults are drawn; what is absent is not bounded, or as usual. */
export interface Exploring {
  readonly faults?: readonly string[];
  /** From the first step on. */
  readonly duringMicros?: number;
  readonly atMost?: number;
  readonly members?: readonly string[];
  /** Whether all is over before the final checks; so it is if absent. */
  readonly heal?: boolean;
  /** Whether faults of the same process or network may overlap; what cannot be done by then is passed over. */
  readonly overlap?: boolean;
}

/** A fault that happens at its instant, whichever step is under way then. */
export interface Meanwhile {
  /** After time zero. */
  readonly atMicros: number;
  /** The same in words. */
  readonly where: string;
  /** Whether the run goes on where it cannot be done. */
  readonly optional: boolean;
  /** The fault as if it were a step; its index is below 0. */
  readonly step: Step;
}

export interface Step {
  /** From 1; of a step that is repeated, that of the repetition. Below 0 for what happens meanwhile. */
  readonly index: number;
  readonly line: number;
  /** Which kind of step it is: a key of the table of steps; `at` for what came from outside at an instant, `begin` for the beginning. */
  readonly key: string;
  /** The step as it stands in the file, on one line. */
  readonly text: string;
  readonly action: Action;
}

/** What a step does, as its row in the table of steps has read it. The rest of it is between the row and what performs it. */
export interface Action {
  readonly kind: string;
  /** Steps that stand in it. */
  readonly steps?: readonly Step[];
  /** What it claims. */
  readonly check?: Check;
  /** What it asks about, and claims nothing of. */
  readonly asked?: Check;
}

/** Members' names, or `primary`, `secondaries`, `all`, `any`. */
export type Target = readonly string[];

/** What must be true of a command's answer. */
export interface Wants {
  readonly matches?: Template;
  readonly error?: WantedError;
  /** A filter on `{v: milliseconds}`. */
  readonly took?: Template;
  /** The documents that a `find` must return; in this order if `ordered`. */
  readonly documents?: { readonly list: Template; readonly ordered: boolean };
}

export interface WantedError {
  /** The error's number; undefined for any. */
  readonly code: number | undefined;
  readonly text: string;
}

/** A command as a driver sends it. */
export interface ClientAction extends Action {
  readonly kind: 'client';
  readonly on: Target;
  /** Sent one after the other; more than one only for inserts that exceed a batch. With `$db`. */
  readonly commands: readonly Template[];
  /** A driver sends it once more if the primary went away. */
  readonly retryable: boolean;
  /** Add a read preference when it does not go to the primary. */
  readonly reads: boolean;
  /** Choose the server as a driver does for this preference; `on` is then not given. */
  readonly readPreference?: ReadPreference;
  /** The explicit session in which it is sent. */
  readonly session?: string;
  /** As whom it is sent; without one it may do everything. */
  readonly user?: ActingUser;
  /** Drivers send it in a session even if none is named; commands that are sent as written have none. */
  readonly implicitSession: boolean;
  readonly wants: Wants;
  /** Sent and not waited for; checks know the answer by this name. */
  readonly as: string | undefined;
}

/** A session's commands are statements of a transaction from here on. */
export interface StartTransactionAction extends Action {
  readonly kind: 'startTransaction';
  readonly session: string;
  /** `readConcern` of its first statement, `writeConcern` of its end, `maxCommitTimeMS` of its commit. */
  readonly options: Template;
}

/** A change of the config that the set has by then. */
export interface ReconfigAction extends Action {
  readonly kind: 'reconfig';
  readonly on: Target;
  readonly change:
    | { readonly update: Template }
    | { readonly add: { readonly host: string; readonly fields: ReadonlyMap<string, unknown> } }
    | { readonly remove: string };
  readonly force: boolean;
  readonly wants: Wants;
  readonly as: string | undefined;
}

/** A client in the background. */
export interface WorkloadAction extends Action {
  readonly kind: 'workload';
  readonly name: string;
  readonly everyMicros: number;
  readonly operation: WorkloadOperation;
  readonly ns: string;
  /** With `$db`; `$i` is the turn. Of transfers what says how they are sent: the concerns. */
  readonly command: Template;
  readonly transfer?: TransferTurn;
  readonly append?: AppendTurn;
  /** How what it writes is read back. */
  readonly reads?: ReadsAction;
  /** Where a history is kept: how its clients read and write. */
  readonly history?: HistoryReads;
  /** Of an update whose history is kept: the field that it sets. */
  readonly field?: string;
  /** Of its collection. */
  readonly place: readonly [db: string, collection: string];
  /** What is added up in each turn comes to this, and says so. */
  readonly total?: number;
  /** Every statement of it touches one document. */
  readonly retryable: boolean;
  readonly readPreference?: ReadPreference;
  /** The member whose links it shares. */
  readonly near?: string;
  /** Its write or read concern in words. */
  readonly concern?: string;
  readonly options: DriverOptions;
}

/** Transfers between accounts. */
export interface TransferTurn {
  readonly db: string;
  readonly collection: string;
  /** How many there are, and what each begins with. */
  readonly accounts: number;
  readonly initial: number;
}

/** Transactions over lists. */
export interface AppendTurn {
  readonly db: string;
  readonly collection: string;
  readonly lists: number;
}

/** Reads of what a workload writes. */
export interface ReadsAction {
  /** Undefined: after each write. */
  readonly everyMicros: number | undefined;
  readonly readConcern?: ReadonlyMap<string, unknown>;
  /** The same in words. */
  readonly concern?: string;
  readonly readPreference?: ReadPreference;
  /** In one causally consistent session. */
  readonly causal: boolean;
  readonly maxTimeMS?: number;
  readonly near?: string;
}

/** A change stream in the background. */
export interface WatchAction extends Action {
  readonly kind: 'watch';
  readonly name: string;
  readonly on: Target;
  /** What it watches, in words. */
  readonly ns: string;
  readonly db: string;
  /** Its name, or 1. */
  readonly collection: unknown;
  /** Of the stage; placeholders stand for what they are when it is opened. */
  readonly options: ReadonlyMap<string, unknown>;
  readonly pipeline: unknown;
}

/** What is looked at for an answer, and how the trace tells of that. */
export interface Answer {
  readonly form: AnswerForm;
  readonly look:
    | { readonly kind: 'primary' }
    | { readonly kind: 'state' | 'term'; readonly on: string }
    | { readonly kind: 'count'; readonly on: string; readonly command: Template }
    | { readonly kind: 'holds'; readonly check: Check };
}

/** Everything in it must hold. */
export interface Check {
  readonly text: string;
  readonly parts: readonly CheckPart[];
  /** What there is to ask about it besides whether it holds. */
  readonly asks?: Answer;
}

/** One thing that a check asks, as its row in the table of checks has read it. The rest of it is between the row and what judges it. */
export interface CheckPart {
  readonly kind: string;
  /** The check in it, of which the contrary is claimed. */
  readonly check?: Check;
  /** What a member is asked. */
  readonly command?: Template;
  /** The stream that it expects to end with an error. */
  readonly endOf?: string;
  /** What there is to ask about it besides whether it holds. */
  readonly asks?: Answer;
}

/** What a field of all documents adds up to. */
export interface SumPart extends CheckPart {
  readonly kind: 'sum';
  readonly on: Target;
  readonly ns: string;
  readonly of: string;
  /** Adds it up; without a read concern where it is looked at in every snapshot. */
  readonly command: Template;
  readonly everySnapshot: boolean;
  readonly is: NumberTest;
}

/** What a stream has shown. */
export interface StreamPart extends CheckPart {
  readonly kind: 'stream';
  readonly name: string;
  /** So many events and no more, each as its filter says; undefined: whichever. */
  readonly events: readonly Template[] | undefined;
  /** It has ended so. */
  readonly error: WantedError | undefined;
}

/** A filter on a `LatenessSummary`. */
export interface TtlPart extends CheckPart {
  readonly kind: 'ttl';
  readonly index: string;
  readonly ns: string | undefined;
  /** The member; undefined for the primary. */
  readonly on: string | undefined;
  readonly lateness: Template;
}

/** A number, or MQL conditions on it. */
export interface NumberTest {
  /** A filter on `{v: number}`. */
  readonly filter: Template;
  readonly text: string;
}
