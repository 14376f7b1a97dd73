import { type MongodEffect, type MongodEvent, type StartupOptions, startMongod } from '@replsim/node';
import type { Now, OpTime } from '@replsim/protocol';
import { type DataFolder, type Disk, type LoadedData, openDisk } from '@replsim/storage';

/** What the host asks of a mongod: everything that happens to it goes through `step`. */
export interface MongodProcess {
  /** Takes one event. @returns what the member does of it, in order */
  step(event: MongodEvent, now: Now): readonly MongodEffect[];
  /** Grows whenever something may show in what it answers. */
  readonly changes: number;
  /** What its `hello` says as `isWritablePrimary`. */
  readonly saysPrimary: boolean;
  /** What its `hello` says as `arbiterOnly`. */
  readonly saysArbiter: boolean;
  /** Whether it would stand for election now, if it had to. */
  readonly electable: boolean;
  /** Until when it may not stand, because it was frozen or stepped down. */
  readonly barredUntilMicros: number;
  /** How often it has let go of its oldest entries because it was asked to. */
  readonly oplogTruncations: number;
  /** Why it cannot let go of them now; undefined if it can. */
  readonly keepsOplog: string | undefined;
  /** What it found on its disk. */
  readonly recovered: { readonly hasReplSetConfig: boolean };
  /** How far its journal reaches; undefined on a standalone. */
  readonly durable: OpTime | undefined;
  /** Whether the user of a connection may manage the host that this process runs on. */
  managesHost(connectionId: number): boolean;
  /** Answers a command at this instant, without effects. */
  ask(command: Uint8Array, now: Now): Uint8Array;
}

/** What a mongod asks of its disk. */
export type DiskWrite = Extract<MongodEffect, { type: 'writeJournal' | 'writeCheckpoint' | 'writeFile' }>;

/** What the host asks of a member's disk. */
export type HostDisk = Pick<
  Disk,
  | 'load'
  | 'appendJournal'
  | 'writeCheckpoint'
  | 'writeFile'
  | 'lastWrite'
  | 'wipe'
  | 'corrupt'
  | 'misdirectJournal'
  | 'caches'
  | 'losePower'
  | 'close'
>;

/** The two things that a host puts to work, so that its tests can hand it smaller ones. */
export interface HostParts {
  /**
   * Starts a process on what the disk holds; throws when it refuses to start. `options.tracing` may change while the
   * process runs, so it must be read anew each time; nothing is traced before the event `started`.
   */
  readonly startMongod: (options: StartupOptions, disk: LoadedData) => MongodProcess;
  /** @param options the member's own folder; without one the disk is in memory */
  /** Where a member's data lie. */
  readonly openDisk: (options: Partial<DataFolder>) => Promise<HostDisk>;
}

export const REAL_PARTS: HostParts = { startMongod, openDisk };
