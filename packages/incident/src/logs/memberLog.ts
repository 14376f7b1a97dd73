/** Where something was read, for whoever wants to look there. */
export interface Seen {
  readonly file: string;
  readonly line: number;
}

/** What a line says, with who is meant by HOST:PORT. */
export type Saying =
  | { readonly kind: 'state'; readonly from: string; readonly to: string }
  | { readonly kind: 'config'; readonly config: Readonly<Record<string, unknown>> }
  /** Another member answers, or has sent something. */
  | { readonly kind: 'heard'; readonly from: string; readonly state?: string }
  /** A heartbeat to it has failed; `down` if the member counts as down now. */
  | { readonly kind: 'unheard'; readonly from: string; readonly down: boolean; readonly why: string }
  /** It begins to ask for votes. */
  | { readonly kind: 'stands'; readonly why: string; readonly isAsked: boolean }
  | { readonly kind: 'asks'; readonly dryRun: boolean }
  | { readonly kind: 'answered'; readonly from: string; readonly dryRun: boolean; readonly term: number }
  /** It answers a candidate, of whom the line knows the place in the config. */
  | { readonly kind: 'votes'; readonly candidate: number; readonly dryRun: boolean; readonly term: number }
  | { readonly kind: 'wins'; readonly term: number }
  /** It accepts writes from now on. */
  | { readonly kind: 'writable' }
  | { readonly kind: 'stepDownAsked' }
  | { readonly kind: 'stepDownDone' }
  | { readonly kind: 'reconfigAsked'; readonly force: boolean }
  | { readonly kind: 'initiated' }
  | { readonly kind: 'initialSync' }
  | { readonly kind: 'rolledBack'; readonly lastMs: number; readonly term: number }
  | { readonly kind: 'ttl'; readonly ns: string; readonly deleted: number }
  | { readonly kind: 'frozen' };
export type SayingKind = Saying['kind'];

/** A line that counts, by the member's own clock. */
export type Fact = Saying & { readonly atMs: number; readonly seen: Seen };

/** One life of a process. */
export interface Life {
  /** Undefined where the log begins later. */
  readonly started: { readonly atMs: number; readonly seen: Seen } | undefined;
  readonly lastMs: number;
  readonly last: Seen;
  /** When it was told to end, if it was, and how much time it had for that. Unit: ms. */
  readonly shutdown: { readonly atMs: number; readonly seen: Seen; readonly timeoutMs: number } | undefined;
  /** Its options name no set. */
  readonly isStandalone: boolean;
}

/** What the log of one member says. */
export interface MemberLog {
  readonly file: string;
  /** HOST:PORT as the config has it; undefined where no line says it. */
  readonly host: string | undefined;
  /** Such as `8.0.15`. */
  readonly release: string | undefined;
  readonly setName: string | undefined;
  readonly oplogSizeMB: number | undefined;
  /** A router's, which is in no set. */
  readonly isMongos: boolean;
  readonly lives: readonly Life[];
  readonly facts: readonly Fact[];
  readonly firstMs: number;
  readonly lastMs: number;
  /** Stretches of more than some seconds without a line. */
  readonly silences: readonly (readonly [fromMs: number, toMs: number])[];
  /** Slow operations by `insert app.orders`, and the write concern that the first of them had. */
  readonly slow: ReadonlyMap<string, { count: number; writeConcern: unknown; readonly seen: Seen }>;
  readonly lines: number;
  /** Lines that are none of a structured log, and the first of them. */
  readonly unreadable: { readonly count: number; readonly first: Seen } | undefined;
}
